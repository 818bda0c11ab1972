import { pageBlocks } from "./page-blocks.ts";

/** A place of a page that links can name. */
export interface Anchor {
  readonly id: string;
  /** The words that stand there. */
  readonly label: string;
}

const headingLine = /^[ \t]{0,12}(#{1,6})[ \t]+(\S.*)$/gm;
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
      anchors.push({ id: slugOf(plainText(title)), label: title });
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
    for (const [, , line = ""] of text.slice(start, end).matchAll(headingLine)) {
      const own = /\{#([^\s}]+)\}\s*$/.exec(line)?.[1];
      const label = plainText(line.replace(/\{#[^\s}]+\}\s*$/, "").replace(/\s#+\s*$/, ""));
      const slug = own ?? slugOf(label);
      const before = seen.get(slug) ?? 0;
      seen.set(slug, before + 1);
      headings.push({ id: before === 0 ? slug : `${slug}-${before + 1}`, label });
    }
  }
  return headings;
}

/** A heading's words without its markup. */
export function plainText(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^[\]]*)\](?:\([^()]*\)|\[[^[\]]*\])/g, "$1")
    .replaceAll(/<[^<>]{0,500}>/g, "")
    .replaceAll(/\\([\\`*_{}[\]()#+.!<>-])/g, "$1")
    .replaceAll(/(?<![\p{L}\p{N}])[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?![\p{L}\p{N}])|[`~]+/gu, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** The id that the format gives a heading, e.g. `what’s-new-v1-2`. */
export function slugOf(label: string): string {
  const slug = label
    .slice(0, 300)
    .normalize("NFC")
    .toLowerCase()
    .trim()
    .replaceAll(/\s+/g, "-")
    .replaceAll("'", "’")
    .replaceAll(".", "-")
    .replaceAll(/[:,;?!"→<>[\]{}*`\\：()\p{Cc}]+/gu, "");
  return slug.replaceAll(/-{2,}/g, "-").replaceAll(/^-|-$/g, "");
}

/** `invoiceId` has the id `param-invoice-id`, and `user.name` `param-user-name`. */
function fieldSlug(name: string): string {
  const parts = name.replaceAll(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, "-");
  return parts
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/g, "")
    .toLowerCase();
}

/** The id that GitHub gives it, which links use as well. */
export function gitHubSlugOf(label: string): string {
  return label
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]+/gu, "")
    .replaceAll(" ", "-");
}
