import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import { extract } from "./tar-stream.bundled.ts";
import type { StoredBundle } from "../../jobs/index.ts";
import type { Storage } from "../../storage/index.ts";
import type { ArchivedFile } from "./archived-file.ts";
import { readZip } from "./zip-files.ts";

/**
 * The files of a stored bundle, in the order of the archive. Ending the iteration early closes everything.
 * Iterating and reading throw `unavailable` where the archive is damaged.
 */
export async function* filesOf(
  storage: Storage,
  { key, format, bytes }: Pick<StoredBundle, "key" | "format" | "bytes">,
): AsyncGenerator<ArchivedFile> {
  const files = format === "zip" ? readZip(storage, key, bytes) : readTarGz(storage, key);
  for await (const file of orUnavailable(files)) {
    yield {
      ...file,
      open: async () => Readable.from(orUnavailable(await file.open()), { objectMode: false }),
    };
  }
}

async function* readTarGz(storage: Storage, key: string): AsyncGenerator<ArchivedFile> {
  const source = await storage.read(key);
  const archive = extract();
  const reading = pipeline(source, createGunzip(), archive);
  // Whoever iterates gets the error from the archive; a reader that stops early destroys it.
  reading.catch(() => undefined);
  try {
    for await (const entry of archive) {
      const { name, size, type } = entry.header;
      if (type === "file") {
        yield { path: name, bytes: size, open: async () => entry as unknown as Readable };
      }
      entry.resume();
    }
  } finally {
    archive.destroy();
    source.destroy();
  }
}

/** What the storage says is passed on; all else is the archive's fault. */
async function* orUnavailable<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch (cause) {
    if (isOctavoError(cause)) throw cause;
    const message = "The bundle's archive cannot be read here; download it.";
    throw new OctavoError("unavailable", message, { cause });
  }
}
