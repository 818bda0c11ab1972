import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { readConversation } from "./conversation.ts";
import { replay, withoutRepeats } from "./plan.ts";
import { runInstruction } from "./run-forms.ts";

/**
 * A language model that needs no network: it understands the forms of `instruction/forms.ts` and does upkeep of a site
 * with the tools `list`, `search`, `read`, `edit`, `write`, `move`, `delete` and `check`.
 *
 * A pure function of the messages: what it did so far it takes from the calls and answers since the last
 * user message. Throws `invalid_input`, with the form that could be sent instead, for an instruction that is not wholly
 * in these forms, or that names what the site does not have. It never guesses: what is uncertain is not done, and the
 * summary says so.
 */
export function createRecipesModel(): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "builtin",
    modelId: "recipes",
    supportedUrls: {},
    async doGenerate(options) {
      return generate(options);
    },
    async doStream(options) {
      const result = generate(options);
      return { stream: streamOf(result) };
    },
  };
}

/** Nothing is billed and nothing is counted. */
const usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

function generate({
  prompt,
  abortSignal,
}: LanguageModelV4CallOptions): LanguageModelV4GenerateResult {
  abortSignal?.throwIfAborted();
  const { instruction, answered, callCount } = readConversation(prompt);
  const state = replay(withoutRepeats(runInstruction(instruction)), answered);
  if (state.type === "done") return answer([{ type: "text", text: state.result }], "stop");
  const calls = state.calls.map(({ tool, input }, index): LanguageModelV4Content => {
    const toolCallId = `call_${callCount + index + 1}`;
    return { type: "tool-call", toolCallId, toolName: tool, input: JSON.stringify(input) };
  });
  return answer(calls, "tool-calls");
}

function answer(
  content: LanguageModelV4Content[],
  reason: "stop" | "tool-calls",
): LanguageModelV4GenerateResult {
  return { content, finishReason: { unified: reason, raw: undefined }, usage, warnings: [] };
}

function streamOf(
  result: LanguageModelV4GenerateResult,
): ReadableStream<LanguageModelV4StreamPart> {
  const parts: LanguageModelV4StreamPart[] = [{ type: "stream-start", warnings: result.warnings }];
  result.content.forEach((part, index) => {
    if (part.type === "tool-call") parts.push(part);
    if (part.type !== "text") return;
    const id = `text_${index}`;
    parts.push({ type: "text-start", id });
    parts.push({ type: "text-delta", id, delta: part.text });
    parts.push({ type: "text-end", id });
  });
  parts.push({ type: "finish", usage, finishReason: result.finishReason });
  return ReadableStream.from(parts);
}
