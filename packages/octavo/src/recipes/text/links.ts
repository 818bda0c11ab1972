import {
  createFieldSlug,
  createLinkIndex,
  createSlug,
  foldLabel,
  LineIndex,
  listAliasSlugs,
  readHeadingLine,
  toPlainText,
} from "@octavo/site/text";
import type { LinkDefinition, LinkMarkup, TextEdit, TextRange } from "@octavo/site/text";
import { splitPageBlocks } from "./page-spans.ts";

/** A link reported by a tool: its original address, and the position where its markup begins. */
export interface NamedLink {
  readonly target: string;
  readonly line?: number;
  readonly column?: number;
}

/** A link found in the text: the range of its markup, `[start, end)`, and the offset of its address. */
export type FoundLink = LinkMarkup & TextRange & { readonly address: number };

/** The maximum length of an `<a>` element's content. The tags of longer elements are not removed. */
const maxElementLength = 20_000;
/** The maximum length of a link's text or title. */
const maxTitleLength = 2_000;

/** A page's source with its links. */
export interface LinkedText {
  readonly text: string;
  /** Finds a link; undefined if the text does not contain that address at that position. */
  find(link: NamedLink): FoundLink | undefined;
}

export function createLinkedText(text: string): LinkedText {
  const lines = new LineIndex(text);
  const links = createLinkIndex(text);
  return {
    text,
    find({ target, line, column }) {
      if (line === undefined || target === "") return undefined;
      const link = links.findAt(lines.offsetOf(line, column ?? 1));
      return link && matchLinkTarget(text, link, target);
    },
  };
}

/** Returns a link's text: the content of its brackets or element, or the title of a component that acts as a link. */
export function getLinkText(text: string, link: FoundLink | undefined): string {
  if (link === undefined) return "";
  if (link.form !== "tag") return toPlainText(text.slice(link.label.start, link.label.end));
  const tag = text.slice(link.start, link.end);
  const title = /\s(?:title|label|name)=(?:\{\s*)?(["'`])([^"'`\n]{1,300})\1/.exec(tag)?.[2];
  if (title !== undefined || link.name !== "a") return toPlainText(title ?? "");
  const inside = text.slice(link.end, link.end + maxTitleLength);
  return toPlainText(inside.slice(0, Math.max(0, inside.indexOf("</a>"))));
}

/** Returns the link if its address in the text is exactly `target`. */
function matchLinkTarget(text: string, link: LinkMarkup, target: string): FoundLink | undefined {
  if (link.form === "tag") return matchTagTarget(text, link, target);
  const end = link.address + target.length;
  if (!text.startsWith(target, link.address)) return undefined;
  if (link.form === "reference") return /^[\s>]?$/.test(text.charAt(end)) ? link : undefined;
  const rest = text.slice(end, end + maxTitleLength);
  const closing = /^>?(?:\s+(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\([^()]*\)))?\s*\)/.exec(
    rest,
  )?.[0];
  return closing === undefined ? undefined : { ...link, end: end + closing.length };
}

function matchTagTarget(
  text: string,
  link: Extract<LinkMarkup, { form: "tag" }>,
  target: string,
): FoundLink | undefined {
  const { start, end } = link;
  for (let at = text.indexOf(target, start); at !== -1 && at < end;) {
    const [before, after] = [text.slice(Math.max(start, at - 30), at), text[at + target.length]];
    const quote = /=\s*\{?\s*(["'`])$/.exec(before)?.[1];
    if (quote !== undefined && after === quote) return { ...link, address: at };
    at = text.indexOf(target, at + 1);
  }
  return undefined;
}

/**
 * Returns the edits that remove links and keep their text. Markdown links and `<a>` elements are replaced by their
 * text, and other elements lose their `href`. A definition is removed together with the last link that uses it. Links
 * that cannot be removed are omitted from the map.
 */
export function listUnlinkEdits(
  page: LinkedText,
  links: readonly NamedLink[],
): ReadonlyMap<NamedLink, readonly TextEdit[]> {
  const { text } = page;
  const edits = new Map<NamedLink, TextEdit[]>();
  const uses = new Map<string, { definition: LinkDefinition; count: number }>();
  for (const reported of links) {
    const link = page.find(reported);
    const own = link === undefined ? [] : unlinkOne(text, link, reported.target);
    if (own.length > 0) edits.set(reported, own);
    if (link?.form !== "reference") continue;
    const { definition } = link;
    const use = uses.get(definition.name) ?? { definition, count: 0 };
    uses.set(definition.name, { definition, count: use.count + 1 });
    if (use.count + 1 !== countUses(text, definition.name)) continue;
    own.push({ start: definition.start, end: definition.end, text: "" });
  }
  return edits;
}

function unlinkOne(text: string, link: FoundLink, target: string): TextEdit[] {
  if (link.form !== "tag") {
    const { start, end, label } = link;
    return [{ start, end, text: text.slice(label.start, label.end) }];
  }
  const { start, end, address, name } = link;
  if (name === "a") {
    const close = text.indexOf("</a>", end);
    const inside = text.slice(end, Math.min(close, end + maxElementLength));
    const isPlain = close !== -1 && close - end <= maxElementLength && !/<a[\s>]/.test(inside);
    const closing = { start: close, end: close + "</a>".length, text: "" };
    return isPlain ? [{ start, end, text: "" }, closing] : [];
  }
  const before = /\s+href\s*=\s*(\{?)\s*["'`]$/.exec(
    text.slice(Math.max(start, address - 50), address),
  );
  const after = /^["'`](?:\s*(\}))?/.exec(
    text.slice(address + target.length, address + target.length + 20),
  );
  if (before === null || after === null) return [];
  const isExpression = before[1] === "{";
  if (isExpression && after[1] === undefined) return [];
  const last = address + target.length + (isExpression ? after[0].length : 1);
  return [{ start: address - before[0].length, end: last, text: "" }];
}

/** Counts the links that use a definition: labels in brackets that are followed by neither an address nor a colon. */
function countUses(text: string, name: string): number {
  const labels = text.matchAll(/\[([^[\]\n]{1,999})\](?:\[\]|(?![[(:]))/g);
  return [...labels].filter(([, inside = ""]) => foldLabel(inside) === name).length;
}

/** A position on a page to which links can refer. */
export interface Anchor {
  readonly id: string;
  /** Other IDs of a heading, as generated by GitHub and older versions of the format. */
  readonly aliases: readonly string[];
  /** The text at the position. */
  readonly label: string;
}

/** Titled components, parameters and IDs, each with a pattern that captures the label, and the ID that it gets. */
const anchorForms: readonly {
  readonly pattern: RegExp;
  readonly createId: (label: string) => string;
}[] = [
  {
    pattern:
      /<(?:Accordion|Tab|Step|Expandable|Update|Prompt)\b[^<>]{0,2000}?\b(?:title|label)=["{]["'`]?([^"'`\n]{1,300})["'`]/g,
    createId: (title) => createSlug(toPlainText(title)),
  },
  {
    pattern:
      /<(?:ParamField|ResponseField)\b[^<>]{0,2000}?\b(?:body|path|query|header|name)=["']([^"'\n]{1,300})["']/g,
    createId: (name) => `param-${createFieldSlug(name)}`,
  },
  {
    pattern: /(?:\bid|<a\b[^<>]{0,300}?\bname)=["']([^"'\s]{1,300})["']/g,
    createId: (id) => id,
  },
];

/** Reports whether links with the ID `anchor` lead to one of the anchors. */
export function hasAnchorId(anchors: readonly Anchor[], anchor: string): boolean {
  return anchors.some(({ id, aliases }) => id === anchor || aliases.includes(anchor));
}

/** Lists the headings, titled components, parameters and IDs in a page's own source, without those in its snippets. */
export function listAnchors(text: string): Anchor[] {
  const anchors: Anchor[] = listHeadings(text);
  for (const { kind, start, end } of splitPageBlocks(text)) {
    if (kind !== "text") continue;
    const part = text.slice(start, end);
    for (const { pattern, createId } of anchorForms) {
      for (const [, label = ""] of part.matchAll(pattern))
        anchors.push({ id: createId(label), aliases: [], label });
    }
  }
  return anchors;
}

/** A heading and the text below it, up to the next heading. */
export interface Section extends Anchor {
  /** The heading's level, from the number of `#` characters. */
  readonly level: number;
  readonly text: string;
}

/** The maximum distance of an element's opening tag before a heading, in characters. */
const maxTagLength = 1_000;

/** Lists the page's headings in order, except those in code. */
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
      const enclosingId = findEnclosingId(text.slice(Math.max(start, at - maxTagLength), at));
      const aliases = [
        ...listAliasSlugs(label, before + 1),
        ...(enclosingId === undefined ? [] : [enclosingId]),
      ];
      headings.push({ id, aliases, label, level, at, below });
    }
  }
  return headings.map(({ id, aliases, label, level, below }, index) => {
    return { id, aliases, label, level, text: text.slice(below, headings[index + 1]?.at) };
  });
}

/**
 * Returns the ID of an element whose opening tag directly precedes a heading. Translations use such elements to keep
 * the anchors of their originals.
 */
function findEnclosingId(before: string): string | undefined {
  const tag = /<\w[^<>]{0,300}?\bid=["']([^"'\s]{1,300})["'][^<>]{0,300}>\s*$/.exec(before);
  return tag?.[1];
}
