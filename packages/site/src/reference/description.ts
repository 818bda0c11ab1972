import type { ComponentContext } from "../components/index.ts";
import { escapeHtml, html, type Html } from "../markup/index.ts";
import {
  ProblemList,
  isRawElement,
  parseMarkdown,
  parseStrictMdx,
  readMarkdownNode,
  type RawNode,
} from "../page/index.ts";
import type { MarkdownNode, Place, TreeNode } from "../page/index.ts";
import { componentsIn, isHtmlElement, propsOf } from "./description-elements.ts";

/** A line of words without any Markdown syntax, as most descriptions are. */
const plain = /^(?!.*(?:www\.|  ))\p{L}[\p{L}\p{N} ,.;'’"“”()%/?-]*$/u;

export interface RenderDescriptionOptions {
  readonly place: Place;
  /** Headings become headings of the page; otherwise they are shown as bold lines. */
  readonly hasHeadings?: boolean;
}

/**
 * HTML of an API description's Markdown: of HTML only what marks up text, and components that show content in place.
 * Nothing is evaluated; expressions of MDX are text.
 */
export function renderDescription(
  text: string | undefined,
  options: RenderDescriptionOptions,
  context: ComponentContext,
): Html {
  const source = text?.trim() ?? "";
  if (source === "") return "";
  if (plain.test(source)) return html`<p>${escapeHtml(source)}</p>`;
  const components = componentsIn(source);
  const nodes = parse(source, components.size > 0, options.place.file);
  // Too deep or too much work to parse: only the plain text is safe to show.
  if (nodes === undefined) return html`<p>${escapeHtml(source)}</p>`;
  const definitions = definitionsOf(nodes, options.place);
  const tree = new Converter(options, { definitions, components }).convert(nodes);
  const render = () => context.renderNodes(tree);
  return options.hasHeadings === true ? render() : context.outline.without(render);
}

/** Around components Markdown is read as in pages; a text that is not valid there is read as most descriptions are. */
function parse(
  source: string,
  hasComponents: boolean,
  file: string,
): readonly RawNode[] | undefined {
  const mdx = hasComponents ? parseStrictMdx(source) : undefined;
  // Where the text had to be changed for the parser, it is not what its author wrote.
  if (mdx?.text === source) return mdx.nodes;
  return parseMarkdown(source, file, new ProblemList())?.nodes;
}

type Definitions = ReadonlyMap<string, MarkdownNode<"definition">>;

/** The text's own `[name]: address`; those of the page do not apply. */
function definitionsOf(nodes: readonly RawNode[], place: Place): Definitions {
  const definitions = new Map<string, MarkdownNode<"definition">>();
  for (const raw of nodes) {
    if (raw.type !== "definition") continue;
    const node = readMarkdownNode(raw, { place, children: [] });
    if (node.type !== "definition" || definitions.has(node.identifier)) continue;
    definitions.set(node.identifier, node);
  }
  return definitions;
}

const scripts: ReadonlySet<string> = new Set([
  "mdxjsEsm",
  "mdxFlowExpression",
  "mdxTextExpression",
]);

class Converter {
  readonly #place: Place;
  readonly #hasHeadings: boolean;
  readonly #definitions: Definitions;
  readonly #components: ReadonlySet<string>;

  constructor(
    { place, hasHeadings }: RenderDescriptionOptions,
    text: { readonly definitions: Definitions; readonly components: ReadonlySet<string> },
  ) {
    this.#place = place;
    this.#hasHeadings = hasHeadings === true;
    this.#definitions = text.definitions;
    this.#components = text.components;
  }

  convert(nodes: readonly RawNode[]): TreeNode[] {
    return nodes.flatMap((node) => {
      if (isRawElement(node)) return this.#element(node);
      return scripts.has(node.type) ? this.#script(node) : this.#node(node);
    });
  }

  /** Parts of MDX that are code are shown as they were written. */
  #script({ type, value = "" }: RawNode): TreeNode {
    const place = this.#place;
    const shown = type === "mdxjsEsm" ? value : `{${value}}`;
    const text = { type: "text" as const, value: shown, place };
    return type === "mdxTextExpression" ? text : { type: "paragraph", place, children: [text] };
  }

  #node(node: RawNode): TreeNode {
    const copy = this.#read(node);
    if (copy.type === "heading") return this.#heading(copy);
    if (copy.type !== "linkReference" && copy.type !== "imageReference") return copy;
    const definition = this.#definitions.get(copy.identifier);
    if (definition === undefined) return copy;
    const { url, title } = definition;
    return copy.type === "linkReference"
      ? { ...copy, type: "link", url, title }
      : { ...copy, type: "image", url, title };
  }

  #read(node: RawNode): MarkdownNode {
    const children = this.convert(node.children ?? []);
    return readMarkdownNode(node, { place: this.#place, children });
  }

  /** A page has one title, and this is not it. */
  #heading(heading: MarkdownNode<"heading">): MarkdownNode {
    const { children, place } = heading;
    if (!this.#hasHeadings) {
      return { type: "paragraph", place, children: [{ type: "strong", place, children }] };
    }
    return heading.depth === 1 ? { ...heading, depth: 2 } : heading;
  }

  #element(node: RawNode): TreeNode[] {
    const name = node.name ?? "";
    const children = this.convert(node.children ?? []);
    const place = this.#place;
    if (node.name === null) return children;
    const isShown = isHtmlElement(name) || this.#components.has(name);
    if (!isShown) return [{ type: "text", value: `<${name}>`, place }, ...children];
    const props = propsOf(node);
    const isFlow = node.type === "mdxJsxFlowElement";
    return [{ type: "element", name, props, children, isFlow, place }];
  }
}
