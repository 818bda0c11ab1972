/**
 * The tree between parsing and rendering, which is the only input of the renderer and the components. It is Markdown as
 * satteri parses it (mdast), with all MDX additions already resolved: snippets are inlined, `{expressions}` are text or
 * values, and ESM and comments are removed. Its depth is at most three times `limits.nesting`. The same node object may
 * occur in it several times.
 */

/** A position in an author's file. `file` is the snippet if the text came from a snippet. */
export interface FilePosition {
  readonly file: string;
  /** The 1-based line number. */
  readonly line: number;
  readonly column: number;
}

/** An HTML element or a component, as authored. */
export interface ElementNode {
  readonly type: "element";
  /** The name, such as `Card`, `Tree.Folder` or `div`; an empty string for a fragment. */
  readonly name: string;
  readonly props: Props;
  readonly children: readonly TreeNode[];
  /** Whether the element is on its own lines (flow), not inside a line of text. */
  readonly isFlow: boolean;
  /** Whether the renderer omits white space before the element, as a script in the browser would. */
  readonly isJoined?: true;
  readonly position: FilePosition;
}

/**
 * The kinds of Markdown nodes: the mdast nodes that can be in a resolved tree, and the nodes of components that run in
 * the reader's browser. There are no `yaml` or `mdx...` nodes.
 */
interface MarkdownNodes {
  readonly text: LiteralNode<"text">;
  readonly inlineCode: LiteralNode<"inlineCode">;
  /** A fragment of HTML as authored. In pages, it is converted to elements. */
  readonly html: LiteralNode<"html">;
  readonly code: CodeNode;
  readonly inlineMath: FormulaNode;
  readonly break: LeafNode<"break">;
  readonly thematicBreak: LeafNode<"thematicBreak">;
  readonly component: ComponentNode;
  readonly componentSlot: ComponentSlotNode;
  readonly paragraph: ParentNode<"paragraph">;
  readonly heading: HeadingNode;
  readonly emphasis: ParentNode<"emphasis">;
  readonly strong: ParentNode<"strong">;
  readonly delete: ParentNode<"delete">;
  readonly blockquote: ParentNode<"blockquote">;
  readonly list: ListNode;
  readonly listItem: ListItemNode;
  readonly table: TableNode;
  readonly tableRow: ParentNode<"tableRow">;
  readonly tableCell: ParentNode<"tableCell">;
  readonly link: LinkNode;
  readonly linkReference: LinkReferenceNode;
  readonly image: ImageNode;
  readonly imageReference: ImageReferenceNode;
  readonly definition: DefinitionNode;
  readonly footnoteReference: FootnoteReferenceNode;
  readonly footnoteDefinition: FootnoteDefinitionNode;
  /** A node of a kind that the renderer does not support. Its content is shown. */
  readonly other: ParentNode<"other">;
}

export type MarkdownType = keyof MarkdownNodes;

/** A Markdown node; `MarkdownNode<"list">` is a list. */
export type MarkdownNode<Type extends MarkdownType = MarkdownType> = {
  [Each in Type]: { readonly type: Each } & MarkdownNodes[Each];
}[Type];

interface LeafNode<Type extends string> {
  readonly type: Type;
  readonly position: FilePosition;
}

interface LiteralNode<Type extends string> extends LeafNode<Type> {
  readonly value: string;
}

interface ParentNode<Type extends string> extends LeafNode<Type> {
  readonly children: readonly TreeNode[];
}

interface HeadingNode extends ParentNode<"heading"> {
  readonly depth: number;
  /** The author's id: `## Title {#id}`. */
  readonly id?: string;
}

/** A fence or an indented block. */
interface CodeNode extends LiteralNode<"code"> {
  /** The first word after the backticks. */
  readonly lang?: string | undefined;
  /** The other words after the backticks. */
  readonly meta?: string | undefined;
}

/** A formula; the value is TeX. */
interface FormulaNode extends LiteralNode<"inlineMath"> {
  /** Whether the formula is shown on its own line. */
  readonly isDisplay: boolean;
}

/** A component that runs in the browser. Its children are its initial content and its hidden slots. */
interface ComponentNode extends ParentNode<"component"> {
  readonly isFlow: boolean;
  /** The file whose script uses the component. */
  readonly module: string;
  /** The number of this use of the component in that file. */
  readonly use: number;
  /** The component's props, as JSON; see `toLiveProps`. */
  readonly props: string;
}

/** Content that was passed to a component. The component may show it. */
interface ComponentSlotNode extends ParentNode<"componentSlot"> {
  readonly name: string;
  readonly isFlow: boolean;
  /** Whether the content is initially hidden. */
  readonly isHidden: boolean;
}

interface ListNode extends ParentNode<"list"> {
  readonly ordered: boolean;
  /** The number of the first item. */
  readonly start?: number | undefined;
  /** Whether blank lines separate its items. */
  readonly spread: boolean;
}

interface ListItemNode extends ParentNode<"listItem"> {
  readonly spread: boolean;
  /** Whether the task is done; undefined if the item is not a task. */
  readonly checked?: boolean | undefined;
}

interface TableNode extends ParentNode<"table"> {
  /** The alignment of each column. */
  readonly align: readonly TableAlignment[];
}

export type TableAlignment = "left" | "right" | "center" | undefined;

/** The target and title of a link or a picture. */
export interface Resource {
  readonly url: string;
  /** The title; an empty string if there is none. */
  readonly title: string;
}

interface LinkNode extends ParentNode<"link">, Resource {}

interface ImageNode extends LeafNode<"image">, Resource {
  readonly alt: string;
}

interface DefinitionNode extends LeafNode<"definition">, Resource {
  readonly identifier: string;
}

interface LinkReferenceNode extends ParentNode<"linkReference"> {
  /** The identifier of the link's definition: `[identifier]: https://example.com`. */
  readonly identifier: string;
}

interface ImageReferenceNode extends LeafNode<"imageReference"> {
  readonly identifier: string;
  readonly alt: string;
}

interface FootnoteReferenceNode extends LeafNode<"footnoteReference"> {
  readonly identifier: string;
  /** The label as authored. */
  readonly label: string;
}

interface FootnoteDefinitionNode extends ParentNode<"footnoteDefinition"> {
  readonly identifier: string;
}

export type TreeNode = ElementNode | MarkdownNode;

/** JSX as an attribute or within a value: `icon={<svg .../>}`. */
export interface JsxValue {
  readonly type: "jsx";
  readonly nodes: readonly TreeNode[];
}

/**
 * The value of an attribute after expressions are evaluated. Functions and undefined names are omitted and reported.
 */
export type PropValue =
  | string
  | number
  | boolean
  | null
  | JsxValue
  | readonly PropValue[]
  | { readonly [key: string]: PropValue };

export type Props = Readonly<Record<string, PropValue>>;

export function isElement(node: TreeNode): node is ElementNode {
  return node.type === "element";
}

/** Returns the children of a node, or an empty list if nodes of its type have no children. */
export function getChildren(node: TreeNode): readonly TreeNode[] {
  return "children" in node ? node.children : [];
}

/** Reports whether an entry of a list is a node rather than the value of an attribute. */
export function isTreeNode(entry: TreeNode | PropValue): entry is TreeNode {
  return (
    typeof entry === "object" &&
    entry !== null &&
    "type" in entry &&
    "position" in entry &&
    typeof entry.position === "object"
  );
}

export function isJsxProp(value: PropValue | undefined): value is JsxValue {
  return isRecordProp(value) && value["type"] === "jsx" && Array.isArray(value["nodes"]);
}

export function isListProp(value: PropValue | undefined): value is readonly PropValue[] {
  return Array.isArray(value);
}

/** Reports whether a value is an object such as `{ name: "value" }`. JSX is also an object. */
export function isRecordProp(
  value: PropValue | undefined,
): value is { readonly [key: string]: PropValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A `[^name]: ...` definition in the page or in one of its snippets. */
export interface Footnote {
  /** The identifier that references use (`identifier` of `footnoteReference`). */
  readonly identifier: string;
  readonly children: readonly TreeNode[];
  readonly position: FilePosition;
}
