import { sectionStep, type PageTerms } from "./terms.ts";

export interface Term {
  readonly text: string;
  /** `section * sectionStep + weight` for each section that has it, rising; sections are counted through all pages. */
  readonly postings: Uint32Array;
}

/**
 * Turns the words of each page into the sections of each word, sorted by the word. Counts first and fills
 * one array after that: lists that grow would cost several times the memory and the time.
 */
export function invertTerms(pages: readonly PageTerms[]): Term[] {
  const ids = new Map<string, number>();
  const idsOfPages = pages.map((page) => idsOf(page, ids));
  const starts = startsOf(pages, idsOfPages, ids.size);
  const ends = starts.slice();
  const all = new Uint32Array(starts[ids.size] ?? 0);
  let firstSection = 0;
  for (const [number, { sectionCount, postings }] of pages.entries()) {
    let at = 0;
    for (const id of idsOfPages[number] ?? []) {
      const last = at + (postings[at] ?? 0);
      let end = ends[id] ?? 0;
      for (at += 1; at <= last; at += 1) {
        all[end++] = (postings[at] ?? 0) + firstSection * sectionStep;
      }
      ends[id] = end;
    }
    firstSection += sectionCount;
  }
  return [...ids.keys()].toSorted().map((text) => {
    const id = ids.get(text) ?? 0;
    return { text, postings: all.subarray(starts[id], starts[id + 1]) };
  });
}

const decoder = new TextDecoder();

/** The number of each word of a page, new words counted on. */
function idsOf({ words }: PageTerms, ids: Map<string, number>): Uint32Array {
  const terms = words.length === 0 ? [] : decoder.decode(words).split("\n");
  const numbers = new Uint32Array(terms.length);
  for (const [index, term] of terms.entries()) {
    let id = ids.get(term);
    if (id === undefined) ids.set(term, (id = ids.size));
    numbers[index] = id;
  }
  return numbers;
}

/** Where the postings of each term begin when all stand in one array, and at the end their number. */
function startsOf(
  pages: readonly PageTerms[],
  idsOfPages: readonly Uint32Array[],
  terms: number,
): Uint32Array {
  const starts = new Uint32Array(terms + 1);
  for (const [number, { postings }] of pages.entries()) {
    let at = 0;
    for (const id of idsOfPages[number] ?? []) {
      const count = postings[at] ?? 0;
      starts[id + 1] = (starts[id + 1] ?? 0) + count;
      at += count + 1;
    }
  }
  for (let id = 1; id <= terms; id += 1) starts[id] = (starts[id] ?? 0) + (starts[id - 1] ?? 0);
  return starts;
}
