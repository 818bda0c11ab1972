import { markdownToMdast } from "satteri";
import { applyEdits, findCodeRanges, isInCode } from "../text/index.ts";
import type { TextEdit } from "../text/index.ts";

const characterReference = /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z][a-zA-Z\d]{1,31});/g;

/** Decodes the character references (`&amp;`, `&#8212;`) in `text`. */
export function decodeEntities(text: string): string {
  return text.includes("&") ? text.replace(characterReference, decodeReference) : text;
}

/** Decodes a named character reference with the Markdown parser, which has the table of all 2,231 names. */
function decodeReference(reference: string): string {
  const root = markdownToMdast(reference, { position: false });
  const paragraph = "children" in root ? root.children[0] : undefined;
  const text = paragraph && "children" in paragraph ? paragraph.children[0] : undefined;
  return text?.type === "text" ? text.value : reference;
}

const voidNames = new Set(
  "area base br col embed hr img input link meta param source track wbr".split(" "),
);

/** Reports whether `name` is a void HTML element, which has no content and no closing tag. */
export function isVoidElement(name: string): boolean {
  return voidNames.has(name.toLowerCase());
}

/** Matches white space and JavaScript comments, followed by the closing tag of a void element. */
const closingTag = /(?:\s|\{\s*\/\*[^]{0,1000}?\*\/\s*\})*<\/([a-z]{2,6})\s*>/iy;

/**
 * Adds a slash to every unclosed void element (`<br>`, `<img ...>`) outside code. `closedEnds` contains the ends of
 * opening tags that have a closing tag. Returns undefined if `name` is not a void element or nothing changed. Each
 * slash shifts the columns after it by one.
 */
export function closeVoidTags(
  text: string,
  name: string,
  closedEnds: ReadonlySet<number>,
): string | undefined {
  if (!isVoidElement(name)) return undefined;
  const code = findCodeRanges(text);
  const slashes: TextEdit[] = [];
  for (const { 0: tag, 1: name = "", 2: rest = "", index } of text.matchAll(openTag)) {
    const end = index + tag.length;
    if (!isVoidElement(name) || rest.endsWith("/") || closedEnds.has(end) || isInCode(code, index))
      continue;
    // `closedEnds` does not contain the ends of tags in expressions.
    closingTag.lastIndex = end;
    if (closingTag.exec(text)?.[1] === name) continue;
    slashes.push({ start: end - 1, end: end - 1, text: "/" });
  }
  return slashes.length > 0 ? applyEdits(text, slashes) : undefined;
}

const openTag = /(?<!\\)<([a-z]{2,6})((?:[ \t][^<>{}\n]*)?)>/gi;
