import type { ComponentContext } from "../components/index.ts";
import { escapeHtml, html, type Html } from "../markup/index.ts";
import {
  ProblemList,
  parseMarkdown,
  attributesOf,
  isRawElement,
  readMarkdownNode,
  type RawAttribute,
  type RawNode,
} from "../page/index.ts";
import type { MarkdownNode, Place, Props, TreeNode } from "../page/index.ts";

/** A line of words without any Markdown syntax, as most descriptions are. */
const plain = /^(?!.*(?:www\.|  ))\p{L}[\p{L}\p{N} ,.;'’"“”()%/?-]*$/u;

/** HTML elements that a text may contain. Other names, such as `<token>`, are meant as text. */
const htmlElements: ReadonlySet<string> = new Set(
  "a abbr b blockquote br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre s samp small span strong sub summary sup table tbody td tfoot th thead tr u ul".split(
    " ",
  ),
);
const htmlAttributes: ReadonlySet<string> = new Set(
  "align alt colspan height href open rowspan src start title width".split(" "),
);

export interface RenderDescriptionOptions {
  readonly place: Place;
  /** Headings become headings of the page; otherwise they are shown as bold lines. */
  readonly hasHeadings?: boolean;
}

/** HTML of an API description's Markdown: no MDX, and only HTML that marks up text. */
export function renderDescription(
  text: string | undefined,
  options: RenderDescriptionOptions,
  context: ComponentContext,
): Html {
  const source = text?.trim() ?? "";
  if (source === "") return "";
  if (plain.test(source)) return html`<p>${escapeHtml(source)}</p>`;
  const nodes = parseMarkdown(source, options.place.file, new ProblemList());
  // Too deep or too much work to parse: only the plain text is safe to show.
  if (nodes === undefined) return html`<p>${escapeHtml(source)}</p>`;
  const tree = new Converter(options, definitionsOf(nodes.nodes, options.place)).convert(
    nodes.nodes,
  );
  const render = () => context.renderNodes(tree);
  return options.hasHeadings === true ? render() : context.outline.without(render);
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

class Converter {
  readonly #place: Place;
  readonly #hasHeadings: boolean;
  readonly #definitions: Definitions;

  constructor({ place, hasHeadings }: RenderDescriptionOptions, definitions: Definitions) {
    this.#place = place;
    this.#hasHeadings = hasHeadings === true;
    this.#definitions = definitions;
  }

  convert(nodes: readonly RawNode[]): TreeNode[] {
    return nodes.flatMap((node) => (isRawElement(node) ? this.#element(node) : this.#node(node)));
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
    if (!htmlElements.has(name)) {
      return [{ type: "text", value: `<${name}>`, place }, ...children];
    }
    const props = propsOf(attributesOf(node));
    const isFlow = node.type === "mdxJsxFlowElement";
    return [{ type: "element", name, props, children, isFlow, place }];
  }
}

function propsOf(attributes: readonly RawAttribute[]): Props {
  const props: Record<string, string | true> = {};
  for (const attribute of attributes) {
    if (attribute.type !== "mdxJsxAttribute" || !htmlAttributes.has(attribute.name)) continue;
    props[attribute.name] = typeof attribute.value === "string" ? attribute.value : true;
  }
  return props;
}
