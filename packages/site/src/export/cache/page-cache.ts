import { readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OctavoError } from "../../core/index.ts";
import type { ArchiveBlock, BlockCache } from "../archive/block-cache.ts";
import type { RenderedPage } from "../page/rendered-page.ts";
import { dayMs, maxUnusedMs } from "./mark-used.ts";
import { openSegmentStore } from "./segment-store.ts";
import type { SegmentStore, StoredRecord } from "./segment-store.ts";

/**
 * Rendered pages by page key. It can be lost at any time, and if it cannot be written nothing is cached: pages
 * are then rendered again. No method throws for that.
 */
export interface PageCache extends Disposable {
  /**
   * A page whose texts and terms are read on access, until the cache is disposed of. Access throws
   * `CachedPageDamaged` if they differ from what was put. Its outline is empty.
   */
  get(key: string): CachedPage | undefined;
  put(key: string, page: RenderedPage): void;
  /** Blocks of archives, in the same files as pages. */
  readonly blocks: BlockCache;
  /** Writes what was put, so that it outlives the process. */
  flush(): void;
  /** Removes what no export has used for a month, at most once a day. */
  prune(now?: number): Promise<void>;
}

export interface CachedPage extends RenderedPage {
  /** Size of `markdown`, known without reading it. */
  readonly markdownBytes: number;
}

/** A text of a cached page cannot be read: the export must be repeated without cached pages. */
export class CachedPageDamaged extends OctavoError {
  constructor(cause: unknown) {
    super("internal", "A page in the cache is damaged; delete the cache's folder.", { cause });
  }
}

/** The parts of a page's record; the rest of the page is the record's head. */
const parts = { html: 0, markdown: 1, shown: 2, texts: 3, postings: 4 } as const;

type Head = Omit<RenderedPage, "html" | "markdown" | "terms"> & { readonly sectionCount: number };

/** A cache in a folder that several processes may use at once: the same key always has the same page. */
export function openPageCache(folder: string): PageCache {
  const store = openSegmentStore(join(folder, "pages"));
  return {
    get(key) {
      const record = store.find(key);
      return record && cachedPage(record);
    },
    put(key, { html, markdown, terms, ...others }) {
      const { sectionCount, shown, texts, postings } = terms;
      const head: Head = { ...others, outline: [], sectionCount };
      const { buffer, byteOffset, byteLength } = postings;
      const numbers = new Uint8Array(buffer, byteOffset, byteLength);
      store.append(key, Buffer.from(JSON.stringify(head)), [html, markdown, shown, texts, numbers]);
    },
    blocks: createBlockCache(store),
    flush: () => store.flush(),
    async prune(now = Date.now()) {
      store.compact(now);
      if (!(await claimPruning(folder, now))) return;
      for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
        if (entry.isFile() && entry.name !== pruneMark) {
          const grace = entry.name.endsWith(".part") ? dayMs : maxUnusedMs;
          await removeUnused(join(entry.parentPath, entry.name), now - grace);
        }
      }
    },
    [Symbol.dispose]: () => store.close(),
  };
}

function cachedPage(record: StoredRecord): CachedPage {
  const { sectionCount, ...others } = JSON.parse(record.head.toString()) as Head;
  function part(name: keyof typeof parts): Buffer {
    try {
      return record.part(parts[name]);
    } catch (cause) {
      throw new CachedPageDamaged(cause);
    }
  }
  return {
    ...others,
    markdownBytes: record.bytesOf(parts.markdown),
    get html() {
      return part("html");
    },
    get markdown() {
      return part("markdown");
    },
    terms: {
      sectionCount,
      get shown() {
        return part("shown");
      },
      get texts() {
        return part("texts");
      },
      get postings() {
        const { buffer, byteOffset, length } = part("postings");
        return new Uint32Array(buffer, byteOffset, length / 4);
      },
    },
  };
}

function createBlockCache(store: SegmentStore): BlockCache {
  return {
    get(key) {
      const record = store.find(key);
      if (!record) return undefined;
      const { crc, bytes } = JSON.parse(record.head.toString()) as Omit<ArchiveBlock, "compressed">;
      try {
        return { crc, bytes, compressed: record.part(0) };
      } catch {
        return undefined;
      }
    },
    put(key, { compressed, ...about }) {
      store.append(key, Buffer.from(JSON.stringify(about)), [compressed]);
    },
  };
}

/** A file whose time says when the cache was last pruned. */
const pruneMark = "pruned";

/** Claims today's pruning; false if it was claimed before, or nothing can be written. */
async function claimPruning(folder: string, now: number): Promise<boolean> {
  const mark = join(folder, pruneMark);
  const last = await stat(mark).catch(() => undefined);
  if (last && now - last.mtimeMs < dayMs) return false;
  return writeFile(mark, "").then(
    () => true,
    () => false,
  );
}

async function removeUnused(file: string, beforeMs: number): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found && found.mtimeMs < beforeMs) await rm(file, { force: true });
}
