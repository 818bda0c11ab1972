/** A run of lines that is replaced: `[start, end)` of the old lines by new ones. */
export interface LineChange {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** Texts that differ by more lines than this are compared as one block: time and memory grow with its square. */
const maxDistance = 1_000;

/** Lines with their ends: joined, they are the text. */
export function splitLines(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

/** The smallest changes that turn `before` into `after` (Myers), in order, none touching the next. */
export function lineChanges(before: readonly string[], after: readonly string[]): LineChange[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const maxTail = Math.min(before.length, after.length) - head;
  while (tail < maxTail && before[before.length - 1 - tail] === after[after.length - 1 - tail]) {
    tail += 1;
  }
  const old = before.slice(head, before.length - tail);
  const wanted = after.slice(head, after.length - tail);
  if (old.length === 0 && wanted.length === 0) return [];
  const steps = shortestEdit(old, wanted);
  const whole = { start: 0, end: old.length, lines: wanted };
  const changes = steps ? changesOf(steps, wanted) : [whole];
  return changes.map(({ start, end, lines }) => ({ start: start + head, end: end + head, lines }));
}

/** One line taken out of the old text or put in from the new one, at their positions. */
interface Step {
  readonly isRemoval: boolean;
  readonly x: number;
  readonly y: number;
}

/** The steps of a shortest edit; undefined if it has more than `maxDistance`. */
function shortestEdit(old: readonly string[], wanted: readonly string[]): Step[] | undefined {
  const limit = Math.min(old.length + wanted.length, maxDistance);
  const furthest = new Map<number, number>([[1, 0]]);
  const trace: Map<number, number>[] = [];
  for (let distance = 0; distance <= limit; distance += 1) {
    trace.push(new Map(furthest));
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      let x = startOf(furthest, diagonal, distance);
      while (x < old.length && x - diagonal < wanted.length && old[x] === wanted[x - diagonal]) {
        x += 1;
      }
      furthest.set(diagonal, x);
      if (x >= old.length && x - diagonal >= wanted.length) return stepsBack(trace, old, wanted);
    }
  }
  return undefined;
}

/** Where a diagonal begins: below the one above it, or right of the one to its left. */
function startOf(
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

function stepsBack(
  trace: readonly ReadonlyMap<number, number>[],
  old: readonly string[],
  wanted: readonly string[],
): Step[] {
  const steps: Step[] = [];
  let [x, y] = [old.length, wanted.length];
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

function changesOf(steps: readonly Step[], wanted: readonly string[]): LineChange[] {
  const changes: { start: number; end: number; lines: string[] }[] = [];
  for (const { isRemoval, x, y } of steps) {
    const last = changes.at(-1);
    const change = last?.end === x ? last : { start: x, end: x, lines: [] };
    if (change !== last) changes.push(change);
    if (isRemoval) change.end += 1;
    else change.lines.push(wanted[y] ?? "");
  }
  return changes;
}
