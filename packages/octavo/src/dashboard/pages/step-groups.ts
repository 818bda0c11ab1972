import type { AgentStep } from "../../jobs/index.ts";
import { getActivity } from "./tool-sentence.ts";
import type { Activity } from "./tool-sentence.ts";

type ToolStep = Extract<AgentStep, { readonly type: "tool" }>;

/** A step, or a run of calls of one kind. */
export type StepGroup =
  | { readonly kind: "step"; readonly step: AgentStep; readonly tokens: number }
  | {
      readonly kind: "run";
      readonly activity: Activity;
      readonly calls: readonly RepeatedCall[];
      readonly tokens: number;
    };

/** Identical calls, represented by the last one. */
export interface RepeatedCall {
  readonly step: ToolStep;
  readonly count: number;
}

/** Shorter runs are not grouped. */
const minRun = 3;

/** Groups the steps by activity; `tokens` counts all tokens used up to the end of each group. */
export function groupSteps(steps: readonly AgentStep[]): readonly StepGroup[] {
  const groups: StepGroup[] = [];
  let run: ToolStep[] = [];
  let tokens = 0;
  function close(): void {
    const [first] = run;
    if (first && run.length >= minRun) {
      const calls = foldRepeats(run);
      groups.push({ kind: "run", activity: getActivity(first.tool), calls, tokens });
    } else {
      groups.push(...run.map((step) => ({ kind: "step", step, tokens }) as const));
    }
    run = [];
  }
  for (const step of steps) {
    const isSilent = step.type === "model" && step.text === "";
    const [first] = run;
    const continues =
      step.type === "tool" && (!first || getActivity(first.tool) === getActivity(step.tool));
    if (!continues && !isSilent) close();
    if (step.type === "model") tokens += step.usage.inputTokens + step.usage.outputTokens;
    if (step.type === "tool") run.push(step);
    else if (!isSilent) groups.push({ kind: "step", step, tokens });
  }
  close();
  return groups;
}

function foldRepeats(run: readonly ToolStep[]): readonly RepeatedCall[] {
  const calls = new Map<string, RepeatedCall>();
  for (const step of run) {
    const key = JSON.stringify([step.tool, step.input, step.status]);
    const known = calls.get(key);
    calls.set(key, { step, count: (known?.count ?? 0) + 1 });
  }
  return [...calls.values()];
}
