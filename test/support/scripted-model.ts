import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
} from "@ai-sdk/provider";
import type { AgentModel } from "../../packages/octavo/src/agent/index.ts";

/** The model's output at one step: text, calls, or anything else that a provider can do. */
export type ScriptedStep =
  | string
  | { readonly calls: readonly (readonly [tool: string, input: unknown])[] }
  | { readonly result: Partial<LanguageModelV4GenerateResult> }
  | { readonly error: unknown }
  | ((options: LanguageModelV4CallOptions) => ScriptedStep | Promise<ScriptedStep>);

export interface ScriptedModel extends AgentModel {
  /** The options of each call. */
  readonly asked: readonly LanguageModelV4CallOptions[];
}

/** A model that answers by a script, one entry for each question; the last one again and again. */
export function scriptedModel(script: readonly ScriptedStep[]): ScriptedModel {
  const asked: LanguageModelV4CallOptions[] = [];
  let callCount = 0;
  async function answer(
    step: ScriptedStep | undefined,
    options: LanguageModelV4CallOptions,
  ): Promise<LanguageModelV4GenerateResult> {
    if (typeof step === "function") return await answer(await step(options), options);
    if (step === undefined || typeof step === "string")
      return result([{ type: "text", text: step ?? "Done." }]);
    if ("error" in step) throw step.error;
    if ("result" in step) return { ...result([]), ...step.result };
    return result(
      step.calls.map(([toolName, input]) => ({
        type: "tool-call",
        toolCallId: `call-${++callCount}`,
        toolName,
        input: typeof input === "string" ? input : JSON.stringify(input),
      })),
    );
  }
  const model: LanguageModelV4 = {
    specificationVersion: "v4",
    provider: "scripted",
    modelId: "script",
    supportedUrls: {},
    async doGenerate(options) {
      const step = script[Math.min(asked.length, script.length - 1)];
      asked.push(options);
      return await answer(step, options);
    },
    doStream: () => Promise.reject(new Error("answers are not streamed")),
  };
  const limits = { maxOutputTokens: 1_000, contextTokens: 100_000 };
  return { id: "scripted/script", model, limits, asked };
}

function result(content: LanguageModelV4Content[]): LanguageModelV4GenerateResult {
  const isCall = content.some(({ type }) => type === "tool-call");
  return {
    content,
    finishReason: { unified: isCall ? "tool-calls" : "stop", raw: undefined },
    usage: {
      inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 5, text: 5, reasoning: 0 },
    },
    warnings: [],
  };
}
