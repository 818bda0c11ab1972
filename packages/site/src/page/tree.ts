/**
 * The tree between parsing and rendering: Markdown as satteri gives it (mdast), with everything that
 * MDX adds already resolved. Snippets are spliced in where they were used, `{expressions}` have become
 * text or values, ESM and comments are gone. The renderer and the components meet nothing else. It
 * nests at most three times `limits.nesting` deep. A part that is used twice may stand in it twice.
 */

/** Where an author wrote something; `file` is the snippet's own where the text came from one. */
export interface Place {
  readonly file: string;
  /** 1-based */
  readonly line: number;
  readonly column: number;
}

/** An HTML element or a component, as `<name ...>` was written. */
export interface ElementNode {
  readonly type: "element";
  /** `Card`, `Tree.Folder`, `div`; empty for a fragment. */
  readonly name: string;
  readonly props: Props;
  readonly children: readonly TreeNode[];
  /** Written on lines of its own (flow), not inside a line of text. */
  readonly isFlow: boolean;
  readonly place: Place;
}

/**
 * The kinds of Markdown nodes: those of mdast that can stand in a resolved tree, and `notStatic`, which stands
 * where a component was whose content only a script could show. There are no `yaml` and `mdx...` nodes.
 */
export interface MarkdownNodes {
  readonly text: LiteralNode<"text">;
  readonly inlineCode: LiteralNode<"inlineCode">;
  /** A piece of HTML as it was written; elements have taken its place in pages. */
  readonly html: LiteralNode<"html">;
  readonly code: CodeNode;
  readonly inlineMath: FormulaNode;
  readonly break: LeafNode<"break">;
  readonly thematicBreak: LeafNode<"thematicBreak">;
  readonly notStatic: NotStaticNode;
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
  /** Of a kind that the renderer does not know: it shows what stands in it. */
  readonly other: ParentNode<"other">;
}

export type MarkdownType = keyof MarkdownNodes;

/** A Markdown node with the place where it was written; `MarkdownNode<"list">` is one of that kind. */
export type MarkdownNode<Type extends MarkdownType = MarkdownType> = {
  [Each in Type]: { readonly type: Each } & MarkdownNodes[Each];
}[Type];

interface LeafNode<Type extends string> {
  readonly type: Type;
  readonly place: Place;
}

interface LiteralNode<Type extends string> extends LeafNode<Type> {
  readonly value: string;
}

interface ParentNode<Type extends string> extends LeafNode<Type> {
  readonly children: readonly TreeNode[];
}

interface HeadingNode extends ParentNode<"heading"> {
  readonly depth: number;
  /** As its author gave it: `## Title {#id}`. */
  readonly id?: string;
}

/** A fence or an indented block. */
interface CodeNode extends LiteralNode<"code"> {
  /** First word after the backticks. */
  readonly lang?: string | undefined;
  /** All other words there. */
  readonly meta?: string | undefined;
}

/** The value is TeX. */
interface FormulaNode extends LiteralNode<"inlineMath"> {
  /** It stands on a line of its own. */
  readonly isDisplay: boolean;
}

interface NotStaticNode extends LeafNode<"notStatic"> {
  readonly isFlow: boolean;
}

interface ListNode extends ParentNode<"list"> {
  readonly ordered: boolean;
  /** Number of the first item. */
  readonly start?: number | undefined;
  /** Blank lines part its items. */
  readonly spread: boolean;
}

interface ListItemNode extends ParentNode<"listItem"> {
  readonly spread: boolean;
  /** Of a task. */
  readonly checked?: boolean | undefined;
}

interface TableNode extends ParentNode<"table"> {
  /** Of each column. */
  readonly align: readonly TableAlignment[];
}

export type TableAlignment = "left" | "right" | "center" | undefined;

/** Where a link or a picture leads. */
export interface Resource {
  readonly url: string;
  /** Empty where there is none. */
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
  /** Of its definition. */
  readonly identifier: string;
}

interface ImageReferenceNode extends LeafNode<"imageReference"> {
  readonly identifier: string;
  readonly alt: string;
}

interface FootnoteReferenceNode extends LeafNode<"footnoteReference"> {
  readonly identifier: string;
  /** As it was written. */
  readonly label: string;
}

interface FootnoteDefinitionNode extends ParentNode<"footnoteDefinition"> {
  readonly identifier: string;
}

export type TreeNode = ElementNode | MarkdownNode;

/** JSX given as an attribute or held in a value: `icon={<svg .../>}`. */
export interface JsxValue {
  readonly type: "jsx";
  readonly nodes: readonly TreeNode[];
}

/** What an attribute can hold once expressions are interpreted. A function or an unknown name is left out, with a problem. */
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

/** What stands in a node; empty for one that nothing can stand in. */
export function childrenOf(node: TreeNode): readonly TreeNode[] {
  return "children" in node ? node.children : [];
}

/** Whether what stands in a list is a node, and not a value. */
export function isTreeNode(entry: TreeNode | PropValue): entry is TreeNode {
  return typeof entry === "object" && entry !== null && "place" in entry;
}

export function isJsxProp(value: PropValue | undefined): value is JsxValue {
  return isRecordProp(value) && value["type"] === "jsx" && Array.isArray(value["nodes"]);
}

export function isListProp(value: PropValue | undefined): value is readonly PropValue[] {
  return Array.isArray(value);
}

/** `{ name: "value" }`, JSX included. */
export function isRecordProp(
  value: PropValue | undefined,
): value is { readonly [key: string]: PropValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
