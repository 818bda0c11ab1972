import type { ComponentContext } from "../components/index.ts";
import { escapeHtml, html } from "../markup/index.ts";
import type { Html } from "../markup/index.ts";
import {
  listAttributes,
  isRawElement,
  parseMarkdown,
  parseStrictMdx,
  ProblemList,
  readMarkdownNode,
} from "../page/index.ts";
import type {
  MarkdownNode,
  FilePosition,
  Props,
  RawAttribute,
  RawNode,
  TreeNode,
} from "../page/index.ts";

/** Matches a line of words without Markdown syntax, which most descriptions are. */
const plainLine = /^(?!.*(?:www\.|  ))\p{L}[\p{L}\p{N} ,.;'’"“”()%/?-]*$/u;

interface RenderDescriptionOptions {
  readonly position: FilePosition;
  /** Whether headings become headings of the page. Otherwise they are shown as bold lines. */
  readonly hasHeadings?: boolean;
}

/**
 * Renders the Markdown of an API description. Supports only HTML elements that mark up text, and components that show
 * content in place. Nothing is evaluated: MDX expressions are shown as text.
 */
export function renderApiDescription(
  text: string | undefined,
  options: RenderDescriptionOptions,
  context: ComponentContext,
): Html {
  const source = text?.trim() ?? "";
  if (source === "") return "";
  if (plainLine.test(source)) return html`<p>${escapeHtml(source)}</p>`;
  const components = findComponents(source);
  const nodes = parse(source, components.size > 0, options.position.file);
  // The text is too deeply nested or too expensive to parse, so it is shown as plain text.
  if (nodes === undefined) return html`<p>${escapeHtml(source)}</p>`;
  const definitions = collectDefinitions(nodes, options.position);
  const tree = new TreeConverter(options, { definitions, components }).convert(nodes);
  const render = () => context.renderNodes(tree);
  return options.hasHeadings === true ? render() : context.outline.renderUnlisted(render);
}

/** Parses a text as MDX, like a page. If it has no components or is not valid MDX, parses it as plain Markdown. */
function parse(
  source: string,
  hasComponents: boolean,
  file: string,
): readonly RawNode[] | undefined {
  const mdx = hasComponents ? parseStrictMdx(source) : undefined;
  // If the text had to be repaired for the parser, the nodes do not represent what the author wrote.
  if (mdx?.text === source) return mdx.nodes;
  return parseMarkdown(source, file, new ProblemList())?.nodes;
}

type Definitions = ReadonlyMap<string, MarkdownNode<"definition">>;

/** Returns the text's own `[name]: address` definitions. The page's definitions do not apply. */
function collectDefinitions(nodes: readonly RawNode[], position: FilePosition): Definitions {
  const definitions = new Map<string, MarkdownNode<"definition">>();
  for (const raw of nodes) {
    if (raw.type !== "definition") continue;
    const node = readMarkdownNode(raw, { position, children: [] });
    if (node.type !== "definition" || definitions.has(node.identifier)) continue;
    definitions.set(node.identifier, node);
  }
  return definitions;
}

const scriptTypes: ReadonlySet<string> = new Set([
  "mdxjsEsm",
  "mdxFlowExpression",
  "mdxTextExpression",
]);

class TreeConverter {
  readonly #position: FilePosition;
  readonly #hasHeadings: boolean;
  readonly #definitions: Definitions;
  readonly #components: ReadonlySet<string>;

  constructor(
    { position, hasHeadings }: RenderDescriptionOptions,
    text: { readonly definitions: Definitions; readonly components: ReadonlySet<string> },
  ) {
    this.#position = position;
    this.#hasHeadings = hasHeadings === true;
    this.#definitions = text.definitions;
    this.#components = text.components;
  }

  convert(nodes: readonly RawNode[]): TreeNode[] {
    return nodes.flatMap((node) => {
      if (isRawElement(node)) return this.#convertElement(node);
      return scriptTypes.has(node.type) ? this.#convertScript(node) : this.#convertNode(node);
    });
  }

  /** Converts code in MDX to text, exactly as it was written. */
  #convertScript({ type, value = "" }: RawNode): TreeNode {
    const position = this.#position;
    const shownText = type === "mdxjsEsm" ? value : `{${value}}`;
    const text = { type: "text" as const, value: shownText, position };
    return type === "mdxTextExpression" ? text : { type: "paragraph", position, children: [text] };
  }

  #convertNode(node: RawNode): TreeNode {
    const copy = this.#readNode(node);
    if (copy.type === "heading") return this.#convertHeading(copy);
    if (copy.type !== "linkReference" && copy.type !== "imageReference") return copy;
    const definition = this.#definitions.get(copy.identifier);
    if (definition === undefined) return copy;
    const { url, title } = definition;
    return copy.type === "linkReference"
      ? { ...copy, type: "link", url, title }
      : { ...copy, type: "image", url, title };
  }

  #readNode(node: RawNode): MarkdownNode {
    const children = this.convert(node.children ?? []);
    return readMarkdownNode(node, { position: this.#position, children });
  }

  /** Converts a heading. Level 1 becomes level 2, because level 1 is reserved for the page's title. */
  #convertHeading(heading: MarkdownNode<"heading">): MarkdownNode {
    const { children, position } = heading;
    if (!this.#hasHeadings) {
      return { type: "paragraph", position, children: [{ type: "strong", position, children }] };
    }
    return heading.depth === 1 ? { ...heading, depth: 2 } : heading;
  }

  #convertElement(node: RawNode): TreeNode[] {
    const name = node.name ?? "";
    const children = this.convert(node.children ?? []);
    const position = this.#position;
    if (node.name === null) return children;
    const isShown = htmlElements.has(name) || this.#components.has(name);
    if (!isShown) return [{ type: "text", value: `<${name}>`, position }, ...children];
    const props = readElementProps(node);
    const isFlow = node.type === "mdxJsxFlowElement";
    return [{ type: "element", name, props, children, isFlow, position }];
  }
}

/** HTML elements that a description may contain. Other tags, such as `<token>`, are shown as text. */
const htmlElements: ReadonlySet<string> = new Set(
  "a abbr b blockquote br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre s samp small span strong sub summary sup table tbody td tfoot th thead tr u ul".split(
    " ",
  ),
);
const htmlAttributes: ReadonlySet<string> = new Set(
  "align alt colspan height href open rowspan src start title width".split(" "),
);

/** Components that show content in place. Page-level components, such as `Update`, are shown as text. */
const inlineComponents: ReadonlySet<string> = new Set(
  "Accordion AccordionGroup Badge Callout Card CardGroup Check CodeGroup Column Columns Danger Error Expandable Frame Icon Info Note ParamField ResponseField Step Steps Tab Tabs Tile Tip Tooltip Warning".split(
    " ",
  ),
);
/** Matches a closing or self-closing tag. */
const endTag = /<\/([A-Z]\w*)\s*>|<([A-Z]\w*)(?:\s[^<>]*)?\/>/g;

/** Attributes that change the position and style of an element on the page, rather than its content. */
const withheldAttributes: ReadonlySet<string> = new Set(["id", "class", "className", "style"]);

/** Finds the components that a description uses. An unclosed tag, as in `Promise<Error>`, is text. */
function findComponents(text: string): ReadonlySet<string> {
  const names = Array.from(text.matchAll(endTag), ([, closed, empty]) => closed ?? empty ?? "");
  return new Set(names.filter((name) => inlineComponents.has(name)));
}

/** Reads the attributes of a supported element: strings and literal values. Expressions are not evaluated. */
function readElementProps(node: RawNode): Props {
  const isComponent = inlineComponents.has(node.name ?? "");
  const isShown = (name: string) =>
    isComponent ? !withheldAttributes.has(name) : htmlAttributes.has(name);
  const props: Record<string, string | number | boolean> = {};
  for (const attribute of listAttributes(node)) {
    if (attribute.type !== "mdxJsxAttribute" || !isShown(attribute.name)) continue;
    const value = isComponent ? readLiteral(attribute) : getText(attribute);
    // `__proto__` is skipped because a copy of the props would not contain it.
    if (value !== undefined && attribute.name !== "__proto__") props[attribute.name] = value;
  }
  return props;
}

type Attribute = Extract<RawAttribute, { type: "mdxJsxAttribute" }>;

function getText({ value }: Attribute): string | true {
  return typeof value === "string" ? value : true;
}

/** Reads `{2}`, `{true}` and `{"text"}` as pages do. Returns undefined for any other expression. */
function readLiteral({ value }: Attribute): string | number | boolean | undefined {
  if (value === null || value === undefined) return true;
  // In plain Markdown, the braces are part of the text.
  const source = typeof value === "string" ? /^\{([^]*)\}$/.exec(value)?.[1] : value.value;
  if (source === undefined) return typeof value === "string" ? value : undefined;
  const text = source.trim();
  const quotedText = /^(["'`])([^"'`\\$]*)\1$/.exec(text);
  if (quotedText) return quotedText[2] ?? "";
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) : undefined;
}
