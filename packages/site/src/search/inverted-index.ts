import { readNumbers } from "./byte-store.ts";
import type { ByteStore, CreateStore } from "./byte-store.ts";
import { ensureCapacity, TermDictionary } from "./term-dictionary.ts";
import { sectionStep } from "./terms.ts";
import type { PageTerms } from "./terms.ts";

/**
 * The terms of an index. They are accessed by ordinal, which is their position in the sorted list, rather than
 * represented as objects, because a large site has half a million terms.
 */
export interface Terms {
  readonly texts: readonly string[];
  /** Returns the number of sections that contain the term. */
  countSections(ordinal: number): number;
  /**
   * Returns `section * sectionStep + weight` for each section that contains the term, in ascending order. Sections are
   * numbered across pages. The result is valid until the next call.
   */
  getPostings(ordinal: number): Uint32Array;
  /** Returns the term's ordinal in the cached index, or undefined if the term has changed. */
  findCachedOrdinal(ordinal: number): number | undefined;
}

/** The terms of a page, and the number of its first section. */
export interface NumberedTerms {
  readonly terms: PageTerms;
  readonly firstSection: number;
}

/** Sorted terms, all postings, and the start of each term's postings. The last start is the number of postings. */
export interface InvertedIndex {
  readonly texts: readonly string[];
  readonly starts: Uint32Array;
  /** Numbers in the format of `appendNumbers`. */
  readonly postings: ByteStore;
  /** The ordinals of the terms of each page. `pageStarts` contains the start of each page's ordinals. */
  readonly pageTerms: ByteStore;
  readonly pageStarts: Uint32Array;
}

/** Maximum number of postings to sort at a time. They take 16 MB. */
const maxPartPostings = 4 * 1024 * 1024;

/**
 * Inverts the terms of each page into the sections of each term, sorted by term. Counts the postings first, then sorts
 * the postings of one range of terms at a time, so that memory use does not grow with the number of postings.
 */
export function invertTerms(
  pages: readonly NumberedTerms[],
  createStore: CreateStore,
  maxPostings = maxPartPostings,
): InvertedIndex {
  const dictionary = new TermDictionary();
  const { ids, counts } = assignTermIds(pages, { dictionary, store: createStore() });
  const texts = dictionary.decodeTexts();
  const sorted = sortIds(texts);
  const ordinals = new Uint32Array(sorted.length);
  for (const [ordinal, id] of sorted.entries()) ordinals[id] = ordinal;
  const starts = computeStarts(sorted, counts);
  const parts = splitTerms(starts, maxPostings, createStore);
  const pageTerms = createStore();
  const pageStarts = distributePostings(pages, { ids, ordinals, parts, pageTerms });
  ids[Symbol.dispose]();
  const postings = createStore();
  let buffer = new Uint32Array(0);
  for (const part of parts) {
    const { from, to, store } = part;
    buffer = ensureCapacity(buffer, (starts[to] ?? 0) - (starts[from] ?? 0));
    appendNumbers(postings, sortPostings(part, starts, buffer));
    store[Symbol.dispose]();
  }
  return { texts: sorted.map((id) => texts[id] ?? ""), starts, postings, pageTerms, pageStarts };
}

export function toTerms(index: InvertedIndex): Terms {
  const { texts, starts } = index;
  return {
    texts,
    countSections: (ordinal) => (starts[ordinal + 1] ?? 0) - (starts[ordinal] ?? 0),
    getPostings: (ordinal) => readPostings(index, ordinal),
    findCachedOrdinal: () => undefined,
  };
}

export function readPostings({ starts, postings }: InvertedIndex, ordinal: number): Uint32Array {
  return readNumbers(postings, starts[ordinal] ?? 0, starts[ordinal + 1] ?? 0);
}

/** Returns the IDs of the terms, sorted by their text. */
function sortIds(texts: readonly string[]): number[] {
  // Sorting numbers takes a fraction of the time of sorting strings, and few terms share a prefix.
  const groups = Map.groupBy(texts.keys(), (id) => computePrefixKey(texts[id] ?? ""));
  const sorted: number[] = [];
  for (const prefix of Float64Array.from(groups.keys()).toSorted()) {
    const group = groups.get(prefix) ?? [];
    const sortedGroup = group.toSorted((a, b) => compareTexts(texts[a] ?? "", texts[b] ?? ""));
    for (const id of sortedGroup) sorted.push(id);
  }
  return sorted;
}

/** Returns the first three code units as one number. These numbers sort in the same order as the strings. */
function computePrefixKey(text: string): number {
  return getCodeUnit(text, 0) * 2 ** 32 + getCodeUnit(text, 1) * 2 ** 16 + getCodeUnit(text, 2);
}

/** Returns the code unit at an offset. After the end, it is 0, which sorts before all characters of terms. */
function getCodeUnit(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : 0;
}

/** Compares by code units, because that is the order in which the reader's browser searches the lines. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Assigns IDs to the terms of all pages. */
function assignTermIds(
  pages: readonly NumberedTerms[],
  { dictionary, store }: { readonly dictionary: TermDictionary; readonly store: ByteStore },
): {
  /** For each page, the number of its terms, followed by the ID of each term. */
  readonly ids: ByteStore;
  /** The number of postings of each term, by ID. */
  readonly counts: Uint32Array;
} {
  let counts = new Uint32Array(1 << 10);
  for (const { terms } of pages) {
    const { texts, postings } = terms;
    const ids = dictionary.assignIds(texts);
    appendNumbers(store, Uint32Array.of(ids.length));
    appendNumbers(store, ids);
    counts = ensureCapacity(counts, dictionary.size);
    let at = 0;
    for (const id of ids) {
      const count = postings[at] ?? 0;
      counts[id] = (counts[id] ?? 0) + count;
      at += count + 1;
    }
  }
  return { ids: store, counts };
}

/** Returns the start of each term's postings; `counts` contains the number of postings by ID. */
function computeStarts(sorted: readonly number[], counts: Uint32Array): Uint32Array {
  const starts = new Uint32Array(sorted.length + 1);
  for (const [ordinal, id] of sorted.entries()) {
    starts[ordinal + 1] = (starts[ordinal] ?? 0) + (counts[id] ?? 0);
  }
  return starts;
}

/** Terms whose postings are sorted together. */
interface TermsPart {
  /** The range of ordinals, in which `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  /** In the order of pages: the ordinal of each term, the number of its postings on the page, and the postings. */
  readonly store: ByteStore;
}

function splitTerms(
  starts: Uint32Array,
  maxPostings: number,
  createStore: CreateStore,
): TermsPart[] {
  const parts: TermsPart[] = [];
  const count = starts.length - 1;
  for (let from = 0; from < count;) {
    const limit = (starts[from] ?? 0) + maxPostings;
    let to = from + 1;
    while (to < count && (starts[to + 1] ?? 0) <= limit) to += 1;
    parts.push({ from, to, store: createStore() });
    from = to;
  }
  return parts;
}

interface Distribution {
  readonly ids: ByteStore;
  readonly ordinals: Uint32Array;
  readonly parts: readonly TermsPart[];
  /** Receives the ordinals of each page. */
  readonly pageTerms: ByteStore;
}

/** Distributes the postings of all pages to the parts. Returns the start of each page's ordinals. */
function distributePostings(
  pages: readonly NumberedTerms[],
  { ids, ordinals, parts, pageTerms }: Distribution,
): Uint32Array {
  const partsByOrdinal = new Uint16Array(ordinals.length);
  for (const [number, { from, to }] of parts.entries()) partsByOrdinal.fill(number, from, to);
  const buffers = parts.map(({ store }) => new NumberBuffer(store));
  const pageStarts = new Uint32Array(pages.length + 1);
  let idsAt = 0;
  for (const [number, { terms, firstSection }] of pages.entries()) {
    const base = firstSection * sectionStep;
    const { postings } = terms;
    const count = readNumbers(ids, idsAt, idsAt + 1)[0] ?? 0;
    const pageOrdinals = readNumbers(ids, idsAt + 1, idsAt + 1 + count).map(
      (id) => ordinals[id] ?? 0,
    );
    idsAt += 1 + count;
    let at = 0;
    for (const ordinal of pageOrdinals) {
      const size = postings[at] ?? 0;
      const end = at + 1 + size;
      const buffer = buffers[partsByOrdinal[ordinal] ?? 0];
      // Numbers are pushed one by one, because creating a view of each term's postings would cost more than all other
      // work.
      buffer?.reserve(2 + size);
      buffer?.push(ordinal);
      buffer?.push(size);
      for (at += 1; at < end; at += 1) buffer?.push((postings[at] ?? 0) + base);
    }
    appendNumbers(pageTerms, pageOrdinals);
    pageStarts[number + 1] = (pageStarts[number] ?? 0) + count;
  }
  for (const buffer of buffers) buffer.flush();
  return pageStarts;
}

const bufferLength = 1 << 12;

/** A buffer that appends numbers to a store in batches, because millions of calls with a few numbers each cost more. */
class NumberBuffer {
  readonly #store: ByteStore;
  #numbers = new Uint32Array(bufferLength);
  #length = 0;

  constructor(store: ByteStore) {
    this.#store = store;
  }

  /** Makes room for `count` numbers; must be called before they are added. */
  reserve(count: number): void {
    if (this.#length + count > this.#numbers.length) this.flush();
    this.#numbers = ensureCapacity(this.#numbers, count);
  }

  push(number: number): void {
    this.#numbers[this.#length++] = number;
  }

  flush(): void {
    appendNumbers(this.#store, this.#numbers.subarray(0, this.#length));
    this.#length = 0;
  }
}

/** Number of values of a part to read at a time. */
const maxReadLength = 1 << 14;

/** Sorts the postings of a part into the beginning of `sorted`, and returns the filled range. */
function sortPostings(
  { from, to, store }: TermsPart,
  starts: Uint32Array,
  sorted: Uint32Array,
): Uint32Array {
  const first = starts[from] ?? 0;
  const ends = starts.slice(from, to);
  const total = store.length / Uint32Array.BYTES_PER_ELEMENT;
  let ordinal = 0;
  let remaining = 0;
  let isOrdinal = true;
  for (let start = 0; start < total; start += maxReadLength) {
    for (const number of readNumbers(store, start, Math.min(total, start + maxReadLength))) {
      if (remaining > 0) {
        const end = ends[ordinal] ?? 0;
        sorted[end - first] = number;
        ends[ordinal] = end + 1;
        remaining -= 1;
      } else if (isOrdinal) {
        ordinal = number - from;
        isOrdinal = false;
      } else {
        remaining = number;
        isOrdinal = true;
      }
    }
  }
  return sorted.subarray(0, (starts[to] ?? 0) - first);
}

/** Appends numbers. `readNumbers` reads them by their position among all numbers of the store. */
function appendNumbers(store: ByteStore, numbers: Uint32Array): void {
  store.append(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
}
