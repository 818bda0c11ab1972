const newline = 10;
const fnvPrime = 0x01000193;

/** Adds a byte to a 32-bit FNV-1a hash. */
export function updateHash(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, fnvPrime);
}

/**
 * Assigns an ID to each distinct term, in the order of first occurrence. Works on bytes, because a large site has
 * millions of tokens, few of them distinct, and creating a string per token would cost more than the lookup.
 */
export class TermDictionary {
  #count = 0;
  /** A hash table with linear probing, at most half full. A slot contains the ID of a term plus 1, or 0 if free. */
  #slots = new Uint32Array(1 << 11);
  #hashes = new Uint32Array(1 << 10);
  /** The end of each term in `#bytes`, where a line break follows. */
  #ends = new Uint32Array(1 << 10);
  #bytes = new Uint8Array(1 << 13);
  /** A reused buffer for the IDs of the terms being read. */
  #ids = new Uint32Array(1 << 10);
  /** Random, so that no author can create a page whose terms all collide. */
  readonly seed = Math.floor(Math.random() * 2 ** 32);

  get size(): number {
    return this.#count;
  }

  /** Returns the IDs of the terms in `lines`: UTF-8, one term per line. Empty input has no terms. */
  assignIds(lines: Uint8Array): Uint32Array {
    const { length } = lines;
    const ids = (this.#ids = ensureCapacity(this.#ids, length));
    let count = 0;
    let start = 0;
    let hash = this.seed;
    for (let at = 0; at < length; at += 1) {
      const byte = lines[at] ?? 0;
      if (byte === newline) {
        ids[count++] = this.assignId(lines, start, at, hash);
        start = at + 1;
        hash = this.seed;
      } else hash = updateHash(hash, byte);
    }
    if (length > 0) ids[count++] = this.assignId(lines, start, length, hash);
    return ids.slice(0, count);
  }

  /** Returns the ID of the term between two offsets of `bytes`. `knownHash` is its hash, if already computed. */
  assignId(bytes: Uint8Array, start: number, end: number, knownHash?: number): number {
    let hash = knownHash ?? this.#computeHash(bytes, start, end);
    // Mix the high bits, which the last bytes determine, into the low bits of the hash, which select the slot.
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    hash = (hash ^ (hash >>> 16)) >>> 0;
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let found = this.#slots[slot]; found; found = this.#slots[slot]) {
      const id = found - 1;
      if (this.#hashes[id] === hash && this.#isTerm(id, bytes, start, end)) return id;
      slot = (slot + 1) & mask;
    }
    this.#slots[slot] = this.#count + 1;
    this.#add(bytes, start, { end, hash });
    return this.#count - 1;
  }

  /** Returns all terms in the order of their IDs, one per line. */
  encodeLines(): Uint8Array {
    return Buffer.from(this.#bytes.subarray(0, this.#ends[this.#count - 1] ?? 0));
  }

  /** Returns all terms in the order of their IDs, as strings. */
  decodeTexts(): string[] {
    const bytes = Buffer.from(this.#bytes.buffer);
    return Array.from({ length: this.#count }, (_, id) =>
      bytes.toString("utf8", this.#getStart(id), this.#ends[id]),
    );
  }

  #computeHash(bytes: Uint8Array, start: number, end: number): number {
    let hash = this.seed;
    for (let at = start; at < end; at += 1) hash = updateHash(hash, bytes[at] ?? 0);
    return hash;
  }

  #isTerm(id: number, bytes: Uint8Array, start: number, end: number): boolean {
    const ownStart = this.#getStart(id);
    const length = end - start;
    if ((this.#ends[id] ?? 0) - ownStart !== length) return false;
    for (let at = 0; at < length; at += 1) {
      if (this.#bytes[ownStart + at] !== bytes[start + at]) return false;
    }
    return true;
  }

  #getStart(id: number): number {
    return id === 0 ? 0 : (this.#ends[id - 1] ?? 0) + 1;
  }

  #add(
    bytes: Uint8Array,
    start: number,
    { end, hash }: { readonly end: number; readonly hash: number },
  ): void {
    const id = this.#count;
    const ownStart = this.#getStart(id);
    const ownEnd = ownStart + end - start;
    this.#bytes = ensureCapacity(this.#bytes, ownEnd + 1);
    this.#ends = ensureCapacity(this.#ends, id + 1);
    this.#hashes = ensureCapacity(this.#hashes, id + 1);
    for (let at = start; at < end; at += 1) this.#bytes[ownStart + at - start] = bytes[at] ?? 0;
    this.#bytes[ownEnd] = newline;
    this.#ends[id] = ownEnd;
    this.#hashes[id] = hash;
    this.#count = id + 1;
    if (2 * this.#count > this.#slots.length) this.#growSlots();
  }

  #growSlots(): void {
    const slots = new Uint32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let id = 0; id < this.#count; id += 1) {
      let slot = (this.#hashes[id] ?? 0) & mask;
      while (slots[slot]) slot = (slot + 1) & mask;
      slots[slot] = id + 1;
    }
    this.#slots = slots;
  }
}

/** Returns the list itself if its capacity is at least `length`, or a copy with a capacity of twice `length`. */
export function ensureCapacity<List extends Uint8Array | Uint32Array | Float64Array>(
  list: List,
  length: number,
): List {
  if (length <= list.length) return list;
  const larger = new (list.constructor as new (length: number) => List)(2 * length);
  larger.set(list);
  return larger;
}
