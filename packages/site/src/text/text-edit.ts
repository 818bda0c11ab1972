import { OctavoError } from "../core/index.ts";

/** A replacement of the range `[start, end)` of a text, in UTF-16 units. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The range `[start, end)` of a text. */
export type TextRange = Omit<TextEdit, "text">;

/**
 * Returns the text, or a part of it that contains all edits, with all edits applied. Equal edits are applied only once.
 * Throws `internal` if two edits overlap.
 */
export function applyEdits(
  source: string,
  edits: readonly TextEdit[],
  part: TextRange = { start: 0, end: source.length },
): string {
  const sorted = edits.toSorted((a, b) => a.start - b.start || a.end - b.end);
  const parts: string[] = [];
  let at = part.start;
  let last: TextEdit | undefined;
  for (const edit of sorted) {
    const { start, end, text } = edit;
    if (last?.start === start && last.end === end && last.text === text) continue;
    if (start < at) throw new OctavoError("internal", "Two edits of one text overlap.");
    parts.push(source.slice(at, start), text);
    at = end;
    last = edit;
  }
  parts.push(source.slice(at, part.end));
  return parts.join("");
}
