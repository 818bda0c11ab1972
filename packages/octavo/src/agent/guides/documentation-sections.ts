import { codeBlocks, isInCode, readHeadingLine } from "@octavo/site/text";

/** Headings of sections that say how to write. */
const writingHeading =
  /\b(?:docs?|documentation|writ\w*|style|tone|voice|wording|language|terminology|terms|formatting|mdx|markdown|pages?|links?|images?|translations?|locali[sz]ation)\b/i;
/** Words of sections about documentation under any heading. */
const writingText = /\bdocumentation\b|\.mdx\b|\bdocs\.json\b|\bmint\.json\b/i;

/** A shorter guide is not worth taking apart. */
const shortGuide = 1_200;

interface Section {
  readonly heading: string;
  readonly level: number;
  readonly text: string;
}

/**
 * The sections of a guide that concern documentation: by their heading, with the sections below it, or because
 * they name pages or the site's folder. Empty if there is none; the whole text if that is most of it, or short.
 */
export function documentationSections(text: string, siteFolder: string): string {
  if (text.length <= shortGuide) return text;
  const folder = siteFolder === "" ? undefined : `${siteFolder}/`;
  const kept: string[] = [];
  let keptLevel = Infinity;
  for (const { heading, level, text: own } of sectionsOf(text)) {
    const isBelow = level > keptLevel;
    if (!isBelow) keptLevel = level > 1 && writingHeading.test(heading) ? level : Infinity;
    const namesFolder = folder !== undefined && own.includes(folder);
    if (isBelow || keptLevel === level || writingText.test(own) || namesFolder) kept.push(own);
  }
  const excerpt = kept.join("");
  return excerpt.length > text.length * 0.7 ? text : excerpt.trim();
}

/** The parts of a text that begin with a heading, and what stands before the first. */
function sectionsOf(text: string): Section[] {
  const code = codeBlocks(text);
  const sections: Section[] = [];
  let [start, heading, level] = [0, "", 1];
  const close = (end: number) => {
    if (end > start) sections.push({ heading, level, text: text.slice(start, end) });
  };
  for (let at = 0; at < text.length;) {
    const next = text.indexOf("\n", at) + 1 || text.length;
    const found = isInCode(code, at) ? undefined : readHeadingLine(text.slice(at, next));
    if (found) {
      close(at);
      [start, heading, level] = [at, found.text, found.level];
    }
    at = next;
  }
  close(text.length);
  return sections;
}
