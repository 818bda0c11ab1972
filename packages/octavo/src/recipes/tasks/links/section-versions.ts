import { hasPlace } from "../../text/anchors.ts";
import type { Section } from "../../text/anchors.ts";

/** What another language or version of a page has below its headings. */
export interface PageVersion {
  readonly page: string;
  readonly sections: readonly Section[];
}

/** The section of that anchor. */
export function sectionAt(sections: readonly Section[], anchor: string): Section | undefined {
  return sections.find((section) => hasPlace([section], anchor));
}

/** The one heading of a page that has the text of the anchor's section in another version, which has no such heading. */
export function rewordedSince(
  anchor: string,
  sections: readonly Section[],
  versions: readonly PageVersion[],
): string | undefined {
  const found = versions.flatMap((version) => {
    const former = sectionAt(version.sections, anchor);
    if (former === undefined) return [];
    return sections.filter(
      ({ id, text }) => hasSameText(text, former.text) && !hasPlace(version.sections, id),
    );
  });
  const [id, ...others] = new Set(found.map((section) => section.id));
  return others.length > 0 ? undefined : id;
}

/**
 * The heading beside one that both have, where another version has the anchor's, and that the version has not: the
 * anchor's may have been reworded to it. Undefined where there is none.
 */
export function headingInPlace(
  anchor: string,
  sections: readonly Section[],
  version: readonly Section[],
): string | undefined {
  const own = version.findIndex((section) => hasPlace([section], anchor));
  if (own === -1) return undefined;
  const beside = [-1, 1].flatMap((step) => {
    const next = version[own + step];
    const at = sections.findIndex((section) => next && isSamePlace(section, next));
    return at === -1 ? [] : (sections[at - step] ?? []);
  });
  return beside.find((section) => !version.some((other) => isSamePlace(section, other)))?.id;
}

/**
 * The heading that stands where a translation has the anchor's: between the same two headings, alone, as deep, and in
 * the translation no more than the anchor's is in the page. Undefined where translations say different ones, or none.
 */
export function translatedHeading(
  anchor: string,
  sections: readonly Section[],
  translations: readonly PageVersion[],
): string | undefined {
  const found = translations.flatMap((translation) => {
    const all = translation.sections;
    const at = all.findIndex((section) => hasPlace([section], anchor));
    const placeIn = (other: Section | undefined) =>
      other && sections.findIndex((section) => isSamePlace(section, other));
    const before = at === 0 ? -1 : (placeIn(all[at - 1]) ?? -1);
    const after = at === all.length - 1 ? sections.length : (placeIn(all[at + 1]) ?? -1);
    const section = sections[before + 1];
    const isAlone = (at === 0 || before >= 0) && after === before + 2;
    const isDeep = section?.level === all[at]?.level;
    const isElsewhere = all.some((other) => section && isSamePlace(section, other));
    return at >= 0 && section && isAlone && isDeep && !isElsewhere ? [section.id] : [];
  });
  const [id, ...others] = new Set(found);
  return others.length > 0 ? undefined : id;
}

function isSamePlace(one: Section, other: Section): boolean {
  return [other.id, ...other.aliases].some((id) => hasPlace([one], id));
}

/** Whether a heading stands where versions have the anchor's and none of its own: it may be what became of that. */
export function isReplaced(
  anchor: string,
  sections: readonly Section[],
  versions: readonly PageVersion[],
): boolean {
  const own = withEnds(sections);
  return versions.some(
    (version) => headingInPlace(anchor, own, withEnds(version.sections)) !== undefined,
  );
}

/** The first heading and the last one have their place by the page's beginning and end. */
function withEnds(sections: readonly Section[]): readonly Section[] {
  const end = { aliases: [], label: "", level: 0, text: "" };
  return [{ id: "(beginning)", ...end }, ...sections, { id: "(end)", ...end }];
}

/** Whether another version has both places on the page: then one is not what became of the other. */
export function haveBoth(versions: readonly PageVersion[], one: string, other: string): boolean {
  return versions.some(({ sections }) => hasPlace(sections, one) && hasPlace(sections, other));
}

/** Shorter texts are like each other by chance. */
const fewestLetters = 60;

/** Whether most of two sections' lines are the same. */
export function hasSameText(one: string, other: string): boolean {
  const [mine, theirs] = [linesOf(one), linesOf(other)];
  const shared = lettersIn([...mine].filter((line) => theirs.has(line)));
  return shared >= fewestLetters && shared * 2 > Math.max(lettersIn(mine), lettersIn(theirs));
}

function linesOf(text: string): Set<string> {
  return new Set(text.split("\n").map((line) => line.trim()));
}

function lettersIn(lines: Iterable<string>): number {
  return [...lines].reduce((sum, line) => sum + line.length, 0);
}
