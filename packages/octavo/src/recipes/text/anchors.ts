import {
  listAliasSlugs,
  createFieldSlug,
  toPlainText,
  readHeadingLine,
  createSlug,
} from "@octavo/site/text";
import { splitPageBlocks } from "./page-blocks.ts";

/** A position on a page that links can name. */
export interface Anchor {
  readonly id: string;
  /** Other ids of a heading, from GitHub and older versions of the format. */
  readonly aliases: readonly string[];
  /** The text at the position. */
  readonly label: string;
}

const titledComponent =
  /<(?:Accordion|Tab|Step|Expandable|Update|Prompt)\b[^<>]{0,2000}?\b(?:title|label)=["{]["'`]?([^"'`\n]{1,300})["'`]/g;
const field =
  /<(?:ParamField|ResponseField)\b[^<>]{0,2000}?\b(?:body|path|query|header|name)=["']([^"'\n]{1,300})["']/g;
const ownId = /(?:\bid|<a\b[^<>]{0,300}?\bname)=["']([^"'\s]{1,300})["']/g;

/** Reports whether links with that id lead to one of the anchors. */
export function hasAnchorId(anchors: readonly Anchor[], anchor: string): boolean {
  return anchors.some(({ id, aliases }) => id === anchor || aliases.includes(anchor));
}

/**
 * Returns the id that differs from a link's anchor only in case, spaces and underscores. Undefined if there is none, or
 * if the anchor is the id itself.
 */
export function findSimilarId(anchor: string, anchors: readonly Anchor[]): string | undefined {
  const written = anchor.toLowerCase().replaceAll(/[\s_]+/g, "-");
  return written !== anchor && hasAnchorId(anchors, written) ? written : undefined;
}

/** Lists headings, titled components, parameters and ids in a page's own source, not counting its snippets. */
export function listAnchors(text: string): Anchor[] {
  const anchors: Anchor[] = listHeadings(text);
  for (const { kind, start, end } of splitPageBlocks(text)) {
    if (kind !== "text") continue;
    const part = text.slice(start, end);
    for (const [, title = ""] of part.matchAll(titledComponent)) {
      anchors.push({ id: createSlug(toPlainText(title)), aliases: [], label: title });
    }
    for (const [, name = ""] of part.matchAll(field)) {
      anchors.push({ id: `param-${createFieldSlug(name)}`, aliases: [], label: name });
    }
    for (const [, id = ""] of part.matchAll(ownId)) anchors.push({ id, aliases: [], label: id });
  }
  return anchors;
}

/** A heading and the text below it, up to the next heading. */
export interface Section extends Anchor {
  /** The heading's level, from the number of `#` characters. */
  readonly level: number;
  readonly text: string;
}

/** The maximum distance in characters of an element's opening tag before a heading. */
const maxTag = 1_000;

/** Lists the page's headings in order, not counting those in code. */
export function listHeadings(text: string): Section[] {
  const headings: (Omit<Section, "text"> & { readonly at: number; readonly below: number })[] = [];
  const seen = new Map<string, number>();
  for (const { kind, start, end } of splitPageBlocks(text)) {
    if (kind !== "text") continue;
    let below = start;
    for (const line of text.slice(start, end).split("\n")) {
      const at = below;
      below += line.length + 1;
      const heading = readHeadingLine(line);
      if (heading === undefined) continue;
      const label = toPlainText(heading.text);
      const slug = heading.id?.name ?? createSlug(label);
      const before = seen.get(slug) ?? 0;
      seen.set(slug, before + 1);
      const id = before === 0 ? slug : `${slug}-${before + 1}`;
      const { level } = heading;
      const around = idAround(text.slice(Math.max(start, at - maxTag), at));
      const aliases = [
        ...listAliasSlugs(label, before + 1),
        ...(around === undefined ? [] : [around]),
      ];
      headings.push({ id, aliases, label, level, at, below });
    }
  }
  return headings.map(({ id, aliases, label, level, below }, index) => {
    return { id, aliases, label, level, text: text.slice(below, headings[index + 1]?.at) };
  });
}

/**
 * Returns the id of the element that a heading begins: this is how translations keep the anchors of their originals.
 */
function idAround(before: string): string | undefined {
  const tag = /<\w[^<>]{0,300}?\bid=["']([^"'\s]{1,300})["'][^<>]{0,300}>\s*$/.exec(before);
  return tag?.[1];
}

/** Returns the texts of the headings above an anchor, nearest first. */
export function listHeadingsAbove(place: string, sections: readonly Section[]): readonly string[] {
  const heading = sections.findIndex((section) => hasAnchorId([section], place));
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
