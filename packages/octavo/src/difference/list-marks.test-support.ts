import { findElement, getAttribute, isElement, type ChildNode, type Element } from "./dom.ts";
import { parse } from "./html.bundled.ts";

/**
 * Lists the marked blocks of a page: the number of the change, its kind, its element, and its text with removed words
 * as `[-old-]`, added ones as `{+new+}`, and restyled ones as `{~same~}`.
 */
export function listMarks(html: string): string[] {
  const document = parse(html);
  const root = findElement(document, ({ tagName }) => tagName === "body");
  const marks: string[] = [];
  const stack: ChildNode[] = root ? [root] : [];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (!isElement(node)) continue;
    const change = getAttribute(node, "data-change");
    if (change !== undefined) marks.push(describeMark(node, change));
    stack.push(...node.childNodes.toReversed());
  }
  return marks;
}

function describeMark(element: Element, change: string): string {
  const note = getAttribute(element, "data-difference-note");
  const text = writeText(element).replaceAll(/\s+/g, " ").trim();
  const kind = getAttribute(element, "data-difference");
  return `${change} ${kind} ${element.tagName}${note === undefined ? "" : ` (${note})`}: ${text}`;
}

const signs: Readonly<Record<string, readonly [string, string]>> = {
  removed: ["[-", "-]"],
  added: ["{+", "+}"],
  restyled: ["{~", "~}"],
};

function writeText(node: ChildNode): string {
  if ("value" in node) return node.value;
  if (!isElement(node)) return "";
  const isPicture = node.tagName === "img";
  const text = isPicture
    ? `<${getAttribute(node, "src")}>`
    : node.childNodes.map(writeText).join("");
  const isWord = isPicture || node.tagName === "ins" || node.tagName === "del";
  const [start, end] = signs[isWord ? (getAttribute(node, "data-difference") ?? "") : ""] ?? ["", ""]; // prettier-ignore
  return start + text + end;
}
