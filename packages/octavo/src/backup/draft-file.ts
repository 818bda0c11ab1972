import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Transform } from "node:stream";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** A file of this machine that is about to be stored, or was fetched. */
export interface FileDraft {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Writes a stream into a new file of a folder, and tells what its bytes are. */
export async function draftFile(source: Readable, folder: string): Promise<FileDraft> {
  const path = join(folder, randomUUID());
  const hash = createHash("sha256");
  let bytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(source, measure, createWriteStream(path, { mode: 0o600 }));
  return { path, bytes, sha256: hash.digest("hex") };
}
