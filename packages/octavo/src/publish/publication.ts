import { sql } from "kysely";
import type { Kysely } from "kysely";
import type { DeploymentsTable, Tables } from "../db/index.ts";
import { lockSite, announceSite } from "./site-row.ts";

/** A deployment whose bundle is stored. */
export interface BuiltDeployment {
  readonly id: string;
  readonly projectId: string;
  readonly kind: DeploymentsTable["kind"];
  readonly bundleKey: string;
}

/** The kinds of deployments that a site's production host can show. */
export const publishableKinds = [
  "production",
  "upload",
] as const satisfies readonly DeploymentsTable["kind"][];

/**
 * Decides whether a deployment that has just been built goes live, in the transaction that ends its job, and makes way
 * for it. It does not go live if a newer one was ready before it, if the site already shows the same bytes, or if
 * somebody has chosen what the site shows. The caller writes the row of the new one.
 */
export async function makeWayFor(
  transaction: Kysely<Tables>,
  { id, projectId, kind, bundleKey }: BuiltDeployment,
): Promise<boolean> {
  const site = await lockSite(transaction, projectId);
  await announceSite(transaction, projectId);
  if (!publishableKinds.some((one) => one === kind)) return false;
  const live = await findLive(transaction, projectId);
  if (live && !site.is_automatic) return false;
  if (live?.bundle_key === bundleKey) return false;
  if (await hasNewer(transaction, { id, projectId })) return false;
  await removeLive(transaction, projectId);
  return true;
}

/** Reports whether a newer deployment of the project is ready that its production host can show. */
export async function hasNewer(
  transaction: Kysely<Tables>,
  { id, projectId }: Pick<BuiltDeployment, "id" | "projectId">,
): Promise<boolean> {
  const newer = await transaction
    .selectFrom("deployments")
    .select("id")
    .where("project_id", "=", projectId)
    .where("kind", "in", publishableKinds)
    .where("status", "=", "ready")
    .where("id", ">", id)
    .limit(1)
    .executeTakeFirst();
  return newer !== undefined;
}

/** Ends the time in which the live deployment of a project is live. */
export async function removeLive(transaction: Kysely<Tables>, projectId: string): Promise<void> {
  await transaction
    .updateTable("deployments")
    .set({ left_at: sql<Date>`now()` })
    .where("project_id", "=", projectId)
    .where("published_at", "is not", null)
    .where("left_at", "is", null)
    .execute();
}

async function findLive(transaction: Kysely<Tables>, projectId: string) {
  return await transaction
    .selectFrom("deployments")
    .select(["id", "bundle_key"])
    .where("project_id", "=", projectId)
    .where("published_at", "is not", null)
    .where("left_at", "is", null)
    .executeTakeFirst();
}
