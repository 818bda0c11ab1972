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

/** Where a backup keeps a file of the storage. */
export function backupKeyOf(storageKey: string): string {
  return `files/${storageKey}`;
}

/** Tells whether two secrets are the same, and nothing else of them. */
export function fingerprintOf(secret: string): string {
  return createHmac("sha256", secret).update("octavo backup").digest("hex").slice(0, 32);
}
