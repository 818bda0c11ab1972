import { setTimeout as sleep } from "node:timers/promises";
import {
  InvalidResponseDataError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Content,
  type LanguageModelV4FinishReason,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4StreamPart,
  type SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { OctavoError, createTimeoutSignal, isOctavoError } from "@octavo/site/core";
import { redactSecrets, type ModelEffort } from "../core/index.ts";
import { computeBackoffMs, describeModelFailure, type FailureContext } from "./failure.ts";
import type { ModelLimits } from "./model-limits.ts";
import type { Provider } from "./providers.ts";
import {
  addEarlierUsage,
  addUsage,
  readStreamedUsage,
  zeroUsage,
  type TokenUsage,
} from "./token-usage.ts";

interface LimitSettings {
  readonly limits: ModelLimits;
  readonly context: FailureContext;
  /** Options that are sent with every call. The caller's options override them. */
  readonly options: SharedV4ProviderOptions;
  readonly markForCache?: Provider["markForCache"] | undefined;
  /** The reasoning effort if the caller does not set one. Defaults to the provider's default. */
  readonly effort?: ModelEffort | undefined;
  /**
   * The method by which `doGenerate` receives a reply. With `streamed`, a provider that stops responding is noticed
   * within the idle time, and the tokens of a reply that breaks off are known. `whole` is for servers that cannot
   * stream.
   */
  readonly delivery: "streamed" | "whole";
}

/**
 * Wraps a model so that its calls end within `limits`, and within a second after the caller's signal aborts. Failed
 * attempts are retried if that may help. Calls fail only with an OctavoError, whose `details` contain `attempts` and,
 * as far as known, the tokens of all attempts as `usage` (a TokenUsage). Neither errors nor replies contain the request
 * or its headers, and `doGenerate` removes the key from a reply that contains it.
 *
 * `doStream` retries until the stream begins; a later failure ends the stream with an `error` part.
 */
export function limitModel(model: LanguageModelV4, settings: LimitSettings): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    async doGenerate(options) {
      const call = new Call(settings, options.abortSignal);
      const reply = await call.run(() => fetchReply(model, call, options));
      const content = reply.content.map((part) => redactPart(part, settings.context.secrets));
      return { ...reply, content, usage: addEarlierUsage(reply.usage, call.earlierUsage) };
    },
    async doStream(options) {
      const call = new Call(settings, options.abortSignal);
      const { stream } = await call.run(async () => await model.doStream(call.prepare(options)));
      return { stream: ReadableStream.from(guardParts(stream, call, options)) };
    },
  };
}

async function fetchReply(
  model: LanguageModelV4,
  call: Call,
  options: LanguageModelV4CallOptions,
): Promise<LanguageModelV4GenerateResult> {
  if (call.settings.delivery === "streamed") {
    const { stream } = await model.doStream(call.prepare(options));
    return await collectReply(stream, (usage) => call.recordUsage(usage));
  }
  const { request: _, response, ...reply } = await model.doGenerate(call.prepare(options));
  const { headers: _headers, body: _body, ...metadata } = response ?? {};
  requireCompleteReply(reply.finishReason);
  return { ...reply, response: metadata };
}

/**
 * Removes the secrets from a reply. A server can repeat the key that it received, and its replies are stored, shown and
 * committed.
 */
function redactPart(
  part: LanguageModelV4Content,
  secrets: readonly string[],
): LanguageModelV4Content {
  switch (part.type) {
    case "text":
    case "reasoning":
      return { ...part, text: redactSecrets(part.text, secrets) };
    case "tool-call":
      return { ...part, input: redactSecrets(part.input, secrets) };
    default:
      return part;
  }
}

async function* guardParts(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  call: Call,
  options: LanguageModelV4CallOptions,
): AsyncGenerator<LanguageModelV4StreamPart> {
  try {
    for await (const part of stream) {
      if (part.type === "raw") call.recordUsage(readStreamedUsage(part.rawValue) ?? {});
      if (part.type === "error") throw part.error;
      if (part.type === "finish") requireCompleteReply(part.finishReason);
      if (part.type !== "raw" || options.includeRawChunks) yield part;
    }
  } catch (error) {
    yield { type: "error", error: call.describeFailure(error).error };
  }
}

/** A call with all its attempts. */
class Call {
  readonly settings: LimitSettings;
  readonly #callerSignal: AbortSignal | undefined;
  readonly #signal: AbortSignal;
  #attempts = 0;
  #waitedMs = 0;
  #earlierUsage: TokenUsage = zeroUsage;
  #currentUsage: TokenUsage = zeroUsage;

  constructor(settings: LimitSettings, callerSignal: AbortSignal | undefined) {
    this.settings = settings;
    this.#callerSignal = callerSignal;
    const deadline = createTimeoutSignal(settings.limits.timeoutMs);
    this.#signal = callerSignal ? AbortSignal.any([callerSignal, deadline]) : deadline;
  }

  /** The tokens of the failed attempts. */
  get earlierUsage(): TokenUsage {
    return this.#earlierUsage;
  }

  async run<T>(attempt: () => Promise<T>): Promise<T> {
    for (;;) {
      this.#attempts++;
      try {
        this.#signal.throwIfAborted();
        return await this.#rejectOnAbort(attempt());
      } catch (error) {
        await this.#waitOrGiveUp(error);
      }
    }
  }

  prepare(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
    const { limits, options: defaults, markForCache, effort } = this.settings;
    const maxTokens = limits.maxOutputTokens;
    const { prompt, providerOptions = {} } = markForCache?.(options.prompt) ?? options;
    const callOptions = mergeOptions(defaults, providerOptions);
    return {
      ...options,
      prompt,
      ...(effort !== undefined && { reasoning: options.reasoning ?? effort }),
      maxOutputTokens: Math.min(options.maxOutputTokens ?? maxTokens, maxTokens),
      providerOptions: mergeOptions(callOptions, options.providerOptions ?? {}),
      abortSignal: this.#signal,
      // Raw chunks report the tokens of a reply that breaks off.
      includeRawChunks: true,
    };
  }

  recordUsage(usage: Partial<TokenUsage>): void {
    this.#currentUsage = { ...this.#currentUsage, ...usage };
  }

  /** Returns the error with which the call would end now. */
  describeFailure(error: unknown): {
    error: OctavoError;
    isRetryable: boolean;
    retryAfterMs?: number;
  } {
    const details = {
      attempts: this.#attempts,
      usage: addUsage(this.#earlierUsage, this.#currentUsage),
    };
    if (this.#signal.aborted) return { error: this.#createStopError(details), isRetryable: false };
    const {
      error: failure,
      isRetryable,
      retryAfterMs,
    } = describeModelFailure(error, this.settings.context);
    const seconds = Math.ceil((retryAfterMs ?? 0) / 1000);
    const waitNote = seconds > 0 ? ` It asked Octavo to wait ${seconds} seconds.` : "";
    const attemptNote = this.#attempts > 1 ? ` Octavo tried ${this.#attempts} times.` : "";
    return {
      error: new OctavoError(failure.code, failure.message + waitNote + attemptNote, {
        cause: failure.cause,
        details: { ...failure.details, ...details },
      }),
      isRetryable,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    };
  }

  async #waitOrGiveUp(cause: unknown): Promise<void> {
    const { maxAttempts, maxWaitMs, firstWaitMs } = this.settings.limits;
    const { error, isRetryable, retryAfterMs } = this.describeFailure(cause);
    const waitMs = retryAfterMs ?? computeBackoffMs(this.#attempts, firstWaitMs);
    this.#waitedMs += waitMs;
    if (!isRetryable || this.#attempts >= maxAttempts || this.#waitedMs > maxWaitMs) throw error;
    this.#earlierUsage = addUsage(this.#earlierUsage, this.#currentUsage);
    this.#currentUsage = zeroUsage;
    try {
      await sleep(waitMs, undefined, { signal: this.#signal });
    } catch (interruption) {
      throw this.describeFailure(interruption).error;
    }
  }

  #createStopError(details: Readonly<Record<string, unknown>>): OctavoError {
    const { label } = this.settings.context;
    if (!this.#callerSignal?.aborted) {
      const seconds = Math.round(this.settings.limits.timeoutMs / 1000);
      const message = `${label} did not finish its reply within ${seconds} seconds.`;
      return new OctavoError("too_large", message, { details });
    }
    const reason: unknown = this.#callerSignal.reason;
    const message = isOctavoError(reason) ? reason.message : `The call to ${label} was cancelled.`;
    const code = isOctavoError(reason) ? reason.code : "cancelled";
    return new OctavoError(code, message, { cause: reason, details });
  }

  /**
   * Rejects when the signal aborts. Providers pass the signal to `fetch`, but not to everything else that they may wait
   * for.
   */
  #rejectOnAbort<T>(work: Promise<T>): Promise<T> {
    const signal = this.#signal;
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(signal.reason as Error);
      signal.addEventListener("abort", stop, { once: true });
      void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
    });
  }
}

function mergeOptions(
  defaults: SharedV4ProviderOptions,
  given: SharedV4ProviderOptions,
): SharedV4ProviderOptions {
  const merged = { ...defaults };
  for (const [provider, options] of Object.entries(given)) {
    merged[provider] = { ...merged[provider], ...options };
  }
  return merged;
}

/** Called with each token count that the stream reports. A later count replaces the earlier count. */
type UsageListener = (usage: Partial<TokenUsage>) => void;

/**
 * Reads a streamed reply to its end. Returns text, reasoning and tool calls in the order in which they began. Throws
 * the stream's error if there is one, and InvalidResponseDataError if the stream ends before the reply is complete.
 * Other parts that a provider sends (sources, files, its own notes) are ignored.
 */
async function collectReply(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  onUsage: UsageListener,
): Promise<LanguageModelV4GenerateResult> {
  const reply = new CollectedReply();
  for await (const part of stream) {
    if (part.type === "raw") {
      const usage = readStreamedUsage(part.rawValue);
      if (usage) onUsage(usage);
    } else {
      reply.add(part);
    }
  }
  return reply.finish();
}

/** Throws if the provider itself reports that the reply is unfinished or failed. */
function requireCompleteReply({ unified }: LanguageModelV4FinishReason): void {
  if (unified === "interrupted" || unified === "error") throw createIncompleteError();
}

interface OpenBlock {
  readonly content: Extract<LanguageModelV4Content, { type: "text" | "reasoning" }>;
  readonly pieces: string[];
}
type BlockPart = Extract<
  LanguageModelV4StreamPart,
  {
    type: `text-${"start" | "delta" | "end"}` | `reasoning-${"start" | "delta" | "end"}`;
  }
>;
type FinishPart = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

class CollectedReply {
  readonly #content: LanguageModelV4Content[] = [];
  readonly #blocks: OpenBlock[] = [];
  /** Open blocks by type and the provider's ID, which is unique only among the open blocks. */
  readonly #openBlocks = new Map<string, OpenBlock>();
  #warnings: LanguageModelV4GenerateResult["warnings"] = [];
  #response: LanguageModelV4GenerateResult["response"];
  #finishPart: FinishPart | undefined;

  add(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case "stream-start":
        this.#warnings = part.warnings;
        return;
      case "response-metadata": {
        const { type: _, ...metadata } = part;
        this.#response = metadata;
        return;
      }
      case "tool-call":
        this.#content.push(part);
        return;
      case "finish":
        this.#finishPart = part;
        return;
      case "error":
        throw part.error;
      case "text-start":
      case "text-delta":
      case "text-end":
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end":
        this.#addToBlock(part);
        return;
      default:
    }
  }

  finish(): LanguageModelV4GenerateResult {
    if (!this.#finishPart) throw createIncompleteError();
    const { finishReason, usage, providerMetadata } = this.#finishPart;
    requireCompleteReply(finishReason);
    for (const { content, pieces } of this.#blocks) content.text = pieces.join("");
    return {
      content: this.#content,
      finishReason,
      usage,
      warnings: this.#warnings,
      ...(providerMetadata && { providerMetadata }),
      ...(this.#response && { response: this.#response }),
    };
  }

  #addToBlock(part: BlockPart): void {
    const type = part.type.startsWith("text") ? "text" : "reasoning";
    const id = `${type} ${part.id}`;
    const block = this.#openBlocks.get(id) ?? this.#openBlock(type, id);
    if ("delta" in part) block.pieces.push(part.delta);
    // Signatures arrive late, so the metadata of a later part applies to the whole block.
    if (part.providerMetadata) block.content.providerMetadata = part.providerMetadata;
    if (part.type.endsWith("-end")) this.#openBlocks.delete(id);
  }

  #openBlock(type: "text" | "reasoning", id: string): OpenBlock {
    const block: OpenBlock = { content: { type, text: "" }, pieces: [] };
    this.#content.push(block.content);
    this.#blocks.push(block);
    this.#openBlocks.set(id, block);
    return block;
  }
}

function createIncompleteError(): InvalidResponseDataError {
  return new InvalidResponseDataError({
    data: undefined,
    message: "The reply ended before it was complete.",
  });
}
