import { codeBlocks, isInCode } from "@octavo/site/text";

/** An opening tag of a component in a page's text. */
export interface OpeningTag {
  readonly name: string;
  /** Names of its attributes, in order. */
  readonly attributes: readonly string[];
  /** As it is written, on one line. */
  readonly text: string;
}

/** Longer tags hold whole texts; they are counted by their name alone. */
const maxTagLength = 400;
const tagStart = /<([A-Z][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+){0,3})(?=[\s/>])/g;
const attributeName = /[A-Za-z_][\w:-]*/y;
const inlineCode = /`+/g;

/** The opening tags of components outside of code, by a scan in linear time that never fails. */
export function openingTags(text: string): OpeningTag[] {
  const code = codeBlocks(text);
  const tags: OpeningTag[] = [];
  for (const match of text.matchAll(tagStart)) {
    if (isInCode(code, match.index) || isInSpan(text, match.index)) continue;
    const name = match[1] ?? "";
    const part = text.slice(match.index, match.index + maxTagLength);
    const tag = readTag(name, part);
    if (tag) tags.push(tag);
  }
  return tags;
}

/** Whether an odd number of runs of backticks stands before it on its line. */
function isInSpan(text: string, offset: number): boolean {
  const start = text.lastIndexOf("\n", offset) + 1;
  if (offset - start > 2_000) return false;
  const runs = text.slice(start, offset).match(inlineCode)?.length ?? 0;
  return runs % 2 === 1;
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
