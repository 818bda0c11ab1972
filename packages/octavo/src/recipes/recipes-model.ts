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
import { nearLimitOpening, tryParseJson } from "../core/index.ts";
import { skipRepeatedCalls, type Plan, type ToolAnswer, type ToolCall } from "./plan.ts";
import { runInstruction } from "./run-forms.ts";

/** The state of the current turn, read from the messages. */
interface Conversation {
  /** The last user message. */
  readonly instruction: string;
  /** The answered calls since the instruction, up to the first unanswered call. */
  readonly answered: readonly AnsweredCall[];
  /** The number of calls in the whole conversation, so that new calls get unique IDs. */
  readonly callCount: number;
}

type AssistantMessage = Extract<LanguageModelV4Message, { role: "assistant" }>;
type ToolMessage = Extract<LanguageModelV4Message, { role: "tool" }>;
type ToolOutput = Extract<ToolMessage["content"][number], { type: "tool-result" }>["output"];
type CallPart = Extract<AssistantMessage["content"][number], { type: "tool-call" }>;

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

/** All counts are zero, because nothing is billed. */
const usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

type Generate = (options: LanguageModelV4CallOptions) => LanguageModelV4GenerateResult;

/**
 * Creates a function that, if possible, continues the plan of its previous call instead of replaying the conversation
 * from the beginning.
 */
function createGenerator(): Generate {
  let last: Replay | undefined;
  return ({ prompt, abortSignal }) => {
    abortSignal?.throwIfAborted();
    const conversation = readConversation(prompt);
    const { answered, callCount } = conversation;
    const replay = last && isContinued(last, conversation) ? last : startReplay(conversation);
    last = undefined;
    advance(replay, answered);
    const { step, received } = replay;
    if (step.done === true) return answer([{ type: "text", text: step.value }], "stop");
    last = replay;
    const open = step.value.slice(answered.length - received.length);
    const calls = open.map(({ tool, input }, index): LanguageModelV4Content => {
      const toolCallId = `call_${callCount + index + 1}`;
      return { type: "tool-call", toolCallId, toolName: tool, input: JSON.stringify(input) };
    });
    return answer(calls, "tool-calls");
  };
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
  const results = turn
    .flatMap(({ role, content }) => (role === "tool" ? content : []))
    .filter((part) => part.type === "tool-result");
  const answers = new Map(
    results.map(({ toolCallId, output }) => [toolCallId, readOutput(output)]),
  );
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

function readOutput(output: ToolOutput): ToolAnswer {
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
  const parsed = typeof value === "string" ? (tryParseJson(value) ?? value) : value;
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) {
    return parsed as ToolAnswer;
  }
  return { error: `The tool returned ${JSON.stringify(value)?.slice(0, 200)}.` };
}

/** A call in the conversation that has been answered. */
interface AnsweredCall extends ToolCall {
  readonly answer: ToolAnswer;
}

/** A plan that is carried out while its conversation grows. */
interface Replay {
  readonly instruction: string;
  readonly plan: Plan<string>;
  /** The calls whose answers the plan has received. */
  received: readonly AnsweredCall[];
  /** The calls that the plan makes next, or its result. */
  step: IteratorResult<readonly ToolCall[], string>;
}

function startReplay({ instruction }: Conversation): Replay {
  const plan = skipRepeatedCalls(runInstruction(instruction));
  return { instruction, plan, received: [], step: plan.next([]) };
}

/** Reports whether a conversation begins with the answers that the plan has received. */
function isContinued(
  { instruction, received }: Replay,
  { instruction: current, answered }: Conversation,
): boolean {
  return instruction === current && isDeepStrictEqual(answered.slice(0, received.length), received);
}

/** Passes the answers to the plan as far as they go. Throws `conflict` if a different plan began the conversation. */
function advance(replay: Replay, answered: readonly AnsweredCall[]): void {
  while (replay.step.done !== true) {
    const calls = replay.step.value;
    const end = replay.received.length + calls.length;
    const known = answered.slice(replay.received.length, end);
    known.forEach((recorded, index) => expectSameCall(calls[index], recorded));
    if (known.length < calls.length) return;
    replay.received = answered.slice(0, end);
    replay.step = replay.plan.next(known.map(({ answer }) => answer));
  }
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
