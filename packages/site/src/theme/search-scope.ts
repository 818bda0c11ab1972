import type { Frame } from "./frame.ts";
import { choicesOf, divisionLabel } from "./switches.ts";

/** The language and the version that a page's readers search, as they are called; empty where there is one of each. */
export function searchScopeLabel(frame: Frame): string {
  const labels: string[] = [];
  for (const kind of ["language", "version"] as const) {
    for (const { divisions, current } of choicesOf(frame, kind)) {
      const searched = current ?? divisions.find(({ isDefault }) => isDefault) ?? divisions[0];
      if (divisions.length > 1 && searched) labels.push(divisionLabel(searched));
    }
  }
  return labels.join(" · ");
}
