import type { AgentModel } from "../../../packages/octavo/src/agent/index.ts";
import { scriptedModel } from "../../../test/support/scripted-model.ts";
import type { ScriptedStep } from "../../../test/support/scripted-model.ts";
import type { QuestionCase } from "./question-case.ts";

/**
 * Scripted readers, which show that the scores tell right from wrong: one reads the page and answers as a person would,
 * one never finds an answer, one always invents one.
 */
export const scriptedReaders = ["scripted/reader", "scripted/idle", "scripted/inventor"] as const;
export type ScriptedReader = (typeof scriptedReaders)[number];

export function isScriptedReader(name: string): name is ScriptedReader {
  return scriptedReaders.some((known) => known === name);
}

export function scriptReader(name: ScriptedReader, { page, answer }: QuestionCase): AgentModel {
  const file = page === undefined ? [] : [read(`/${page}.md`)];
  const cited = page === undefined ? "none" : `${page}.md`;
  const steps: Readonly<Record<ScriptedReader, readonly ScriptedStep[]>> = {
    "scripted/reader": [read("llms.txt"), ...file, `${answer}\n\nPage: ${cited}`],
    "scripted/idle": ["I found nothing.\n\nPage: none"],
    "scripted/inventor": ["Purple elephants.\n\nPage: elephants.md"],
  };
  return { ...scriptedModel(steps[name]), id: name };
}

function read(path: string): ScriptedStep {
  return { calls: [["read", { path }]] };
}
