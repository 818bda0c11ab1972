import { hasAnchorId } from "../../text/anchors.ts";
import type { Section } from "../../text/anchors.ts";

/** Another language or version of a page, with the sections below its headings. */
export interface PageVersion {
  readonly page: string;
  readonly sections: readonly Section[];
}

/** Returns the section with the anchor. */
export function findSection(sections: readonly Section[], anchor: string): Section | undefined {
  return sections.find((section) => hasAnchorId([section], anchor));
}

/**
 * Returns the only heading of a page whose section has the same text as the anchor's section in another version. Omits
 * headings that the other version also contains.
 */
export function findRewordedHeading(
  anchor: string,
  sections: readonly Section[],
  versions: readonly PageVersion[],
): string | undefined {
  const found = versions.flatMap((version) => {
    const former = findSection(version.sections, anchor);
    if (former === undefined) return [];
    return sections.filter(
      ({ id, text }) => hasSameText(text, former.text) && !hasAnchorId(version.sections, id),
    );
  });
  const [id, ...others] = new Set(found.map((section) => section.id));
  return others.length > 0 ? undefined : id;
}

/**
 * Returns a heading that may be the reworded anchor. It is next to a heading that both versions contain, in the
 * position where the other version has the anchor's heading, and the other version does not contain it. Undefined if
 * there is none.
 */
export function findReplacementHeading(
  anchor: string,
  sections: readonly Section[],
  version: readonly Section[],
): string | undefined {
  const own = version.findIndex((section) => hasAnchorId([section], anchor));
  if (own === -1) return undefined;
  const beside = [-1, 1].flatMap((step) => {
    const next = version[own + step];
    const at = sections.findIndex((section) => next && isSameSection(section, next));
    return at === -1 ? [] : (sections[at - step] ?? []);
  });
  return beside.find((section) => !version.some((other) => isSameSection(section, other)))?.id;
}

/**
 * Returns the heading in the position that the anchor's heading has in a translation. It must be alone between the same
 * two headings, have the same level, and be missing from the translation. Undefined if translations disagree, or if
 * there is no such heading.
 */
export function findTranslatedHeading(
  anchor: string,
  sections: readonly Section[],
  translations: readonly PageVersion[],
): string | undefined {
  const found = translations.flatMap((translation) => {
    const all = translation.sections;
    const at = all.findIndex((section) => hasAnchorId([section], anchor));
    const placeIn = (other: Section | undefined) =>
      other && sections.findIndex((section) => isSameSection(section, other));
    const before = at === 0 ? -1 : (placeIn(all[at - 1]) ?? -1);
    const after = at === all.length - 1 ? sections.length : (placeIn(all[at + 1]) ?? -1);
    const section = sections[before + 1];
    const isAlone = (at === 0 || before >= 0) && after === before + 2;
    const isDeep = section?.level === all[at]?.level;
    const isElsewhere = all.some((other) => section && isSameSection(section, other));
    return at >= 0 && section && isAlone && isDeep && !isElsewhere ? [section.id] : [];
  });
  const [id, ...others] = new Set(found);
  return others.length > 0 ? undefined : id;
}

function isSameSection(one: Section, other: Section): boolean {
  return [other.id, ...other.aliases].some((id) => hasAnchorId([one], id));
}

/**
 * Reports whether a heading is in the position that the anchor's heading has in another version, and may therefore be
 * its new wording.
 */
export function isHeadingReplaced(
  anchor: string,
  sections: readonly Section[],
  versions: readonly PageVersion[],
): boolean {
  const own = withEnds(sections);
  return versions.some(
    (version) => findReplacementHeading(anchor, own, withEnds(version.sections)) !== undefined,
  );
}

/** Adds the page's beginning and end, so that the first and last headings have neighbors. */
function withEnds(sections: readonly Section[]): readonly Section[] {
  const end = { aliases: [], label: "", level: 0, text: "" };
  return [{ id: "(beginning)", ...end }, ...sections, { id: "(end)", ...end }];
}

/** Reports whether another version contains both anchors, in which case one did not become the other. */
export function hasBothAnchors(
  versions: readonly PageVersion[],
  one: string,
  other: string,
): boolean {
  return versions.some(
    ({ sections }) => hasAnchorId(sections, one) && hasAnchorId(sections, other),
  );
}

/** The minimum length of a text. Shorter texts may be similar by coincidence. */
const minLetters = 60;

/** Reports whether two sections share most of their lines. */
export function hasSameText(one: string, other: string): boolean {
  const [mine, theirs] = [collectLines(one), collectLines(other)];
  const shared = lettersIn([...mine].filter((line) => theirs.has(line)));
  return shared >= minLetters && shared * 2 > Math.max(lettersIn(mine), lettersIn(theirs));
}

function collectLines(text: string): Set<string> {
  return new Set(text.split("\n").map((line) => line.trim()));
}

function lettersIn(lines: Iterable<string>): number {
  return [...lines].reduce((sum, line) => sum + line.length, 0);
}
