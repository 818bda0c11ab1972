import { parse, type DefaultTreeAdapterMap } from "parse5";

export type Element = DefaultTreeAdapterMap["element"];
type ParentNode = DefaultTreeAdapterMap["parentNode"];

/** A document as a browser reads it, asked by small tests of elements rather than by selectors. */
export interface ParsedDocument {
  readonly errors: readonly string[];
  readonly elements: readonly Element[];
  /** The one element with this id; throws where there is none or more than one. */
  byId(id: string): Element;
  byClass(name: string): readonly Element[];
  byTag(name: string): readonly Element[];
}

export function parseDocument(html: string): ParsedDocument {
  const errors: string[] = [];
  const root = parse(html, { onParseError: ({ code }) => errors.push(code) });
  const elements = elementsIn(root);
  return {
    errors,
    elements,
    byId(id) {
      const found = elements.filter((element) => attribute(element, "id") === id);
      const [first] = found;
      if (first === undefined || found.length > 1) throw new Error(`${found.length} times #${id}`);
      return first;
    },
    byClass: (name) => elements.filter((element) => classesOf(element).includes(name)),
    byTag: (name) => elements.filter((element) => element.tagName === name),
  };
}

export function elementsIn(parent: ParentNode): Element[] {
  const found: Element[] = [];
  for (const child of parent.childNodes) {
    if (!("tagName" in child)) continue;
    found.push(child, ...elementsIn(child));
  }
  return found;
}

export function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((candidate) => candidate.name === name)?.value;
}

export function classesOf(element: Element): readonly string[] {
  return (attribute(element, "class") ?? "").split(/\s+/);
}

/** Text without markup, blank runs folded. */
export function documentText(node: DefaultTreeAdapterMap["node"]): string {
  return rawText(node).replaceAll(/\s+/g, " ").trim();
}

function rawText(node: DefaultTreeAdapterMap["node"]): string {
  if ("value" in node) return node.value;
  return "childNodes" in node ? node.childNodes.map(rawText).join("") : "";
}
