import type { RawNode } from "./raw-node.ts";
import type { EvaluationContext } from "./script/evaluation-context.ts";
import { isElement } from "./tree.ts";
import type { MarkdownNode, MarkdownType, FilePosition, TableAlignment, TreeNode } from "./tree.ts";

/** The values that a reader needs in addition to the raw node. */
interface NodeParts {
  readonly position: FilePosition;
  /** The node's children, which have already been read. */
  readonly children: readonly TreeNode[];
  /** Converts each string that the parser returns. */
  readonly readText: (text: string) => string;
}

const blockTypes = new Set(
  "paragraph heading list code blockquote table thematicBreak math".split(" "),
);

/** The kinds of nodes that the parser creates. It does not create component nodes. */
type ParsedType = Exclude<MarkdownType, "component" | "componentSlot">;

type Readers = {
  readonly [Type in ParsedType]: (raw: RawNode, parts: NodeParts) => MarkdownNode<Type>;
};

/**
 * The readers for each kind of node, which copy only declared fields. The readers make the tree independent of the
 * parser.
 */
const readers: Readers = {
  text: createLiteralReader("text"),
  inlineCode: createLiteralReader("inlineCode"),
  html: createLiteralReader("html"),
  code: (raw, { position, readText }) => ({
    type: "code",
    lang: toOptionalText(raw.lang, readText),
    meta: toOptionalText(raw.meta, readText),
    value: toText(raw.value, readText),
    position,
  }),
  inlineMath: (raw, { position, readText }) => ({
    type: "inlineMath",
    value: toText(raw.value, readText),
    isDisplay: false,
    position,
  }),
  break: createLeafReader("break"),
  thematicBreak: createLeafReader("thematicBreak"),
  paragraph: createParentReader("paragraph"),
  heading: ({ depth }, { position, children }) => ({
    type: "heading",
    depth: typeof depth === "number" ? depth : 2,
    position,
    children,
  }),
  emphasis: createParentReader("emphasis"),
  strong: createParentReader("strong"),
  delete: createParentReader("delete"),
  blockquote: createParentReader("blockquote"),
  list: ({ ordered, start, spread }, { position, children }) => ({
    type: "list",
    ordered: ordered === true,
    start: typeof start === "number" ? start : undefined,
    spread: spread === true,
    position,
    children,
  }),
  listItem: ({ spread, checked }, { position, children }) => ({
    type: "listItem",
    spread: spread === true,
    checked: typeof checked === "boolean" ? checked : undefined,
    position,
    children,
  }),
  table: ({ align }, { position, children }) => ({
    type: "table",
    align: Array.isArray(align) ? align.map(toAlignment) : [],
    position,
    children,
  }),
  tableRow: createParentReader("tableRow"),
  tableCell: createParentReader("tableCell"),
  link: (raw, { position, children, readText }) => ({
    type: "link",
    url: toText(raw.url, readText),
    title: toText(raw.title, readText),
    position,
    children,
  }),
  linkReference: (raw, { position, children, readText }) => ({
    type: "linkReference",
    identifier: toText(raw.identifier, readText),
    position,
    children,
  }),
  image: (raw, { position, readText }) => ({
    type: "image",
    url: toText(raw.url, readText),
    title: toText(raw.title, readText),
    alt: toText(raw.alt, readText),
    position,
  }),
  imageReference: (raw, { position, readText }) => ({
    type: "imageReference",
    identifier: toText(raw.identifier, readText),
    alt: toText(raw.alt, readText),
    position,
  }),
  definition: (raw, { position, readText }) => ({
    type: "definition",
    identifier: toText(raw.identifier, readText),
    url: toText(raw.url, readText),
    title: toText(raw.title, readText),
    position,
  }),
  footnoteReference: (raw, { position, readText }) => ({
    type: "footnoteReference",
    identifier: toText(raw.identifier, readText),
    label: toText(raw.label, readText),
    position,
  }),
  footnoteDefinition: (raw, { position, children, readText }) => ({
    type: "footnoteDefinition",
    identifier: toText(raw.identifier, readText),
    position,
    children,
  }),
  other: createParentReader("other"),
};

/**
 * Converts a node of the parser to a tree node. The content of a node of an unknown kind is preserved as `other` or as
 * text.
 */
export function readMarkdownNode(
  raw: RawNode,
  {
    position,
    children,
    readText = (text) => text,
  }: Partial<NodeParts> & Pick<NodeParts, "position" | "children">,
): MarkdownNode {
  const parts = { position, children, readText };
  if (isParsedType(raw.type)) return readers[raw.type](raw, parts);
  return raw.children === undefined ? readers.text(raw, parts) : readers.other(raw, parts);
}

function isParsedType(type: string): type is ParsedType {
  return Object.hasOwn(readers, type);
}

function createLeafReader<Type extends "break" | "thematicBreak">(type: Type) {
  return (_: RawNode, { position }: NodeParts) => ({ type, position });
}

function createLiteralReader<Type extends "text" | "inlineCode" | "html">(type: Type) {
  return ({ value }: RawNode, { position, readText }: NodeParts) => ({
    type,
    value: toText(value, readText),
    position,
  });
}

function createParentReader<Type extends MarkdownType>(type: Type) {
  return (_: RawNode, { position, children }: NodeParts) => ({ type, position, children });
}

function toText(value: unknown, readText: NodeParts["readText"]): string {
  return typeof value === "string" ? readText(value) : "";
}

function toOptionalText(value: unknown, readText: NodeParts["readText"]): string | undefined {
  return typeof value === "string" ? readText(value) : undefined;
}

function toAlignment(value: unknown): TableAlignment {
  return value === "left" || value === "right" || value === "center" ? value : undefined;
}

function isBlock(node: TreeNode): boolean {
  return blockTypes.has(node.type);
}

/**
 * Splits a paragraph that contains the blocks of a snippet used within a line. The parts are the text before the
 * blocks, the blocks, and the text after them, so that paragraphs are not nested.
 */
export function splitParagraph(paragraph: MarkdownNode<"paragraph">): readonly TreeNode[] {
  const { children } = paragraph;
  if (!children.some(isBlock)) return [paragraph];
  const nodes: TreeNode[] = [];
  let line: TreeNode[] = [];
  const endLine = () => {
    if (line.some(isVisible)) nodes.push({ ...paragraph, children: line });
    line = [];
  };
  for (const child of children) {
    if (isBlock(child)) {
      endLine();
      nodes.push(child);
    } else line.push(child);
  }
  endLine();
  return nodes;
}

const inlineTypes = new Set(
  "text emphasis strong delete inlineCode link linkReference image imageReference break footnoteReference inlineMath".split(
    " ",
  ),
);

/** Wraps inline nodes in a paragraph if they replace an element that is on its own lines. */
export function wrapInlineNodes(
  nodes: readonly TreeNode[],
  { isFlow, position }: { readonly isFlow: boolean; readonly position: FilePosition },
): readonly TreeNode[] {
  if (!isFlow || !nodes.some(isVisible) || !nodes.every(isInline)) return nodes;
  return [{ type: "paragraph", children: nodes, position }];
}

export function isInline(node: TreeNode): boolean {
  if (isElement(node) || node.type === "component" || node.type === "componentSlot")
    return !node.isFlow;
  return inlineTypes.has(node.type);
}

function isVisible(node: TreeNode): boolean {
  return node.type !== "text" || /\S/.test(node.value);
}

/**
 * Restores the space in `{a} {b}`, which the parser drops if a line contains only expressions and elements. Appends the
 * space to `before`, which contains the nodes before the expression `node`.
 */
export function restoreSpaceBefore(
  before: TreeNode[],
  node: RawNode,
  context: EvaluationContext,
): void {
  const last = before.at(-1);
  if (!context.isFlow || last === undefined || (last.type !== "text" && !isElement(last))) return;
  const start = node.position?.start.offset ?? 0;
  if (/\s/.test(context.file.text.charAt(start - 1))) {
    before.push({ type: "text", value: "\n", position: context.position });
  }
}
