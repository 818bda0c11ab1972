import { randomUUID } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
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
import { createStoreFile, openStoreFile } from "./store-file.ts";
import type { StoredFile, StoreFile } from "./store-file.ts";

/**
 * An index as stored in a file. The data that grows with the site is in columns. The index's stores are files next to
 * this file.
 */
interface StoredIndex extends Omit<CachedIndex, Part | "lines" | "pages" | "groups" | "docs"> {
  readonly pages: string;
  readonly groups: StoredGroups;
  readonly docs: Omit<CachedDocs, "fingerprints"> & { readonly fingerprints: string };
  readonly lines: Omit<CachedIndex["lines"], "bytes">;
  /** Distinguishes the stores of this index from those of other indexes with the same name. */
  readonly id: string;
  readonly stores: Readonly<Record<Part | "lines", StoredFile>>;
}

type Part = "postings" | "pageTerms";

interface StoredGroups {
  readonly prefixes: string;
  /** Three numbers per entry: its first term, the term after its last, and the end of its best sections in `best`. */
  readonly places: Uint32Array;
  readonly best: Uint32Array;
}

function toStoredGroups(groups: CachedIndex["groups"]): StoredGroups {
  const places = new Uint32Array(3 * groups.size);
  const best = new Uint32Array(groups.values().reduce((sum, group) => sum + group.best.length, 0));
  let end = 0;
  for (const [number, group] of [...groups.values()].entries()) {
    best.set(group.best, end);
    end += group.best.length;
    places.set([group.from, group.to, end], 3 * number);
  }
  return { prefixes: joinTexts([...groups.keys()]), places, best };
}

function fromStoredGroups({ prefixes, places, best }: StoredGroups): CachedIndex["groups"] {
  const entries = splitTexts(prefixes).map((prefix, number): [string, CachedGroup] => {
    const [from = 0, to = 0, end] = places.subarray(3 * number, 3 * number + 3);
    const start = number === 0 ? 0 : places[3 * number - 1];
    return [prefix, { from, to, best: best.subarray(start, end) }];
  });
  return new Map(entries);
}

/** `version` is the version of the renderer: other versions build different files from the same pages. */
export function createSearchIndexCache(
  dir: string,
  version: string,
): SearchIndexCache & Disposable {
  const open = new DisposableStack();
  const made = new Map<ByteStore, StoreFile>();
  const fileOf = (name: string) => join(dir, sha256(name).slice(0, 32));

  function partialFile(): string {
    makeFolder(dir, 0o700);
    return join(dir, `${randomUUID()}.part`);
  }
  function persist(store: ByteStore, file: string): StoredFile {
    const stored = made.get(store)?.persist(file);
    if (!stored) throw new Error("The store does not belong to this cache.");
    return stored;
  }
  return {
    createStore() {
      const store = open.use(createStoreFile(partialFile));
      made.set(store, store);
      return store;
    },
    read(name) {
      const file = fileOf(name);
      const stored = readCachedValue(file, version) as StoredIndex | undefined;
      if (!stored) return undefined;
      const { id, stores, pages, groups, docs, ...index } = stored;
      function fail(): Error {
        rmSync(file, { force: true });
        return new CacheDamagedError();
      }
      try {
        const [postings, pageTerms, bytes] = (["postings", "pageTerms", "lines"] as const).map(
          (part) => open.use(openStoreFile(`${file}-${id}-${part}`, stores[part], fail)),
        ) as [ByteStore, ByteStore, ByteStore];
        return {
          ...index,
          pages: splitTexts(pages),
          groups: fromStoredGroups(groups),
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
      const { bytes, ...about } = lines;
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
          lines: about,
          id,
          stores,
        };
        writeCachedValue(file, version, stored);
        removeEarlierStores(file, id);
      } catch {
        // The disk refused the write; the next export builds the index from scratch.
      }
    },
    [Symbol.dispose]: () => open.dispose(),
  };
}

/** Removes the stores of earlier indexes. A process that is reading one of them can continue, since it has it open. */
function removeEarlierStores(file: string, id: string): void {
  const folder = join(file, "..");
  const ofIndex = `${basename(file)}-`;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(ofIndex) && !name.startsWith(ofIndex + id)) {
      rmSync(join(folder, name), { force: true });
    }
  }
}
