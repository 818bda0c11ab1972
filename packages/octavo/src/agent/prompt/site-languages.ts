import type { NavDivision, Site } from "@octavo/site";

/** The codes of the languages that the navigation switches between, the default one left out. */
export function languagesOf(site: Site): ReadonlySet<string> {
  const languages = new Set<string>();
  const waiting: NavDivision[] = [site.navigation];
  for (let division = waiting.pop(); division; division = waiting.pop()) {
    for (const { kind, label, isDefault } of division.divisions) {
      if (kind === "language" && !isDefault) languages.add(label);
    }
    waiting.push(...division.divisions);
  }
  return languages;
}
