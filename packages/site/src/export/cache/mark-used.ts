import { stat, utimes } from "node:fs/promises";

export const dayMs = 24 * 60 * 60 * 1_000;
/** Entries that no export has used for this long are removed. */
export const maxUnusedMs = 30 * dayMs;

/** Marks a file of the cache as used, at most once a day, which saves most exports a write per file. */
export async function markUsed(file: string, now: number): Promise<void> {
  const { mtimeMs } = await stat(file);
  if (now - mtimeMs > dayMs) await utimes(file, now / 1_000, now / 1_000);
}
