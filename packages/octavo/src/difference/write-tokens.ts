import {
  append,
  copyNode,
  copyShell,
  createElement,
  createText,
  getAttribute,
  removeAttribute,
  setAttribute,
  type ChildNode,
  type Element,
  setChildren,
} from "./dom.ts";
import type { TextPiece } from "./compare-tokens.ts";
import { compareSequences, compareTokens, countLetters } from "./compare-tokens.ts";
import type { TextToken } from "./read-blocks.ts";

/** A token to write, with the page version that it comes from. */
interface WrittenToken {
  readonly token: TextToken;
  readonly side: "before" | "after";
  readonly mark: "added" | "removed" | "restyled" | undefined;
  /** The tooltip of a restyled token. */
  readonly note?: string | undefined;
}

/** Lists the tokens of compared texts in the order in which they are shown. */
export function listTokens(pieces: readonly TextPiece[]): readonly WrittenToken[] {
  return pieces.flatMap(({ kind, before, after }): WrittenToken[] => {
    if (kind === "same") return after.map((token) => ({ token, side: "after", mark: undefined }));
    if (kind === "restyled") {
      const note = describeRestyled(before, after);
      return after.map((token) => ({ token, side: "after", mark: "restyled", note }));
    }
    return [
      ...before.map((token) => ({ token, side: "before", mark: "removed" }) as const),
      ...after.map((token) => ({ token, side: "after", mark: "added" }) as const),
    ];
  });
}

interface OpenElement {
  readonly copy: Element;
  source: Element;
  side: WrittenToken["side"];
}

/** Writes tokens as nodes, with the elements of both versions around them. */
export function writeTokens(tokens: readonly WrittenToken[]): readonly ChildNode[] {
  const root = createElement("span");
  const openElements: OpenElement[] = [];
  let mark: Element | undefined;
  let previousToken: WrittenToken | undefined;

  function openPath({ token: { path }, side }: WrittenToken): Element {
    let depth = 0;
    while (
      depth < path.length &&
      openElements[depth] &&
      isContinued(openElements[depth], path[depth], side)
    ) {
      const [level, source] = [openElements[depth], path[depth]];
      if (level && source) [level.source, level.side] = [source, side];
      depth += 1;
    }
    if (depth < openElements.length || depth < path.length) mark = undefined;
    openElements.length = depth;
    for (const source of path.slice(depth)) {
      const copy = copyShell(source);
      if (side === "before") removeAttribute(copy, "id");
      append(openElements.at(-1)?.copy ?? root, copy);
      openElements.push({ copy, source, side });
    }
    return openElements.at(-1)?.copy ?? root;
  }

  for (const writtenToken of tokens) {
    const parent = openPath(writtenToken);
    const hasOtherMark =
      writtenToken.mark !== previousToken?.mark || writtenToken.note !== previousToken?.note;
    if (hasOtherMark || writtenToken.token.atom) mark = undefined;
    if (writtenToken.mark && !mark && !writtenToken.token.atom) {
      mark = createMark(writtenToken);
      append(parent, mark);
    }
    writeToken(mark ?? parent, writtenToken);
    previousToken = writtenToken;
  }
  return root.childNodes;
}

/**
 * Reports whether an open element also contains the next token, or looks like the other version's element that contains
 * it.
 */
function isContinued(
  openElement: OpenElement | undefined,
  source: Element | undefined,
  side: WrittenToken["side"],
): boolean {
  if (!openElement || !source) return false;
  if (openElement.side === side) return openElement.source === source;
  const hasSameAttributes = ["class", "href", "style"].every(
    (name) => getAttribute(openElement.source, name) === getAttribute(source, name),
  );
  return openElement.source.tagName === source.tagName && hasSameAttributes;
}

function createMark({ mark, note }: WrittenToken): Element {
  return createElement(mark === "removed" ? "del" : "ins", {
    "data-difference": mark ?? "",
    ...(note !== undefined && { title: note }),
  });
}

/**
 * Writes a token. Marks a picture itself instead of wrapping it, because style sheets may expect it within its
 * surrounding elements.
 */
function writeToken(parent: Element, { token, side, mark }: WrittenToken): void {
  if (token.atom) {
    const copy = copyNode(token.atom);
    if (side === "before") removeIds(copy);
    if (mark && token.atom.tagName !== "br") setAttribute(copy, "data-difference", mark);
    append(parent, copy);
    return;
  }
  const before = parent.childNodes.at(-1);
  if (before && "value" in before && before.nodeName === "#text") before.value += token.text;
  else append(parent, createText(token.text));
}

/** Removes the ids from a copy, because an id may occur only once in a page. */
export function removeIds(element: Element): void {
  const stack = [element];
  for (let next = stack.pop(); next; next = stack.pop()) {
    removeAttribute(next, "id");
    for (const child of next.childNodes) if ("tagName" in child) stack.push(child);
  }
}

const maxNoteLength = 300;

/** Describes how the appearance of words changed, as far as possible. */
function describeRestyled(before: readonly TextToken[], after: readonly TextToken[]): string {
  const [old, current] = [before, after].map(findLink);
  if (old !== current) {
    const link = `Link: ${old ?? "none"} → ${current ?? "none"}`;
    return link.length > maxNoteLength ? `${link.slice(0, maxNoteLength)}…` : link;
  }
  return "Same words in another style";
}

function findLink(tokens: readonly TextToken[]): string | undefined {
  const links = tokens.flatMap(({ path }) => path.filter(({ tagName }) => tagName === "a"));
  return links[0] && getAttribute(links[0], "href");
}

interface MarkedCode {
  readonly nodes: readonly ChildNode[];
  /** The marked lines of each change. */
  readonly changes: readonly (readonly Element[])[];
}

/** The minimum share of letters in common words at which two lines count as versions of one line. */
const minLineShare = 0.4;

/** Writes the lines of two versions of a code block, and marks the words that changed within lines. */
export function writeCode(old: readonly TextToken[], current: readonly TextToken[]): MarkedCode {
  const before = splitLines(old);
  const after = splitLines(current);
  const intern = createLineKeys();
  const nodes: ChildNode[] = [];
  const changes: Element[][] = [];
  const runs = compareSequences(before.map(intern), after.map(intern));
  for (const [index, run] of runs.entries()) {
    const isLast = index === runs.length - 1;
    const added = after.slice(run.after.start, run.after.end);
    if (run.isSame) {
      const tokens = added.flatMap((line) => [...line.map(toPlain), lineEnd]);
      nodes.push(...writeTokens(isLast ? tokens.slice(0, -1) : tokens));
      continue;
    }
    const removed = before.slice(run.before.start, run.before.end);
    const lines = compareLines(removed, added).map(createLineElement);
    nodes.push(...lines);
    changes.push(lines);
  }
  return { nodes, changes };
}

const lineEnd: WrittenToken = {
  token: { key: -1, textKey: -1, text: "\n", path: [], atom: undefined },
  side: "after",
  mark: undefined,
};

function toPlain(token: TextToken): WrittenToken {
  return { token, side: "after", mark: undefined };
}

function splitLines(tokens: readonly TextToken[]): TextToken[][] {
  const lines: TextToken[][] = [[]];
  for (const token of tokens) {
    if (token.text === "\n") lines.push([]);
    else lines.at(-1)?.push(token);
  }
  return lines;
}

function createLineKeys(): (line: readonly TextToken[]) => number {
  const keysByText = new Map<string, number>();
  return (line) => {
    const text = line.map(({ key }) => key).join(",");
    const key = keysByText.get(text) ?? keysByText.size;
    keysByText.set(text, key);
    return key;
  };
}

interface MarkedLine {
  readonly kind: "removed" | "added";
  readonly tokens: readonly WrittenToken[];
}

/** Compares lines that differ. Versions of a line are compared word by word; the removed lines of a run come first. */
function compareLines(
  removed: readonly (readonly TextToken[])[],
  added: readonly (readonly TextToken[])[],
): readonly MarkedLine[] {
  const lines: MarkedLine[] = [];
  let nextAdded = 0;
  const addUntil = (end: number) => {
    for (const line of added.slice(nextAdded, end)) lines.push(markLine(line, "added"));
    nextAdded = Math.max(nextAdded, end);
  };
  let pendingAdded: MarkedLine[] = [];
  for (const line of removed) {
    const index = findLineVersion(line, added, nextAdded);
    if (index === undefined) {
      lines.push(...pendingAdded.splice(0), markLine(line, "removed"));
      continue;
    }
    if (index > nextAdded) {
      lines.push(...pendingAdded.splice(0));
      addUntil(index);
    }
    const pair = compareLine(line, added[index] ?? []);
    lines.push(pair.removed);
    pendingAdded.push(pair.added);
    nextAdded = index + 1;
  }
  lines.push(...pendingAdded);
  addUntil(added.length);
  return lines;
}

/** The number of added lines that are searched for the next version of a line. */
const maxSearchedLines = 12;

function findLineVersion(
  line: readonly TextToken[],
  added: readonly (readonly TextToken[])[],
  from: number,
): number | undefined {
  const words = new Set(line.map(({ textKey }) => textKey));
  const letters = countLetters(line);
  let best: { readonly index: number; readonly share: number } | undefined;
  for (let index = from; index < Math.min(added.length, from + maxSearchedLines); index += 1) {
    const other = added[index] ?? [];
    const shared = countLetters(other.filter(({ textKey }) => words.has(textKey)));
    const share = (2 * shared) / Math.max(1, letters + countLetters(other));
    if (share >= minLineShare && share > (best?.share ?? 0)) best = { index, share };
  }
  return best?.index;
}

function compareLine(
  before: readonly TextToken[],
  after: readonly TextToken[],
): Readonly<Record<"removed" | "added", MarkedLine>> {
  const pieces = compareTokens(before, after);
  const list = (side: "before" | "after", mark: "removed" | "added") =>
    pieces.flatMap((piece) =>
      piece[side].map((token): WrittenToken => {
        return { token, side, mark: piece.kind === "same" ? undefined : mark };
      }),
    );
  return {
    removed: { kind: "removed", tokens: list("before", "removed") },
    added: { kind: "added", tokens: list("after", "added") },
  };
}

function markLine(line: readonly TextToken[], kind: MarkedLine["kind"]): MarkedLine {
  const side = kind === "removed" ? "before" : "after";
  return { kind, tokens: line.map((token) => ({ token, side, mark: undefined })) };
}

/** Creates a block element for a line. The element also contains the line break. */
function createLineElement({ kind, tokens }: MarkedLine): Element {
  const line = createElement("span", { "data-difference": kind, "data-difference-line": "" });
  setChildren(line, [...writeTokens(tokens), createText("\n")]);
  return line;
}
