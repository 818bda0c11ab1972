import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Snapshot } from "../db/index.ts";

/** The rows of one table, one JSON object in each line, in a file. */
export interface TableDraft {
  readonly name: string;
  readonly rows: number;
  readonly path: string;
}

/** Writes the rows of every table into compressed files. Fast rather than small: the database waits for it. */
export async function draftTables(snapshot: Snapshot, folder: string): Promise<TableDraft[]> {
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
