import { z } from "zod";
import { modelEfforts, parseModelPrice, parsePerModel } from "../core/index.ts";

export const modelTokens = perModel(
  (text) => (/^[1-9]\d{2,8}$/.test(text) ? Number(text) : undefined),
  "must be a number of tokens from 100 to 999999999, or a list such as 32768,ollama/qwen3=65536",
);

export const modelEffort = perModel(
  (text) => modelEfforts.find((effort) => effort === text),
  `must be one of ${modelEfforts.join(", ")}, or a list such as low,openai/gpt-5=high`,
);

export const modelPrices = perModel(
  parseModelPrice,
  "must be dollars for a million tokens, as input/output or input/cached/output, such as anthropic/claude-sonnet-4-5=3/0.30/15",
);

/** One value for all models, or one for each that is named. */
function perModel<Value>(read: (text: string) => Value | undefined, message: string) {
  return z.string().transform((text, context) => {
    const setting = parsePerModel(text, read);
    if (setting) return setting;
    context.addIssue(message);
    return z.NEVER;
  });
}
