import type { BlockCache } from "./archive-items.ts";
import type { PackedFile } from "./packed-file.ts";
import type { ArchiveBlock } from "./deflate.ts";

/** Creates a file whose few bytes consist of its path and `version`. */
export function createTestFile(path: string, version = ""): PackedFile {
  const content = path + version;
  return { path, fingerprint: content, source: () => Buffer.from(content) };
}

/** Creates two small files and a file of 5,000 parts; the part numbered `changed`, if any, has a different text. */
export function createFilesAroundParts(changed = -1): PackedFile[] {
  const parts = Array.from({ length: 5_000 }, (_, at) => {
    const text = `Part ${at}${at === changed ? " has changed" : ""}.\n`;
    return { name: `page-${at}`, fingerprint: text, bytes: () => Buffer.from(text) };
  });
  const source = () => Buffer.concat(parts.map((part) => part.bytes()));
  return [createTestFile("a"), { path: "full.txt", source, parts }, createTestFile("z")];
}

/** Opens a cache in memory that counts what is put into it. The block it returns is valid only until the next call. */
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

/**
 * Collects the bytes of an archive. Copies each piece before it requests the next piece, like a program that writes the
 * archive.
 */
export async function gather(archive: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of archive) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}
