import type { AgentJob, AgentStep } from "../../jobs/index.ts";

/** What an agent says that it did, and what it answered to a later message that changed nothing. */
export interface AgentResult {
  readonly summary: string | null;
  readonly answer: string | undefined;
}

/** A follow-up that changed nothing does not take the place of what was done before. */
export function resultOf(
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
