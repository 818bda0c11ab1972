import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import { readSnapshot } from "../db/index.ts";
import type { Database, Snapshot } from "../db/index.ts";
import type { Storage } from "../storage/index.ts";
import { writeFileDraft } from "./drafts.ts";
import {
  toBackupKey,
  computeSecretFingerprint,
  manifestKey,
  sumBytes,
  sumRows,
} from "./manifest.ts";
import type { BackedUpFile, BackupManifest, ReportProgress } from "./manifest.ts";
import { listReferencedFiles } from "./referenced-files.ts";
import type { ReferencedFile } from "./referenced-files.ts";

export interface BackupOptions {
  readonly database: Pick<Database, "kysely">;
  /** The service's storage. */
  readonly storage: Storage;
  /** The storage that receives the backup. */
  readonly target: Storage;
  readonly secret: string;
  /** The program's version. */
  readonly version: string;
  /** A folder for temporary files, which the caller removes. */
  readonly workDir: string;
  /** Whether to omit bundles, which exports can create again. */
  readonly shouldOmitBundles: boolean;
  readonly onProgress: ReportProgress;
}

/**
 * The maximum number of attempts. A backup starts again if a file that its rows reference was removed in the meantime.
 */
const maxAttempts = 3;

/**
 * Writes one consistent state of a service, which may be running, to an empty location. Throws `conflict` if the
 * location already contains a backup.
 */
export async function writeBackup(options: BackupOptions): Promise<BackupManifest> {
  const { target, onProgress } = options;
  if ((await target.stat(manifestKey)) !== undefined) {
    throw new OctavoError(
      "conflict",
      "This location already contains a backup; choose a different location.",
    );
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await writeAttempt(options, attempt);
    } catch (error) {
      if (!isOctavoError(error, "not_found") || attempt === maxAttempts) throw error;
      onProgress({ step: "again", reason: error.message });
    }
  }
}

async function writeAttempt(options: BackupOptions, attempt: number): Promise<BackupManifest> {
  const { database, target, version, workDir, onProgress } = options;
  const createdAt = new Date().toISOString();
  // Rows are first written to local files, because the database waits until all rows are read.
  const { drafts, migrations, references } = await readSnapshot(
    database.kysely,
    async (snapshot) => ({
      drafts: await writeTableDrafts(snapshot, join(workDir, String(attempt))),
      migrations: [...snapshot.migrations],
      references: await listReferencedFiles(snapshot.handle),
    }),
  );
  const tables: BackupManifest["tables"] = [];
  for (const { name, rows, path } of drafts) {
    const key = `tables/${attempt}/${name}.jsonl.gz`;
    tables.push({ name, rows, file: await storeFile(options, key, createReadStream(path)) });
  }
  onProgress({ step: "rows", rows: sumRows(tables), tables: tables.length });
  const files = await copyReferencedFiles(options, references);
  const secret = computeSecretFingerprint(options.secret);
  const manifest = { format: 1, version, createdAt, secret, migrations, tables, files } as const;
  const draft = join(workDir, manifestKey);
  await writeFile(draft, `${JSON.stringify(manifest, undefined, 2)}\n`);
  await target.put(manifestKey, draft);
  return manifest;
}

/** Copies the referenced files. Throws `not_found` if a file that cannot be created again is missing. */
async function copyReferencedFiles(
  options: BackupOptions,
  references: readonly ReferencedFile[],
): Promise<BackedUpFile[]> {
  const { storage, shouldOmitBundles, onProgress } = options;
  const files: BackedUpFile[] = [];
  for (const { key, isIrreplaceable } of references) {
    if (shouldOmitBundles && !isIrreplaceable) continue;
    try {
      files.push({ ...(await storeFile(options, toBackupKey(key), await storage.read(key))), key });
    } catch (error) {
      if (isIrreplaceable || !isOctavoError(error, "not_found")) throw error;
      onProgress({ step: "missing", key });
    }
  }
  onProgress({ step: "files", files: files.length, bytes: sumBytes(files) });
  return files;
}

async function storeFile(
  { target, workDir }: BackupOptions,
  key: string,
  source: Readable,
): Promise<BackedUpFile> {
  const { path, bytes, sha256 } = await writeFileDraft(source, workDir);
  await target.put(key, path);
  await rm(path, { force: true });
  return { key, bytes, sha256 };
}

/** A file with the rows of one table, one JSON object per line. */
interface TableDraft {
  readonly name: string;
  readonly rows: number;
  readonly path: string;
}

/**
 * Writes the rows of each table to its own compressed file. The compression is fast rather than strong, because the
 * database waits in the meantime.
 */
async function writeTableDrafts(snapshot: Snapshot, folder: string): Promise<TableDraft[]> {
  await mkdir(folder, { recursive: true });
  const drafts: TableDraft[] = [];
  for (const name of snapshot.tables) {
    const path = join(folder, `${name}.jsonl.gz`);
    let rows = 0;
    const readLines = async function* () {
      for await (const batch of snapshot.readRows(name)) {
        rows += batch.length;
        yield `${batch.join("\n")}\n`;
      }
    };
    await pipeline(
      Readable.from(readLines()),
      createGzip({ level: 1 }),
      createWriteStream(path, { mode: 0o600 }),
    );
    drafts.push({ name, rows, path });
  }
  return drafts;
}
