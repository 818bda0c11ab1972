import { diffWordsWithSpace } from "./diff.bundled.ts";

/** Part of a changed text: on both sides, or on one. */
export interface Piece {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Words that may differ; beyond it the search would take long, and the result would help nobody. */
const maxEdits = 150;
/** In characters; a longer text is compared as a whole. */
const maxLength = 4_000;
/** The share of characters that two texts must have in common to be shown as one that was changed. */
const minShare = 0.4;

/** The words that differ between two texts; undefined if little of one is left in the other. */
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
  return share >= minShare ? joinNeighbours(pieces) : undefined;
}

/** Two changed words with only a space between them read better as one change. */
function joinNeighbours(pieces: readonly Piece[]): readonly Piece[] {
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
