import type {
  LanguageModelV4,
  LanguageModelV4Content,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import type { ModelMessage, ToolCallPart, ToolContent, ToolSet } from "ai";
import { isOctavoError, OctavoError, createTimeoutSignal } from "@octavo/site/core";
import { shortenText } from "../core/index.ts";
import { fixedLimits } from "./limits.ts";
import { describeTool } from "./tools/tool.ts";
import type { AgentTool } from "./tools/tool.ts";
import { getTimestamp } from "./transcript.ts";
import type { ModelEntry, ReplyUsage } from "./transcript.ts";

/** The model for a turn, and the limits of one reply. */
export interface AgentModel {
  /** `provider/model`, as shown to people. */
  readonly id: string;
  /**
   * Retries by itself if that may help, and returns only complete replies. Fails with an OctavoError whose message is
   * for people, and whose `details.usage` (a TokenUsage) is the cost of the failed call.
   */
  readonly model: LanguageModelV4;
  /** Called before each reply. If it throws, the model is not called and the call fails with that error. */
  readonly beforeAnswer?: () => Promise<void>;
  readonly limits: { readonly maxOutputTokens: number; readonly contextTokens: number };
  /** Media types of the pictures that the model accepts. If omitted, the model accepts only text. */
  readonly pictureTypes?: readonly string[];
}

interface ModelRequest {
  readonly system: string;
  readonly messages: ModelMessage[];
  readonly tools: readonly AgentTool[];
  /** Aborts when the turn has no more time for the reply. The call then fails like one whose model is too slow. */
  readonly deadline: AbortSignal;
  readonly signal: AbortSignal;
}

/**
 * Calls the model for one reply. Does not store anything. Does not retry, because the model itself handles its
 * provider's retries. Throws an OctavoError: `cancelled` immediately after the signal aborts, or the model's own error.
 * Any other failure becomes an error without the failure's message, which may contain keys.
 */
export async function callModel(
  agentModel: AgentModel,
  request: ModelRequest,
): Promise<ModelEntry> {
  if (isBuiltinModel(agentModel)) return await callBuiltinModel(agentModel, request);
  const { id, model, limits, beforeAnswer } = agentModel;
  // The package takes a third of a second to load, so it is loaded only in processes that call a model.
  const { generateText, jsonSchema, tool } = await import("./generate-text.bundled.ts");
  // By default, the package prints warnings about unsupported settings to the service's console.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const { system, messages, deadline, signal } = request;
  const tools: ToolSet = Object.fromEntries(
    request.tools.map((agentTool) => {
      const { name, description, inputSchema } = describeTool(agentTool);
      const validate = (value: unknown) => {
        const { success, data, error } = agentTool.input.safeParse(value);
        return success ? { success, value: data } : { success, error };
      };
      return [name, tool({ description, inputSchema: jsonSchema(inputSchema, { validate }) })];
    }),
  );
  const timeout = createTimeoutSignal(fixedLimits.maxReplyMs);
  const abortSignal = AbortSignal.any([signal, timeout, deadline]);
  const ask = async () => {
    await beforeAnswer?.();
    return await generateText({
      model,
      instructions: system,
      messages,
      tools,
      maxOutputTokens: limits.maxOutputTokens,
      maxRetries: 0,
      telemetry: { isEnabled: false },
      abortSignal,
    });
  };
  const result = await rejectOnAbort(ask(), abortSignal).catch((error: unknown) => {
    if (signal.aborted) throw createCancelledError();
    throw toModelError(error, { id, isLate: timeout.aborted || deadline.aborted });
  });
  const { inputTokens, outputTokens, inputTokenDetails } = result.usage;
  return {
    type: "model",
    at: getTimestamp(),
    model: id,
    content: toEntryContent(result.response.messages),
    finishReason: result.finishReason,
    usage: {
      inputTokens: toTokenCount(inputTokens),
      outputTokens: toTokenCount(outputTokens),
      cachedInputTokens: toTokenCount(inputTokenDetails.cacheReadTokens),
    },
  };
}

/**
 * Reports whether a model is built in. Such a model reads only messages, not the system prompt or tool descriptions.
 */
export function isBuiltinModel({ model }: Pick<AgentModel, "model">): boolean {
  return model.provider === "builtin";
}

/**
 * Calls a built-in model without the package `ai`, which would validate and convert the whole conversation for each
 * reply.
 */
async function callBuiltinModel(
  { id, model, beforeAnswer }: AgentModel,
  { messages, signal }: Pick<ModelRequest, "messages" | "signal">,
): Promise<ModelEntry> {
  const ask = async () => {
    await beforeAnswer?.();
    return await model.doGenerate({ prompt: messages.flatMap(toPrompt), abortSignal: signal });
  };
  const { content, finishReason } = await ask().catch((error: unknown) => {
    if (signal.aborted) throw createCancelledError();
    throw toModelError(error, { id, isLate: false });
  });
  return {
    type: "model",
    at: getTimestamp(),
    model: id,
    content: content.flatMap(toEntryPart),
    finishReason: finishReason.unified,
    usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 },
  };
}

function toPrompt(message: ModelMessage): LanguageModelV4Prompt {
  const { role, content } = message;
  if (role === "tool") return [{ role, content: content.flatMap(toResultPart) }];
  if (role === "assistant" && typeof content !== "string") {
    return [{ role, content: content.flatMap(toReplyPart) }];
  }
  if (role !== "user" || typeof content !== "string") return [];
  return [{ role, content: [{ type: "text", text: content }] }];
}

type ReplyPart = LanguageModelV4TextPart | LanguageModelV4ToolCallPart;

function toReplyPart(part: ModelEntry["content"][number]): ReplyPart[] {
  if (part.type === "text") return [{ type: part.type, text: part.text }];
  if (part.type !== "tool-call") return [];
  const { type, toolCallId, toolName, input } = part;
  return [{ type, toolCallId, toolName, input }];
}

function toResultPart(part: ToolContent[number]): LanguageModelV4ToolResultPart[] {
  if (part.type !== "tool-result" || part.output.type !== "json") return [];
  const { type, toolCallId, toolName, output } = part;
  return [{ type, toolCallId, toolName, output: { type: "json", value: output.value } }];
}

function toEntryPart(part: LanguageModelV4Content): ModelEntry["content"] {
  if (part.type === "text") return [{ type: "text", text: part.text }];
  if (part.type !== "tool-call") return [];
  const { type, toolCallId, toolName } = part;
  return [{ type, toolCallId, toolName, input: JSON.parse(part.input) }];
}

/** A number of tokens that no call can use. */
const maxTokenCount = 1_000_000_000;

/** Converts a number from a server to one that can be stored and added up. */
function toTokenCount(count: number | undefined): number {
  return Number.isFinite(count) ? Math.trunc(Math.min(Math.max(count ?? 0, 0), maxTokenCount)) : 0;
}

/** Rejects when the signal aborts, even if the model ignores the signal. */
async function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const interruption = Promise.withResolvers<never>();
  const rejectNow = () => interruption.reject(signal.reason);
  if (signal.aborted) rejectNow();
  signal.addEventListener("abort", rejectNow);
  try {
    return await Promise.race([work, interruption.promise]);
  } finally {
    signal.removeEventListener("abort", rejectNow);
    // The promise that loses the race may reject later without a handler.
    work.catch(() => {});
    interruption.promise.catch(() => {});
  }
}

/**
 * Returns the model's reply as JSON. Leaves out the answers of `ai` to invalid tool calls, because the agent writes its
 * own.
 */
function toEntryContent(messages: readonly ModelMessage[]): ModelEntry["content"] {
  const parts = messages.flatMap((message) => {
    if (message.role !== "assistant") return [];
    return typeof message.content === "string"
      ? [{ type: "text" as const, text: message.content }]
      : message.content;
  });
  return boundContent(JSON.parse(JSON.stringify(parts)) as ModelEntry["content"]);
}

/**
 * Truncates model output, whose length is unbounded, so that a transcript can be stored, listed and sent again. Drops
 * parts other than text, reasoning and calls.
 */
function boundContent(content: ModelEntry["content"]): ModelEntry["content"] {
  let remainingLength: number = fixedLimits.maxReplyTextLength;
  return limitCalls(content).flatMap((part, index): ModelEntry["content"] => {
    if (part.type === "text") {
      const text = shortenText(replaceNul(part.text), remainingLength);
      remainingLength = Math.max(remainingLength - text.length, 0);
      return [{ ...boundOptions(part), text }];
    }
    // Providers reject altered reasoning, but accept its absence.
    if (part.type === "reasoning") {
      return part.text.length <= fixedLimits.maxPartLength ? [boundOptions(part)] : [];
    }
    return part.type === "tool-call" ? [boundCall(boundOptions(part), index)] : [];
  });
}

function boundOptions<Part extends { readonly providerOptions?: unknown }>(part: Part): Part {
  if (measureJsonLength(part.providerOptions) <= fixedLimits.maxPartLength) return part;
  return { ...part, providerOptions: undefined };
}

/** Omits the calls beyond the limit, and inserts a note about this before the first call. */
function limitCalls(content: ModelEntry["content"]): ModelEntry["content"] {
  const { maxReplyCalls } = fixedLimits;
  const calls = content.filter(({ type }) => type === "tool-call");
  if (calls.length <= maxReplyCalls) return content;
  const omitted = new Set(calls.slice(maxReplyCalls));
  const text = `(Of ${calls.length.toLocaleString("en")} calls in this reply, only the first ${maxReplyCalls} are made.)`;
  const first = content.findIndex(({ type }) => type === "tool-call");
  const rest = content.slice(first).filter((part) => !omitted.has(part));
  return [...content.slice(0, first), { type: "text", text }, ...rest];
}

function boundCall(call: ToolCallPart, index: number): ToolCallPart {
  const { maxNameLength, maxPartLength } = fixedLimits;
  const { toolName, toolCallId, input } = call;
  const length = measureJsonLength(input);
  return {
    ...call,
    toolName: replaceNul(toolName).slice(0, maxNameLength).toWellFormed(),
    toolCallId:
      toolCallId.length <= maxNameLength
        ? replaceNul(toolCallId)
        : `${toolCallId.slice(0, maxNameLength / 2).toWellFormed()}-${index}`,
    ...(length > maxPartLength && {
      input: { tooLong: `${length.toLocaleString("en")} characters, more than can be stored` },
    }),
  };
}

function measureJsonLength(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}

/** Replaces NUL characters, which databases cannot store in text. */
function replaceNul(text: string): string {
  return text.replaceAll("\0", "\u{FFFD}");
}

export function createCancelledError(): OctavoError {
  return new OctavoError("cancelled", "Cancelled.");
}

/** Converts the failure of a model call to the model's own error, or to one that does not quote the failure. */
function toModelError(
  error: unknown,
  { id, isLate }: { readonly id: string; readonly isLate: boolean },
): OctavoError {
  const known = findOctavoError(error);
  if (known) return markAsModelError(known);
  const message = isLate
    ? `The model ${id} did not respond in time.`
    : `The model ${id} failed for a reason that cannot be shown. Try again later.`;
  return new OctavoError("unavailable", message, { cause: error, details: { isOfModel: true } });
}

/**
 * Marks an error as the model's. The model's errors count as failed attempts of the job; failures of other services
 * that the call needs, such as the database, do not.
 */
function markAsModelError(error: OctavoError): OctavoError {
  const { code, message, details } = error;
  if (details["isDatabaseFault"] === true) return error;
  return new OctavoError(code, message, { cause: error, details: { ...details, isOfModel: true } });
}

function findOctavoError(error: unknown): OctavoError | undefined {
  let current = error;
  for (let depth = 0; depth < 10 && current instanceof Error; depth++) {
    if (isOctavoError(current)) return current;
    current = current.cause;
  }
  return undefined;
}

/**
 * Returns the tokens of a failed call as the provider reported them. Returns undefined if the provider reported no
 * tokens.
 */
export function findFailureUsage({ details }: OctavoError): ReplyUsage | undefined {
  const { inputTokens, outputTokens } = (details["usage"] ?? {}) as Partial<ReplyUsage>;
  if (typeof inputTokens !== "number" || typeof outputTokens !== "number") return undefined;
  const usage = {
    inputTokens: toTokenCount(inputTokens),
    outputTokens: toTokenCount(outputTokens),
  };
  return usage.inputTokens + usage.outputTokens > 0 ? usage : undefined;
}

/**
 * Reports whether a service that the turn needs, other than its model, is unavailable. The turn can then continue
 * later.
 */
export function isServiceOutage({ code, details }: OctavoError): boolean {
  return (code === "unavailable" || code === "rate_limited") && details["isOfModel"] !== true;
}

/** Reports whether the provider rejected the conversation as too long for the model. */
export function isContextExceeded(error: unknown): error is OctavoError {
  return isOctavoError(error, "too_large") && error.details["isContextExceeded"] === true;
}
