import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import type { Storage } from "../storage/index.ts";
import type { ArchiveEntry, StoredArchive } from "./stored-archive.ts";
import { extract } from "./tar-stream.bundled.ts";
import { readZip } from "./zip.ts";

/**
 * Yields the files of a stored bundle, in the archive's order. Ending the iteration early closes everything. Iterating
 * and reading throw `not_found` if the archive is missing, and `unavailable` if it is damaged.
 */
export async function* readArchive(
  storage: Storage,
  { key, format, bytes }: StoredArchive,
): AsyncGenerator<ArchiveEntry> {
  const entries = format === "zip" ? readZip(storage, key, bytes) : readTarGz(storage, key);
  for await (const entry of translateErrors(entries)) {
    yield { ...entry, open: async () => translateErrors(await entry.open()) };
  }
}

async function* readTarGz(storage: Storage, key: string): AsyncGenerator<ArchiveEntry> {
  const source = await storage.read(key);
  const archive = extract();
  const reading = pipeline(source, createGunzip(), archive);
  // The iteration receives the error from the archive; a reader that stops early destroys the archive.
  reading.catch(() => undefined);
  try {
    for await (const entry of archive) {
      const { name, size, type } = entry.header;
      if (type === "file")
        yield { path: name, bytes: size, open: async () => Readable.from(entry) };
      entry.resume();
    }
  } finally {
    archive.destroy();
    source.destroy();
  }
}

/** Passes the storage's errors on; any other error means that the archive is damaged. */
async function* translateErrors<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch (cause) {
    if (isOctavoError(cause)) throw cause;
    const message = "The bundle's archive cannot be read here; download it.";
    throw new OctavoError("unavailable", message, { cause });
  }
}
