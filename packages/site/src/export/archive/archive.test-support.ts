import type { ArchiveBlock, BlockCache } from "./blocks.ts";
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
    return { name: `page-${at}`, fingerprint: text, bytes: () => Buffer.from(text) };
  });
  const source = () => Buffer.concat(parts.map((part) => part.bytes()));
  return [fileOf("a"), { path: "full.txt", source, parts }, fileOf("z")];
}

/** A cache in memory that counts what is put into it. What it gives lasts until the next call only. */
export function openMemoryCache(): BlockCache & { puts: number; version: string } {
  const blocks = new Map<string, ArchiveBlock>();
  let given = Buffer.alloc(0);
  return {
    version: "1",
    puts: 0,
    factsOf: (key) => blocks.get(key)?.facts,
    get(key) {
      given.fill("?");
      const block = blocks.get(key);
      if (!block) return undefined;
      given = Buffer.from(block.content);
      return { facts: block.facts, content: given };
    },
    put(key, block) {
      this.puts += 1;
      blocks.set(key, { ...block, content: Buffer.from(block.content) });
    },
  };
}

/** The archive, each piece of which is copied before the next is asked for, as whoever writes it does. */
export async function gather(archive: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of archive) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}
