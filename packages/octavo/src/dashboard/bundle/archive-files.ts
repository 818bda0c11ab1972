import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { extract } from "tar-stream";
import type { StoredBundle } from "../../jobs/index.ts";
import type { Storage } from "../../storage/index.ts";
import { readZip } from "./zip-files.ts";

/** A file of a bundle. Its content is read, or left, before the next file is asked for. */
export interface ArchivedFile {
  /** As the archive says it: not to be used as a path without a check. */
  readonly path: string;
  readonly bytes: number;
  /** Throws `unavailable` where the archive is damaged. */
  open(): Promise<Readable>;
}

/** The files of a stored bundle, in the order of the archive. Ending the iteration early closes everything. */
export function filesOf(
  storage: Storage,
  { key, format, bytes }: Pick<StoredBundle, "key" | "format" | "bytes">,
): AsyncGenerator<ArchivedFile> {
  return format === "zip" ? readZip(storage, key, bytes) : readTarGz(storage, key);
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
