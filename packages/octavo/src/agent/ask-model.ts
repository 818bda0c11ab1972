import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ModelMessage, ToolSet } from "ai";
import { OctavoError, timeoutSignal } from "@octavo/site/core";
import { bounds } from "./limits.ts";
import { modelError } from "./model-error.ts";
import type { AgentTool } from "./tools/tool.ts";
import { now } from "./transcript.ts";
import type { ModelEntry } from "./transcript.ts";

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

export interface Question {
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
