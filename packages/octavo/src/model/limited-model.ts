import { setTimeout as sleep } from "node:timers/promises";
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { redactSecrets } from "../core/index.ts";
import type { ModelEffort } from "../core/index.ts";
import { isOctavoError, OctavoError, createTimeoutSignal } from "@octavo/site/core";
import { collectReply, requireCompleteReply } from "./collect-reply.ts";
import { computeBackoffMs, describeModelFailure } from "./failure.ts";
import type { FailureContext } from "./failure.ts";
import type { ModelLimits } from "./model-limits.ts";
import type { CacheMarks } from "./prompt-cache.ts";
import { addUsage, zeroUsage, readStreamedUsage, addEarlierUsage } from "./token-usage.ts";
import type { TokenUsage } from "./token-usage.ts";

interface LimitSettings {
  readonly limits: ModelLimits;
  readonly context: FailureContext;
  /** Sent with every call; the caller's options override them. */
  readonly options: SharedV4ProviderOptions;
  readonly cacheMarks?: CacheMarks | undefined;
  /** The reasoning effort if the caller sets none; the provider's default when absent. */
  readonly effort?: ModelEffort | undefined;
  /**
   * How `doGenerate` receives a reply. Streamed: a provider that stops responding is noticed within the idle time, and
   * the tokens of a reply that breaks off are known. Whole: for servers that cannot stream.
   */
  readonly delivery: "streamed" | "whole";
}

/**
 * Wraps a model so that its calls end: within `limits`, with retries where they may help, and within a second after the
 * caller's signal aborts. Calls fail with an OctavoError only; its `details` contain `attempts` and, as far as known,
 * the tokens of all attempts as `usage` (a TokenUsage). Neither errors nor replies contain the request or its headers,
 * and `doGenerate` removes the key from a reply that contains it.
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
      const content = reply.content.map((part) => withoutSecrets(part, settings.context.secrets));
      return { ...reply, content, usage: addEarlierUsage(reply.usage, call.earlierUsage) };
    },
    async doStream(options) {
      const call = new Call(settings, options.abortSignal);
      const { stream } = await call.run(async () => await model.doStream(call.prepare(options)));
      return { stream: ReadableStream.from(guardedParts(stream, call, options)) };
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
    return await collectReply(stream, (usage) => call.note(usage));
  }
  const { request: _, response, ...reply } = await model.doGenerate(call.prepare(options));
  const { headers: _headers, body: _body, ...metadata } = response ?? {};
  requireCompleteReply(reply.finishReason);
  return { ...reply, response: metadata };
}

/** A server knows the key that it received, and its replies are stored, shown and committed. */
function withoutSecrets(
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

async function* guardedParts(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  call: Call,
  options: LanguageModelV4CallOptions,
): AsyncGenerator<LanguageModelV4StreamPart> {
  try {
    for await (const part of stream) {
      if (part.type === "raw") call.note(readStreamedUsage(part.rawValue) ?? {});
      if (part.type === "error") throw part.error;
      if (part.type === "finish") requireCompleteReply(part.finishReason);
      if (part.type !== "raw" || options.includeRawChunks) yield part;
    }
  } catch (error) {
    yield { type: "error", error: call.failed(error).error };
  }
}

/** One call with all its attempts. */
class Call {
  readonly settings: LimitSettings;
  readonly #callerSignal: AbortSignal | undefined;
  readonly #signal: AbortSignal;
  #attempts = 0;
  #waitedMs = 0;
  #earlier: TokenUsage = zeroUsage;
  #current: TokenUsage = zeroUsage;

  constructor(settings: LimitSettings, callerSignal: AbortSignal | undefined) {
    this.settings = settings;
    this.#callerSignal = callerSignal;
    const deadline = createTimeoutSignal(settings.limits.timeoutMs);
    this.#signal = callerSignal ? AbortSignal.any([callerSignal, deadline]) : deadline;
  }

  /** Tokens of the failed attempts. */
  get earlierUsage(): TokenUsage {
    return this.#earlier;
  }

  async run<T>(attempt: () => Promise<T>): Promise<T> {
    for (;;) {
      this.#attempts++;
      try {
        this.#signal.throwIfAborted();
        return await this.#untilAborted(attempt());
      } catch (error) {
        await this.#waitOrGiveUp(error);
      }
    }
  }

  prepare(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
    const { limits, options: defaults, cacheMarks, effort } = this.settings;
    const max = limits.maxOutputTokens;
    const { prompt, providerOptions = {} } = cacheMarks?.(options.prompt) ?? options;
    const own = mergeOptions(defaults, providerOptions);
    return {
      ...options,
      prompt,
      ...(effort !== undefined && { reasoning: options.reasoning ?? effort }),
      maxOutputTokens: Math.min(options.maxOutputTokens ?? max, max),
      providerOptions: mergeOptions(own, options.providerOptions ?? {}),
      abortSignal: this.#signal,
      // Raw chunks report the tokens of a reply that breaks off.
      includeRawChunks: true,
    };
  }

  note(usage: Partial<TokenUsage>): void {
    this.#current = { ...this.#current, ...usage };
  }

  /** The error of the call if it ends now. */
  failed(error: unknown): { error: OctavoError; isRetryable: boolean; retryAfterMs?: number } {
    const details = { attempts: this.#attempts, usage: addUsage(this.#earlier, this.#current) };
    if (this.#signal.aborted) return { error: this.#stopped(details), isRetryable: false };
    const {
      error: failure,
      isRetryable,
      retryAfterMs,
    } = describeModelFailure(error, this.settings.context);
    const seconds = Math.ceil((retryAfterMs ?? 0) / 1000);
    const asked = seconds > 0 ? ` It asks to wait ${seconds} seconds.` : "";
    const tried = this.#attempts > 1 ? ` It was tried ${this.#attempts} times.` : "";
    return {
      error: new OctavoError(failure.code, failure.message + asked + tried, {
        cause: failure.cause,
        details: { ...failure.details, ...details },
      }),
      isRetryable,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    };
  }

  async #waitOrGiveUp(cause: unknown): Promise<void> {
    const { maxAttempts, maxWaitMs, firstWaitMs } = this.settings.limits;
    const { error, isRetryable, retryAfterMs } = this.failed(cause);
    const waitMs = retryAfterMs ?? computeBackoffMs(this.#attempts, firstWaitMs);
    this.#waitedMs += waitMs;
    if (!isRetryable || this.#attempts >= maxAttempts || this.#waitedMs > maxWaitMs) throw error;
    this.#earlier = addUsage(this.#earlier, this.#current);
    this.#current = zeroUsage;
    try {
      await sleep(waitMs, undefined, { signal: this.#signal });
    } catch (interruption) {
      throw this.failed(interruption).error;
    }
  }

  #stopped(details: Readonly<Record<string, unknown>>): OctavoError {
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

  /** Providers pass the signal to `fetch`; this also applies while a provider waits for something else. */
  #untilAborted<T>(work: Promise<T>): Promise<T> {
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
