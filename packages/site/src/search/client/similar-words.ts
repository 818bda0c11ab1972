/** Shorter words are like too many others. */
const shortestWord = 4;
/** From this length on two errors are forgiven. */
const longWord = 8;
const maxSimilar = 6;

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
  const countErrors = createErrorCounter(typed, allowed);
  const found: SimilarWord[] = [];
  for (const word of vocabulary) {
    if (word.length + allowed < typed.length) continue;
    const errors = countErrors(word);
    if (errors <= allowed) found.push({ word, errors });
  }
  const isOther = ({ word }: SimilarWord) => Number(word[0] !== typed[0]);
  return found
    .toSorted((a, b) => a.errors - b.errors || isOther(a) - isOther(b))
    .slice(0, maxSimilar);
}

/**
 * Counts the edits (with swaps, after Damerau) that turn `typed` into a beginning of a word; more than `allowed`
 * as soon as that is sure. Looks only at the band of the table where that few can end, which is all that
 * makes it fast enough for 25,000 words at each key: so its three rows are made once, too.
 */
function createErrorCounter(typed: string, allowed: number): (word: string) => number {
  const tooMany = allowed + 1;
  const columns = typed.length + allowed + 2;
  let beforeLast = new Uint8Array(columns);
  let last = new Uint8Array(columns);
  let row = new Uint8Array(columns);

  /** Fills `row` with the errors of the first `i` letters typed; gives the least of them. */
  function fillRow(word: string, i: number, width: number): number {
    const from = Math.max(1, i - allowed);
    const to = Math.min(width, i + allowed);
    const letter = typed.charCodeAt(i - 1);
    const letterBefore = typed.charCodeAt(i - 2);
    row[from - 1] = from === 1 ? i : tooMany;
    let min = row[from - 1] ?? tooMany;
    for (let j = from; j <= to; j += 1) {
      const other = word.charCodeAt(j - 1);
      let errors = (last[j - 1] ?? tooMany) + Number(letter !== other);
      errors = Math.min(errors, (last[j] ?? tooMany) + 1, (row[j - 1] ?? tooMany) + 1);
      const isSwapped = i > 1 && j > 1 && letterBefore === other;
      if (isSwapped && letter === word.charCodeAt(j - 2)) {
        errors = Math.min(errors, (beforeLast[j - 2] ?? tooMany) + 1);
      }
      row[j] = errors;
      min = Math.min(min, errors);
    }
    // The next row looks one column farther than this one was filled.
    row[to + 1] = tooMany;
    return min;
  }

  return (word) => {
    const width = Math.min(word.length, typed.length + allowed);
    for (let column = 0; column < columns; column += 1) last[column] = column;
    for (let i = 1; i <= typed.length; i += 1) {
      if (fillRow(word, i, width) > allowed) return tooMany;
      [beforeLast, last, row] = [last, row, beforeLast];
    }
    let min = tooMany;
    for (let j = Math.max(0, typed.length - allowed); j <= width; j += 1) {
      min = Math.min(min, last[j] ?? tooMany);
    }
    return min;
  };
}
