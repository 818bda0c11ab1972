import { sql } from "kysely";
import type { Kysely } from "kysely";
import type { Tables } from "../db/index.ts";

/** A file in the storage that rows reference. */
export interface ReferencedFile {
  readonly key: string;
  /** Whether the file cannot be created again. A bundle can be created again by another export. */
  readonly isIrreplaceable: boolean;
}

export async function listReferencedFiles(
  handle: Kysely<Tables>,
): Promise<readonly ReferencedFile[]> {
  const bundles = await handle
    .selectFrom("static_export_jobs")
    .select("bundle_key as key")
    .distinct()
    .where("bundle_key", "is not", null)
    .orderBy("bundle_key")
    .$narrowType<{ key: string }>()
    .execute();
  const packs = await handle
    .selectFrom("hosted_packs")
    .select("key")
    .where("generation", "is not", null)
    .orderBy("key")
    .execute();
  return [
    ...packs.map(({ key }) => ({ key, isIrreplaceable: true })),
    ...bundles.map(({ key }) => ({ key, isIrreplaceable: false })),
  ];
}

/**
 * The time from which generations count seconds: 14 November 2023, in seconds since 1970. A later start is necessary
 * because a generation has only 31 bits.
 */
const generationsSince = 1_700_000_000;

/**
 * Invalidates every node's copy of a hosted repository. Copies with pushes from after the backup must also be
 * invalidated, because their generation would be used again for different commits. The new generation is the number of
 * seconds, which is high enough because a repository gets less than one push per second.
 */
export async function invalidateCopies(handle: Kysely<Tables>): Promise<void> {
  await handle
    .updateTable("hosted_repositories")
    .set({
      generation: sql<number>`greatest(
        generation + 1, extract(epoch from now())::bigint - ${sql.lit(generationsSince)})`,
    })
    .execute();
}

/** Clears the references to missing bundles. */
export async function clearMissingBundles(
  handle: Kysely<Tables>,
  existing: ReadonlySet<string>,
): Promise<void> {
  for (const { key, isIrreplaceable } of await listReferencedFiles(handle)) {
    if (isIrreplaceable || existing.has(key)) continue;
    await handle
      .updateTable("static_export_jobs")
      .set({ bundle_key: null, bundle_bytes: null })
      .where("bundle_key", "=", key)
      .execute();
    await handle.deleteFrom("bundles").where("key", "=", key).execute();
  }
}
