import { OctavoError, isOctavoError } from "@octavo/site/core";
import { openModel, type OpenModelOptions } from "./open-model.ts";

/**
 * Limits of a test call. OpenAI accepts no fewer than 16 tokens. The context and output limits are specified so that
 * servers are not queried for them.
 */
const testLimits = {
  maxOutputTokens: 16,
  contextTokens: 1_000,
  maxAttempts: 1,
  timeoutMs: 15_000,
  idleTimeoutMs: 15_000,
  maxResponseBytes: 1024 * 1024,
} as const;
/** The time for which a successful test remains valid, so that repeated requests do not cost tokens. */
const resultTtlMs = 60_000;
const maxConcurrentTests = 8;

/**
 * Calls a model once and resolves if it can be used. Throws `invalid_input` with a message for people if it cannot, and
 * `rate_limited` if too many models are being tested. The message never contains a key.
 */
export type TestModel = (name: string) => Promise<void>;

/**
 * Creates a test of models with the service's settings. A test sends one short message, makes one attempt, and ends
 * within 15 seconds. Simultaneous tests of a model share one call.
 */
export function createModelTester(options: OpenModelOptions): TestModel {
  const running = new Map<string, Promise<void>>();
  const passed = new Map<string, number>();

  async function runTest(name: string): Promise<void> {
    await callOnce(name, options);
    for (const [other, passedAt] of passed)
      if (performance.now() - passedAt > resultTtlMs) passed.delete(other);
    passed.set(name, performance.now());
  }

  return async (name) => {
    const passedAt = passed.get(name);
    if (passedAt !== undefined && performance.now() - passedAt < resultTtlMs) return;
    if (!running.has(name)) {
      if (running.size >= maxConcurrentTests) {
        const message = "Too many models are being tested at the moment. Try again in a minute.";
        throw new OctavoError("rate_limited", message);
      }
      running.set(
        name,
        runTest(name).finally(() => running.delete(name)),
      );
    }
    await running.get(name);
  };
}

async function callOnce(name: string, options: OpenModelOptions): Promise<void> {
  try {
    // Reasoning at a high effort may need more tokens than the test allows.
    const limits = { ...testLimits, ...options.limits };
    const { model } = await openModel(name, { ...options, effort: undefined, limits });
    if (name.startsWith("builtin/")) return;
    const content = [{ type: "text" as const, text: "Answer with the word OK." }];
    await model.doGenerate({ prompt: [{ role: "user", content }] });
  } catch (error) {
    if (!isOctavoError(error)) throw error;
    // A provider applies rate limits only to requests with a key and a model that it accepts.
    if (error.code === "rate_limited") return;
    throw new OctavoError("invalid_input", error.message, { cause: error });
  }
}
