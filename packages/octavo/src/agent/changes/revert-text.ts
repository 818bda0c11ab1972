import { lineChanges, splitLines } from "./text-changes.ts";
import type { LineChange } from "./text-changes.ts";

/** A change of one text that was made before. */
export interface TextChange {
  readonly before: string;
  readonly after: string;
}

export interface RevertedText {
  readonly text: string;
  /** Whether a part was changed again since, and is left as it is. */
  readonly isPartial: boolean;
}

/** Takes a change back out of a text that was changed further since: a merge of both from what the change left. */
export function revertText(current: string, { before, after }: TextChange): RevertedText {
  if (current === after) return { text: before, isPartial: false };
  const base = splitLines(after);
  const later = lineChanges(base, splitLines(current));
  const back = lineChanges(base, splitLines(before));
  const free = back.filter((change) => !later.some((other) => doTouch(change, other)));
  const merged = [...later, ...free].toSorted((a, b) => a.start - b.start);
  const lines: string[] = [];
  let at = 0;
  for (const change of merged) {
    lines.push(...base.slice(at, change.start), ...change.lines);
    at = change.end;
  }
  lines.push(...base.slice(at));
  return { text: lines.join(""), isPartial: free.length < back.length };
}

function doTouch(a: LineChange, b: LineChange): boolean {
  return a.start <= b.end && b.start <= a.end;
}
