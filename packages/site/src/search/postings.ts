/**
 * The postings of a term, as written in a line of the index: the gaps between section numbers in base 36, each followed
 * by the letter of its weight. Shared by the index, at export, and by the reader's browser.
 */

/** The code of the letter for the lowest weight, 1. */
export const capitalA = 65;
const smallA = 97;
const zero = 48;

/** The maximum weight; the minimum is 1. */
export const maxWeight = 26;

/**
 * Returns the number of section numbers that a page has, used or not: if a heading is added, the sections of the pages
 * after it usually keep their numbers, and with them the postings of all terms.
 */
export function computeReservedNumbers(sections: number): number {
  return 4 * Math.ceil(sections / 4);
}

/** Follows a prefix in the key of its summary; sorts before all characters of terms. */
export const summaryMark = "*";

/** Returns the text that precedes postings if they are only the best of a longer list, and states its length. */
export function formatTotalMark(total: number): string {
  return `~${total.toString(36)}~`;
}

/** Returns the number of postings before the best were selected; undefined if these are all. */
export function findTotal(postings: string): number | undefined {
  return postings.startsWith("~") ? Number.parseInt(postings.slice(1), 36) : undefined;
}

export function stripTotal(postings: string): string {
  return postings.startsWith("~") ? postings.slice(postings.indexOf("~", 1) + 1) : postings;
}

/** Visits each section with the term, in ascending order. */
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
