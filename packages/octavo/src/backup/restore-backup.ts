import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { createGunzip } from "node:zlib";
import type { Kysely } from "kysely";
import { OctavoError, isOctavoError, createInputError } from "@octavo/site/core";
import { sql } from "kysely";
import { tryParseJson } from "../core/index.ts";
import { advanceSequences, canLoad, loadRows } from "../db/index.ts";
import type { Database, Tables } from "../db/index.ts";
import type { Storage } from "../storage/index.ts";
import { writeFileDraft } from "./drafts.ts";
import {
  toBackupKey,
  computeSecretFingerprint,
  manifestKey,
  manifestSchema,
  sumBytes,
  sumRows,
} from "./manifest.ts";
import type { BackedUpFile, BackupManifest, ReportProgress } from "./manifest.ts";
import { clearMissingBundles } from "./referenced-files.ts";

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
 * restore can be repeated. Backups of all versions since the first one that could write them are accepted. Throws
 * `conflict` if the database is not empty, and `invalid_input` for a corrupt file.
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

/** Fetches a file to this machine and checks that its bytes are the ones that the backup wrote. */
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
