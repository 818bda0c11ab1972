import type { Site } from "@octavo/site";
import type { MapNode } from "./map-tree.ts";
import { buildMapTree } from "./map-tree.ts";

/** The parts of a node that are shown, while the map is written. */
interface Shown {
  items: number;
  children: number;
}

/** The limits of one pass over the tree. Each pass continues where the previous one stopped. */
interface Round {
  /** Share of the total length. */
  readonly share: number;
  readonly maxItems: number;
  readonly maxChildren: number;
}

/**
 * The outline first, then the first pages of each group, then everything that fits, so that a group with a thousand
 * pages hides neither its siblings nor the levels below.
 */
const rounds: readonly Round[] = [
  { share: 0.6, maxItems: 0, maxChildren: 60 },
  { share: 0.9, maxItems: 24, maxChildren: 60 },
  { share: 1, maxItems: Infinity, maxChildren: Infinity },
];
/** Length of the text that states how much is omitted. */
const restLength = 40;

/**
 * Describes the whole site in at most `maxLength` characters: its navigation breadth first, with a line for each part
 * and its pages. Pages that do not fit are counted. The same site gives the same map.
 */
export function formatSiteMap(site: Site, maxLength: number): string {
  const root = buildMapTree(site);
  const shown = new Map<MapNode, Shown>();
  let left = maxLength - restLength;
  for (const { share, maxItems, maxChildren } of rounds) {
    const reserved = Math.floor(maxLength * (1 - share));
    const isLastRound = share === 1;
    let level: readonly MapNode[] = [root];
    while (level.length > 0) {
      left -= revealLevel(level, shown, { budget: left - reserved, maxItems, maxChildren });
      const next = level.flatMap((node) => node.children.slice(0, shown.get(node)?.children));
      level = next.filter(({ isLast }) => isLastRound || !isLast);
    }
  }
  return [...listLines(root, shown, 0)].join("\n");
}

interface Allowance {
  readonly budget: number;
  readonly maxItems: number;
  readonly maxChildren: number;
}

/** Reveals more of the nodes at one depth, the smallest first, so that the room they do not need goes to the others. */
function revealLevel(
  level: readonly MapNode[],
  shown: Map<MapNode, Shown>,
  { budget, maxItems, maxChildren }: Allowance,
): number {
  const bySize = level.toSorted((a, b) => countEntries(a) - countEntries(b));
  let left = Math.max(budget, 0);
  for (const [index, node] of bySize.entries()) {
    const share = Math.floor(left / (bySize.length - index));
    left -= reveal(node, shown, { budget: share, maxItems, maxChildren });
  }
  return Math.max(budget, 0) - left;
}

function countEntries({ items, children }: MapNode): number {
  return items.length + children.length;
}

function reveal(
  node: MapNode,
  shown: Map<MapNode, Shown>,
  { budget, maxItems, maxChildren }: Allowance,
): number {
  const { items, children } = shown.get(node) ?? { items: 0, children: 0 };
  const state = { items, children };
  let cost = 0;
  const take = (length: number): boolean => {
    const next = cost + length + 1;
    if (next > budget) return false;
    cost = next;
    return true;
  };
  while (state.children < Math.min(node.children.length, maxChildren)) {
    const child = node.children[state.children];
    if (!child || !take(foldedLength(child))) break;
    state.children += 1;
  }
  while (state.items < Math.min(node.items.length, maxItems)) {
    if (!take((node.items[state.items]?.text.length ?? 0) + 1)) break;
    state.items += 1;
  }
  shown.set(node, state);
  return cost;
}

/** Length of a node's line without its content; deep in the tree it begins with spaces. */
function foldedLength(node: MapNode): number {
  return formatHeader(node, 5).length + pagesText(node).length;
}

function* listLines(
  node: MapNode,
  shown: ReadonlyMap<MapNode, Shown>,
  depth: number,
): Generator<string> {
  const { items, children } = shown.get(node) ?? { items: 0, children: 0 };
  const named = node.items.slice(0, items).map(({ text }) => text);
  const rest = countPages(node.items.slice(items));
  if (named.length > 0 && rest > 0) named.push(`… ${rest} more`);
  const isFolded = items === 0 && children === 0 && node.pageCount > 0;
  const content = isFolded ? pagesText(node) : named.join("; ");
  const header = formatHeader(node, depth);
  if (depth > 0 || content !== "") yield content === "" ? header : `${header}: ${content}`;
  for (const child of node.children.slice(0, children)) yield* listLines(child, shown, depth + 1);
  const hidden = node.children.slice(children);
  if (isFolded || hidden.length === 0) return;
  yield `${"  ".repeat(depth)}… ${hidden.length} more parts with ${countPages(hidden)} pages`;
}

function formatHeader({ label, folder }: MapNode, depth: number): string {
  const place = folder === "" || folder === label ? "" : ` (${folder})`;
  return `${"  ".repeat(Math.max(depth - 1, 0))}${label}${place}`;
}

function pagesText({ pageCount, children, difference }: MapNode): string {
  if (difference !== undefined) return `${pageCount} pages, ${difference}`;
  const parts = children.length > 0 ? ` in ${children.length} parts` : "";
  return `${pageCount} ${pageCount === 1 ? "page" : "pages"}${parts}`;
}

function countPages(parts: readonly { readonly pageCount: number }[]): number {
  return parts.reduce((sum, { pageCount }) => sum + pageCount, 0);
}
