import { createHmac } from "node:crypto";
import { z } from "zod";

/** The key of the last file that a backup writes. Without this file, the backup is not complete. */
export const manifestKey = "backup.json";

const storedFile = z.object({
  key: z.string(),
  bytes: z.number().int().nonnegative(),
  sha256: z.string(),
});

export const manifestSchema = z.object({
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
export type BackedUpFile = z.output<typeof storedFile>;

/** The progress of a backup or a restore. */
export type BackupProgress =
  | { readonly step: "rows"; readonly rows: number; readonly tables: number }
  | { readonly step: "files"; readonly files: number; readonly bytes: number }
  /** A bundle is missing from the storage and was omitted. */
  | { readonly step: "missing"; readonly key: string }
  /** A required file was removed in the meantime, so the backup starts again. */
  | { readonly step: "again"; readonly reason: string };

export type ReportProgress = (progress: BackupProgress) => void;

/** Returns the key under which a backup stores a file from the service's storage. */
export function toBackupKey(storageKey: string): string {
  return `files/${storageKey}`;
}

/** Returns a fingerprint of a secret. It shows whether two secrets are the same and reveals nothing else about them. */
export function computeSecretFingerprint(secret: string): string {
  return createHmac("sha256", secret).update("octavo backup").digest("hex").slice(0, 32);
}

/** Returns the total size of files, in bytes. */
export function sumBytes(files: readonly { readonly bytes: number }[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Returns the total number of rows in the tables. */
export function sumRows(tables: readonly { readonly rows: number }[]): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}
