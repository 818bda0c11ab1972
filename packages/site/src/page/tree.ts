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
 * A Markdown node (`paragraph`, `heading`, `text`, `code`, ...): mdast, with `place` where it was written.
 * A `notStatic` node stands where a component was whose content only a script could show.
 * A heading has an `id` where its author gave it one (`## Title {#id}`). There are no `html`, `yaml`,
 * `mdx...` and `footnoteDefinition` nodes.
 */
export interface MarkdownNode {
  readonly type: Exclude<string, "element">;
  readonly place: Place;
  readonly children?: readonly TreeNode[];
  readonly value?: string;
  readonly [key: string]: unknown;
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

/** Whether what stands in a list is a node, and not a value. */
export function isTreeNode(entry: TreeNode | PropValue): entry is TreeNode {
  return typeof entry === "object" && entry !== null && "place" in entry;
}
