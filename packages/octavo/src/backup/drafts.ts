import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { mkdir } from "node:fs/promises";
import { createGzip } from "node:zlib";
import type { Snapshot } from "../db/index.ts";

/** A file on this machine that is to be stored or was fetched. */
interface FileDraft {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A file with the rows of one table, one JSON object per line. */
interface TableDraft {
  readonly name: string;
  readonly rows: number;
  readonly path: string;
}

/** Writes a stream to a new file in a folder. Returns the file with its size and hash. */
export async function writeFileDraft(source: Readable, folder: string): Promise<FileDraft> {
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

/**
 * Writes the rows of every table to a compressed file. The compression is fast rather than strong, because the database
 * waits in the meantime.
 */
export async function writeTableDrafts(snapshot: Snapshot, folder: string): Promise<TableDraft[]> {
  await mkdir(folder, { recursive: true });
  const drafts: TableDraft[] = [];
  for (const name of snapshot.tables) {
    const path = join(folder, `${name}.jsonl.gz`);
    let rows = 0;
    const lines = async function* () {
      for await (const batch of snapshot.rows(name)) {
        rows += batch.length;
        yield `${batch.join("\n")}\n`;
      }
    };
    await pipeline(
      Readable.from(lines()),
      createGzip({ level: 1 }),
      createWriteStream(path, { mode: 0o600 }),
    );
    drafts.push({ name, rows, path });
  }
  return drafts;
}
