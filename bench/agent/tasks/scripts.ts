import { scriptedModel } from "../../../test/support/scripted-model.ts";
import type { ScriptedStep } from "../../../test/support/scripted-model.ts";
import type { FileChange } from "../prompts/prompt-site.ts";
import type { AgentModel } from "../../../packages/octavo/src/agent/index.ts";

/**
 * Scripted models, which show that the scores tell right from wrong: one makes the person's change, one does nothing,
 * one also puts a sentence into a page that nobody asked for.
 */
export const scriptedAgents = ["scripted/person", "scripted/idle", "scripted/careless"] as const;
export type ScriptedAgent = (typeof scriptedAgents)[number];

export function isScriptedAgent(name: string): name is ScriptedAgent {
  return scriptedAgents.some((known) => known === name);
}

export function scriptAgent(name: ScriptedAgent, person: readonly FileChange[]): AgentModel {
  const unasked = { path: "unasked.mdx", content: "---\ntitle: Unasked\n---\n\nNews.\n" };
  const work: Readonly<Record<ScriptedAgent, readonly ScriptedStep[]>> = {
    "scripted/person": [repeat(person)],
    "scripted/idle": [],
    "scripted/careless": [repeat(person), { calls: [["write", unasked]] }],
  };
  return { ...scriptedModel([...work[name], "I did what was asked."]), id: name };
}

function repeat(person: readonly FileChange[]): ScriptedStep {
  return {
    calls: person.map(({ path, after }) =>
      after === null ? ["delete", { path }] : ["write", { path, content: after }],
    ),
  };
}
