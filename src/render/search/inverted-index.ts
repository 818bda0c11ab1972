import { postingWeights, type PageTerms } from "./terms.ts";

/** A term of the index with its sections, as a search reads them. */
export interface TermLine {
  readonly term: string;
  /** The gaps between section numbers in base 36, each followed by the letter of its weight, `A` to `Z`. */
  readonly postings: string;
}

/**
 * Turns the words of each page into the sections of each word; sections are numbered through all pages.
 * Counts first and fills one array after that: lists that grow would cost several times the memory.
 */
export function invertTerms(pages: readonly PageTerms[]): TermLine[] {
  const ids = new Map<string, number>();
  const idsOfPages = pages.map((page) => idsOf(page, ids));
  const starts = startsOf(pages, idsOfPages, ids.size);
  const ends = starts.slice();
  const all = new Uint32Array(starts[ids.size] ?? 0);
  let firstSection = 0;
  for (const [number, { sections, postings }] of pages.entries()) {
    let at = 0;
    for (const id of idsOfPages[number] ?? []) {
      const last = at + (postings[at] ?? 0);
      let end = ends[id] ?? 0;
      for (at += 1; at <= last; at += 1) {
        all[end++] = (postings[at] ?? 0) + firstSection * postingWeights;
      }
      ends[id] = end;
    }
    firstSection += sections.length;
  }
  const write = createPostingWriter();
  return [...ids.keys()].toSorted().map((term) => {
    const id = ids.get(term) ?? 0;
    return { term, postings: write(all.subarray(starts[id], starts[id + 1])) };
  });
}

/** The number of each word of a page, new words counted on. */
function idsOf({ words }: PageTerms, ids: Map<string, number>): Uint32Array {
  const terms = words === "" ? [] : words.split("\n");
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

/** Digits of the largest gap and a letter. */
const longestPosting = 8;

/** Millions of postings are written: bytes into one buffer, not strings to be joined. */
function createPostingWriter(): (postings: Uint32Array) => string {
  let bytes = Buffer.alloc(4096);
  return (postings) => {
    if (bytes.length < postings.length * longestPosting) {
      bytes = Buffer.alloc(postings.length * longestPosting * 2);
    }
    let length = 0;
    let lastSection = 0;
    for (const posting of postings) {
      const section = Math.floor(posting / postingWeights);
      length = writeBase36(bytes, length, section - lastSection);
      bytes[length++] = 65 + (posting % postingWeights);
      lastSection = section;
    }
    return bytes.toString("latin1", 0, length);
  };
}

function writeBase36(bytes: Uint8Array, start: number, value: number): number {
  let end = start + 1;
  for (let rest = value; rest >= 36; rest = Math.floor(rest / 36)) end += 1;
  let rest = value;
  for (let at = end - 1; at >= start; at -= 1) {
    const digit = rest % 36;
    bytes[at] = digit < 10 ? 48 + digit : 87 + digit;
    rest = Math.floor(rest / 36);
  }
  return end;
}
