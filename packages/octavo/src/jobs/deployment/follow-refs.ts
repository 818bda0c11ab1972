import { sql } from "kysely";
import type { Kysely } from "kysely";
import { createId } from "../../core/index.ts";
import { transact } from "../../db/index.ts";
import type { Tables } from "../../db/index.ts";
import {
  lockSite,
  shortenRef,
  updateVersions,
  type ProjectRefs,
  type RepositoryRef,
} from "../../publish/index.ts";
import type { JobStoreOptions } from "../lifecycle/job-store.ts";
import { runForAll } from "./run-for-all.ts";
import { insertDeployment, type NewDeployment } from "./insert-deployment.ts";
import { deploymentKind } from "./kind.ts";
import { previewBranch } from "./receive-push.ts";
import { askForReviews } from "../review/ask-for-reviews.ts";

/** Refs of a hosted repository that have just moved, by their full names. */
export interface FollowedRefs {
  readonly projectId: string;
  readonly refs: readonly string[];
}

type FollowOptions = Pick<JobStoreOptions, "database" | "queue">;

/** The branch of a hosted repository that a project publishes. */
interface PublishedBranch {
  readonly projectId: string;
  readonly organizationId: string;
  readonly ref: string | null;
  readonly branch: string;
  readonly commit: string;
}

export async function followRefs(
  options: FollowOptions,
  { projectId, refs }: FollowedRefs,
): Promise<void> {
  const { kysely } = options.database;
  await askForReviews(kysely, projectId, "push");
  const [branch] = await findBranches(kysely, sql`projects.id = ${projectId}`);
  if (branch && refs.includes(branch.branch)) await startFollowing(options, branch);
  const others = refs.filter((ref) => ref !== branch?.branch);
  if (others.length === 0) return;
  await followVersions(options, projectId);
  await followPreviews(options, { projectId, refs: others });
}

/** Starts previews of the branches of a hosted repository that have moved and still exist. */
async function followPreviews(
  options: FollowOptions,
  { projectId, refs }: FollowedRefs,
): Promise<void> {
  await transact(options.database.kysely, async (tx) => {
    const { preview_branches: patterns } = await lockSite(tx, projectId);
    if (patterns.length === 0) return;
    const branches = await tx
      .selectFrom("hosted_refs")
      .innerJoin("projects", "projects.id", "hosted_refs.project_id")
      .innerJoin("hosted_repositories as repository", "repository.project_id", "projects.id")
      .select(["hosted_refs.name", "projects.organization_id as organizationId"])
      .where("projects.id", "=", projectId)
      .where("hosted_refs.name", "in", refs)
      .where("hosted_refs.name", "like", "refs/heads/%")
      .where(
        sql<boolean>`hosted_refs.name <> coalesce('refs/heads/' || projects.ref, repository.head)`,
      )
      .execute();
    for (const { name, organizationId } of branches) {
      const branch = { projectId, organizationId, ref: shortenRef(name), trigger: "push" } as const;
      await previewBranch({ ...options, tx }, branch, patterns);
    }
  });
}

export async function followMissed(options: FollowOptions, projectId?: string): Promise<void> {
  const isIncluded = projectId === undefined ? sql`true` : sql`projects.id = ${projectId}`;
  const branches = await findBranches(
    options.database.kysely,
    sql`${isIncluded} and not exists (select from deployments
      where deployments.project_id = projects.id and deployments.kind = 'production'
        and deployments.commit = refs.commit
        and deployments.status in ('queued', 'building', 'ready', 'failed'))`,
  );
  const acts = [
    ...branches.map((branch) => () => startFollowing(options, branch)),
    () => followVersions(options, projectId),
  ];
  await runForAll(acts, 1, (act) => act());
}

/**
 * Brings the versions of one site, or of all, in line with their rules and repositories, and starts the deployments that
 * they need.
 */
export async function followVersions(options: FollowOptions, projectId?: string): Promise<void> {
  const { kysely } = options.database;
  const { rows } = await sql<VersionedProject>`
    select projects.id as "projectId", projects.organization_id as "organizationId",
      coalesce('refs/heads/' || projects.ref, repository.head) as branch
    from projects
      join hosted_repositories repository on repository.project_id = projects.id
      join sites on sites.project_id = projects.id
    where projects.code_host = 'local'
      and (version_rules <> '[]' or exists (
        select from site_versions where site_versions.project_id = projects.id))
      and ${projectId === undefined ? sql`true` : sql`projects.id = ${projectId}`}
    order by projects.id`.execute(kysely);
  await runForAll(rows, 1, (project) =>
    transact(kysely, async (tx) => {
      const refs = await listKnownRefs(tx, project.projectId);
      await startVersions({ ...options, tx }, { ...project, refs, trigger: "push" });
    }),
  );
}

/**
 * Brings the versions of a site in line with its rules and these refs, and starts the deployments that they need. It is
 * the service's own work, so it counts against no quota of starts.
 */
export async function startVersions(
  { tx, ...options }: Pick<FollowOptions, "queue"> & { readonly tx: Kysely<Tables> },
  {
    organizationId,
    trigger,
    ...found
  }: VersionedProject & ProjectRefs & { readonly trigger: "push" | "poll" },
): Promise<void> {
  const { projectId } = found;
  for (const { ref } of await updateVersions(tx, found)) {
    const version = { organizationId, projectId, kind: "version", ref, trigger } as const;
    await enqueueDeployment(tx, options, version);
  }
}

interface VersionedProject {
  readonly projectId: string;
  readonly organizationId: string;
  readonly branch: string;
}

/** Lists the branches and tags of a project's repository: as they are, or as a repository elsewhere last listed them. */
export async function listKnownRefs(
  kysely: Kysely<Tables>,
  projectId: string,
): Promise<readonly RepositoryRef[]> {
  const hosted = await kysely
    .selectFrom("hosted_refs")
    .select(["name", "commit as target"])
    .where("project_id", "=", projectId)
    .execute();
  if (hosted.length > 0) return hosted;
  const poll = await kysely
    .selectFrom("repository_polls")
    .select("refs")
    .where("project_id", "=", projectId)
    .executeTakeFirst();
  return poll?.refs ?? [];
}

/** Finds the branches of hosted repositories whose changes are published by themselves. */
async function findBranches(
  kysely: Kysely<Tables>,
  where: ReturnType<typeof sql>,
): Promise<readonly PublishedBranch[]> {
  const { rows } = await sql<PublishedBranch>`
    select projects.id as "projectId", projects.organization_id as "organizationId", projects.ref,
      refs.name as branch, refs.commit
    from projects
      join hosted_repositories repository on repository.project_id = projects.id
      join hosted_refs refs on refs.project_id = projects.id
        and refs.name = coalesce('refs/heads/' || projects.ref, repository.head)
      left join sites on sites.project_id = projects.id
    where coalesce(sites.is_automatic, true) and projects.code_host = 'local' and ${where}
    order by projects.id`.execute(kysely);
  return rows;
}

/** Starts a deployment of a branch that has moved. It is the service's own work, so it counts against no quota of starts. */
async function startFollowing(
  options: FollowOptions,
  { projectId, organizationId, ref, commit }: PublishedBranch,
): Promise<void> {
  await transact(options.database.kysely, async (transaction) => {
    await lockSite(transaction, projectId);
    // Several nodes may notice the same move, and a deployment that waits without a commit builds the branch as it is now.
    const known = await transaction
      .selectFrom("deployments")
      .select("id")
      .where("project_id", "=", projectId)
      .where("kind", "=", "production")
      .where("status", "in", ["queued", "building"])
      .where(
        sql<boolean>`commit = ${commit}
          or status = 'queued' and commit is null and ref is not distinct from ${ref}`,
      )
      .executeTakeFirst();
    if (known) return;
    const kind = "production";
    const target = { organizationId, projectId, kind, ref, commit, trigger: "push" } as const;
    await enqueueDeployment(transaction, options, target);
  });
}

async function enqueueDeployment(
  transaction: Kysely<Tables>,
  { queue }: Pick<FollowOptions, "queue">,
  {
    commit = null,
    ...deployment
  }: Omit<NewDeployment, "id" | "createdBy" | "commit"> & { readonly commit?: string | null },
): Promise<void> {
  const { organizationId, projectId } = deployment;
  const created = { ...deployment, id: createId("deployment"), commit, createdBy: null };
  const { id } = await insertDeployment(transaction, created);
  const owner = { organizationId, projectId };
  await queue.enqueue(transaction, deploymentKind.queue, id, { owner });
}
