import { fieldSlug, inlineText, readHeadingLine, slugOf } from "@octavo/site/text";
import { pageBlocks } from "./page-blocks.ts";

/** A place of a page that links can name. */
export interface Anchor {
  readonly id: string;
  /** The words that stand there. */
  readonly label: string;
}

const titledComponent =
  /<(?:Accordion|Tab|Step|Expandable|Update|Prompt)\b[^<>]{0,2000}?\b(?:title|label)=["{]["'`]?([^"'`\n]{1,300})["'`]/g;
const field =
  /<(?:ParamField|ResponseField)\b[^<>]{0,2000}?\b(?:body|path|query|header|name)=["']([^"'\n]{1,300})["']/g;
const ownId = /\b(?:id|name)=["']([^"'\s]{1,300})["']/g;

/** Headings, titled components, parameters and ids of a page's own source; what its snippets bring is not among them. */
export function pageAnchors(text: string): Anchor[] {
  const anchors = headingsOf(text);
  for (const { kind, start, end } of pageBlocks(text)) {
    if (kind !== "text") continue;
    const part = text.slice(start, end);
    for (const [, title = ""] of part.matchAll(titledComponent)) {
      anchors.push({ id: slugOf(inlineText(title)), label: title });
    }
    for (const [, name = ""] of part.matchAll(field)) {
      anchors.push({ id: `param-${fieldSlug(name)}`, label: name });
    }
    for (const [, id = ""] of part.matchAll(ownId)) anchors.push({ id, label: id });
  }
  return anchors;
}

/** The page's headings in order, those in code left out. */
export function headingsOf(text: string): Anchor[] {
  const headings: Anchor[] = [];
  const seen = new Map<string, number>();
  for (const { kind, start, end } of pageBlocks(text)) {
    if (kind !== "text") continue;
    for (const line of text.slice(start, end).split("\n")) {
      const heading = readHeadingLine(line);
      if (heading === undefined) continue;
      const label = inlineText(heading.text);
      const slug = heading.id?.name ?? slugOf(label);
      const before = seen.get(slug) ?? 0;
      seen.set(slug, before + 1);
      headings.push({ id: before === 0 ? slug : `${slug}-${before + 1}`, label });
    }
  }
  return headings;
}
