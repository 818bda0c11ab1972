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
  const deployed = (await hasDeploymentsTable(handle)) ? await listDeployedBundles(handle) : [];
  const deployedKeys = new Set(deployed.map(({ key }) => key));
  const packs = await handle
    .selectFrom("hosted_packs")
    .select("key")
    .where("generation", "is not", null)
    .orderBy("key")
    .execute();
  return [
    ...packs.map(({ key }) => ({ key, isIrreplaceable: true })),
    ...deployed,
    ...bundles
      .filter(({ key }) => !deployedKeys.has(key))
      .map(({ key }) => ({ key, isIrreplaceable: false })),
  ];
}

/** Reports whether there is a table of deployments, which backups from older versions lack. */
async function hasDeploymentsTable(handle: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass('public.deployments') is not null as exists`.execute(handle);
  return rows[0]?.exists === true;
}

/** Lists the bundles of deployments. Uploaded bundles cannot be created again. */
async function listDeployedBundles(handle: Kysely<Tables>): Promise<readonly ReferencedFile[]> {
  return await handle
    .selectFrom("deployments")
    .select(["bundle_key as key", sql<boolean>`bool_or(kind = 'upload')`.as("isIrreplaceable")])
    .where("bundle_key", "is not", null)
    .groupBy("bundle_key")
    .orderBy("bundle_key")
    .$narrowType<{ key: string }>()
    .execute();
}

/** Clears the references to missing bundles. */
export async function clearMissingBundles(
  handle: Kysely<Tables>,
  existingKeys: ReadonlySet<string>,
): Promise<void> {
  const hasTable = await hasDeploymentsTable(handle);
  for (const { key, isIrreplaceable } of await listReferencedFiles(handle)) {
    if (isIrreplaceable || existingKeys.has(key)) continue;
    await handle
      .updateTable("static_export_jobs")
      .set({ bundle_key: null, bundle_bytes: null })
      .where("bundle_key", "=", key)
      .execute();
    if (hasTable) {
      await handle
        .updateTable("deployments")
        .set({
          status: "removed",
          bundle_key: null,
          left_at: sql<Date>`case when published_at is null then null else coalesce(left_at, now()) end`,
        })
        .where("bundle_key", "=", key)
        .execute();
    }
    await handle.deleteFrom("bundles").where("key", "=", key).execute();
  }
}
