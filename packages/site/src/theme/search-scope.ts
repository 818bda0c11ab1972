import { divisionChoices, shownDivision } from "./navigation/division-choice.ts";
import type { FrameContext } from "./frame-context.ts";

/** The names of the language and the version that a page's search is limited to; empty if there is one of each. */
export function searchScopeLabel(frame: FrameContext): string {
  const labels: string[] = [];
  for (const kind of ["language", "version"] as const) {
    for (const choice of divisionChoices(frame, kind)) {
      const searched = shownDivision(choice);
      if (choice.divisions.length > 1 && searched) labels.push(frame.labelOf(searched));
    }
  }
  return labels.join(" · ");
}
