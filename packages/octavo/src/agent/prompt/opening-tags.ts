import { isInCode } from "@octavo/site/text";
import type { TextRange } from "@octavo/site/text";

/** An opening tag of a component in a page's text. */
export interface OpeningTag {
  readonly name: string;
  /** Names of its attributes, in order. */
  readonly attributes: readonly string[];
  /** As it is written, on one line. */
  readonly text: string;
}

/** Of one page; few have more than a hundred. */
const maxTags = 5_000;
/** Longer tags hold whole texts; they are counted by their name alone. */
const maxTagLength = 400;
const tagStart = /<([A-Z][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+){0,3})(?=[\s/>])/g;
const attributeName = /[A-Za-z_][\w:-]*/y;

/**
 * The opening tags of components outside of `code`, which `codeRanges` finds: the first `maxTags` of them, in linear
 * time. Never fails.
 */
export function openingTags(text: string, code: readonly TextRange[]): OpeningTag[] {
  const tags: OpeningTag[] = [];
  for (const match of text.matchAll(tagStart)) {
    if (isInCode(code, match.index)) continue;
    if (tags.length === maxTags) break;
    const name = match[1] ?? "";
    const part = text.slice(match.index, match.index + maxTagLength);
    const tag = readTag(name, part);
    if (tag) tags.push(tag);
  }
  return tags;
}

/** Undefined for what only looks like a tag: `<Your name, or another>`. */
function readTag(name: string, part: string): OpeningTag | undefined {
  const attributes: string[] = [];
  let at = name.length + 1;
  while (at < part.length) {
    const sign = part[at] ?? "";
    if (sign === ">") return { name, attributes, text: oneLine(part.slice(0, at + 1)) };
    if (!/[\s/={"'A-Za-z_]/.test(sign)) return undefined;
    attributeName.lastIndex = at;
    const attribute = attributeName.exec(part)?.[0];
    if (attribute !== undefined) attributes.push(attribute);
    at = attribute === undefined ? endOfValue(part, at) : at + attribute.length;
  }
  return { name, attributes: [], text: "" };
}

/** The offset after a quoted or braced value, or after one character of anything else. */
function endOfValue(part: string, at: number): number {
  const sign = part[at] ?? "";
  if (sign === '"' || sign === "'") return part.indexOf(sign, at + 1) + 1 || part.length + 1;
  if (sign !== "{") return at + 1;
  let depth = 0;
  for (let end = at; end < part.length; end += 1) {
    if (part[end] === "{") depth += 1;
    if (part[end] === "}") depth -= 1;
    if (depth === 0) return end + 1;
  }
  return part.length + 1;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
