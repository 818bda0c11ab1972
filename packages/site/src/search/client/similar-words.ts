/** Minimum length of a word to correct: shorter words resemble too many others. */
const minLength = 4;
/** Minimum length of a word that may have two errors. */
const minLengthForTwoErrors = 8;
const maxSimilar = 6;

interface SimilarWord {
  readonly word: string;
  /** Edit distance, 1 or 2: the number of replaced, omitted, added or swapped letters. */
  readonly errors: number;
}

/**
 * Returns the words with a prefix that resembles the typed text. They are sorted by the number of errors, then by
 * whether the first letter is the same, then by frequency, which is the order of `vocabulary`.
 */
export function findSimilarWords(typed: string, vocabulary: readonly string[]): SimilarWord[] {
  if (typed.length < minLength) return [];
  const maxErrors = typed.length < minLengthForTwoErrors ? 1 : 2;
  const countErrors = createErrorCounter(typed, maxErrors);
  const found: SimilarWord[] = [];
  for (const word of vocabulary) {
    if (word.length + maxErrors < typed.length) continue;
    const errors = countErrors(word);
    if (errors <= maxErrors) found.push({ word, errors });
  }
  const isOther = ({ word }: SimilarWord) => Number(word[0] !== typed[0]);
  return found
    .toSorted((a, b) => a.errors - b.errors || isOther(a) - isOther(b))
    .slice(0, maxSimilar);
}

/**
 * Creates a function that counts the edits (Damerau-Levenshtein) from `typed` to the nearest prefix of a word. It stops
 * counting above `maxErrors`. To process 25,000 words per key press, it fills only the band of the table in which at
 * most `maxErrors` errors are possible, and reuses three rows.
 */
function createErrorCounter(typed: string, maxErrors: number): (word: string) => number {
  const tooMany = maxErrors + 1;
  const columns = typed.length + maxErrors + 2;
  let beforeLast = new Uint8Array(columns);
  let last = new Uint8Array(columns);
  let row = new Uint8Array(columns);

  /** Fills `row` with the errors of the first `i` typed letters, and returns their minimum. */
  function fillRow(word: string, i: number, width: number): number {
    const from = Math.max(1, i - maxErrors);
    const to = Math.min(width, i + maxErrors);
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
    // The next row reads one column beyond those that this row has filled.
    row[to + 1] = tooMany;
    return min;
  }

  return (word) => {
    const width = Math.min(word.length, typed.length + maxErrors);
    for (let column = 0; column < columns; column += 1) last[column] = column;
    for (let i = 1; i <= typed.length; i += 1) {
      if (fillRow(word, i, width) > maxErrors) return tooMany;
      [beforeLast, last, row] = [last, row, beforeLast];
    }
    let min = tooMany;
    for (let j = Math.max(0, typed.length - maxErrors); j <= width; j += 1) {
      min = Math.min(min, last[j] ?? tooMany);
    }
    return min;
  };
}
