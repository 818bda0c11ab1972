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
const minHeadingSize = 3;
const minEditedSize = 40;
const minMovedShare = 0.75;
const minRowShare = 0.5;
/** The maximum number of blocks on each side that are searched for blocks that were both moved and edited. */
const maxMoved = 200;

/** Marks the differences between two versions of an article, in the nodes of the newer one. */
export class ArticleMarker {
  readonly #reader: BlockReader;
  readonly #marked = new Map<Element, object>();
  readonly #added: PlacedBlock[] = [];
  readonly #removed: PlacedBlock[] = [];

  constructor(reader: BlockReader) {
    this.#reader = reader;
  }

  /** Marks the differences. Returns the marked elements; those with the same value are one change. */
  mark(old: Block, own: Block): ReadonlyMap<Element, object> {
    this.#compare(old, own, {});
    this.#findMoved();
    return this.#marked;
  }

  #compare(old: Block, own: Block, scope: Scope): void {
    if (old.key === own.key) return;
    const isRestyled = old.look !== own.look && scope.isRestyled !== true;
    const inner = { ...scope, isRestyled: scope.isRestyled === true || isRestyled };
    const { element } = own;
    if (isRestyled && element && own.kind === "group") {
      this.#note(element, "changed");
      setAttribute(element, "data-difference-note", describeFormerLook(old, own));
    }
    if (old.kind === "text" && own.kind === "text") this.#compareTexts(old, own, inner);
    else if (old.kind === "code" && own.kind === "code") this.#compareCode(old, own);
    else if (own.kind === "group" && element) {
      this.#compareLists(old.kind === "group" ? old.children : [old], own, inner);
    } else if (element) {
      const list = { ...own, children: [own], element: element.parentNode as Element };
      this.#compareLists(old.children, list, inner);
    }
  }

  #compareTexts(old: Block, own: Block, { isRestyled }: Scope): void {
    if (isRestyled === true && isDecoration(own) && isDecoration(old)) return;
    const { element } = own;
    if (element && own.tokens[0]?.atom === element) return this.#placeBeside(old, element);
    const pieces = compareTokens(old.tokens, own.tokens);
    if (element && isRewritten(pieces)) return this.#placeAbove(old, element);
    const nodes = writeTokens(listTokens(pieces));
    const changed = this.#replace(own, nodes);
    this.#note(changed, "changed");
    if (old.look !== own.look && isEqual(pieces)) {
      setAttribute(changed, "data-difference-note", describeFormerLook(old, own));
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
    this.#marked.set(this.#place(old, element.parentNode, element), change);
    setAttribute(element, "data-difference", "added");
    this.#marked.set(element, change);
  }

  /** Replaces the content of a text. Text between blocks gets an element of its own. */
  #replace({ element, parent, nodes }: Block, content: readonly ChildNode[]): Element {
    const target = element ?? createElement("span");
    if (!element) {
      insertBefore(parent, [target], nodes[0]);
      parent.childNodes = parent.childNodes.filter((node) => !nodes.includes(node));
    }
    setChildren(target, content);
    return target;
  }

  #compareCode(old: Block, own: Block): void {
    if (!own.element) return;
    const host = findCodeHost(own.element);
    const { nodes, changes } = writeCode(old.tokens, own.tokens);
    setChildren(host, nodes);
    for (const lines of changes) {
      const change = {};
      for (const line of lines) this.#marked.set(line, change);
    }
    if (changes.length === 0) this.#note(own.element, "changed");
  }

  #compareLists(old: readonly Block[], own: Block, scope: Scope): void {
    const isTable = own.label.startsWith("table");
    const columns = isTable ? alignColumns(old, own.children, this.#reader) : scope.columns;
    const inner = { ...scope, columns };
    const pairs =
      own.label === "tr"
        ? alignCells(old, own.children, { columns, reader: this.#reader })
        : alignBlocks(old, own.children, this.#reader);
    let last: ChildNode | undefined;
    for (const pair of pairs) last = this.#markPair(pair, { own, last, scope: inner }) ?? last;
  }

  /** Marks a pair. Returns the last of its nodes that readers now see. */
  #markPair(
    { before, after }: BlockPair,
    {
      own,
      last,
      scope,
    }: { readonly own: Block; readonly last: ChildNode | undefined; readonly scope: Scope },
  ): ChildNode | undefined {
    if (after) {
      if (before?.key === after.key) return after.nodes.at(-1);
      const end = after.nodes.at(-1);
      const followed = end && after.parent.childNodes[after.parent.childNodes.indexOf(end) + 1];
      if (before) this.#compare(before, after, scope);
      else this.#markAdded(after, scope);
      const at = followed ? after.parent.childNodes.indexOf(followed) : 0;
      return after.parent.childNodes.at(at - 1);
    }
    const { element } = own;
    if (!before || !element || (scope.isRestyled === true && isDecoration(before))) return last;
    const at = last ? element.childNodes.indexOf(last) + 1 : findFirst(own);
    const removed = this.#place(before, element, element.childNodes[at]);
    this.#removed.push({ block: before, element: removed });
    this.#setChange(removed, before, scope);
    return removed;
  }

  #markAdded(block: Block, scope: Scope): void {
    if (scope.isRestyled === true && isDecoration(block)) return;
    const content = block.element?.childNodes ?? block.nodes;
    const element = block.element ?? this.#replace(block, content);
    setAttribute(element, "data-difference", "added");
    markTabTitle(element, "ins");
    this.#added.push({ block, element });
    this.#setChange(element, block, scope);
  }

  #setChange(element: Element, block: Block, { columns }: Scope): void {
    this.#marked.set(element, columns?.changes.get(block) ?? {});
  }

  /** Inserts a copy of a removed block. */
  #place({ element, nodes }: Block, parent: ParentNode, next: ChildNode | undefined): Element {
    const copy = element ? copyNode(element) : createElement("span");
    if (!element) setChildren(copy, nodes.map(copyNode));
    removeIds(copy);
    setAttribute(copy, "data-difference", "removed");
    markTabTitle(copy, "del");
    insertBefore(parent, [copy], next);
    return copy;
  }

  #note(element: Element, mark: BlockMark): void {
    setAttribute(element, "data-difference", mark);
    this.#marked.set(element, {});
  }

  /** Finds removed blocks that were moved elsewhere, starting with the largest. */
  #findMoved(): void {
    const left = new Set(this.#added);
    const removed = this.#removed.toSorted((one, other) => other.block.size - one.block.size);
    for (const from of removed) {
      const minSize = /^h\d/.test(from.block.label) ? minHeadingSize : minMovedSize;
      if (from.block.size < minSize) continue;
      const to = this.#findTarget(from.block, left);
      if (!to) continue;
      left.delete(to);
      if (to.block.key !== from.block.key) this.#compareMoved(from.block, to);
      setAttribute(to.element, "data-difference", "moved");
      setAttribute(from.element, "data-difference", "origin");
      this.#marked.delete(from.element);
    }
  }

  /** Marks the edits in a moved block as part of the same change. */
  #compareMoved(old: Block, { block, element }: PlacedBlock): void {
    const known = new Set(this.#marked.keys());
    const change = this.#marked.get(element) ?? {};
    this.#compare(old, block, {});
    for (const marked of this.#marked.keys()) {
      if (!known.has(marked) || marked === element) this.#marked.set(marked, change);
    }
  }

  #findTarget(block: Block, left: ReadonlySet<PlacedBlock>): PlacedBlock | undefined {
    const others = [...left].filter((other) => other.block.label === block.label);
    const same = others.find((other) => other.block.key === block.key);
    if (same || others.length > maxMoved) return same;
    const shares = others.map((other) => this.#measureMoved(block, other.block));
    const best = Math.max(0, ...shares);
    return best >= minMovedShare ? others[shares.indexOf(best)] : undefined;
  }

  /**
   * Measures how likely it is that one block is a moved and edited version of the other. For rows with the same title,
   * this is likely.
   */
  #measureMoved(block: Block, other: Block): number {
    const share = measureShare(block, other, this.#reader);
    const isRow = block.label === "tr" && block.children[0]?.key === other.children[0]?.key;
    if (isRow && share >= minRowShare) return 1;
    return block.size < minEditedSize ? 0 : share;
  }
}

/** Texts with fewer letters than this are always shown as one text. */
const minRewrittenLetters = 80;
/** The minimum share of unchanged letters at which a text is shown once, with the changed words marked. */
const minKeptShare = 0.5;

/** Reports whether so little of a text is unchanged that its two versions are easier to read one after the other. */
function isRewritten(pieces: readonly TextPiece[]): boolean {
  const count = (side: "before" | "after", isKept: boolean) =>
    pieces.reduce((sum, piece) => {
      return isKept && piece.kind === "changed" ? sum : sum + countLetters(piece[side]);
    }, 0);
  const letters = Math.max(count("before", false), count("after", false));
  return letters >= minRewrittenLetters && count("after", true) < letters * minKeptShare;
}

function isEqual(pieces: readonly TextPiece[]): boolean {
  return pieces.every(({ kind }) => kind === "same");
}

/** Returns the index of the start of a group's first block among all nodes of the group. */
function findFirst({ element, children }: Block): number {
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

const names: Readonly<Record<string, string>> = {
  p: "a paragraph",
  ul: "a bulleted list",
  ol: "a numbered list",
  li: "an item of a list",
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
function describeFormerLook(old: Block, own: Block): string {
  const [former, current] = [getName(old), getName(own)];
  return former === current || former === undefined ? "Looks different" : `Was ${former}`;
}

/** Returns the name by which readers know a block: its label, such as “Tip”, its component, or its element. */
function getName({ element }: Block): string | undefined {
  if (!element) return undefined;
  const label = getAttribute(element, "aria-label");
  if (label !== undefined && label.length <= 60) return `“${label}”`;
  const [component] = getClasses(element);
  return names[element.tagName] ?? (component === undefined ? undefined : `“${component}”`);
}
