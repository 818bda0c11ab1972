import type { RawNode } from "./raw-node.ts";
import type { EvaluationContext } from "./script/evaluation-context.ts";
import { isElement } from "./tree.ts";
import type { MarkdownNode, MarkdownType, FilePosition, TableAlignment, TreeNode } from "./tree.ts";

/** The inputs for reading a node, in addition to its raw form. */
interface ReadParts {
  readonly place: FilePosition;
  /** The node's children, which have already been read. */
  readonly children: readonly TreeNode[];
  /** Converts each string that the parser returns. */
  readonly readText: (text: string) => string;
}

const blocks = new Set(
  "paragraph heading list code blockquote table thematicBreak math".split(" "),
);

/** The kinds of nodes that the parser creates. It does not create component nodes. */
type ParsedType = Exclude<MarkdownType, "component" | "componentSlot">;

type Readers = {
  readonly [Type in ParsedType]: (raw: RawNode, parts: ReadParts) => MarkdownNode<Type>;
};

/** The readers of the declared fields of each kind of node. They are the boundary between the parser and the tree. */
const readers: Readers = {
  text: literal("text"),
  inlineCode: literal("inlineCode"),
  html: literal("html"),
  code: (raw, { place, readText }) => ({
    type: "code",
    lang: optionalText(raw.lang, readText),
    meta: optionalText(raw.meta, readText),
    value: text(raw.value, readText),
    place,
  }),
  inlineMath: (raw, { place, readText }) => ({
    type: "inlineMath",
    value: text(raw.value, readText),
    isDisplay: false,
    place,
  }),
  break: leaf("break"),
  thematicBreak: leaf("thematicBreak"),
  paragraph: parent("paragraph"),
  heading: ({ depth }, { place, children }) => ({
    type: "heading",
    depth: typeof depth === "number" ? depth : 2,
    place,
    children,
  }),
  emphasis: parent("emphasis"),
  strong: parent("strong"),
  delete: parent("delete"),
  blockquote: parent("blockquote"),
  list: ({ ordered, start, spread }, { place, children }) => ({
    type: "list",
    ordered: ordered === true,
    start: typeof start === "number" ? start : undefined,
    spread: spread === true,
    place,
    children,
  }),
  listItem: ({ spread, checked }, { place, children }) => ({
    type: "listItem",
    spread: spread === true,
    checked: typeof checked === "boolean" ? checked : undefined,
    place,
    children,
  }),
  table: ({ align }, { place, children }) => ({
    type: "table",
    align: Array.isArray(align) ? align.map(alignment) : [],
    place,
    children,
  }),
  tableRow: parent("tableRow"),
  tableCell: parent("tableCell"),
  link: (raw, { place, children, readText }) => ({
    type: "link",
    url: text(raw.url, readText),
    title: text(raw.title, readText),
    place,
    children,
  }),
  linkReference: (raw, { place, children, readText }) => ({
    type: "linkReference",
    identifier: text(raw.identifier, readText),
    place,
    children,
  }),
  image: (raw, { place, readText }) => ({
    type: "image",
    url: text(raw.url, readText),
    title: text(raw.title, readText),
    alt: text(raw.alt, readText),
    place,
  }),
  imageReference: (raw, { place, readText }) => ({
    type: "imageReference",
    identifier: text(raw.identifier, readText),
    alt: text(raw.alt, readText),
    place,
  }),
  definition: (raw, { place, readText }) => ({
    type: "definition",
    identifier: text(raw.identifier, readText),
    url: text(raw.url, readText),
    title: text(raw.title, readText),
    place,
  }),
  footnoteReference: (raw, { place, readText }) => ({
    type: "footnoteReference",
    identifier: text(raw.identifier, readText),
    label: text(raw.label, readText),
    place,
  }),
  footnoteDefinition: (raw, { place, children, readText }) => ({
    type: "footnoteDefinition",
    identifier: text(raw.identifier, readText),
    place,
    children,
  }),
  other: parent("other"),
};

/** Converts a node of the parser to a tree node. The content of an unknown kind is kept as `other` or as text. */
export function readMarkdownNode(
  raw: RawNode,
  {
    place,
    children,
    readText = (text) => text,
  }: Partial<ReadParts> & Pick<ReadParts, "place" | "children">,
): MarkdownNode {
  const parts = { place, children, readText };
  if (isParsedType(raw.type)) return readers[raw.type](raw, parts);
  return raw.children === undefined ? readers.text(raw, parts) : readers.other(raw, parts);
}

function isParsedType(type: string): type is ParsedType {
  return Object.hasOwn(readers, type);
}

function leaf<Type extends "break" | "thematicBreak">(type: Type) {
  return (_: RawNode, { place }: ReadParts) => ({ type, place });
}

function literal<Type extends "text" | "inlineCode" | "html">(type: Type) {
  return ({ value }: RawNode, { place, readText }: ReadParts) => ({
    type,
    value: text(value, readText),
    place,
  });
}

function parent<Type extends MarkdownType>(type: Type) {
  return (_: RawNode, { place, children }: ReadParts) => ({ type, place, children });
}

function text(value: unknown, readText: ReadParts["readText"]): string {
  return typeof value === "string" ? readText(value) : "";
}

function optionalText(value: unknown, readText: ReadParts["readText"]): string | undefined {
  return typeof value === "string" ? readText(value) : undefined;
}

function alignment(value: unknown): TableAlignment {
  return value === "left" || value === "right" || value === "center" ? value : undefined;
}

function isBlock(node: TreeNode): boolean {
  return blocks.has(node.type);
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

const inline = new Set(
  "text emphasis strong delete inlineCode link linkReference image imageReference break footnoteReference inlineMath".split(
    " ",
  ),
);

/** Wraps inline nodes in a paragraph if they replace an element that is on its own lines. */
export function wrapInlineNodes(
  nodes: readonly TreeNode[],
  { isFlow, place }: { readonly isFlow: boolean; readonly place: FilePosition },
): readonly TreeNode[] {
  if (!isFlow || !nodes.some(isVisible) || !nodes.every(isInline)) return nodes;
  return [{ type: "paragraph", children: nodes, place }];
}

export function isInline(node: TreeNode): boolean {
  if (isElement(node) || node.type === "component" || node.type === "componentSlot")
    return !node.isFlow;
  return inline.has(node.type);
}

function isVisible(node: TreeNode): boolean {
  return node.type !== "text" || /\S/.test(node.value);
}

/**
 * Restores the space in `{a} {b}`, which the parser drops if a line contains only expressions and elements. Appends it
 * to `before`, which contains the nodes before the expression `node`.
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
    before.push({ type: "text", value: "\n", place: context.place });
  }
}
