import { createHmac } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { sql } from "kysely";
import type { Kysely } from "kysely";
import { z } from "zod";
import { OctavoError, createInputError, isOctavoError } from "@octavo/site/core";
import { tryParseJson } from "../core/index.ts";
import { advanceSequences, canLoad, loadRows, readSnapshot } from "../db/index.ts";
import type { Database, Snapshot, Tables } from "../db/index.ts";
import type { Storage } from "../storage/index.ts";
import { writeFileDraft } from "./drafts.ts";
import { clearMissingBundles, listReferencedFiles } from "./referenced-files.ts";
import type { ReferencedFile } from "./referenced-files.ts";

/** The key of the last file that a backup writes. Without this file, the backup is not complete. */
const manifestKey = "backup.json";

const storedFile = z.object({
  key: z.string(),
  bytes: z.number().int().nonnegative(),
  sha256: z.string(),
});

const manifestSchema = z.object({
  format: z.literal(1),
  /** The version of the program that wrote the backup. */
  version: z.string(),
  createdAt: z.iso.datetime(),
  /** The fingerprint of the service's secret. */
  secret: z.string(),
  migrations: z.array(z.string()),
  /** The tables, in the order in which they can be loaded. */
  tables: z.array(
    z.object({ name: z.string(), rows: z.number().int().nonnegative(), file: storedFile }),
  ),
  /** The files of the storage, with their keys in the storage. */
  files: z.array(storedFile),
});
export type BackupManifest = z.output<typeof manifestSchema>;
type BackedUpFile = z.output<typeof storedFile>;

/** The progress of a backup or a restore. */
export type BackupProgress =
  | { readonly step: "rows"; readonly rows: number; readonly tables: number }
  | { readonly step: "files"; readonly files: number; readonly bytes: number }
  /** A bundle is missing from the storage and was omitted. */
  | { readonly step: "missing"; readonly key: string }
  /** A required file was removed in the meantime, so the backup starts again. */
  | { readonly step: "again"; readonly reason: string };

type ReportProgress = (progress: BackupProgress) => void;

/** Returns the key under which a backup stores a file from the service's storage. */
function toBackupKey(storageKey: string): string {
  return `files/${storageKey}`;
}

/** Returns a fingerprint of a secret. It shows whether two secrets are the same and reveals nothing else about them. */
function computeSecretFingerprint(secret: string): string {
  return createHmac("sha256", secret).update("octavo backup").digest("hex").slice(0, 32);
}

/** Returns the total size of files, in bytes. */
function sumBytes(files: readonly { readonly bytes: number }[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Returns the total number of rows in the tables. */
function sumRows(tables: readonly { readonly rows: number }[]): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}

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

export interface RestoreOptions {
  /** The storage that contains the backup. */
  readonly source: Storage;
  readonly manifest: BackupManifest;
  /** An empty database with the tables of the backup's last migration. */
  readonly database: Pick<Database, "kysely">;
  /** The new service's storage. */
  readonly storage: Storage;
  /** A folder for temporary files, which the caller removes. */
  readonly workDir: string;
  /** Called in the transaction that loads the rows, after they are loaded. */
  readonly onRowsLoaded: (transaction: Kysely<Tables>) => Promise<void>;
  readonly onProgress: ReportProgress;
}

/** The number of rows per call. A batch of the largest rows still fits into memory. */
const rowsPerBatch = 100;

/**
 * Reads a backup's manifest. Throws `not_found` if there is no complete backup, and `invalid_input` if the backup
 * cannot be read, requires a different version, or was made with a different secret.
 */
export async function openBackup(source: Storage, secret: string): Promise<BackupManifest> {
  const parsed = manifestSchema.safeParse(tryParseJson(await readManifest(source)));
  if (!parsed.success) {
    throw createInputError(
      `The backup's ${manifestKey} is damaged, or was written by a later version of Octavo.`,
    );
  }
  const manifest = parsed.data;
  if (!canLoad(manifest.migrations)) {
    throw createInputError(
      `Version ${manifest.version} of Octavo wrote this backup, and this version cannot read it. Restore the ` +
        "backup with that version or a later one.",
    );
  }
  if (manifest.secret !== computeSecretFingerprint(secret)) {
    throw createInputError(
      "The credentials in the backup are encrypted with a different secret. Set OCTAVO_SECRET " +
        "or OCTAVO_SECRET_FILE to that secret, or copy its file to `secret` in the data folder.",
    );
  }
  return manifest;
}

/**
 * Restores a backup into an empty service. The rows are written last, in one transaction, so that an interrupted
 * restore can be repeated. Backups of all versions since the first version that could write backups are accepted.
 * Throws `conflict` if the database is not empty, and `invalid_input` for a corrupt file.
 */
export async function restoreBackup(options: RestoreOptions): Promise<void> {
  const { manifest, database, storage, onProgress } = options;
  await requireEmptyDatabase(database);
  for (const file of manifest.files) {
    const path = await fetchFile(options, toBackupKey(file.key), file);
    await storage.put(file.key, path);
    await rm(path, { force: true });
  }
  onProgress({
    step: "files",
    files: manifest.files.length,
    bytes: sumBytes(manifest.files),
  });
  const existingKeys = new Set(manifest.files.map(({ key }) => key));
  await database.kysely.transaction().execute(async (transaction) => {
    for (const table of manifest.tables) await loadTable(options, table, transaction);
    await advanceSequences(transaction);
    await clearMissingBundles(transaction, existingKeys);
    await invalidateCopies(transaction);
    await options.onRowsLoaded(transaction);
  });
  onProgress({ step: "rows", rows: sumRows(manifest.tables), tables: manifest.tables.length });
}

async function readManifest(source: Storage): Promise<string> {
  try {
    return await text(await source.read(manifestKey));
  } catch (error) {
    if (!isOctavoError(error, "not_found")) throw error;
    throw new OctavoError(
      "not_found",
      `There is no complete backup at this location, because ${manifestKey}, which is written last, is missing.`,
    );
  }
}

/** Fetches a file to this machine and checks that its bytes are the bytes that the backup wrote. */
async function fetchFile(
  { source, workDir }: RestoreOptions,
  key: string,
  expected: BackedUpFile,
): Promise<string> {
  const { path, bytes, sha256 } = await writeFileDraft(await source.read(key), workDir);
  if (bytes === expected.bytes && sha256 === expected.sha256) return path;
  throw createInputError(
    `The backup's file ${key} is damaged: its content differs from what was backed up.`,
  );
}

async function loadTable(
  options: RestoreOptions,
  { name, rows, file }: BackupManifest["tables"][number],
  transaction: Kysely<Tables>,
): Promise<void> {
  const path = await fetchFile(options, file.key, file);
  const lines = createInterface({ input: createReadStream(path).pipe(createGunzip()) });
  let batch: string[] = [];
  let loaded = 0;
  const loadBatch = async () => {
    await loadRows(transaction, name, batch);
    loaded += batch.length;
    batch = [];
  };
  for await (const line of lines) {
    if (line !== "") batch.push(line);
    if (batch.length === rowsPerBatch) await loadBatch();
  }
  await loadBatch();
  if (loaded !== rows) throw createInputError(`The backup's table ${name} is not complete.`);
}

async function requireEmptyDatabase({ kysely }: Pick<Database, "kysely">): Promise<void> {
  const row = await kysely.selectFrom("organizations").select("id").limit(1).executeTakeFirst();
  if (!row) return;
  throw new OctavoError(
    "conflict",
    "The database already contains organizations. Restore into an empty database and empty storage.",
  );
}

/**
 * The start of the seconds that generations count: 14 November 2023, in seconds since 1970. They are not counted from
 * 1970 because a generation has only 31 bits.
 */
const generationEpochSeconds = 1_700_000_000;

/**
 * Invalidates every node's copy of a hosted repository. Copies with pushes from after the backup must also be
 * invalidated, because their generation would be used again for different commits. The new generation is the number of
 * seconds, which is high enough because a repository gets fewer than one push per second.
 */
async function invalidateCopies(handle: Kysely<Tables>): Promise<void> {
  await handle
    .updateTable("hosted_repositories")
    .set({
      generation: sql<number>`greatest(
        generation + 1, extract(epoch from now())::bigint - ${sql.lit(generationEpochSeconds)})`,
    })
    .execute();
}
