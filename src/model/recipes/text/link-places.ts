import { plainText } from "./anchors.ts";
import { offsetOf } from "./replacements.ts";
import type { TextEdit } from "./replacements.ts";

/** A link as a tool names it: its address as written, and where the markup around it begins. */
export interface NamedLink {
  readonly target: string;
  readonly line?: number;
  readonly column?: number;
}

/** How far behind that place the address may stand: components have many lines of attributes. */
const farthest = 5_000;
const longestText = 2_000;

/** Where the link's address stands in the text; undefined where it does not. */
export function placeOfLink({ target, line, column }: NamedLink, text: string): number | undefined {
  const from = line === undefined ? 0 : offsetOf(text, line, column ?? 1);
  if (from === -1 || target === "") return undefined;
  const window = text.slice(from, from + farthest + target.length);
  for (let at = window.indexOf(target); at !== -1; at = window.indexOf(target, at + 1)) {
    const isWhole = /[\s)"'`>}]|^$/.test(window[at + target.length] ?? "");
    if (isWhole && /[("'`<\s]/.test(window[at - 1] ?? text[from + at - 1] ?? "")) return from + at;
  }
  return undefined;
}

/** The words of a Markdown link whose address stands at `place`. */
export function linkTextAt(text: string, place: number | undefined): string {
  const link = place === undefined ? undefined : markdownLinkAt(text, place);
  return link === undefined ? "" : plainText(text.slice(link.textStart, link.textEnd));
}

/**
 * The edit that leaves the words of a link and takes its address away: a Markdown link becomes its text, a tag loses
 * its `href`. Undefined for what has another form.
 */
export function unlinkEdit(text: string, place: number, target: string): TextEdit | undefined {
  const link = markdownLinkAt(text, place);
  const rest = text.slice(place + target.length, place + target.length + longestText);
  const close = /^>?(?:\s+(?:"[^"\n]*"|'[^'\n]*'))?\s*\)/.exec(rest)?.[0];
  const end = place + target.length;
  if (link !== undefined && close !== undefined) {
    const words = text.slice(link.textStart, link.textEnd);
    return { start: link.textStart - 1, end: end + close.length, text: words };
  }
  const attribute = /\s+href=\{?(["'`])$/.exec(text.slice(Math.max(0, place - 50), place));
  const quote = attribute?.[1] ?? "";
  if (attribute === null || !rest.startsWith(quote)) return undefined;
  const isExpression = attribute[0].includes("{");
  if (isExpression && rest[1] !== "}") return undefined;
  return { start: place - attribute[0].length, end: end + (isExpression ? 2 : 1), text: "" };
}

/** The brackets of `[words](address)` by where its address begins; nothing for pictures. */
function markdownLinkAt(
  text: string,
  place: number,
): { readonly textStart: number; readonly textEnd: number } | undefined {
  const opening = /\]\(\s?<?$/.exec(text.slice(Math.max(0, place - 5), place));
  if (opening === null) return undefined;
  const textEnd = place - opening[0].length;
  let depth = 1;
  for (let at = textEnd - 1; at >= Math.max(0, textEnd - longestText); at--) {
    if (text[at - 1] === "\\") continue;
    if (text[at] === "]") depth += 1;
    if (text[at] === "[") depth -= 1;
    if (depth > 0) continue;
    return text[at - 1] === "!" ? undefined : { textStart: at + 1, textEnd };
  }
  return undefined;
}
