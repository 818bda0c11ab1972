/**
 * A node as the Markdown parser returns it, before imports, expressions and elements are resolved. Only
 * `readMarkdownNode` reads fields that are specific to one kind of node.
 */
export interface RawNode {
  readonly type: string;
  readonly position?: { readonly start: RawPoint; readonly end: RawPoint } | undefined;
  readonly children?: readonly RawNode[] | undefined;
  readonly value?: string | undefined;
  /** The name of an element; null for a fragment. */
  readonly name?: string | null | undefined;
  /** The attributes; read them with `listAttributes`. */
  readonly attributes?: unknown;
  readonly url?: unknown;
  readonly title?: unknown;
  readonly alt?: unknown;
  readonly lang?: unknown;
  readonly meta?: unknown;
  readonly identifier?: unknown;
  readonly label?: unknown;
  readonly depth?: unknown;
  readonly ordered?: unknown;
  readonly start?: unknown;
  readonly spread?: unknown;
  readonly checked?: unknown;
  readonly align?: unknown;
}

interface RawPoint {
  readonly line: number;
  readonly column: number;
  readonly offset?: number | undefined;
}

export type RawAttribute =
  | {
      readonly type: "mdxJsxAttribute";
      readonly name: string;
      /** The attribute's text, or the source of its expression. */
      readonly value?: string | { readonly value: string } | null | undefined;
    }
  /** `{...expression}` */
  | { readonly type: "mdxJsxExpressionAttribute"; readonly value: string };

/** Returns the attributes of an element as authored. */
export function listAttributes({ attributes }: RawNode): readonly RawAttribute[] {
  return Array.isArray(attributes) ? attributes : [];
}

export function isRawElement(node: RawNode): boolean {
  return node.type === "mdxJsxFlowElement" || node.type === "mdxJsxTextElement";
}

/** Visits every node in the trees of `nodes`, in order. Does not recurse, because their depth is not bounded yet. */
export function* walkNodes(nodes: readonly RawNode[]): Generator<RawNode> {
  const stack = nodes.toReversed();
  for (let node = stack.pop(); node; node = stack.pop()) {
    yield node;
    const children = node.children ?? [];
    for (let index = children.length - 1; index >= 0; index--) {
      const child = children[index];
      if (child) stack.push(child);
    }
  }
}

/** Appends `items` to `list`. `push(...items)` would overflow the stack at about 120,000 items. */
export function appendAll<Item>(list: Item[], items: readonly Item[]): void {
  for (const item of items) list.push(item);
}

/** Counts the nodes in the trees of `nodes` and measures the trees' depth, which is 1 if no node has children. */
export function measureNodes(nodes: readonly RawNode[]): { count: number; depth: number } {
  let [count, depth] = [0, 0];
  for (let level = nodes; level.length > 0; depth++) {
    count += level.length;
    const next: RawNode[] = [];
    for (const { children } of level) appendAll(next, children ?? []);
    level = next;
  }
  return { count, depth };
}

/** Returns the offsets of a node in its file's text. */
export function getSpan(node: RawNode): { readonly start: number; readonly end: number } {
  const start = node.position?.start.offset ?? 0;
  return { start, end: node.position?.end.offset ?? start };
}
