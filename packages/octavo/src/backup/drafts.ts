import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Transform } from "node:stream";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** A temporary file on this machine: one that is about to be stored, or one that was fetched. */
interface FileDraft {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Writes a stream to a new file in a folder. Returns the file with its size and hash. */
export async function writeFileDraft(source: Readable, folder: string): Promise<FileDraft> {
  const path = join(folder, randomUUID());
  const hash = createHash("sha256");
  let bytes = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(source, meter, createWriteStream(path, { mode: 0o600 }));
  return { path, bytes, sha256: hash.digest("hex") };
}
