/**
 * Returns the letters and digits of a text in lower case, to compare misspelled paths, anchors and names with
 * correct ones.
 */
export function foldLettersAndDigits(text: string): string {
  return text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "");
}

/**
 * The maximum number of edits at which a misspelled name is recognized; two edits can turn most short words into other
 * words.
 */
const maxEdits = { short: 1, long: 2 };
const longLength = 6;

/**
 * Finds the name that `written` probably means: the nearest one within one edit, or within two for a name of at least
 * six letters; the first one if several are equally near. Returns undefined for words of fewer than four letters, which
 * are similar to too many names.
 */
export function findSimilarName(written: string, names: Iterable<string>): string | undefined {
  return findSimilarNames(written, names)[0];
}

/**
 * Finds the name that `written` probably means, as `findSimilarName` does. Returns undefined if several are equally
 * near.
 */
export function findOnlySimilarName(written: string, names: Iterable<string>): string | undefined {
  const [name, ...others] = findSimilarNames(written, names);
  return others.length === 0 ? name : undefined;
}

/** Finds the nearest names within the number of edits that is allowed for a name of this length. */
function findSimilarNames(written: string, names: Iterable<string>): readonly string[] {
  if (written.length < 4) return [];
  let nearest: string[] = [];
  let editLimit = written.length < longLength ? maxEdits.short : maxEdits.long;
  for (const name of names) {
    if (name[0] !== written[0] || Math.abs(name.length - written.length) > editLimit) continue;
    const edits = countEdits(written, name);
    if (edits > editLimit) continue;
    nearest = edits === editLimit ? [...nearest, name] : [name];
    editLimit = edits;
  }
  return nearest;
}

/**
 * Returns the number of edits that turn one text into the other: insertions, removals and changes of a letter, and
 * swaps of adjacent letters (the restricted Damerau-Levenshtein distance).
 */
export function countEdits(left: string, right: string): number {
  let above: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let at = 1; at <= left.length; at++) {
    const next = [at];
    for (let to = 1; to <= right.length; to++) {
      const changeCost = (row[to - 1] ?? 0) + (left[at - 1] === right[to - 1] ? 0 : 1);
      const isSwapped = left[at - 1] === right[to - 2] && left[at - 2] === right[to - 1];
      const swapCost = isSwapped ? (above[to - 2] ?? Infinity) + 1 : Infinity;
      next.push(Math.min(changeCost, swapCost, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    above = row;
    row = next;
  }
  return row[right.length] ?? 0;
}
