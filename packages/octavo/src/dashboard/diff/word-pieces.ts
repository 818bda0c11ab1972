import { diffWordsWithSpace } from "./diff.bundled.ts";

/** A part of two compared texts that is in both, or only in one of them. */
export interface WordPiece {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** The maximum number of differing words. Above this limit, a comparison would be slow and its result unhelpful. */
const maxEdits = 150;
/** The maximum length of the texts, in characters. Longer texts are not compared by words. */
const maxLength = 4_000;
/** The minimum share of common characters at which two texts are shown as one changed text. */
const minSharedRatio = 0.4;

/** Splits two texts into common and differing pieces. Returns undefined if the texts have little in common. */
export function compareWords(before: string, after: string): readonly WordPiece[] | undefined {
  if (before.length > maxLength || after.length > maxLength) return undefined;
  const changes = diffWordsWithSpace(before, after, { maxEditLength: maxEdits });
  if (!changes) return undefined;
  const pieces = changes.map(({ added, removed, value }): WordPiece => {
    if (added) return { kind: "added", text: value };
    return { kind: removed ? "removed" : "same", text: value };
  });
  const sharedLength = pieces.reduce(
    (sum, { kind, text }) => sum + (kind === "same" ? text.replaceAll(/\s/g, "").length : 0),
    0,
  );
  const sharedRatio =
    sharedLength / Math.max(1, Math.max(before.trim().length, after.trim().length));
  return sharedRatio >= minSharedRatio ? joinNeighbors(pieces) : undefined;
}

/** Joins changed words that are separated only by a space, because they are easier to read as one change. */
function joinNeighbors(pieces: readonly WordPiece[]): readonly WordPiece[] {
  const joined: WordPiece[] = [];
  let removed = "";
  let added = "";
  function flushChange(): void {
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
      flushChange();
      joined.push({ kind, text });
    }
  }
  flushChange();
  return joined;
}
