const newline = 10;
const prime = 0x01000193;

/** FNV-1a, of 32 bits. */
export function nextHash(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, prime);
}

/**
 * Numbers words in the order in which they are first met. Works on bytes: a large site has millions of words, few
 * of them distinct, and a string for each of them costs more than looking it up.
 */
export class WordNumbers {
  #count = 0;
  /** Hash table with linear probing: number of a word plus 1, 0 where free; at most half full. */
  #slots = new Uint32Array(1 << 11);
  #hashes = new Uint32Array(1 << 10);
  /** Where each word ends in `#bytes`; a line break stands before the next. */
  #ends = new Uint32Array(1 << 10);
  #bytes = new Uint8Array(1 << 13);
  /** Numbers of the words being read. */
  #numbers = new Uint32Array(1 << 10);
  /** Random, so that nobody can write pages whose words all collide. */
  readonly seed = Math.floor(Math.random() * 2 ** 32);

  get size(): number {
    return this.#count;
  }

  /** Of words that are given as UTF-8, a line each; no lines where there are no bytes. */
  numbersOf(lines: Uint8Array): Uint32Array {
    const { length } = lines;
    const numbers = (this.#numbers = grown(this.#numbers, length));
    let count = 0;
    let start = 0;
    let hash = this.seed;
    for (let at = 0; at < length; at += 1) {
      const byte = lines[at] ?? 0;
      if (byte === newline) {
        numbers[count++] = this.numberOf(lines, start, at, hash);
        start = at + 1;
        hash = this.seed;
      } else hash = nextHash(hash, byte);
    }
    if (length > 0) numbers[count++] = this.numberOf(lines, start, length, hash);
    return numbers.slice(0, count);
  }

  /** Of the word that stands in `bytes` between the two places; `hashed` is its hash, where that is known. */
  numberOf(bytes: Uint8Array, start: number, end: number, hashed?: number): number {
    let hash = hashed ?? this.#hashOf(bytes, start, end);
    // The low bits of the hash know little of the high bits of the last bytes.
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    hash = (hash ^ (hash >>> 16)) >>> 0;
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let found = this.#slots[slot]; found; found = this.#slots[slot]) {
      const number = found - 1;
      if (this.#hashes[number] === hash && this.#isWord(number, bytes, start, end)) return number;
      slot = (slot + 1) & mask;
    }
    this.#slots[slot] = this.#count + 1;
    this.#add(bytes, start, { end, hash });
    return this.#count - 1;
  }

  /** All words by their numbers, a line each. */
  lines(): Uint8Array {
    return Buffer.from(this.#bytes.subarray(0, this.#ends[this.#count - 1] ?? 0));
  }

  /** The same as texts. */
  texts(): string[] {
    const bytes = Buffer.from(this.#bytes.buffer);
    return Array.from({ length: this.#count }, (_, number) =>
      bytes.toString("utf8", this.#startOf(number), this.#ends[number]),
    );
  }

  #hashOf(bytes: Uint8Array, start: number, end: number): number {
    let hash = this.seed;
    for (let at = start; at < end; at += 1) hash = nextHash(hash, bytes[at] ?? 0);
    return hash;
  }

  #isWord(number: number, lines: Uint8Array, start: number, end: number): boolean {
    const own = this.#startOf(number);
    const length = end - start;
    if ((this.#ends[number] ?? 0) - own !== length) return false;
    for (let at = 0; at < length; at += 1) {
      if (this.#bytes[own + at] !== lines[start + at]) return false;
    }
    return true;
  }

  #startOf(number: number): number {
    return number === 0 ? 0 : (this.#ends[number - 1] ?? 0) + 1;
  }

  #add(
    bytes: Uint8Array,
    start: number,
    { end, hash }: { readonly end: number; readonly hash: number },
  ): void {
    const number = this.#count;
    const own = this.#startOf(number);
    const ownEnd = own + end - start;
    this.#bytes = grown(this.#bytes, ownEnd + 1);
    this.#ends = grown(this.#ends, number + 1);
    this.#hashes = grown(this.#hashes, number + 1);
    for (let at = start; at < end; at += 1) this.#bytes[own + at - start] = bytes[at] ?? 0;
    this.#bytes[ownEnd] = newline;
    this.#ends[number] = ownEnd;
    this.#hashes[number] = hash;
    this.#count = number + 1;
    if (2 * this.#count > this.#slots.length) this.#growSlots();
  }

  #growSlots(): void {
    const slots = new Uint32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let number = 0; number < this.#count; number += 1) {
      let slot = (this.#hashes[number] ?? 0) & mask;
      while (slots[slot]) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}

/** The list itself where it has room for `length` numbers, else one of twice the room that begins with them. */
export function grown<List extends Uint8Array | Uint32Array | Float64Array>(
  list: List,
  length: number,
): List {
  if (length <= list.length) return list;
  const larger = new (list.constructor as new (length: number) => List)(2 * length);
  larger.set(list);
  return larger;
}
