import { aliasSlugs, fieldSlug, inlineText, readHeadingLine, slugOf } from "@octavo/site/text";
import { pageBlocks } from "./page-blocks.ts";

/** A place of a page that links can name. */
export interface Anchor {
  readonly id: string;
  /** Other ids of a heading, which GitHub and older versions of the format give it. */
  readonly aliases: readonly string[];
  /** The words that stand there. */
  readonly label: string;
}

const titledComponent =
  /<(?:Accordion|Tab|Step|Expandable|Update|Prompt)\b[^<>]{0,2000}?\b(?:title|label)=["{]["'`]?([^"'`\n]{1,300})["'`]/g;
const field =
  /<(?:ParamField|ResponseField)\b[^<>]{0,2000}?\b(?:body|path|query|header|name)=["']([^"'\n]{1,300})["']/g;
const ownId = /(?:\bid|<a\b[^<>]{0,300}?\bname)=["']([^"'\s]{1,300})["']/g;

/** Whether links by that id lead to one of the places. */
export function hasPlace(anchors: readonly Anchor[], anchor: string): boolean {
  return anchors.some(({ id, aliases }) => id === anchor || aliases.includes(anchor));
}

/** The id that a link's anchor is but for case, spaces and underscores; undefined where no place has it, and for itself. */
export function idLike(anchor: string, anchors: readonly Anchor[]): string | undefined {
  const written = anchor.toLowerCase().replaceAll(/[\s_]+/g, "-");
  return written !== anchor && hasPlace(anchors, written) ? written : undefined;
}

/** Headings, titled components, parameters and ids of a page's own source; what its snippets bring is not among them. */
export function pageAnchors(text: string): Anchor[] {
  const anchors: Anchor[] = headingsOf(text);
  for (const { kind, start, end } of pageBlocks(text)) {
    if (kind !== "text") continue;
    const part = text.slice(start, end);
    for (const [, title = ""] of part.matchAll(titledComponent)) {
      anchors.push({ id: slugOf(inlineText(title)), aliases: [], label: title });
    }
    for (const [, name = ""] of part.matchAll(field)) {
      anchors.push({ id: `param-${fieldSlug(name)}`, aliases: [], label: name });
    }
    for (const [, id = ""] of part.matchAll(ownId)) anchors.push({ id, aliases: [], label: id });
  }
  return anchors;
}

/** A heading with what stands below it, up to the next. */
export interface Section extends Anchor {
  /** How many signs its heading has. */
  readonly level: number;
  readonly text: string;
}

/** An element's opening tag before a heading, with the lines between, is not looked for further away. */
const maxTag = 1_000;

/** The page's headings in order, those in code left out. */
export function headingsOf(text: string): Section[] {
  const headings: (Omit<Section, "text"> & { readonly at: number; readonly below: number })[] = [];
  const seen = new Map<string, number>();
  for (const { kind, start, end } of pageBlocks(text)) {
    if (kind !== "text") continue;
    let below = start;
    for (const line of text.slice(start, end).split("\n")) {
      const at = below;
      below += line.length + 1;
      const heading = readHeadingLine(line);
      if (heading === undefined) continue;
      const label = inlineText(heading.text);
      const slug = heading.id?.name ?? slugOf(label);
      const before = seen.get(slug) ?? 0;
      seen.set(slug, before + 1);
      const id = before === 0 ? slug : `${slug}-${before + 1}`;
      const { level } = heading;
      const around = idAround(text.slice(Math.max(start, at - maxTag), at));
      const aliases = [...aliasSlugs(label, before + 1), ...(around === undefined ? [] : [around])];
      headings.push({ id, aliases, label, level, at, below });
    }
  }
  return headings.map(({ id, aliases, label, level, below }, index) => {
    return { id, aliases, label, level, text: text.slice(below, headings[index + 1]?.at) };
  });
}

/** The id of the element that a heading begins: translations keep the places of their originals so. */
function idAround(before: string): string | undefined {
  const tag = /<\w[^<>]{0,300}?\bid=["']([^"'\s]{1,300})["'][^<>]{0,300}>\s*$/.exec(before);
  return tag?.[1];
}

/** The texts of the headings in whose sections a place lies, the nearest first. */
export function headingsAbove(place: string, sections: readonly Section[]): readonly string[] {
  const heading = sections.findIndex((section) => hasPlace([section], place));
  const at =
    heading === -1 ? sections.findIndex(({ text }) => text.includes(`id="${place}"`)) : heading;
  let level = heading === -1 ? Infinity : (sections[at]?.level ?? 0);
  const above: string[] = [];
  for (const section of sections.slice(0, at + 1).toReversed()) {
    if (section.level >= level) continue;
    level = section.level;
    above.push(section.label);
  }
  return above;
}
