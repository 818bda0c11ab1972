import { createHmac } from "node:crypto";
import { z } from "zod";

/** The last file that a backup writes: without it the backup is not complete. */
export const manifestKey = "backup.json";

const storedFile = z.object({
  key: z.string(),
  bytes: z.number().int().nonnegative(),
  sha256: z.string(),
});

export const manifestSchema = z.object({
  format: z.literal(1),
  /** Of the program that wrote it. */
  version: z.string(),
  createdAt: z.iso.datetime(),
  /** As `fingerprintOf` gives it. */
  secret: z.string(),
  migrations: z.array(z.string()),
  /** In the order in which they can be loaded. */
  tables: z.array(
    z.object({ name: z.string(), rows: z.number().int().nonnegative(), file: storedFile }),
  ),
  /** Of the storage, by the keys that they have there. */
  files: z.array(storedFile),
});
export type BackupManifest = z.output<typeof manifestSchema>;
export type BackedUpFile = z.output<typeof storedFile>;

/** What a backup or a restoration has done. */
export type BackupProgress =
  | { readonly step: "rows"; readonly rows: number; readonly tables: number }
  | { readonly step: "files"; readonly files: number; readonly bytes: number }
  /** A bundle is gone from the storage, and left out. */
  | { readonly step: "missing"; readonly key: string }
  /** Something that is needed was removed meanwhile: all of it begins again. */
  | { readonly step: "again"; readonly reason: string };

export type ReportProgress = (progress: BackupProgress) => void;

/** Where a backup keeps a file of the storage. */
export function backupKeyOf(storageKey: string): string {
  return `files/${storageKey}`;
}

/** Tells whether two secrets are the same, and nothing else of them. */
export function fingerprintOf(secret: string): string {
  return createHmac("sha256", secret).update("octavo backup").digest("hex").slice(0, 32);
}

/** The bytes of some files together. */
export function sumBytes(files: readonly { readonly bytes: number }[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The rows of some tables together. */
export function sumRows(tables: readonly { readonly rows: number }[]): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}
