import { html, parse, parseFragment, serializeOuter } from "parse5";
import type { DefaultTreeAdapterMap } from "parse5";
import { attribute, elementsIn } from "./document.ts";
import type { Element } from "./document.ts";

type Node = DefaultTreeAdapterMap["node"];

/** Elements within which line breaks are content, or which are too dull to be taken apart. */
const kept = new Set(["pre", "svg", "math", "script", "style", "textarea"]);

/**
 * One part of an HTML document, an element to a line, so that a difference shows where it is. Blanks
 * between elements are not kept, those within a line of text are.
 *
 * @param id of the element whose content is wanted, or `head`
 */
export function readablePart(document: string, id: string): string | undefined {
  const elements = elementsIn(parse(document));
  const part = elements.find((element) =>
    id === "head" ? element.tagName === "head" : attribute(element, "id") === id,
  );
  return part && `${part.childNodes.flatMap((node) => lines(node, "")).join("\n")}\n`;
}

/** The same for a piece of HTML. */
export function readableHtml(fragment: string): string {
  return `${parseFragment(fragment)
    .childNodes.flatMap((node) => lines(node, ""))
    .join("\n")}\n`;
}

function lines(node: Node, indent: string): string[] {
  if (!("tagName" in node)) {
    const text = "value" in node ? node.value.replaceAll(/\s+/g, " ").trim() : "";
    return text === "" ? [] : [indent + escape(text)];
  }
  if (kept.has(node.tagName) || isLineOfText(node)) return [indent + serializeOuter(node)];
  const whole = serializeOuter(shell(node));
  const end = `</${node.tagName}>`;
  if (!whole.endsWith(end)) return [indent + whole];
  const inner = node.childNodes.flatMap((child) => lines(child, `${indent}  `));
  return [indent + whole.slice(0, -end.length), ...inner, indent + end];
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function shell(node: Element): Element {
  return { ...node, childNodes: [] };
}

const inline = new Set(["a", "abbr", "b", "br", "code", "em", "i", "kbd", "s", "small", "span"]);
for (const name of ["strong", "sub", "sup", "wbr", "img", "del", "ins"]) inline.add(name);

/** Text with nothing but words and marks in it, short enough for a line. */
function isLineOfText(node: Element): boolean {
  if (node.namespaceURI !== html.NS.HTML) return true;
  const isPlain = elementsIn(node).every(({ tagName }) => inline.has(tagName));
  const hasText = node.childNodes.some((child) => "value" in child && child.value.trim() !== "");
  return isPlain && (hasText || node.childNodes.length === 0);
}
