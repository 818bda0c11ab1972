import { closeSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { ByteStore } from "../../search/index.ts";

/** Size of a block, which is read and written as a whole and has one checksum. A multiple of the size of a number. */
const blockBytes = 64 * 1024;
/** Number of full blocks that stay in memory before a file is created, which small sites do not need. */
const maxBlocksInMemory = 64;
/** Number of recently read blocks that stay in memory. */
const maxBlocksRead = 16;

/** The data needed to open the file again. */
export interface StoredFile {
  readonly length: number;
  /** The checksum of each block. */
  readonly sums: Uint32Array;
}

/** A byte store that moves to a file when it grows. */
export interface StoreFile extends ByteStore {
  /** Gives the file a permanent name. Nothing can be appended after this. Throws if a write fails. */
  persist(file: string): StoredFile;
}

/**
 * `partial` returns the name of the temporary file. Unless it was persisted, it is removed when the store is disposed
 * of.
 */
export function createStoreFile(partial: () => string): StoreFile {
  return new Store(partial);
}

/**
 * Opens a stored file. Throws if the file is missing. If a block is damaged, `read` throws the error that `fail`
 * returns.
 */
export function openStoreFile(file: string, stored: StoredFile, fail: () => Error): ByteStore {
  const { length } = stored;
  const blocks = createBlockReader(openSync(file, "r"), { ...stored, fail });
  return {
    length,
    append() {
      throw new Error("Cannot append to a stored file.");
    },
    read: (from, to) => readBlocks(blocks.read, from, to),
    [Symbol.dispose]: blocks.close,
  };
}

class Store implements StoreFile {
  readonly #partial: () => string;
  /** Full blocks that are not in the file, by number. */
  readonly #blocks = new Map<number, Buffer>();
  #last = Buffer.allocUnsafeSlow(blockBytes);
  #length = 0;
  #sums = new Uint32Array(maxBlocksInMemory);
  #file: OpenFile | undefined;
  /** Whether a write failed. All further blocks then stay in memory. */
  #isFull = false;

  constructor(partial: () => string) {
    this.#partial = partial;
  }

  get length(): number {
    return this.#length;
  }

  append(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length;) {
      const at = this.#length % blockBytes;
      const size = Math.min(bytes.length - done, blockBytes - at);
      this.#last.set(bytes.subarray(done, done + size), at);
      done += size;
      this.#length += size;
      if (at + size === blockBytes) this.#endBlock();
    }
  }

  read(from: number, to: number): Uint8Array {
    return readBlocks((block) => this.#block(block), from, to);
  }

  persist(name: string): StoredFile {
    const full = Math.floor(this.#length / blockBytes);
    this.#blocks.set(full, this.#last.subarray(0, this.#length % blockBytes));
    this.#writeBlocks();
    if (this.#isFull || !this.#file) throw new Error(`${name} cannot be written.`);
    renameSync(this.#file.path, name);
    this.#file.isKept = true;
    return { length: this.#length, sums: this.#sums.slice(0, full + 1) };
  }

  [Symbol.dispose](): void {
    const file = this.#file;
    this.#file = undefined;
    this.#blocks.clear();
    file?.reader.close();
    if (file && !file.isKept) rmSync(file.path, { force: true });
  }

  #block(number: number): Uint8Array {
    if (number === Math.floor(this.#length / blockBytes)) return this.#last;
    return this.#blocks.get(number) ?? this.#file?.reader.read(number) ?? noBytes;
  }

  #endBlock(): void {
    this.#blocks.set(this.#length / blockBytes - 1, this.#last);
    if (this.#file || this.#blocks.size > maxBlocksInMemory) this.#writeBlocks();
    // The bytes are in the file, so the next block can reuse their memory.
    if (this.#blocks.size > 0) this.#last = Buffer.allocUnsafeSlow(blockBytes);
  }

  #writeBlocks(): void {
    if (this.#isFull) return;
    try {
      this.#file ??= createFile(this.#partial());
      for (const [number, block] of this.#blocks) {
        this.#writeBlock(this.#file, number, block);
        this.#blocks.delete(number);
      }
    } catch {
      this.#isFull = true;
    }
  }

  #writeBlock({ descriptor }: OpenFile, number: number, block: Uint8Array): void {
    const size = writeSync(descriptor, block, 0, block.length, number * blockBytes);
    if (size !== block.length) throw new Error("The disk is full.");
    if (number >= this.#sums.length) {
      const larger = new Uint32Array(2 * number);
      larger.set(this.#sums);
      this.#sums = larger;
    }
    this.#sums[number] = crc32(block);
  }
}

const noBytes = new Uint8Array();

interface OpenFile {
  readonly path: string;
  readonly descriptor: number;
  readonly reader: BlockReader;
  isKept: boolean;
}

function createFile(path: string): OpenFile {
  const descriptor = openSync(path, "wx+", 0o644);
  return { path, descriptor, reader: createBlockReader(descriptor), isKept: false };
}

interface BlockReader {
  readonly read: (block: number) => Uint8Array;
  readonly close: () => void;
}

/**
 * Keeps the most recently read blocks in a fixed amount of memory that is reused, because the allocator would not
 * release all of the memory of thousands of blocks. Without `stored`, callers read only full blocks that were written.
 */
function createBlockReader(
  descriptor: number,
  stored?: StoredFile & { readonly fail: () => Error },
): BlockReader {
  const recent = new Map<number, Buffer>();
  function load(block: number, memory: Buffer): void {
    const start = block * blockBytes;
    const length = Math.min(blockBytes, (stored?.length ?? Infinity) - start);
    const size = readSync(descriptor, memory, 0, length, start);
    const isWhole =
      size === length && (!stored || crc32(memory.subarray(0, length)) === stored.sums[block]);
    if (!isWhole) throw stored?.fail() ?? new Error("A cache file was truncated.");
  }
  function takeMemory(): Buffer {
    const [oldest] = recent.size === maxBlocksRead ? recent : [];
    if (oldest) recent.delete(oldest[0]);
    return oldest?.[1] ?? Buffer.allocUnsafeSlow(blockBytes);
  }
  return {
    read(block) {
      const known = recent.get(block);
      if (known) return known;
      const memory = takeMemory();
      load(block, memory);
      recent.set(block, memory);
      return memory;
    },
    close: () => closeSync(descriptor),
  };
}

function readBlocks(read: (block: number) => Uint8Array, from: number, to: number): Uint8Array {
  const first = Math.floor(from / blockBytes);
  const start = first * blockBytes;
  if (to - start <= blockBytes) {
    return from === to ? new Uint8Array() : read(first).subarray(from - start, to - start);
  }
  const bytes = Buffer.allocUnsafeSlow(to - from);
  for (let at = from; at < to;) {
    const block = Math.floor(at / blockBytes);
    const part = read(block).subarray(at - block * blockBytes, to - block * blockBytes);
    bytes.set(part, at - from);
    at += part.length;
  }
  return bytes;
}
