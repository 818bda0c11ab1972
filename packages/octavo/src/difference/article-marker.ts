import { alignBlocks, measureShare, alignCells, alignColumns } from "./align-blocks.ts";
import type { BlockPair, Columns } from "./align-blocks.ts";
import { compareTokens, countLetters } from "./compare-tokens.ts";
import type { TextPiece } from "./compare-tokens.ts";
import {
  copyNode,
  createElement,
  getClasses,
  insertBefore,
  isElement,
  setAttribute,
  setChildren,
  getAttribute,
} from "./dom.ts";
import type { ChildNode, Element, ParentNode } from "./dom.ts";
import { findCodeHost, isDecoration } from "./read-blocks.ts";
import type { Block, BlockReader } from "./read-blocks.ts";
import { listTokens, removeIds, writeCode, writeTokens } from "./write-tokens.ts";

/** The kind of difference. `origin` is the former position of a moved block. */
type BlockMark = "added" | "removed" | "changed" | "moved" | "origin";

interface Scope {
  /** The columns of the table around the blocks. */
  readonly columns?: Columns | undefined;
  /** Whether a surrounding block is already marked as looking different. */
  readonly isRestyled?: boolean;
}

interface PlacedBlock {
  readonly block: Block;
  readonly element: Element;
}

/**
 * The minimum total length of the words in a block that moved, in a heading that moved, and in a block that was also
 * edited.
 */
const minMovedSize = 12;
const minMovedHeadingSize = 3;
const minMovedAndEditedSize = 40;
const minMovedShare = 0.75;
const minRowShare = 0.5;
/** The maximum number of blocks on each side that are searched for blocks that were both moved and edited. */
const maxMoveCandidates = 200;

/** Marks the differences between two versions of an article, in the nodes of the newer version. */
export class ArticleMarker {
  readonly #reader: BlockReader;
  readonly #changes = new Map<Element, object>();
  readonly #addedBlocks: PlacedBlock[] = [];
  readonly #removedBlocks: PlacedBlock[] = [];

  constructor(reader: BlockReader) {
    this.#reader = reader;
  }

  /** Marks the differences. Returns the marked elements with their changes; several elements can share a change. */
  mark(old: Block, current: Block): ReadonlyMap<Element, object> {
    this.#compare(old, current, {});
    this.#markMovedBlocks();
    return this.#changes;
  }

  #compare(old: Block, current: Block, scope: Scope): void {
    if (old.key === current.key) return;
    const isRestyled = old.look !== current.look && scope.isRestyled !== true;
    const innerScope = { ...scope, isRestyled: scope.isRestyled === true || isRestyled };
    const { element } = current;
    if (isRestyled && element && current.kind === "group") {
      this.#markElement(element, "changed");
      setAttribute(element, "data-difference-note", describeFormerLook(old, current));
    }
    if (old.kind === "text" && current.kind === "text")
      this.#compareTexts(old, current, innerScope);
    else if (old.kind === "code" && current.kind === "code") this.#compareCode(old, current);
    else if (current.kind === "group" && element) {
      this.#compareLists(old.kind === "group" ? old.children : [old], current, innerScope);
    } else if (element) {
      const list = { ...current, children: [current], element: element.parentNode as Element };
      this.#compareLists(old.children, list, innerScope);
    }
  }

  #compareTexts(old: Block, current: Block, { isRestyled }: Scope): void {
    if (isRestyled === true && isDecoration(current) && isDecoration(old)) return;
    const { element } = current;
    if (element && current.tokens[0]?.atom === element) return this.#placeBeside(old, element);
    const pieces = compareTokens(old.tokens, current.tokens);
    if (element && isRewritten(pieces)) return this.#placeAbove(old, element);
    const nodes = writeTokens(listTokens(pieces));
    const changed = this.#replaceContent(current, nodes);
    this.#markElement(changed, "changed");
    if (old.look !== current.look && isEqual(pieces)) {
      setAttribute(changed, "data-difference-note", describeFormerLook(old, current));
    }
  }

  /** Shows a drawing beside its former version. */
  #placeBeside(old: Block, element: Element): void {
    const { parentNode } = element;
    if (!parentNode) return;
    const pair = createElement("div", { "data-difference-pair": "" });
    insertBefore(parentNode, [pair], element);
    parentNode.childNodes.splice(parentNode.childNodes.indexOf(element), 1);
    setChildren(pair, [element]);
    this.#placeAbove(old, element);
  }

  /** Shows a block after its former version. */
  #placeAbove(old: Block, element: Element): void {
    const change = {};
    if (!element.parentNode) return;
    this.#changes.set(this.#insertRemoved(old, element.parentNode, element), change);
    setAttribute(element, "data-difference", "added");
    this.#changes.set(element, change);
  }

  /** Replaces the content of a text block. Text without an element of its own is wrapped in a `span`. */
  #replaceContent({ element, parent, nodes }: Block, content: readonly ChildNode[]): Element {
    const target = element ?? createElement("span");
    if (!element) {
      insertBefore(parent, [target], nodes[0]);
      parent.childNodes = parent.childNodes.filter((node) => !nodes.includes(node));
    }
    setChildren(target, content);
    return target;
  }

  #compareCode(old: Block, current: Block): void {
    if (!current.element) return;
    const host = findCodeHost(current.element);
    const { nodes, changes } = writeCode(old.tokens, current.tokens);
    setChildren(host, nodes);
    for (const lines of changes) {
      const change = {};
      for (const line of lines) this.#changes.set(line, change);
    }
    if (changes.length === 0) this.#markElement(current.element, "changed");
  }

  #compareLists(old: readonly Block[], current: Block, scope: Scope): void {
    const isTable = current.label.startsWith("table");
    const columns = isTable ? alignColumns(old, current.children, this.#reader) : scope.columns;
    const innerScope = { ...scope, columns };
    const pairs =
      current.label === "tr"
        ? alignCells(old, current.children, { columns, reader: this.#reader })
        : alignBlocks(old, current.children, this.#reader);
    let last: ChildNode | undefined;
    for (const pair of pairs)
      last = this.#markPair(pair, { current, last, scope: innerScope }) ?? last;
  }

  /** Marks a pair of blocks. Returns the pair's last node in the marked page. */
  #markPair(
    { before, after }: BlockPair,
    {
      current,
      last,
      scope,
    }: { readonly current: Block; readonly last: ChildNode | undefined; readonly scope: Scope },
  ): ChildNode | undefined {
    if (after) {
      if (before?.key === after.key) return after.nodes.at(-1);
      const end = after.nodes.at(-1);
      const nextNode = end && after.parent.childNodes[after.parent.childNodes.indexOf(end) + 1];
      if (before) this.#compare(before, after, scope);
      else this.#markAdded(after, scope);
      const nextIndex = nextNode ? after.parent.childNodes.indexOf(nextNode) : 0;
      return after.parent.childNodes.at(nextIndex - 1);
    }
    const { element } = current;
    if (!before || !element || (scope.isRestyled === true && isDecoration(before))) return last;
    const insertIndex = last ? element.childNodes.indexOf(last) + 1 : findFirstIndex(current);
    const removed = this.#insertRemoved(before, element, element.childNodes[insertIndex]);
    this.#removedBlocks.push({ block: before, element: removed });
    this.#setChange(removed, before, scope);
    return removed;
  }

  #markAdded(block: Block, scope: Scope): void {
    if (scope.isRestyled === true && isDecoration(block)) return;
    const content = block.element?.childNodes ?? block.nodes;
    const element = block.element ?? this.#replaceContent(block, content);
    setAttribute(element, "data-difference", "added");
    markTabTitle(element, "ins");
    this.#addedBlocks.push({ block, element });
    this.#setChange(element, block, scope);
  }

  #setChange(element: Element, block: Block, { columns }: Scope): void {
    this.#changes.set(element, columns?.changes.get(block) ?? {});
  }

  /** Inserts a copy of a removed block. */
  #insertRemoved(
    { element, nodes }: Block,
    parent: ParentNode,
    next: ChildNode | undefined,
  ): Element {
    const copy = element ? copyNode(element) : createElement("span");
    if (!element) setChildren(copy, nodes.map(copyNode));
    removeIds(copy);
    setAttribute(copy, "data-difference", "removed");
    markTabTitle(copy, "del");
    insertBefore(parent, [copy], next);
    return copy;
  }

  #markElement(element: Element, mark: BlockMark): void {
    setAttribute(element, "data-difference", mark);
    this.#changes.set(element, {});
  }

  /** Finds removed blocks that were moved elsewhere, starting with the largest. */
  #markMovedBlocks(): void {
    const candidates = new Set(this.#addedBlocks);
    const removed = this.#removedBlocks.toSorted((one, other) => other.block.size - one.block.size);
    for (const from of removed) {
      const minSize = /^h\d/.test(from.block.label) ? minMovedHeadingSize : minMovedSize;
      if (from.block.size < minSize) continue;
      const to = this.#findTarget(from.block, candidates);
      if (!to) continue;
      candidates.delete(to);
      if (to.block.key !== from.block.key) this.#compareMoved(from.block, to);
      setAttribute(to.element, "data-difference", "moved");
      setAttribute(from.element, "data-difference", "origin");
      this.#changes.delete(from.element);
    }
  }

  /** Marks the edits in a moved block as part of the same change. */
  #compareMoved(old: Block, { block, element }: PlacedBlock): void {
    const markedBefore = new Set(this.#changes.keys());
    const change = this.#changes.get(element) ?? {};
    this.#compare(old, block, {});
    for (const marked of this.#changes.keys()) {
      if (!markedBefore.has(marked) || marked === element) this.#changes.set(marked, change);
    }
  }

  #findTarget(block: Block, candidates: ReadonlySet<PlacedBlock>): PlacedBlock | undefined {
    const others = [...candidates].filter((other) => other.block.label === block.label);
    const same = others.find((other) => other.block.key === block.key);
    if (same || others.length > maxMoveCandidates) return same;
    const shares = others.map((other) => this.#measureMoved(block, other.block));
    const best = Math.max(0, ...shares);
    return best >= minMovedShare ? others[shares.indexOf(best)] : undefined;
  }

  /**
   * Returns, from 0 to 1, how likely it is that one block is a moved and edited version of the other. Rows with the
   * same first cell are very likely versions of each other.
   */
  #measureMoved(block: Block, other: Block): number {
    const share = measureShare(block, other, this.#reader);
    const isRow = block.label === "tr" && block.children[0]?.key === other.children[0]?.key;
    if (isRow && share >= minRowShare) return 1;
    return block.size < minMovedAndEditedSize ? 0 : share;
  }
}

/** Texts with fewer letters than this are always shown as one text. */
const minRewrittenLetters = 80;
/** The minimum share of unchanged letters at which a text is shown once, with the changed words marked. */
const minKeptShare = 0.5;

/** Reports whether so little of a text is unchanged that its two versions are easier to read one after the other. */
function isRewritten(pieces: readonly TextPiece[]): boolean {
  const countSide = (side: "before" | "after", isKept: boolean) =>
    pieces.reduce((sum, piece) => {
      return isKept && piece.kind === "changed" ? sum : sum + countLetters(piece[side]);
    }, 0);
  const letters = Math.max(countSide("before", false), countSide("after", false));
  return letters >= minRewrittenLetters && countSide("after", true) < letters * minKeptShare;
}

function isEqual(pieces: readonly TextPiece[]): boolean {
  return pieces.every(({ kind }) => kind === "same");
}

/** Returns the index of the start of a group's first block among all nodes of the group. */
function findFirstIndex({ element, children }: Block): number {
  const [first] = children[0]?.nodes ?? [];
  if (!element) return 0;
  return first ? Math.max(0, element.childNodes.indexOf(first)) : element.childNodes.length;
}

/**
 * Marks the title of a tab that was added or removed as a whole, because readers see the title even while the tab is
 * closed.
 */
function markTabTitle(element: Element, tagName: "ins" | "del"): void {
  for (const node of element.childNodes) {
    const isTitle = isElement(node) && getClasses(node).includes("tab-title");
    if (!isTitle) continue;
    const mark = createElement(tagName, { "data-difference": tagName === "ins" ? "added" : "removed" }); // prettier-ignore
    setChildren(mark, node.childNodes);
    setChildren(node, [mark]);
  }
}

const elementNames: Readonly<Record<string, string>> = {
  p: "a paragraph",
  ul: "a bulleted list",
  ol: "a numbered list",
  li: "a list item",
  blockquote: "a quotation",
  table: "a table",
  pre: "code",
  h1: "a title",
  h2: "a heading of level 2",
  h3: "a heading of level 3",
  h4: "a heading of level 4",
  h5: "a heading of level 5",
  h6: "a heading of level 6",
};

/** Describes the former appearance of a block that now looks different. */
function describeFormerLook(old: Block, current: Block): string {
  const [formerName, currentName] = [getBlockName(old), getBlockName(current)];
  return formerName === currentName || formerName === undefined
    ? "Looks different"
    : `Was ${formerName}`;
}

/** Returns the name by which readers know a block: its label, such as “Tip”, its component, or its element. */
function getBlockName({ element }: Block): string | undefined {
  if (!element) return undefined;
  const label = getAttribute(element, "aria-label");
  if (label !== undefined && label.length <= 60) return `“${label}”`;
  const [component] = getClasses(element);
  return elementNames[element.tagName] ?? (component === undefined ? undefined : `“${component}”`);
}
