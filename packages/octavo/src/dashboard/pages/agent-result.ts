import type { AgentJob, AgentStep } from "../../jobs/index.ts";

/** The agent's summary of its changes, and its answer to a later message that led to no changes. */
export interface AgentResult {
  readonly summary: string | null;
  readonly answer: string | undefined;
}

/** Returns the result to show. A follow-up without changes does not replace the summary of earlier changes. */
export function getAgentResult(
  { summary }: Pick<AgentJob, "summary">,
  steps: readonly AgentStep[],
): AgentResult {
  const turns = splitTurns(steps);
  const last = turns.at(-1) ?? [];
  const changed = turns.findLast((turn) => turn.some(({ type }) => type === "commit"));
  if (changed === undefined || changed === last) return { summary, answer: undefined };
  const said = changed.findLast((step) => step.type === "model" && step.text !== "");
  if (said?.type !== "model") return { summary, answer: undefined };
  return { summary: said.text, answer: summary ?? undefined };
}

function splitTurns(steps: readonly AgentStep[]): readonly (readonly AgentStep[])[] {
  const turns: AgentStep[][] = [];
  for (const step of steps) {
    if (step.type === "message" && step.from === "person") turns.push([step]);
    else turns.at(-1)?.push(step);
  }
  return turns;
}
