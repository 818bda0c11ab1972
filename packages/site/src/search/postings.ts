/**
 * The format of a term's postings in a line of the index: the gaps between section numbers in base 36, each followed by
 * a letter for the weight. This module is used both at export and in the reader's browser.
 */

/** The code of the letter that represents the minimum weight, 1. */
export const capitalA = 65;
const smallA = 97;
const zero = 48;

/** The maximum weight; the minimum is 1. */
export const maxWeight = 26;

/**
 * Returns the number of section numbers to reserve for a page. It exceeds the number of sections, so that if a heading
 * is added, the sections of later pages usually keep their numbers and the postings of their terms do not change.
 */
export function computeReservedNumbers(sections: number): number {
  return 4 * Math.ceil(sections / 4);
}

/** The character after the prefix in the key of a summary. It sorts before all characters of terms. */
export const summaryMark = "*";

/** Returns the mark that precedes postings if they are only the best of a longer list, whose length is `total`. */
export function formatTotalMark(total: number): string {
  return `~${total.toString(36)}~`;
}

/** Returns the length of the complete list of postings, or undefined if these postings are complete. */
export function findTotal(postings: string): number | undefined {
  return postings.startsWith("~") ? Number.parseInt(postings.slice(1), 36) : undefined;
}

export function stripTotal(postings: string): string {
  return postings.startsWith("~") ? postings.slice(postings.indexOf("~", 1) + 1) : postings;
}

/** Visits each section that contains the term, in ascending order. */
export function visitPostings(
  postings: string,
  visit: (section: number, weight: number) => void,
): void {
  let section = 0;
  let gap = 0;
  for (let at = 0; at < postings.length; at += 1) {
    const code = postings.charCodeAt(at);
    if (code >= smallA) gap = gap * 36 + code - smallA + 10;
    else if (code < capitalA) gap = gap * 36 + code - zero;
    else {
      section += gap;
      gap = 0;
      visit(section, code - capitalA + 1);
    }
  }
}
