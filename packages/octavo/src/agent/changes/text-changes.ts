/** A change that a tool requests. The text is the file's complete new content. */
export type ContentChange =
  | { readonly type: "write"; readonly path: string; readonly text: string }
  | { readonly type: "move"; readonly from: string; readonly to: string }
  | { readonly type: "delete"; readonly path: string };

/** A file that differs from its state when the workspace was opened. */
export interface ChangedFile {
  readonly path: string;
  readonly kind: "added" | "modified" | "deleted" | "moved";
  /** The original path of a moved file. */
  readonly from?: string;
}

/** A run of old lines, `[start, end)`, and the new lines that replace it. */
interface LineChange {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/**
 * The maximum number of differing lines. Texts that differ more are treated as one changed block, because time and
 * memory grow with the square of this number.
 */
const maxDifferingLines = 1_000;

/** An earlier change of a text. */
export interface TextChange {
  readonly before: string;
  readonly after: string;
}

interface RevertedText {
  readonly text: string;
  /** Whether some of the changed lines were edited again later and were therefore kept. */
  readonly isPartial: boolean;
}

const contextLines = 3;

/** Splits a text into lines that include their line endings. Joining the lines gives the text. */
export function splitLines(text: string): string[] {
  const lines: string[] = [];
  // A regular expression with lookbehind takes ten times as long.
  for (let start = 0; start < text.length;) {
    const end = text.indexOf("\n", start) + 1 || text.length;
    lines.push(text.slice(start, end));
    start = end;
  }
  return lines;
}

/** Returns the smallest changes that turn `before` into `after` (Myers), in order. No two of them are adjacent. */
export function diffLines(before: readonly string[], after: readonly string[]): LineChange[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const maxTail = Math.min(before.length, after.length) - head;
  while (tail < maxTail && before[before.length - 1 - tail] === after[after.length - 1 - tail]) {
    tail += 1;
  }
  const oldLines = before.slice(head, before.length - tail);
  const newLines = after.slice(head, after.length - tail);
  if (oldLines.length === 0 && newLines.length === 0) return [];
  const steps = findShortestEdit(oldLines, newLines);
  const wholeChange = { start: 0, end: oldLines.length, lines: newLines };
  const changes = steps ? toLineChanges(steps, newLines) : [wholeChange];
  return changes.map(({ start, end, lines }) => ({ start: start + head, end: end + head, lines }));
}

/** A line that is deleted from the old text or inserted from the new text, with its positions in both texts. */
interface EditStep {
  readonly isRemoval: boolean;
  readonly x: number;
  readonly y: number;
}

/** Returns the steps of a shortest edit, or undefined if it needs more than `maxDifferingLines` steps. */
function findShortestEdit(
  oldLines: readonly string[],
  newLines: readonly string[],
): EditStep[] | undefined {
  const limit = Math.min(oldLines.length + newLines.length, maxDifferingLines);
  const furthest = new Map<number, number>([[1, 0]]);
  const trace: Map<number, number>[] = [];
  for (let distance = 0; distance <= limit; distance += 1) {
    trace.push(new Map(furthest));
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      let x = findDiagonalStart(furthest, diagonal, distance);
      while (
        x < oldLines.length &&
        x - diagonal < newLines.length &&
        oldLines[x] === newLines[x - diagonal]
      ) {
        x += 1;
      }
      furthest.set(diagonal, x);
      if (x >= oldLines.length && x - diagonal >= newLines.length)
        return collectSteps(trace, oldLines, newLines);
    }
  }
  return undefined;
}

/**
 * Returns where the path enters a diagonal: one step down from the diagonal above, or one step right from the diagonal
 * on its left.
 */
function findDiagonalStart(
  furthest: ReadonlyMap<number, number>,
  diagonal: number,
  distance: number,
): number {
  const down = furthest.get(diagonal + 1) ?? -1;
  const right = (furthest.get(diagonal - 1) ?? -1) + 1;
  return isDown(furthest, diagonal, distance) ? down : right;
}

function isDown(
  furthest: ReadonlyMap<number, number>,
  diagonal: number,
  distance: number,
): boolean {
  if (diagonal === -distance) return true;
  if (diagonal === distance) return false;
  return (furthest.get(diagonal - 1) ?? -1) < (furthest.get(diagonal + 1) ?? -1);
}

function collectSteps(
  trace: readonly ReadonlyMap<number, number>[],
  oldLines: readonly string[],
  newLines: readonly string[],
): EditStep[] {
  const steps: EditStep[] = [];
  let [x, y] = [oldLines.length, newLines.length];
  for (let distance = trace.length - 1; distance > 0; distance -= 1) {
    const furthest = trace[distance] ?? new Map<number, number>();
    const diagonal = x - y;
    const isInsertion = isDown(furthest, diagonal, distance);
    const from = isInsertion ? diagonal + 1 : diagonal - 1;
    x = furthest.get(from) ?? 0;
    y = x - from;
    steps.push({ isRemoval: !isInsertion, x, y });
  }
  return steps.toReversed();
}

function toLineChanges(steps: readonly EditStep[], newLines: readonly string[]): LineChange[] {
  const changes: { start: number; end: number; lines: string[] }[] = [];
  for (const { isRemoval, x, y } of steps) {
    const last = changes.at(-1);
    const change = last?.end === x ? last : { start: x, end: x, lines: [] };
    if (change !== last) changes.push(change);
    if (isRemoval) change.end += 1;
    else change.lines.push(newLines[y] ?? "");
  }
  return changes;
}

/** Reverts a change in a text that was edited further, by a three-way merge whose base is the text after the change. */
export function revertText(current: string, { before, after }: TextChange): RevertedText {
  if (current === after) return { text: before, isPartial: false };
  const base = splitLines(after);
  const laterChanges = diffLines(base, splitLines(current));
  const reversal = diffLines(base, splitLines(before));
  const applicable = reversal.filter(
    (change) => !laterChanges.some((other) => areTouching(change, other)),
  );
  const merged = [...laterChanges, ...applicable].toSorted((a, b) => a.start - b.start);
  const lines: string[] = [];
  let position = 0;
  for (const change of merged) {
    lines.push(...base.slice(position, change.start), ...change.lines);
    position = change.end;
  }
  lines.push(...base.slice(position));
  return { text: lines.join(""), isPartial: applicable.length < reversal.length };
}

function areTouching(a: LineChange, b: LineChange): boolean {
  return a.start <= b.end && b.start <= a.end;
}

/** Returns the hunks of a unified diff between two texts, without its header. The result is empty for equal texts. */
export function formatUnifiedDiff(before: string, after: string): string {
  const oldLines = splitLines(before);
  const changes = diffLines(oldLines, splitLines(after));
  let lineShift = 0;
  const hunks: string[] = [];
  for (const group of groupNearbyChanges(changes)) {
    hunks.push(formatHunk(oldLines, group, lineShift));
    lineShift += group.reduce(
      (sum, { start, end, lines }) => sum + lines.length - (end - start),
      0,
    );
  }
  return hunks.join("");
}

/** Groups changes whose context lines overlap into one hunk. */
function groupNearbyChanges(changes: readonly LineChange[]): LineChange[][] {
  const groups: LineChange[][] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    const end = group?.at(-1)?.end;
    if (group && end !== undefined && change.start - end <= contextLines * 2) group.push(change);
    else groups.push([change]);
  }
  return groups;
}

function formatHunk(
  oldLines: readonly string[],
  group: readonly LineChange[],
  lineShift: number,
): string {
  const first = Math.max((group[0]?.start ?? 0) - contextLines, 0);
  const end = Math.min((group.at(-1)?.end ?? 0) + contextLines, oldLines.length);
  const lines: string[] = [];
  let [position, added] = [first, 0];
  for (const change of group) {
    lines.push(...oldLines.slice(position, change.start).map((line) => formatHunkLine(" ", line)));
    lines.push(
      ...oldLines.slice(change.start, change.end).map((line) => formatHunkLine("-", line)),
    );
    lines.push(...change.lines.map((line) => formatHunkLine("+", line)));
    added += change.lines.length - (change.end - change.start);
    position = change.end;
  }
  lines.push(...oldLines.slice(position, end).map((line) => formatHunkLine(" ", line)));
  const length = end - first;
  return `@@ -${formatRange(first, length)} +${formatRange(first + lineShift, length + added)} @@\n${lines.join("")}`;
}

/**
 * Formats a line range for a hunk's header. Lines are counted from 1; an empty range starts from the line before it.
 */
function formatRange(start: number, count: number): string {
  return `${count === 0 ? start : start + 1},${count}`;
}

function formatHunkLine(prefix: string, line: string): string {
  return line.endsWith("\n") ? prefix + line : `${prefix}${line}\n\\ No newline at end of file\n`;
}
