/** Shorter words are like too many others. */
const shortestWord = 4;
/** From this length on two errors are forgiven. */
const longWord = 8;
const mostSimilar = 6;

export interface SimilarWord {
  readonly word: string;
  /** Letters wrong, left out, added or swapped: 1 or 2. */
  readonly errors: number;
}

/**
 * The words that begin with something like what was typed, the nearest first, then those with its first
 * letter, then the most used, which stand first in `vocabulary`.
 */
export function similarWords(typed: string, vocabulary: readonly string[]): SimilarWord[] {
  if (typed.length < shortestWord) return [];
  const allowed = typed.length < longWord ? 1 : 2;
  const found: SimilarWord[] = [];
  for (const word of vocabulary) {
    if (word.length + allowed < typed.length) continue;
    const errors = errorsBetween(typed, word, allowed);
    if (errors <= allowed) found.push({ word, errors });
  }
  const isOther = ({ word }: SimilarWord) => Number(word[0] !== typed[0]);
  return found
    .toSorted((a, b) => a.errors - b.errors || isOther(a) - isOther(b))
    .slice(0, mostSimilar);
}

/**
 * Edits (with swaps, after Damerau) that turn `typed` into a beginning of `word`; more than `allowed` as
 * soon as that is sure. Looks only at the band of the table where that few can end.
 */
function errorsBetween(typed: string, word: string, allowed: number): number {
  const width = Math.min(word.length, typed.length + allowed);
  let before: number[] = [];
  let row = Array.from({ length: width + 1 }, (_, column) => column);
  for (let i = 1; i <= typed.length; i += 1) {
    const next: number[] = [];
    next[0] = i;
    let least = i;
    for (let j = Math.max(1, i - allowed); j <= Math.min(width, i + allowed); j += 1) {
      const cost = typed[i - 1] === word[j - 1] ? 0 : 1;
      let best = Math.min(cell(row, j) + 1, cell(next, j - 1) + 1, cell(row, j - 1) + cost);
      if (i > 1 && typed[i - 1] === word[j - 2] && typed[i - 2] === word[j - 1]) {
        best = Math.min(best, cell(before, j - 2) + 1);
      }
      next[j] = best;
      least = Math.min(least, best);
    }
    if (least > allowed) return least;
    before = row;
    row = next;
  }
  let errors = Infinity;
  for (let j = Math.max(0, typed.length - allowed); j <= width; j += 1) {
    errors = Math.min(errors, cell(row, j));
  }
  return errors;
}

function cell(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
