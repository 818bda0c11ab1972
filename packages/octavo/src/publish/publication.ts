import { sql } from "kysely";
import type { Kysely } from "kysely";
import type { DeploymentsTable, Tables } from "../db/index.ts";
import { lockSite, announceSite } from "./site-row.ts";

/** Deployments that replace each other: those of one version, or those that a site's production host shows. */
export interface DeploymentLine {
  readonly projectId: string;
  readonly kind: DeploymentsTable["kind"];
  readonly ref: string | null;
}

/** A deployment whose bundle is stored. */
export interface BuiltDeployment extends DeploymentLine {
  readonly id: string;
  readonly bundleKey: string;
}

/** The kinds of deployments that a site's production host can show. */
export const publishableKinds = [
  "production",
  "upload",
] as const satisfies readonly DeploymentsTable["kind"][];

/**
 * Decides whether a deployment that has just been built goes live, in the transaction that ends its job. If so, takes
 * the previous one offline. The new one does not go live if a newer one was ready before it, if the site already shows
 * the same bytes, or if somebody has chosen what the site shows. The caller updates the new deployment's row.
 */
export async function replaceLiveDeployment(
  transaction: Kysely<Tables>,
  { id, bundleKey, ...line }: BuiltDeployment,
): Promise<boolean> {
  const { projectId, kind, ref } = line;
  const site = await lockSite(transaction, projectId);
  await announceSite(transaction, projectId);
  if (kind === "preview") return false;
  if (kind === "version" && !(await isVersion(transaction, { projectId, ref }))) return false;
  const live = await findLiveDeployment(transaction, line);
  if (live && kind !== "version" && !site.is_automatic) return false;
  if (live?.bundle_key === bundleKey) return false;
  if (await hasNewerDeployment(transaction, { id, ...line })) return false;
  await takeLiveOffline(transaction, line);
  return true;
}

/** Reports whether a newer deployment is ready that can replace this one. */
export async function hasNewerDeployment(
  transaction: Kysely<Tables>,
  { id, ...line }: Omit<BuiltDeployment, "bundleKey">,
): Promise<boolean> {
  const newer = await transaction
    .selectFrom("deployments")
    .select("id")
    .where(matchLine(line))
    .where("status", "=", "ready")
    .where("id", ">", id)
    .limit(1)
    .executeTakeFirst();
  return newer !== undefined;
}

/** Takes the live deployment of a project, or of one of its versions, offline. */
export async function takeLiveOffline(
  transaction: Kysely<Tables>,
  line: DeploymentLine,
): Promise<void> {
  await transaction
    .updateTable("deployments")
    .set({ left_at: sql<Date>`now()` })
    .where(matchLine(line))
    .where("published_at", "is not", null)
    .where("left_at", "is", null)
    .execute();
}

function matchLine({ projectId, kind, ref }: DeploymentLine) {
  return kind === "version"
    ? sql<boolean>`project_id = ${projectId} and kind = 'version' and ref = ${ref}`
    : sql<boolean>`project_id = ${projectId} and kind in (${sql.join(publishableKinds)})`;
}

async function isVersion(
  transaction: Kysely<Tables>,
  { projectId, ref }: Pick<DeploymentLine, "projectId" | "ref">,
): Promise<boolean> {
  const row = await transaction
    .selectFrom("site_versions")
    .select("slug")
    .where("project_id", "=", projectId)
    .where("ref", "=", ref ?? "")
    .executeTakeFirst();
  return row !== undefined;
}

async function findLiveDeployment(transaction: Kysely<Tables>, line: DeploymentLine) {
  return await transaction
    .selectFrom("deployments")
    .select(["id", "bundle_key"])
    .where(matchLine(line))
    .where("published_at", "is not", null)
    .where("left_at", "is", null)
    .executeTakeFirst();
}
