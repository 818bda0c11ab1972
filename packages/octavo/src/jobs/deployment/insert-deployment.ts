import { sql } from "kysely";
import type { Kysely } from "kysely";
import type { DeploymentsTable, Tables } from "../../db/index.ts";
import { lockSite } from "../../publish/index.ts";
import { deploymentColumns, type DeploymentRow } from "./job.ts";

export interface NewDeployment {
  readonly id: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly kind: DeploymentsTable["kind"];
  readonly trigger: DeploymentsTable["trigger"];
  readonly ref: string | null;
  /** The pull request that the deployment previews. */
  readonly pullRequest?: number;
  /** The commit, if it is known already. */
  readonly commit: string | null;
  readonly createdBy: string | null;
}

/**
 * Writes the row of a new deployment. Deployments of the same kind, ref and pull request that no worker has claimed yet
 * are superseded, because only the newest deployment is useful.
 */
export async function insertDeployment(
  transaction: Kysely<Tables>,
  { id, projectId, kind, ref, ...rest }: NewDeployment,
): Promise<DeploymentRow> {
  const { slug } = await lockSite(transaction, projectId);
  const pullRequest = rest.pullRequest ?? null;
  await transaction
    .updateTable("deployments")
    .set({ status: "superseded", ended_at: sql<Date>`now()` })
    .where("project_id", "=", projectId)
    .where("kind", "=", kind)
    .$if(kind !== "production", (query) =>
      query.where(
        sql<boolean>`ref is not distinct from ${ref} and pull_request is not distinct from ${pullRequest}`,
      ),
    )
    .where("status", "=", "queued")
    .execute();
  return await transaction
    .insertInto("deployments")
    .values({
      id,
      organization_id: rest.organizationId,
      project_id: projectId,
      kind,
      trigger: rest.trigger,
      slug,
      ref,
      pull_request: pullRequest,
      commit: rest.commit,
      status: "queued",
      created_by: rest.createdBy,
    })
    .returning(deploymentColumns)
    .executeTakeFirstOrThrow();
}
