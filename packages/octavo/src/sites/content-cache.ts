import type { OutgoingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { sha256 } from "@octavo/site/core";
import { createSlots } from "../core/index.ts";
import type { Content } from "./send-content.ts";

/** A cache of generated and edited texts, which are created on first request and stored compressed in memory. */
export interface ContentCache {
  /** Returns the content for a key if it is in memory. */
  find(key: string): CachedContent | undefined;
  /**
   * Returns the content for a key, which must identify what `make` returns. Concurrent callers wait for the same
   * content.
   */
  get(key: string, make: () => Promise<GeneratedContent>): Promise<CachedContent>;
}

/** A text, with the headers of its response. */
export interface GeneratedContent {
  readonly type: string;
  readonly text: string;
  readonly headers: OutgoingHttpHeaders;
}

export interface CachedContent extends Content {
  readonly gzipBytes: number;
  readonly headers: OutgoingHttpHeaders;
}

/** The memory that an entry uses in addition to its content. */
const entryOverheadBytes = 1_000;
/** The maximum number of texts that are created at the same time, each of which can use several megabytes. */
const maxConcurrentTexts = 16;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Creates a cache of at most `maxBytes`, which evicts the least recently used content first. */
export function createContentCache(maxBytes: number): ContentCache {
  /** The cached contents, in order of their last use. */
  const contents = new Map<string, CachedContent>();
  const pendingContents = new Map<string, Promise<CachedContent>>();
  const slots = createSlots(maxConcurrentTexts);
  let totalBytes = 0;

  function store(key: string, content: CachedContent): void {
    contents.set(key, content);
    totalBytes += content.gzipBytes + entryOverheadBytes;
    for (const [oldest, { gzipBytes }] of contents) {
      if (totalBytes <= maxBytes) break;
      contents.delete(oldest);
      totalBytes -= gzipBytes + entryOverheadBytes;
    }
  }

  function find(key: string): CachedContent | undefined {
    const content = contents.get(key);
    if (!content) return undefined;
    contents.delete(key);
    contents.set(key, content);
    return content;
  }

  return {
    find,
    async get(key, make) {
      let content = pendingContents.get(key);
      if (!content) {
        content = slots
          .run(async () => {
            const packed = await packText(await make());
            store(key, packed);
            return packed;
          })
          .finally(() => pendingContents.delete(key));
        pendingContents.set(key, content);
      }
      return find(key) ?? (await content);
    },
  };
}

async function packText({ text, type, headers }: GeneratedContent): Promise<CachedContent> {
  const plain = Buffer.from(text);
  // Copy the compressed text, because it is a view of a 64 KB buffer.
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
