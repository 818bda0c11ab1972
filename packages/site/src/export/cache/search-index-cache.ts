import { randomUUID } from "node:crypto";
import { readdirSync, rmSync, closeSync, openSync, readSync, renameSync, writeSync } from "node:fs";
import { basename, join } from "node:path";
import { crc32 } from "node:zlib";
import { makeFolder, sha256 } from "../../core/index.ts";
import type {
  ByteStore,
  CachedDocs,
  CachedGroup,
  CachedIndex,
  SearchIndexCache,
} from "../../search/index.ts";
import { joinTexts, splitTexts, readCachedValue, writeCachedValue } from "./value-file.ts";
import { CacheDamagedError } from "./cache-damaged.ts";

/**
 * A search index as stored in a file. The data that grows with the site is in columns. The index's stores are files
 * next to this file.
 */
interface StoredIndex extends Omit<CachedIndex, Part | "lines" | "pages" | "groups" | "docs"> {
  readonly pages: string;
  readonly groups: StoredGroups;
  readonly docs: Omit<CachedDocs, "fingerprints"> & { readonly fingerprints: string };
  readonly lines: Omit<CachedIndex["lines"], "bytes">;
  /** Distinguishes the stores of this index from the stores of other indexes with the same name. */
  readonly id: string;
  readonly stores: Readonly<Record<Part | "lines", StoredFile>>;
}

type Part = "postings" | "pageTerms";

interface StoredGroups {
  readonly prefixes: string;
  /**
   * Three numbers per entry: its first term, the term after its last term, and the end of its best sections in `best`.
   */
  readonly positions: Uint32Array;
  readonly best: Uint32Array;
}

function toStoredGroups(groups: CachedIndex["groups"]): StoredGroups {
  const positions = new Uint32Array(3 * groups.size);
  const best = new Uint32Array(groups.values().reduce((sum, group) => sum + group.best.length, 0));
  let end = 0;
  for (const [number, group] of [...groups.values()].entries()) {
    best.set(group.best, end);
    end += group.best.length;
    positions.set([group.from, group.to, end], 3 * number);
  }
  return { prefixes: joinTexts([...groups.keys()]), positions, best };
}

function toCachedGroups({ prefixes, positions, best }: StoredGroups): CachedIndex["groups"] {
  const entries = splitTexts(prefixes).map((prefix, number): [string, CachedGroup] => {
    const [from = 0, to = 0, end] = positions.subarray(3 * number, 3 * number + 3);
    const start = number === 0 ? 0 : positions[3 * number - 1];
    return [prefix, { from, to, best: best.subarray(start, end) }];
  });
  return new Map(entries);
}

/**
 * Creates a cache of search indexes in a folder. `version` is the version of the renderer: other versions may build
 * different files from the same pages.
 */
export function createSearchIndexCache(
  dir: string,
  version: string,
): SearchIndexCache & Disposable {
  const openStores = new DisposableStack();
  const createdStores = new Map<ByteStore, StoreFile>();
  const fileOf = (name: string) => join(dir, sha256(name).slice(0, 32));

  function partialFile(): string {
    makeFolder(dir, 0o700);
    return join(dir, `${randomUUID()}.part`);
  }
  function persist(store: ByteStore, file: string): StoredFile {
    const stored = createdStores.get(store)?.persist(file);
    if (!stored) throw new Error("The store does not belong to this cache.");
    return stored;
  }
  return {
    createStore() {
      const store = openStores.use(createStoreFile(partialFile));
      createdStores.set(store, store);
      return store;
    },
    read(name) {
      const file = fileOf(name);
      const stored = readCachedValue(file, version) as StoredIndex | undefined;
      if (!stored) return undefined;
      const { id, stores, pages, groups, docs, ...index } = stored;
      function onDamage(): Error {
        rmSync(file, { force: true });
        return new CacheDamagedError();
      }
      try {
        const [postings, pageTerms, bytes] = (["postings", "pageTerms", "lines"] as const).map(
          (part) => openStores.use(openStoreFile(`${file}-${id}-${part}`, stores[part], onDamage)),
        ) as [ByteStore, ByteStore, ByteStore];
        return {
          ...index,
          pages: splitTexts(pages),
          groups: toCachedGroups(groups),
          docs: { ...docs, fingerprints: splitTexts(docs.fingerprints) },
          postings,
          pageTerms,
          lines: { ...index.lines, bytes },
        };
      } catch {
        return undefined;
      }
    },
    write(name, { postings, pageTerms, lines, pages, groups, docs, ...others }) {
      const file = fileOf(name);
      const id = randomUUID();
      const { bytes, ...lineFields } = lines;
      try {
        const stores: StoredIndex["stores"] = {
          postings: persist(postings, `${file}-${id}-postings`),
          pageTerms: persist(pageTerms, `${file}-${id}-pageTerms`),
          lines: persist(bytes, `${file}-${id}-lines`),
        };
        const stored: StoredIndex = {
          ...others,
          pages: joinTexts(pages),
          groups: toStoredGroups(groups),
          docs: { ...docs, fingerprints: joinTexts(docs.fingerprints) },
          lines: lineFields,
          id,
          stores,
        };
        writeCachedValue(file, version, stored);
        removeEarlierStores(file, id);
      } catch {
        // The write failed, so the next export builds the index from scratch.
      }
    },
    [Symbol.dispose]: () => openStores.dispose(),
  };
}

/**
 * Removes the stores of earlier indexes. A process that is reading one of them can continue, because it has the file
 * open.
 */
function removeEarlierStores(file: string, id: string): void {
  const folder = join(file, "..");
  const ofIndex = `${basename(file)}-`;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(ofIndex) && !name.startsWith(ofIndex + id)) {
      rmSync(join(folder, name), { force: true });
    }
  }
}

/**
 * The size of a block, which is read and written as a whole and has one checksum. It is a multiple of the size of a
 * number.
 */
const blockBytes = 64 * 1024;
/** Number of full blocks that stay in memory before a file is created. Small sites do not need a file. */
const maxBlocksInMemory = 64;
/** Number of recently read blocks that stay in memory. */
const maxCachedBlocks = 16;

/** The data needed to open the file again. */
interface StoredFile {
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
 * Creates a store. `getPartialFile` returns the path of its temporary file, which is removed when the store is disposed
 * of, unless it was persisted.
 */
export function createStoreFile(getPartialFile: () => string): StoreFile {
  return new Store(getPartialFile);
}

/**
 * Opens a stored file. Throws if the file is missing. If a block is corrupt, `read` throws the error that `onDamage`
 * returns.
 */
export function openStoreFile(file: string, stored: StoredFile, onDamage: () => Error): ByteStore {
  const { length } = stored;
  const blocks = createBlockReader(openSync(file, "r"), { ...stored, onDamage });
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
  readonly #getPartialFile: () => string;
  /** Full blocks that are not in the file, by number. */
  readonly #blocks = new Map<number, Buffer>();
  #lastBlock = Buffer.allocUnsafeSlow(blockBytes);
  #length = 0;
  #sums = new Uint32Array(maxBlocksInMemory);
  #file: OpenFile | undefined;
  /** If a write failed, all further blocks stay in memory. */
  #hasWriteFailed = false;

  constructor(getPartialFile: () => string) {
    this.#getPartialFile = getPartialFile;
  }

  get length(): number {
    return this.#length;
  }

  append(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length;) {
      const at = this.#length % blockBytes;
      const size = Math.min(bytes.length - done, blockBytes - at);
      this.#lastBlock.set(bytes.subarray(done, done + size), at);
      done += size;
      this.#length += size;
      if (at + size === blockBytes) this.#endBlock();
    }
  }

  read(from: number, to: number): Uint8Array {
    return readBlocks((block) => this.#getBlock(block), from, to);
  }

  persist(name: string): StoredFile {
    const full = Math.floor(this.#length / blockBytes);
    this.#blocks.set(full, this.#lastBlock.subarray(0, this.#length % blockBytes));
    this.#writeBlocks();
    if (this.#hasWriteFailed || !this.#file) throw new Error(`${name} cannot be written.`);
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

  #getBlock(number: number): Uint8Array {
    if (number === Math.floor(this.#length / blockBytes)) return this.#lastBlock;
    return this.#blocks.get(number) ?? this.#file?.reader.read(number) ?? noBytes;
  }

  #endBlock(): void {
    this.#blocks.set(this.#length / blockBytes - 1, this.#lastBlock);
    if (this.#file || this.#blocks.size > maxBlocksInMemory) this.#writeBlocks();
    // The bytes are in the file, so the next block can reuse their memory.
    if (this.#blocks.size > 0) this.#lastBlock = Buffer.allocUnsafeSlow(blockBytes);
  }

  #writeBlocks(): void {
    if (this.#hasWriteFailed) return;
    try {
      this.#file ??= createFile(this.#getPartialFile());
      for (const [number, block] of this.#blocks) {
        this.#writeBlock(this.#file, number, block);
        this.#blocks.delete(number);
      }
    } catch {
      this.#hasWriteFailed = true;
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
 * release all of the memory of thousands of blocks. Without `stored`, only full blocks can be read.
 */
function createBlockReader(
  descriptor: number,
  stored?: StoredFile & { readonly onDamage: () => Error },
): BlockReader {
  const recent = new Map<number, Buffer>();
  function load(block: number, memory: Buffer): void {
    const start = block * blockBytes;
    const length = Math.min(blockBytes, (stored?.length ?? Infinity) - start);
    const size = readSync(descriptor, memory, 0, length, start);
    const isWhole =
      size === length && (!stored || crc32(memory.subarray(0, length)) === stored.sums[block]);
    if (!isWhole) throw stored?.onDamage() ?? new Error("A cache file was truncated.");
  }
  function takeMemory(): Buffer {
    const [oldest] = recent.size === maxCachedBlocks ? recent : [];
    if (oldest) recent.delete(oldest[0]);
    return oldest?.[1] ?? Buffer.allocUnsafeSlow(blockBytes);
  }
  return {
    read(block) {
      const cached = recent.get(block);
      if (cached) return cached;
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
