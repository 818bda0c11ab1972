import { OctavoError } from "@octavo/site/core";

/** A replacement of `[start, end)` of a text, in UTF-16 units. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with all edits made at once; equal edits count once. Throws `internal` where two overlap. */
export function applyEdits(source: string, edits: readonly TextEdit[]): string {
  const sorted = edits.toSorted((a, b) => a.start - b.start || a.end - b.end);
  const parts: string[] = [];
  let at = 0;
  let last: TextEdit | undefined;
  for (const edit of sorted) {
    const { start, end, text } = edit;
    if (last?.start === start && last.end === end && last.text === text) continue;
    if (start < at) throw new OctavoError("internal", "Two edits of one text overlap.");
    parts.push(source.slice(at, start), text);
    at = end;
    last = edit;
  }
  parts.push(source.slice(at));
  return parts.join("");
}
