import type { ArchiveBlock, BlockCache } from "./block-cache.ts";
import type { PackedFile } from "./packed-file.ts";

/** A file of a few bytes, which say its path and `version`. */
export function fileOf(path: string, version = ""): PackedFile {
  const content = path + version;
  return { path, fingerprint: content, source: () => Buffer.from(content) };
}

/** Files around one of 5,000 parts, of which one may have another text. */
export function filesAroundParts(changed = -1): PackedFile[] {
  const parts = Array.from({ length: 5_000 }, (_, at) => {
    const text = `Part ${at}${at === changed ? " has changed" : ""}.\n`;
    return { fingerprint: text, bytes: () => Buffer.from(text) };
  });
  const source = () => Buffer.concat(parts.map((part) => part.bytes()));
  return [fileOf("a"), { path: "full.txt", source, parts }, fileOf("z")];
}

/** A cache in memory that counts what is put into it. */
export function openMemoryCache(): BlockCache & { puts: number } {
  const blocks = new Map<string, ArchiveBlock>();
  return {
    puts: 0,
    factsOf: (key) => blocks.get(key)?.facts,
    get: (key) => blocks.get(key),
    put(key, block) {
      this.puts += 1;
      blocks.set(key, block);
    },
  };
}
