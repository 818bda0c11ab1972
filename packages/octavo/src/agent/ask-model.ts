import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ModelMessage, ToolSet } from "ai";
import { isOctavoError, OctavoError, timeoutSignal } from "@octavo/site/core";
import { bounds } from "./limits.ts";
import type { AgentTool } from "./tools/tool.ts";
import { now } from "./transcript.ts";
import type { ModelEntry, ReplyUsage } from "./transcript.ts";

/** The model that answers, and what one answer may take. */
export interface AgentModel {
  /** `provider/model`, as people see it. */
  readonly id: string;
  /**
   * Tries again by itself where that may help, and gives whole answers only. Fails with an OctavoError
   * whose message is for people; its `details.usage` (a TokenUsage) tells what the failed call has cost.
   */
  readonly model: LanguageModelV4;
  /** Called before each answer; one that it throws for is not asked for, and fails with its error. */
  readonly beforeAnswer?: () => Promise<void>;
  readonly limits: { readonly maxOutputTokens: number; readonly contextTokens: number };
  /** Media types of pictures that it can be shown; it reads text alone if absent. */
  readonly pictureTypes?: readonly string[];
}

interface Question {
  readonly system: string;
  readonly messages: ModelMessage[];
  readonly tools: readonly AgentTool[];
  readonly signal: AbortSignal;
}

/**
 * One answer of the model; nothing is kept here. Asked once: attempts are the model's own, who knows
 * what its provider asks for. Throws an OctavoError: `cancelled` at once where the signal says so, the
 * model's own, or one that repeats nothing of what failed, which may hold keys.
 */
export async function askModel(
  { id, model, limits, beforeAnswer }: AgentModel,
  question: Question,
): Promise<ModelEntry> {
  // The package takes a third of a second to load; a process that asks no model does without.
  const { generateText, tool } = await import("./generate-text.bundled.ts");
  // Else it prints what a provider does not support on the console of whoever runs the service.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const { system, messages, signal } = question;
  const tools: ToolSet = Object.fromEntries(
    question.tools.map(({ name, description, input }) => [
      name,
      tool({ description, inputSchema: input }),
    ]),
  );
  const timeout = timeoutSignal(bounds.answerMs);
  const abortSignal = AbortSignal.any([signal, timeout]);
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
  const result = await orAborted(ask(), abortSignal).catch((error: unknown) => {
    if (signal.aborted) throw cancelled();
    throw modelError(error, { id, isLate: timeout.aborted });
  });
  const { inputTokens = 0, outputTokens = 0, inputTokenDetails } = result.usage;
  const cachedInputTokens = inputTokenDetails.cacheReadTokens ?? 0;
  return {
    type: "model",
    at: now(),
    model: id,
    content: contentOf(result.response.messages),
    finishReason: result.finishReason,
    usage: { inputTokens, outputTokens, cachedInputTokens },
  };
}

/** Ends with the signal, also where the model does not listen to it. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const ended = Promise.withResolvers<never>();
  const end = () => ended.reject(signal.reason);
  if (signal.aborted) end();
  signal.addEventListener("abort", end);
  try {
    return await Promise.race([work, ended.promise]);
  } finally {
    signal.removeEventListener("abort", end);
    // What loses the race fails later, with nobody to hear.
    work.catch(() => {});
    ended.promise.catch(() => {});
  }
}

/** What the model said, as JSON. Answers to calls that it could not have made are made by the loop. */
function contentOf(messages: readonly ModelMessage[]): ModelEntry["content"] {
  const parts = messages.flatMap((message) => {
    if (message.role !== "assistant") return [];
    return typeof message.content === "string"
      ? [{ type: "text" as const, text: message.content }]
      : message.content;
  });
  return JSON.parse(JSON.stringify(parts)) as ModelEntry["content"];
}

export function cancelled(): OctavoError {
  return new OctavoError("cancelled", "Cancelled.");
}

/** What a failed call to a model means: the model's own error, else one that repeats nothing of it. */
function modelError(
  error: unknown,
  { id, isLate }: { readonly id: string; readonly isLate: boolean },
): OctavoError {
  const own = findOctavoError(error);
  if (own) return ofModel(own);
  const message = isLate
    ? `The model ${id} did not answer in time.`
    : `The model ${id} failed without a reason that can be shown. Try again later.`;
  return new OctavoError("unavailable", message, { cause: error, details: { isOfModel: true } });
}

/** Marked, because a model's failures count against the job; what the call itself needs, as the database, does not. */
function ofModel(error: OctavoError): OctavoError {
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

/** The tokens of a call that failed, as far as its provider told them; undefined where it told none. */
export function usageOfFailure({ details }: OctavoError): ReplyUsage | undefined {
  const { inputTokens, outputTokens } = (details["usage"] ?? {}) as Partial<ReplyUsage>;
  if (typeof inputTokens !== "number" || typeof outputTokens !== "number") return undefined;
  return inputTokens + outputTokens > 0 ? { inputTokens, outputTokens } : undefined;
}

/** Whether something that the turn needs is away, other than its model: the turn can go on later. */
export function isOutage({ code, details }: OctavoError): boolean {
  return (code === "unavailable" || code === "rate_limited") && details["isOfModel"] !== true;
}

/** Whether the provider found the conversation too long for the model. */
export function isTooLong(error: unknown): error is OctavoError {
  return isOctavoError(error, "too_large") && error.details["isContextExceeded"] === true;
}
