import type { OutgoingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { sha256 } from "@octavo/site/core";
import { createSlots } from "../core/index.ts";
import type { Content } from "./send-content.ts";

/** Generated and edited texts, created on first request and kept compressed in memory. */
export interface ContentCache {
  /** Returns the content for a key if it is in memory. */
  find(key: string): CachedContent | undefined;
  /**
   * Returns the content for a key, which must identify what `make` returns. Concurrent callers wait for the same
   * content.
   */
  get(key: string, make: () => Promise<MadeContent>): Promise<CachedContent>;
}

/** A text, with the headers of its response. */
export interface MadeContent {
  readonly type: string;
  readonly text: string;
  readonly headers: OutgoingHttpHeaders;
}

export interface CachedContent extends Content {
  readonly gzipBytes: number;
  readonly headers: OutgoingHttpHeaders;
}

/** The memory that an entry uses besides its bytes. */
const entryBytes = 1_000;
/** The maximum number of texts that are made at the same time, each of which can use several megabytes. */
const maxMaking = 16;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Creates a cache of at most `maxBytes`, which evicts the least recently used content first. */
export function createContentCache(maxBytes: number): ContentCache {
  /** Most recently used last. */
  const cached = new Map<string, CachedContent>();
  const making = new Map<string, Promise<CachedContent>>();
  const slots = createSlots(maxMaking);
  let total = 0;

  function store(key: string, content: CachedContent): void {
    cached.set(key, content);
    total += content.gzipBytes + entryBytes;
    for (const [oldest, { gzipBytes }] of cached) {
      if (total <= maxBytes) break;
      cached.delete(oldest);
      total -= gzipBytes + entryBytes;
    }
  }

  function find(key: string): CachedContent | undefined {
    const content = cached.get(key);
    if (!content) return undefined;
    cached.delete(key);
    cached.set(key, content);
    return content;
  }

  return {
    find,
    async get(key, make) {
      let content = making.get(key);
      if (!content) {
        content = slots
          .run(async () => {
            const packed = await packText(await make());
            store(key, packed);
            return packed;
          })
          .finally(() => making.delete(key));
        making.set(key, content);
      }
      return find(key) ?? (await content);
    },
  };
}

async function packText({ text, type, headers }: MadeContent): Promise<CachedContent> {
  const plain = Buffer.from(text);
  // Copied, because the compressed text is a view of a 64 KB buffer.
  const packed = new Uint8Array(await compress(plain));
  return {
    type,
    headers,
    tag: sha256(plain).slice(0, 32),
    bytes: plain.length,
    gzipBytes: packed.length,
    read: async ({ start, end }) => (await decompress(packed)).subarray(start, end + 1),
    readGzip: () => packed,
  };
}
