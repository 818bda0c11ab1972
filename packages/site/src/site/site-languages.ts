import type { NavDivision, Site } from "./site.ts";

/** All languages of a site as its navigation names them, and `undefined` for pages without one. */
export function collectSiteLanguages({ navigation, pages }: Site): ReadonlySet<string | undefined> {
  const languages = new Set<string | undefined>([undefined]);
  for (const { language } of pages) languages.add(language);
  addLanguages(navigation, languages);
  return languages;
}

function addLanguages({ kind, label, divisions }: NavDivision, to: Set<string | undefined>): void {
  if (kind === "language") to.add(label);
  for (const division of divisions) addLanguages(division, to);
}
