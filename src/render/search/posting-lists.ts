import { mostWeight, weightCode } from "./postings.ts";

/** Sections in rising order, and the weight of each. */
export interface PostingList {
  readonly sections: Uint32Array;
  readonly weights: Uint8Array;
}

/**
 * Gathers the postings of all terms, section by section: some millions for a big site, so as numbers in a
 * few arrays, which are put in the order of the terms at the end.
 */
export class PostingCollector {
  readonly #terms = new Map<string, number>();
  /** By the number of a term. */
  readonly #counts: number[] = [];
  #numbers = new Uint32Array(1024);
  #sections = new Uint32Array(1024);
  #weights = new Uint8Array(1024);
  #size = 0;

  /** Sections come in rising order. */
  add(term: string, section: number, weight: number): void {
    let number = this.#terms.get(term);
    if (number === undefined) {
      number = this.#counts.push(0) - 1;
      this.#terms.set(term, number);
    }
    this.#counts[number] = (this.#counts[number] ?? 0) + 1;
    if (this.#size === this.#sections.length) this.#grow();
    this.#numbers[this.#size] = number;
    this.#sections[this.#size] = section;
    this.#weights[this.#size] = weight;
    this.#size += 1;
  }

  #grow(): void {
    const [numbers, sections, weights] = [this.#numbers, this.#sections, this.#weights];
    (this.#numbers = new Uint32Array(this.#size * 2)).set(numbers);
    (this.#sections = new Uint32Array(this.#size * 2)).set(sections);
    (this.#weights = new Uint8Array(this.#size * 2)).set(weights);
  }

  /** The list of each term. */
  lists(): Map<string, PostingList> {
    const sections = new Uint32Array(this.#size);
    const weights = new Uint8Array(this.#size);
    const ends = new Uint32Array(this.#counts.length);
    let start = 0;
    for (const [number, count] of this.#counts.entries()) {
      ends[number] = start;
      start += count;
    }
    for (let at = 0; at < this.#size; at += 1) {
      const number = this.#numbers[at] ?? 0;
      const end = ends[number] ?? 0;
      sections[end] = this.#sections[at] ?? 0;
      weights[end] = this.#weights[at] ?? 0;
      ends[number] = end + 1;
    }
    const lists = new Map<string, PostingList>();
    for (const [term, number] of this.#terms) {
      const end = ends[number] ?? 0;
      const first = end - (this.#counts[number] ?? 0);
      lists.set(term, {
        sections: sections.subarray(first, end),
        weights: weights.subarray(first, end),
      });
    }
    return lists;
  }
}

/** The sections of greatest weight, `most` at most; of equals the first. */
export function heaviest(list: PostingList, most: number): PostingList {
  const { sections, weights } = list;
  if (sections.length <= most) return list;
  const having = new Uint32Array(mostWeight + 1);
  for (const weight of weights) having[weight] = (having[weight] ?? 0) + 1;
  let left = most;
  let least = mostWeight;
  for (; left > (having[least] ?? 0); least -= 1) left -= having[least] ?? 0;
  const best = { sections: new Uint32Array(most), weights: new Uint8Array(most) };
  let size = 0;
  for (const [at, weight] of weights.entries()) {
    if (weight < least || (weight === least && left-- <= 0)) continue;
    best.sections[size] = sections[at] ?? 0;
    best.weights[size] = weight;
    size += 1;
  }
  return best;
}

/** Sections with the greatest weight that any of the lists gives them. */
export function mergeLists(lists: readonly PostingList[]): PostingList {
  const best = new Map<number, number>();
  for (const { sections, weights } of lists) {
    for (const [at, section] of sections.entries()) {
      const weight = weights[at] ?? 0;
      if (weight > (best.get(section) ?? 0)) best.set(section, weight);
    }
  }
  const sections = Uint32Array.from(best.keys()).toSorted();
  return { sections, weights: Uint8Array.from(sections, (section) => best.get(section) ?? 0) };
}

const digits = Buffer.from("0123456789abcdefghijklmnopqrstuvwxyz");

/** As a line of the index has them; see `postings.ts`. */
export function writePostings({ sections, weights }: PostingList): string {
  // A gap has seven digits at most.
  const text = Buffer.allocUnsafe(sections.length * 8);
  let end = 0;
  let before = 0;
  for (let at = 0; at < sections.length; at += 1) {
    const section = sections[at] ?? 0;
    let gap = section - before;
    let unit = 1;
    while (unit * 36 <= gap) unit *= 36;
    for (; unit >= 1; unit /= 36) {
      text[end++] = digits[Math.floor(gap / unit)] ?? 0;
      gap %= unit;
    }
    text[end++] = weightCode(weights[at] ?? 1);
    before = section;
  }
  return text.toString("latin1", 0, end);
}
