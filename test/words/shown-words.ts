import { parse, type DefaultTreeAdapterMap } from "parse5";
import { attribute, classesOf, elementsIn, type Element } from "../support/document.ts";
import { isInline } from "./inline-names.ts";
import { wordsOf } from "./pieces.ts";

type Node = DefaultTreeAdapterMap["node"];

/** How often a page says each word. */
export interface ShownWords {
  /** In its text. */
  inText(word: string): number;
  /** In attributes for those who do not see what they describe. */
  inAttributes(word: string): number;
}

/** Where a page says what its source says; the rest of the document is the site's. */
const ownIds = new Set(["content", "side-panel"]);
const spokenAttributes = ["alt", "title", "aria-label", "placeholder", "label", "value", "summary"];
/** A formula is there twice, as it looks and as MathML with its source; numbers of footnotes are no words. */
const leftOut = new Set(["katex-html", "footnote", "footnote-back"]);
const silent = new Set(["script", "style"]);

interface Said {
  text: string;
  /** With a space at each tag. */
  divided: string;
  attributes: string;
}

/** Reads a page as a browser without scripts does; tabs and what is folded count. */
export function readShownWords(html: string): ShownWords {
  const said: Said = { text: "", divided: "", attributes: "" };
  for (const element of elementsIn(parse(html, { scriptingEnabled: false }))) {
    const isOwn = ownIds.has(attribute(element, "id") ?? "");
    if (isOwn || classesOf(element).includes("page-header")) readElement(element, said);
  }
  const [text, divided, attributes] = [said.text, said.divided, said.attributes].map(countWords);
  return {
    inText: (word) => Math.max(text?.get(word) ?? 0, divided?.get(word) ?? 0),
    inAttributes: (word) => attributes?.get(word) ?? 0,
  };
}

function readElement(element: Element, said: Said): void {
  const { tagName, attrs, childNodes } = element;
  if (silent.has(tagName) || classesOf(element).some((name) => leftOut.has(name))) return;
  const edge = isInline(tagName) ? "" : " ";
  said.text += edge;
  said.divided += " ";
  for (const { name, value } of attrs) {
    if (spokenAttributes.includes(name)) said.attributes += ` ${value}`;
  }
  for (const child of childNodes) readNode(child, said);
  said.text += edge;
  said.divided += " ";
}

function readNode(node: Node, said: Said): void {
  if ("tagName" in node) readElement(node, said);
  else if ("value" in node) {
    said.text += node.value;
    said.divided += node.value;
  }
}

function countWords(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
