import { readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OctavoError } from "../../core/index.ts";
import type { Block, KeptBlocks } from "../archive/kept-blocks.ts";
import type { RenderedPage } from "../rendered-page.ts";
import { dayMs, keptMs, openSegmentStore } from "./segment-store.ts";
import type { SegmentStore, StoredRecord } from "./segment-store.ts";

/**
 * Rendered pages by a hash of what they depend on. It can be lost at any time, and where it cannot be
 * written nothing is kept: a page is then rendered again. No method throws for that.
 */
export interface RenderCache extends Disposable {
  /**
   * A page whose texts and terms are read when they are asked for, until the cache is disposed of. Asking
   * throws `KeptPageDamaged` where they are not as they were kept. Its outline is empty.
   */
  get(key: string): KeptPage | undefined;
  put(key: string, page: RenderedPage): void;
  /** Blocks of archives, in the same files as pages. */
  readonly blocks: KeptBlocks;
  /** What was put outlives the process from here on. */
  flush(): void;
  /** Removes what no export has used for a month; at most once a day. */
  prune(now?: number): Promise<void>;
}

export interface KeptPage extends RenderedPage {
  /** The bytes of `markdown`, which are known without reading it. */
  readonly markdownBytes: number;
}

/** What a kept page was made of cannot be read any more: the export has to begin again without the cache. */
export class KeptPageDamaged extends OctavoError {
  constructor(cause: unknown) {
    super("internal", "A page in the cache is damaged; delete the cache's folder.", { cause });
  }
}

/** The parts of a page's record; what else is kept of it is its head. */
const parts = { html: 0, markdown: 1, shown: 2, words: 3, postings: 4 } as const;

type Head = Omit<RenderedPage, "html" | "markdown" | "terms"> & { readonly sectionCount: number };

/** A cache in a folder, safe for several processes at once: the same key always holds the same page. */
export function openRenderCache(folder: string): RenderCache {
  const store = openSegmentStore(join(folder, "pages"));
  return {
    get(key) {
      const record = store.find(key);
      return record && keptPage(record);
    },
    put(key, { html, markdown, terms, ...facts }) {
      const { sectionCount, shown, words, postings } = terms;
      const head: Head = { ...facts, outline: [], sectionCount };
      const { buffer, byteOffset, byteLength } = postings;
      const numbers = new Uint8Array(buffer, byteOffset, byteLength);
      store.append(key, Buffer.from(JSON.stringify(head)), [html, markdown, shown, words, numbers]);
    },
    blocks: createKeptBlocks(store),
    flush: () => store.flush(),
    async prune(now = Date.now()) {
      store.tidy(now);
      if (!(await isDue(folder, now))) return;
      for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
        if (entry.isFile() && entry.name !== stampName) {
          const grace = entry.name.endsWith(".part") ? dayMs : keptMs;
          await removeUnused(join(entry.parentPath, entry.name), now - grace);
        }
      }
    },
    [Symbol.dispose]: () => store.close(),
  };
}

function keptPage(record: StoredRecord): KeptPage {
  const { sectionCount, ...facts } = JSON.parse(record.head.toString()) as Head;
  function part(name: keyof typeof parts): Buffer {
    try {
      return record.part(parts[name]);
    } catch (cause) {
      throw new KeptPageDamaged(cause);
    }
  }
  return {
    ...facts,
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
      get words() {
        return part("words");
      },
      get postings() {
        const { buffer, byteOffset, length } = part("postings");
        return new Uint32Array(buffer, byteOffset, length / 4);
      },
    },
  };
}

function createKeptBlocks(store: SegmentStore): KeptBlocks {
  return {
    get(key) {
      const record = store.find(key);
      if (!record) return undefined;
      const { crc, bytes } = JSON.parse(record.head.toString()) as Omit<Block, "compressed">;
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

const stampName = "pruned";

/** Writes down that it is done today; false where it was, and where nothing can be written. */
async function isDue(folder: string, now: number): Promise<boolean> {
  const stamp = join(folder, stampName);
  const last = await stat(stamp).catch(() => undefined);
  if (last && now - last.mtimeMs < dayMs) return false;
  return writeFile(stamp, "").then(
    () => true,
    () => false,
  );
}

/** Says that a kept file was used. A day's grace saves a write for each page of each export. */
export async function touch(file: string, now: number): Promise<void> {
  const { mtimeMs } = await stat(file);
  if (now - mtimeMs > dayMs) await utimes(file, now / 1_000, now / 1_000);
}

async function removeUnused(file: string, beforeMs: number): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found && found.mtimeMs < beforeMs) await rm(file, { force: true });
}
