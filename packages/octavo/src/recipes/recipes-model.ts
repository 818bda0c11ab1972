import { isDeepStrictEqual } from "node:util";
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { OctavoError } from "@octavo/site/core";
import { nearLimitOpening } from "../core/index.ts";
import { skipRepeatedCalls, type Plan, type ToolAnswer, type ToolCall } from "./plan.ts";
import { runInstruction } from "./run-forms.ts";

/** The state of the current turn, read from the messages. */
interface Conversation {
  /** The last user message. */
  readonly instruction: string;
  /** The calls since the instruction, up to the first unanswered call. */
  readonly answered: readonly AnsweredCall[];
  /** The number of calls in the whole conversation, so that new calls get unique IDs. */
  readonly callCount: number;
}

type AssistantMessage = Extract<LanguageModelV4Message, { role: "assistant" }>;
type CallPart = Extract<AssistantMessage["content"][number], { type: "tool-call" }>;
type ResultPart = Extract<AssistantMessage["content"][number], { type: "tool-result" }>;

/**
 * Creates a language model that needs no network. It understands the forms in `instruction/forms.ts` and maintains a
 * site with the tools `list`, `search`, `read`, `edit`, `write`, `move`, `delete`, `undo` and `check`.
 *
 * The model is a pure function of the messages. It derives its progress from the calls and answers since the last user
 * message. Throws `invalid_input`, with the form to send instead, for an instruction that does not consist entirely of
 * these forms, or that names something that the site does not have. The model never guesses. It skips uncertain cases,
 * and the summary lists them.
 */
export function createRecipesModel(): LanguageModelV4 {
  const generate = createGenerator();
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
      return { stream: toStream(result) };
    },
  };
}

/** All zero, because nothing is billed. */
const usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

type Generate = (options: LanguageModelV4CallOptions) => LanguageModelV4GenerateResult;

/**
 * Creates a function that continues the plan of its last call if it can, instead of replaying it from the beginning.
 */
function createGenerator(): Generate {
  let last: { readonly instruction: string; readonly replay: Replay<string> } | undefined;
  return ({ prompt, abortSignal }) => {
    abortSignal?.throwIfAborted();
    const conversation = readConversation(prompt);
    const { instruction, answered } = conversation;
    const lastReplay = last?.instruction === instruction ? last.replay : undefined;
    last = undefined;
    const startReplay = () => createReplay(skipRepeatedCalls(runInstruction(instruction)));
    let replay = lastReplay ?? startReplay();
    let state = replay.advance(answered);
    if (state === undefined) {
      replay = startReplay();
      state = replay.advance(answered);
    }
    if (state?.type === "calls") last = { instruction, replay };
    return respond(conversation, state);
  };
}

function respond(
  { callCount }: Conversation,
  state: ReturnType<Replay<string>["advance"]>,
): LanguageModelV4GenerateResult {
  if (state === undefined)
    throw new OctavoError("internal", "A new plan cannot have received other answers.");
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

function toStream(
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

/** Reads the last instruction and the calls that follow it. */
function readConversation(prompt: LanguageModelV4Prompt): Conversation {
  const instructionIndex = prompt.findLastIndex(isInstruction);
  const turn = prompt.slice(instructionIndex + 1);
  const answers = new Map(listResults(turn).map((part) => [part.toolCallId, toAnswer(part)]));
  const answered: AnsweredCall[] = [];
  for (const part of listCalls(turn)) {
    const answer = answers.get(part.toolCallId);
    if (answer === undefined) break;
    answered.push({ tool: part.toolName, input: toObject(part.input), answer });
  }
  return {
    instruction: getMessageText(prompt[instructionIndex]),
    answered,
    callCount: listCalls(prompt).length,
  };
}

/**
 * Reports whether a message is an instruction. A notice about an approaching limit is ignored, because the work is done
 * either completely or not at all.
 */
function isInstruction(message: LanguageModelV4Message): boolean {
  return message.role === "user" && !getMessageText(message).startsWith(nearLimitOpening);
}

function getMessageText(message: LanguageModelV4Message | undefined): string {
  if (message?.role !== "user") return "";
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

function listCalls(messages: readonly LanguageModelV4Message[]): CallPart[] {
  return messages.flatMap((message) =>
    message.role === "assistant" ? message.content.filter((part) => part.type === "tool-call") : [],
  );
}

function listResults(messages: readonly LanguageModelV4Message[]): ResultPart[] {
  return messages.flatMap((message) =>
    message.role === "tool" || message.role === "assistant"
      ? [...message.content].filter((part) => part.type === "tool-result")
      : [],
  );
}

function toAnswer({ output }: ResultPart): ToolAnswer {
  switch (output.type) {
    case "content": {
      const texts = output.value.map((part) => (part.type === "text" ? part.text : ""));
      return toObject(texts.join(""));
    }
    case "error-text":
    case "error-json":
      return { error: output.value };
    case "execution-denied":
      return { error: output.reason ?? "The call was not allowed." };
    default:
      return toObject(output.value);
  }
}

/** Converts an object, or its JSON text, to an answer. Anything else becomes an error, which every plan can handle. */
function toObject(value: unknown): ToolAnswer {
  const parsed = typeof value === "string" ? parseJson(value) : value;
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) {
    return parsed as ToolAnswer;
  }
  return { error: `The tool returned ${JSON.stringify(value)?.slice(0, 200)}.` };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A call in the conversation that has been answered. */
interface AnsweredCall extends ToolCall {
  readonly answer: ToolAnswer;
}

type PlanState<T> =
  | { readonly type: "calls"; readonly calls: readonly ToolCall[] }
  | { readonly type: "done"; readonly result: T };

/** A plan that is carried out while its conversation grows. */
interface Replay<T> {
  /**
   * Passes the answers in the conversation to the plan and returns the plan's next calls, or its result. Returns
   * undefined if the plan has already received different answers. Throws `conflict` if a different plan began the
   * conversation. Must not be called again after it threw or returned the result.
   */
  advance(answered: readonly AnsweredCall[]): PlanState<T> | undefined;
}

function createReplay<T>(plan: Plan<T>): Replay<T> {
  let received: readonly AnsweredCall[] = [];
  let step: IteratorResult<readonly ToolCall[], T> | undefined;
  return {
    advance(answered) {
      if (!isDeepStrictEqual(answered.slice(0, received.length), received)) return undefined;
      step ??= plan.next([]);
      while (step.done !== true) {
        const calls = step.value;
        const known = answered.slice(received.length, received.length + calls.length);
        known.forEach(({ tool, input }, index) => expectSameCall(calls[index], { tool, input }));
        if (known.length < calls.length) return { type: "calls", calls: calls.slice(known.length) };
        received = answered.slice(0, received.length + calls.length);
        step = plan.next(known.map(({ answer }) => answer));
      }
      return { type: "done", result: step.value };
    },
  };
}

function expectSameCall(planned: ToolCall | undefined, recorded: ToolCall): void {
  if (planned?.tool === recorded.tool && getSubject(planned) === getSubject(recorded)) return;
  throw new OctavoError(
    "conflict",
    "builtin/recipes cannot continue this conversation, because a different model or version began it. Send the instruction again.",
  );
}

/**
 * Returns the part of a call's input by which calls are compared, because the recorded input may also contain default
 * values.
 */
function getSubject({ input }: ToolCall): string {
  return JSON.stringify([input.path ?? input.from ?? input.query ?? input.pattern ?? null]);
}
