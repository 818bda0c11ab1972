/**
 * The sections of a term, as a line of the index: the gaps between section numbers in base 36, each followed by the
 * letter of its weight. Shared by the index, at export, and by the reader's browser.
 */

/** The letter of the least weight, 1. */
export const capitalA = 65;
const smallA = 97;
const zero = 48;

/** The greatest weight; the least is 1. */
export const maxWeight = 26;

/** After a common beginning it makes a term that represents all of them; sorts before all characters of terms. */
export const summaryMark = "*";

/** Precedes postings that are the best of a longer list; has its length. */
export function totalMark(total: number): string {
  return `~${total.toString(36)}~`;
}

/** The length of the list that the postings are of, where they are not all. */
export function totalOf(postings: string): number | undefined {
  return postings.startsWith("~") ? Number.parseInt(postings.slice(1), 36) : undefined;
}

export function withoutTotal(postings: string): string {
  return postings.startsWith("~") ? postings.slice(postings.indexOf("~", 1) + 1) : postings;
}

/** Calls back for each section with the term, in rising order. */
export function eachPosting(
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
