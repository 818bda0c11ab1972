import { limits } from "../core/index.ts";
import { decodeEntities, isVoidElement } from "./html-syntax.ts";
import type { RawAttribute, RawNode } from "./raw-node.ts";

/** Parents whose children are inline. */
const phrasing = new Set([
  "paragraph",
  "heading",
  "emphasis",
  "strong",
  "delete",
  "link",
  "tableCell",
]);

/**
 * Converts HTML, which Markdown keeps as pieces of text (`<div>` in one node, `</div>` some paragraphs later), to
 * elements around the nodes between the tags, in the same form as MDX elements. An unclosed element ends with its
 * parent; closing tags without an opening tag and comments are dropped.
 */
export function convertHtmlNodes(nodes: readonly RawNode[], isFlow = true): readonly RawNode[] {
  const hasHtml = nodes.some((node) => node.type === "html");
  const joined = nodes.map((node) => {
    if (!node.children) return node;
    const children = convertHtmlNodes(node.children, !phrasing.has(node.type));
    return children === node.children ? node : { ...node, children };
  });
  if (!hasHtml) return joined.every((node, index) => node === nodes[index]) ? nodes : joined;
  const builder = new ElementBuilder(isFlow);
  for (const node of joined) {
    if (node.type === "html") builder.addHtml(node);
    else builder.add(node);
  }
  return builder.finish();
}

interface OpenElement {
  readonly name: string;
  readonly children: RawNode[];
}

const tag = /<(\/?)([a-zA-Z][\w.:-]*)/y;
const attribute = /[\s/]*([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/y;
const rawTextEnd = /<\/(?:script|style|textarea)/gi;
const tagEnd = /[\s]*(\/?)>/y;

class ElementBuilder {
  readonly #isFlow: boolean;
  readonly #root: RawNode[] = [];
  readonly #stack: OpenElement[] = [];
  readonly #openNames = new Map<string, number>();

  constructor(isFlow: boolean) {
    this.#isFlow = isFlow;
  }

  add(node: RawNode): void {
    (this.#stack.at(-1)?.children ?? this.#root).push(node);
  }

  finish(): readonly RawNode[] {
    return this.#root;
  }

  addHtml(node: RawNode): void {
    const html = node.value ?? "";
    let at = 0;
    while (at < html.length) {
      const next = html.indexOf("<", at);
      this.#addText(html.slice(at, next === -1 ? html.length : next), node);
      if (next === -1) return;
      at = this.#readTag(html, next, node);
    }
  }

  #addText(text: string, { position }: RawNode): void {
    if (text === "" || (this.#isFlow && !/\S/.test(text))) return;
    this.add({ type: "text", value: decodeEntities(text), ...(position && { position }) });
  }

  /** Reads the tag or comment that begins with the `<` at `at`; returns the offset after it. */
  #readTag(html: string, at: number, node: RawNode): number {
    if (html.startsWith("<!--", at)) return skipTo(html, "-->", at + 4);
    if (html[at + 1] === "!" || html[at + 1] === "?") return skipTo(html, ">", at + 1);
    tag.lastIndex = at;
    const match = tag.exec(html);
    if (!match) {
      this.#addText("<", node);
      return at + 1;
    }
    const name = match[2] ?? "";
    if (match[1] === "/") {
      this.#close(name);
      return skipTo(html, ">", at);
    }
    const { attributes, isSelfClosing, end } = readAttributes(html, tag.lastIndex);
    this.#open(name, attributes, isSelfClosing, node);
    if (isSelfClosing || !/^(?:script|style|textarea)$/i.test(name)) return end;
    rawTextEnd.lastIndex = end;
    const stop = rawTextEnd.exec(html)?.index ?? html.length;
    if (stop > end) this.add({ ...node, type: "text", value: html.slice(end, stop) });
    return stop;
  }

  #open(
    name: string,
    attributes: readonly RawAttribute[],
    isSelfClosing: boolean,
    { position }: RawNode,
  ): void {
    const children: RawNode[] = [];
    this.add({
      type: this.#isFlow ? "mdxJsxFlowElement" : "mdxJsxTextElement",
      name,
      attributes,
      children,
      ...(position && { position }),
    });
    if (isSelfClosing || isVoidElement(name) || this.#stack.length >= limits.nesting) return;
    this.#stack.push({ name, children });
    this.#openNames.set(name, (this.#openNames.get(name) ?? 0) + 1);
  }

  #close(name: string): void {
    if (!this.#openNames.get(name)) return;
    for (let open = this.#stack.pop(); open; open = this.#stack.pop()) {
      this.#openNames.set(open.name, (this.#openNames.get(open.name) ?? 1) - 1);
      if (open.name === name) return;
    }
  }
}

function skipTo(html: string, end: string, from: number): number {
  const found = html.indexOf(end, from);
  return found === -1 ? html.length : found + end.length;
}

function readAttributes(
  html: string,
  from: number,
): { attributes: RawAttribute[]; isSelfClosing: boolean; end: number } {
  const attributes: RawAttribute[] = [];
  let at = from;
  for (;;) {
    tagEnd.lastIndex = at;
    const end = tagEnd.exec(html);
    if (end) return { attributes, isSelfClosing: end[1] === "/", end: tagEnd.lastIndex };
    attribute.lastIndex = at;
    const match = attribute.exec(html);
    if (!match) return { attributes, isSelfClosing: false, end: skipTo(html, ">", at) };
    at = attribute.lastIndex;
    const value = match[2] ?? match[3] ?? match[4];
    attributes.push({
      type: "mdxJsxAttribute",
      name: match[1] ?? "",
      value: value === undefined ? null : decodeEntities(value),
    });
  }
}
