import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { AgentModel } from "../../packages/octavo/src/agent/index.ts";
import { loadConfig } from "../../packages/octavo/src/config/index.ts";
import {
  computeCost,
  findModelValue,
  formatDollars,
} from "../../packages/octavo/src/core/index.ts";
import type { ModelPrice } from "../../packages/octavo/src/core/index.ts";
import { openModel } from "../../packages/octavo/src/model/index.ts";
import { builtinModels } from "../../packages/octavo/src/node/index.ts";
import { progress } from "../progress.ts";

/** The words after `tasks` or `questions`. */
export interface EvaluationOptions {
  /** `provider/model`, as a service would be given it; undefined for the scripted models. */
  readonly model: string | undefined;
  /** A site, or a part of the names of cases. */
  readonly only: string | undefined;
  /** The folder for the results of a model. */
  readonly out: string;
}

const defaultOut = join(import.meta.dirname, "../.work/evaluations");

export function readEvaluationOptions(words: readonly string[]): EvaluationOptions {
  const { values, positionals } = parseArgs({
    args: [...words],
    options: { model: { type: "string" }, out: { type: "string", default: defaultOut } },
    allowPositionals: true,
  });
  return { model: values.model, only: positionals[0], out: values.out };
}

/** A model under evaluation, and its price if the settings name one. */
export interface EvaluatedModel {
  readonly model: AgentModel;
  readonly price: ModelPrice | undefined;
}

/** Opens a model with the settings of a service: its key, address, context and price are those of `env`. */
export async function openEvaluatedModel(
  name: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<EvaluatedModel> {
  const config = loadConfig({ env, flags: { model: name }, cwd: process.cwd() });
  const { allow, models } = config;
  const model = await openModel(name, {
    ...models,
    allow,
    builtin: builtinModels,
    onWarning: progress,
  });
  return { model, price: findModelValue(models.prices, name) };
}

/** The cost of a run. */
export interface Spent {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly seconds: number;
}

export const spentHead = ["tokens in", "tokens out", "seconds", "cost"];

/** Formats what a run took for the columns of `spentHead`; the cost is empty without a price. */
export function formatSpent(spent: Spent, price: ModelPrice | undefined): string[] {
  const cost = price === undefined ? "" : formatDollars(computeCost(price, spent));
  return [String(spent.inputTokens), String(spent.outputTokens), spent.seconds.toFixed(1), cost];
}

export function addSpent(all: readonly Spent[]): Spent {
  const sum = (key: keyof Spent) => all.reduce((total, spent) => total + spent[key], 0);
  return {
    inputTokens: sum("inputTokens"),
    outputTokens: sum("outputTokens"),
    cachedInputTokens: sum("cachedInputTokens"),
    seconds: sum("seconds"),
  };
}

/** Writes the results of one model as JSON and as Markdown. */
export async function writeEvaluation(
  { out, model = "scripted" }: EvaluationOptions,
  part: string,
  { data, markdown }: { readonly data: unknown; readonly markdown: string },
): Promise<void> {
  await mkdir(out, { recursive: true });
  const file = join(out, `${part}-${model.replaceAll(/[^\w.-]+/g, "-")}`);
  await writeFile(`${file}.json`, `${JSON.stringify(data, null, 2)}\n`);
  await writeFile(`${file}.md`, `# ${part}: ${model}\n\n${markdown}\n`);
  progress(`written to ${file}.json and ${file}.md`);
}
