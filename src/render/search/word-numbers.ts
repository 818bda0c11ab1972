const newline = 10;
/** FNV-1a, of 32 bits. */
const prime = 0x01000193;

/**
 * Numbers words in the order in which they are first met. Works on bytes: a large site has millions of words, few
 * of them distinct, and a string for each of them costs more than looking it up.
 */
export class WordNumbers {
  #count = 0;
  /** Number of a word plus 1 at its place by hash, or the next that was free; at most half full. */
  #slots = new Uint32Array(1 << 12);
  #hashes = new Uint32Array(1 << 11);
  /** Where each word ends in `#bytes`; each begins where the one before ends. */
  #ends = new Uint32Array(1 << 11);
  #bytes = new Uint8Array(1 << 15);
  /** Nobody can write pages whose words all meet in one place. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32);

  get size(): number {
    return this.#count;
  }

  /** Of words that are given as UTF-8, a line each; no lines where there are no bytes. */
  numbersOf(lines: Uint8Array): Uint32Array {
    const numbers = new Uint32Array(countLines(lines));
    let index = 0;
    let start = 0;
    let hash = this.#seed;
    for (let at = 0; at < lines.length; at += 1) {
      const byte = lines[at] ?? 0;
      if (byte === newline) {
        numbers[index++] = this.#numberOf(lines, start, { end: at, hash });
        start = at + 1;
        hash = this.#seed;
      } else hash = Math.imul(hash ^ byte, prime);
    }
    if (lines.length > 0)
      numbers[index] = this.#numberOf(lines, start, { end: lines.length, hash });
    return numbers;
  }

  /** All words by their numbers. */
  texts(): string[] {
    const bytes = Buffer.from(this.#bytes.buffer);
    return Array.from({ length: this.#count }, (_, number) =>
      bytes.toString("utf8", this.#startOf(number), this.#ends[number]),
    );
  }

  #numberOf(
    lines: Uint8Array,
    start: number,
    { end, hash }: { readonly end: number; readonly hash: number },
  ): number {
    const mask = this.#slots.length - 1;
    // The low bits of the hash know little of the high bits of the last bytes.
    const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
    let slot = (mixed ^ (mixed >>> 16)) & mask;
    for (let found = this.#slots[slot]; found; found = this.#slots[slot]) {
      const number = found - 1;
      if (this.#hashes[number] === mixed && this.#isWord(number, lines, start, end)) return number;
      slot = (slot + 1) & mask;
    }
    this.#slots[slot] = this.#count + 1;
    this.#add(lines.subarray(start, end), mixed);
    return this.#count - 1;
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
    return number === 0 ? 0 : (this.#ends[number - 1] ?? 0);
  }

  #add(word: Uint8Array, hash: number): void {
    const number = this.#count;
    const start = this.#startOf(number);
    if (start + word.length > this.#bytes.length) {
      this.#bytes = grown(this.#bytes, new Uint8Array(2 * this.#bytes.length + word.length));
    }
    if (number === this.#ends.length) {
      this.#ends = grown(this.#ends, new Uint32Array(2 * number));
      this.#hashes = grown(this.#hashes, new Uint32Array(2 * number));
    }
    this.#bytes.set(word, start);
    this.#ends[number] = start + word.length;
    this.#hashes[number] = hash;
    this.#count = number + 1;
    if (2 * this.#count > this.#slots.length) this.#spread();
  }

  #spread(): void {
    const slots = new Uint32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let number = 0; number < this.#count; number += 1) {
      const mixed = this.#hashes[number] ?? 0;
      let slot = (mixed ^ (mixed >>> 16)) & mask;
      while (slots[slot]) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}

function countLines(lines: Uint8Array): number {
  if (lines.length === 0) return 0;
  let count = 1;
  for (const byte of lines) if (byte === newline) count += 1;
  return count;
}

function grown<List extends Uint8Array | Uint32Array>(list: List, larger: List): List {
  larger.set(list);
  return larger;
}
