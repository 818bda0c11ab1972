import type { NavDivision } from "../../site/index.ts";
import type { FrameContext } from "../frame-context.ts";

/** Divisions of one kind that a reader chooses between, and the one that the page is in. */
export interface DivisionChoice {
  readonly divisions: readonly NavDivision[];
  readonly current: NavDivision | undefined;
}

/** The choices of a kind on the way to the page, from the outermost in. */
export function divisionChoices(
  { trail }: Pick<FrameContext, "trail">,
  kind: NavDivision["kind"],
): readonly DivisionChoice[] {
  const choices: DivisionChoice[] = [];
  for (const [level, parent] of trail.divisions.entries()) {
    const next = trail.divisions[level + 1];
    const divisions = parent.divisions.filter(
      (division) => division.kind === kind && (!division.hidden || division === next),
    );
    if (divisions.length === 0) continue;
    choices.push({ divisions, current: next?.kind === kind ? next : undefined });
  }
  return choices;
}

/** The division that the page is in, else the one that readers begin with. */
export function shownDivision({ divisions, current }: DivisionChoice): NavDivision | undefined {
  return current ?? divisions.find(({ isDefault }) => isDefault) ?? divisions[0];
}
