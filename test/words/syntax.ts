/** The parts of remark's and acorn's trees that are read here. */
export interface MarkdownNode {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly MarkdownNode[];
  readonly name?: string | null;
  readonly attributes?: readonly MarkdownAttribute[];
  readonly url?: string;
  readonly title?: string | null;
  readonly alt?: string | null;
  readonly lang?: string | null;
  readonly meta?: string | null;
  readonly label?: string | null;
  readonly data?: { readonly estree?: Program | null };
  readonly position?: { readonly start: { readonly line: number } };
}

export interface MarkdownAttribute {
  readonly type: string;
  readonly name?: string;
  readonly value?:
    | string
    | null
    | { readonly value: string; readonly data?: { readonly estree?: Program | null } };
}

/** A node of JavaScript: its fields are asked for by name. */
export interface CodeNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export interface Program extends CodeNode {
  readonly body: readonly CodeNode[];
  readonly comments?: readonly { readonly value: string }[];
}

export function isCodeNode(value: unknown): value is CodeNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** The child of a node in a field. */
export function childOf(node: CodeNode | undefined, field: string): CodeNode | undefined {
  const value = node?.[field];
  return isCodeNode(value) ? value : undefined;
}

/** The children of a node in a field that holds a list. */
export function childrenOf(node: CodeNode | undefined, field: string): readonly CodeNode[] {
  const value = node?.[field];
  return Array.isArray(value) ? value.filter(isCodeNode) : [];
}

/** `Tree.File` of the name of an element, or of an identifier. */
export function nameOf(node: CodeNode | undefined): string {
  if (node === undefined) return "";
  if (node.type === "JSXMemberExpression" || node.type === "MemberExpression") {
    return `${nameOf(childOf(node, "object"))}.${nameOf(childOf(node, "property"))}`;
  }
  return typeof node["name"] === "string" ? node["name"] : "";
}
