import { compareSequences } from "./compare-sequences.ts";
import { compareTokens, countLetters } from "./compare-tokens.ts";
import { createElement, createText, setChildren, type ChildNode, type Element } from "./dom.ts";
import type { TextToken } from "./read-blocks.ts";
import { writeTokens, type WrittenToken } from "./write-tokens.ts";

interface MarkedCode {
  readonly nodes: readonly ChildNode[];
  /** The marked lines of each change. */
  readonly changes: readonly (readonly Element[])[];
}

/** The minimum share of letters in common words at which two lines are two versions of a line. */
const minShare = 0.4;

/** Writes the lines of two versions of a code block, with the words that changed within lines. */
export function writeCode(old: readonly TextToken[], own: readonly TextToken[]): MarkedCode {
  const before = splitLines(old);
  const after = splitLines(own);
  const intern = createLineKeys();
  const nodes: ChildNode[] = [];
  const changes: Element[][] = [];
  const runs = compareSequences(before.map(intern), after.map(intern));
  for (const [at, run] of runs.entries()) {
    const isLast = at === runs.length - 1;
    const added = after.slice(run.after.start, run.after.end);
    if (run.isSame) {
      const tokens = added.flatMap((line) => [...line.map(toPlain), lineEnd]);
      nodes.push(...writeTokens(isLast ? tokens.slice(0, -1) : tokens));
      continue;
    }
    const removed = before.slice(run.before.start, run.before.end);
    const lines = compareLines(removed, added).map(toElement);
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
  const known = new Map<string, number>();
  return (line) => {
    const text = line.map(({ key }) => key).join(",");
    const key = known.get(text) ?? known.size;
    known.set(text, key);
    return key;
  };
}

interface MarkedLine {
  readonly kind: "removed" | "added";
  readonly tokens: readonly WrittenToken[];
}

/** Compares lines that differ: versions of a line by their words, with the removed lines of a stretch first. */
function compareLines(
  removed: readonly (readonly TextToken[])[],
  added: readonly (readonly TextToken[])[],
): readonly MarkedLine[] {
  const lines: MarkedLine[] = [];
  let next = 0;
  const addUntil = (end: number) => {
    for (const line of added.slice(next, end)) lines.push(markLine(line, "added"));
    next = Math.max(next, end);
  };
  let open: MarkedLine[] = [];
  for (const line of removed) {
    const at = findVersion(line, added, next);
    if (at === undefined) {
      lines.push(...open.splice(0), markLine(line, "removed"));
      continue;
    }
    if (at > next) {
      lines.push(...open.splice(0));
      addUntil(at);
    }
    const pair = compareLine(line, added[at] ?? []);
    lines.push(pair.removed);
    open.push(pair.added);
    next = at + 1;
  }
  lines.push(...open);
  addUntil(added.length);
  return lines;
}

/** The number of added lines among which the next version of a line is looked for. */
const maxDistance = 12;

function findVersion(
  line: readonly TextToken[],
  added: readonly (readonly TextToken[])[],
  from: number,
): number | undefined {
  const words = new Set(line.map(({ textKey }) => textKey));
  const letters = countLetters(line);
  let best: { readonly at: number; readonly share: number } | undefined;
  for (let at = from; at < Math.min(added.length, from + maxDistance); at += 1) {
    const other = added[at] ?? [];
    const shared = countLetters(other.filter(({ textKey }) => words.has(textKey)));
    const share = (2 * shared) / Math.max(1, letters + countLetters(other));
    if (share >= minShare && share > (best?.share ?? 0)) best = { at, share };
  }
  return best?.at;
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

/** Creates the element of a line, which ends with the line's end, because it is a block of its own. */
function toElement({ kind, tokens }: MarkedLine): Element {
  const line = createElement("span", { "data-difference": kind, "data-difference-line": "" });
  setChildren(line, [...writeTokens(tokens), createText("\n")]);
  return line;
}
