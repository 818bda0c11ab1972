import { sql } from "kysely";
import type { Kysely } from "kysely";
import type { DeploymentsTable, Tables } from "../../db/index.ts";
import {
  choosePreviewBase,
  publishableKinds,
  type ComparableDeployment,
  type PreviewBase,
} from "../../publish/index.ts";

/** The branch of a project's repository that an export shows. */
export interface ExportedBranch {
  readonly projectId: string;
  /** The branch; null for the repository's HEAD. */
  readonly ref: string | null;
  readonly commit: string | null;
}

/** Finds the deployment with which the export of a branch is compared. Returns undefined if nothing is published. */
export async function findPreviewBase(
  kysely: Kysely<Tables>,
  { projectId, ...branch }: ExportedBranch,
): Promise<PreviewBase | undefined> {
  const [live, pullRequest] = await Promise.all([
    kysely
      .selectFrom("deployments")
      .select(["bundle_key as bundleKey", "bundle_bytes as bundleBytes", "commit"])
      .where("project_id", "=", projectId)
      .where("kind", "in", publishableKinds)
      .where("published_at", "is not", null)
      .where("left_at", "is", null)
      .$narrowType<ComparableDeployment>()
      .executeTakeFirst(),
    findPullRequest(kysely, { projectId, ...branch }),
  ]);
  if (!pullRequest) return choosePreviewBase({ live, forkBase: undefined });
  const { baseCommit: commit } = pullRequest;
  const baseDeployment =
    commit === null ? undefined : await findCommitDeployment(kysely, projectId, commit);
  const { key: bundleKey = null, bytes: bundleBytes = null } = baseDeployment ?? {};
  const isBuilt = bundleKey !== null && bundleBytes !== null;
  return choosePreviewBase({ live, forkBase: isBuilt ? { bundleKey, bundleBytes, commit } : null });
}

/**
 * Finds the pull request of a branch, preferring a pull request at the same commit, then an open pull request, then the
 * newest. Branches of forks that have the same name do not count.
 */
async function findPullRequest(
  kysely: Kysely<Tables>,
  { projectId, ref, commit }: ExportedBranch,
): Promise<{ readonly baseCommit: string | null } | undefined> {
  const { rows } = await sql<{ baseCommit: string | null }>`
    select base_commit as "baseCommit" from (
      select number, head_commit, base_commit, state = 'open' as is_open from pull_requests
        where project_id = ${projectId} and head = ${ref}
      union all
      select number, head_commit, base_commit, ended_at is null from reviews
        where project_id = ${projectId} and head = ${ref} and not is_from_fork
    ) as requests
    order by base_commit is null, head_commit is distinct from ${commit}, is_open desc, number desc
    limit 1`.execute(kysely);
  return rows[0];
}

export interface CommitDeployment {
  readonly id: string;
  readonly status: DeploymentsTable["status"];
  readonly error: string | null;
  readonly pages: number;
  readonly key: string | null;
  readonly bytes: number | null;
}

/** Finds a deployment of a commit that has not failed, preferably one that is ready. */
export async function findCommitDeployment(
  kysely: Kysely<Tables>,
  projectId: string,
  commit: string,
): Promise<CommitDeployment | undefined> {
  return await kysely
    .selectFrom("deployments")
    .select([
      "id",
      "status",
      "error",
      "page_count as pages",
      "bundle_key as key",
      "bundle_bytes as bytes",
    ])
    .where("project_id", "=", projectId)
    .where("commit", "=", commit)
    .where("kind", "<>", "upload")
    .where("status", "in", ["queued", "building", "ready"])
    .orderBy(sql`bundle_key is null`)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
}
