/** A node of a Markdown tree, with the fields that are looked at. */
export interface PlainNode {
  readonly type: string;
  readonly children?: readonly PlainNode[];
  readonly value?: string;
  readonly url?: string;
  readonly alt?: string | null;
  readonly lang?: string | null;
  readonly identifier?: string;
  /** The name of an MDX element; null for a fragment. */
  readonly name?: string | null;
  readonly attributes?: readonly { readonly name?: string; readonly value?: unknown }[];
}

/** The address that a link is written with; undefined where it leads nowhere and becomes text. */
export type ResolveLink = (target: string) => string | undefined;

interface Context {
  readonly resolveLink: ResolveLink;
  /** Addresses by the names that `[text][name]` uses. */
  readonly definitions: ReadonlyMap<string, string>;
}

/** Languages that the highlighters of all peers know, by every name that pages use; others are text. */
const languages: ReadonlyMap<string, string> = new Map(
  [
    "bash sh shell console",
    "csharp cs",
    "diff",
    "go",
    "groovy",
    "html",
    "http",
    "java",
    "javascript js",
    "json jsonc json5 jsonl",
    "kotlin",
    "markdown md mdx",
    "powershell",
    "properties env",
    "python py",
    "ruby",
    "rust",
    "toml",
    "typescript ts",
    "xml",
    "yaml yml",
  ].flatMap((line) => {
    const names = line.split(" ");
    return names.map((name): [string, string] => [name, names[0] ?? name]);
  }),
);

/** Elements within a line whose text must not touch the text that follows. */
const blocks = /^(?:br|div|dd|dt|h[1-6]|li|p|section|t[dhr]|[A-Z].*)$/;
const literal = /^\s*(["'`])([^"'`\\]*)\1\s*$/;
/** Without them the rest of a node has nothing to show. */
const containers = new Set(["paragraph", "heading", "list", "listItem", "blockquote", "link"]);

/**
 * The nodes without what only some generators know: components become their text, pictures their
 * alternative text, footnotes paragraphs, expressions nothing unless they are a text in quotes.
 */
export function plainNodes(nodes: readonly PlainNode[], resolveLink: ResolveLink): PlainNode[] {
  const definitions = new Map<string, string>();
  collectDefinitions(nodes, definitions);
  return simplifyAll(nodes, { resolveLink, definitions });
}

function collectDefinitions(nodes: readonly PlainNode[], definitions: Map<string, string>): void {
  for (const { type, identifier, url, children } of nodes) {
    if (type === "definition") definitions.set(identifier ?? "", url ?? "");
    if (children) collectDefinitions(children, definitions);
  }
}

function simplifyAll(nodes: readonly PlainNode[], context: Context): PlainNode[] {
  return nodes.flatMap((node) => simplify(node, context));
}

type Simplify = (node: PlainNode, children: PlainNode[], context: Context) => readonly PlainNode[];

const nothing: Simplify = () => [];
const alternative: Simplify = ({ alt }) => (alt ? [text(alt)] : []);

/** By a node's type; what is not here stays, with simpler children. */
const simplifications: ReadonlyMap<string, Simplify> = new Map<string, Simplify>([
  ["text", ({ value = "" }) => [text(value)]],
  ["inlineCode", ({ value = "" }) => inlineCode(value)],
  ["code", (node) => [plainCode(node)]],
  ["image", alternative],
  ["imageReference", alternative],
  ["link", ({ url = "" }, children, context) => link(url, children, context)],
  [
    "linkReference",
    ({ identifier = "" }, children, context) =>
      link(context.definitions.get(identifier) ?? "", children, context),
  ],
  ["mdxTextExpression", ({ value = "" }) => quoted(value)],
  ["mdxJsxTextElement", textElement],
  ["mdxJsxFlowElement", (node, children, context) => [...heading(node, context), ...children]],
  ["footnoteDefinition", (_node, children) => children],
  ["definition", nothing],
  ["footnoteReference", nothing],
  ["html", nothing],
  ["mdxFlowExpression", nothing],
  ["mdxjsEsm", nothing],
]);

function simplify(node: PlainNode, context: Context): readonly PlainNode[] {
  const children = simplifyAll(node.children ?? [], context);
  const how = simplifications.get(node.type) ?? containerOf;
  return how(node, children, context);
}

function containerOf(node: PlainNode, children: PlainNode[]): PlainNode[] {
  if (!node.children) return [node];
  const shown = node.type === "paragraph" || node.type === "heading" ? trim(children) : children;
  if (shown.length === 0 && containers.has(node.type)) return [];
  return [{ ...node, children: shown }];
}

/** A space at the start or the end of a line would be written as a character reference. */
function trim(children: readonly PlainNode[]): PlainNode[] {
  const isBlank = ({ type, value }: PlainNode) => type === "text" && value?.trim() === "";
  const first = children.findIndex((child) => !isBlank(child));
  const last = children.findLastIndex((child) => !isBlank(child));
  if (first < 0) return [];
  return children.slice(first, last + 1).map((child, index, { length }) => {
    if (child.type !== "text") return child;
    let value = child.value ?? "";
    if (index === 0) value = value.trimStart();
    if (index === length - 1) value = value.trimEnd();
    return text(value);
  });
}

function text(value: string): PlainNode {
  return { type: "text", value: withoutTemplates(value) };
}

/** `{{` opens an expression of Vue, and with `<` or `%` one of Hugo even in code. */
function withoutTemplates(value: string): string {
  return value.replaceAll(/\{(?=\{)/g, "{ ");
}

function inlineCode(value: string): PlainNode[] {
  if (value.trim() === "") return [];
  return [{ type: "inlineCode", value: withoutTemplates(value.replaceAll(/\s+/g, " ")) }];
}

function plainCode({ value = "", lang }: PlainNode): PlainNode {
  const language = languages.get((lang ?? "").toLowerCase()) ?? "text";
  return {
    type: "code",
    lang: language,
    value: value.replaceAll(/\{(?=\{[<%])/g, "{ "),
  };
}

function link(url: string, children: PlainNode[], context: Context): PlainNode[] {
  const address = context.resolveLink(url);
  if (address === undefined || children.length === 0) return children;
  return [{ type: "link", url: address, children }];
}

function quoted(expression: string): PlainNode[] {
  const value = literal.exec(expression)?.[2];
  return value === undefined ? [] : [text(value)];
}

function textElement(node: PlainNode, children: PlainNode[], context: Context): PlainNode[] {
  const name = node.name ?? "";
  if (name === "code") return inlineCode(textOf(children));
  const href = attribute(node, "href");
  const shown = name === "a" && href ? link(href, children, context) : children;
  return blocks.test(name) ? [...shown, text(" ")] : shown;
}

/** Returns a component's text from its attributes: the name of a card, a step or a tab. */
function heading(node: PlainNode, context: Context): PlainNode[] {
  const title = attribute(node, "title");
  if (title === undefined) return [];
  const children = link(attribute(node, "href") ?? "", [text(title)], context);
  return [{ type: "paragraph", children: [{ type: "strong", children }] }];
}

function attribute(node: PlainNode, name: string): string | undefined {
  const value = node.attributes?.find((attribute) => attribute.name === name)?.value;
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

function textOf(nodes: readonly PlainNode[]): string {
  return nodes.map((node) => node.value ?? textOf(node.children ?? [])).join("");
}
