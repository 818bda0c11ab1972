import { diffWordsWithSpace } from "./diff.bundled.ts";

/** A part of a changed text that is on both sides or only on one. */
export interface Piece {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** The maximum number of differing words. With more, the search would take long and its result would not help. */
const maxEdits = 150;
/** The maximum length of the texts, in characters. Longer texts are not compared by words. */
const maxLength = 4_000;
/** The minimum share of common characters at which two texts are shown as one changed text. */
const minShare = 0.4;

/** Returns two texts as common and differing pieces, or undefined if the texts have little in common. */
export function compareWords(before: string, after: string): readonly Piece[] | undefined {
  if (before.length > maxLength || after.length > maxLength) return undefined;
  const changes = diffWordsWithSpace(before, after, { maxEditLength: maxEdits });
  if (!changes) return undefined;
  const pieces = changes.map(({ added, removed, value }): Piece => {
    if (added) return { kind: "added", text: value };
    return { kind: removed ? "removed" : "same", text: value };
  });
  const shared = pieces.reduce(
    (sum, { kind, text }) => sum + (kind === "same" ? text.replaceAll(/\s/g, "").length : 0),
    0,
  );
  const share = shared / Math.max(1, Math.max(before.trim().length, after.trim().length));
  return share >= minShare ? joinNeighbors(pieces) : undefined;
}

/** Joins changed words with only a space between them, because they are easier to read as one change. */
function joinNeighbors(pieces: readonly Piece[]): readonly Piece[] {
  const joined: Piece[] = [];
  let removed = "";
  let added = "";
  function close(): void {
    if (removed !== "") joined.push({ kind: "removed", text: removed });
    if (added !== "") joined.push({ kind: "added", text: added });
    removed = "";
    added = "";
  }
  for (const [index, { kind, text }] of pieces.entries()) {
    const next = pieces[index + 1];
    const isBetween = removed !== "" && added !== "" && next !== undefined && text.trim() === "";
    if (kind === "removed" || (kind === "same" && isBetween)) removed += text;
    if (kind === "added" || (kind === "same" && isBetween)) added += text;
    if (kind === "same" && !isBetween) {
      close();
      joined.push({ kind, text });
    }
  }
  close();
  return joined;
}
