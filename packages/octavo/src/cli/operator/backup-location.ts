import { formatCount } from "../../core/index.ts";
import { chmod, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { BackupProgress } from "../../backup/index.ts";
import { createFileStorage } from "../../storage/index.ts";
import type { Storage } from "../../storage/index.ts";
import type { CommandContext } from "../context.ts";
import { formatBytes } from "../format.ts";
import { openStorage } from "../../node/index.ts";
import { readConfig } from "../service-flags.ts";
import type { Flags } from "../service-flags.ts";

/** Describes the location argument in the help. */
export const locationHelp = "a folder, or s3://bucket/prefix, which uses the service's S3 settings";

/** Opens a backup location: a folder that the user named, or a bucket with the service's S3 settings. */
export async function openBackupLocation(
  context: CommandContext,
  flags: Flags,
  place: string,
): Promise<Storage> {
  if (!place.startsWith("s3://")) return createFileStorage(resolve(context.invocationDir, place));
  return openStorage(readConfig(context, { ...flags, storage: place }));
}

/**
 * Creates the folder of a backup, accessible only to its owner. An existing folder is closed to other users if it is
 * empty. One that contains other files, such as `/tmp`, keeps its mode; what the backup adds to it is closed.
 */
export async function prepareBackupFolder(context: CommandContext, place: string): Promise<void> {
  if (place.startsWith("s3://")) return;
  const path = resolve(context.invocationDir, place);
  await mkdir(path, { recursive: true, mode: 0o700 });
  if ((await readdir(path)).length === 0) await chmod(path, 0o700);
}

/** Creates a temporary folder for drafts, removed when disposed. */
export async function openDraftFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "octavo-backup-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Describes the progress in one line. */
export function describeProgress(progress: BackupProgress): string {
  if (progress.step === "rows") {
    return `${formatCount(progress.rows, "row")} of ${formatCount(progress.tables, "table")}`;
  }
  if (progress.step === "files") {
    return `${formatCount(progress.files, "file")} from the storage, ${formatBytes(progress.bytes)}`;
  }
  if (progress.step === "missing") {
    return `Skipped because it is no longer in the storage: ${progress.key}`;
  }
  return `${progress.reason} It was removed in the meantime, so the backup starts again.`;
}
