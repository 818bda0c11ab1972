import { sql } from "kysely";
import type { Kysely } from "kysely";
import { createTimeoutSignal, isOctavoError } from "@octavo/site/core";
import { createId } from "../../core/index.ts";
import { transact } from "../../db/index.ts";
import type { ProjectsTable, Tables } from "../../db/index.ts";
import {
  lockSite,
  shortenRef,
  updateVersions,
  type ProjectRefs,
  type RepositoryRef,
} from "../../publish/index.ts";
import type { JobStoreOptions } from "../lifecycle/job-store.ts";
import type { JobLog } from "../ports.ts";
import { runForAll } from "./run-for-all.ts";
import { insertDeployment, type NewDeployment } from "./insert-deployment.ts";
import { deploymentKind } from "./kind.ts";
import { previewBranch, startPushDeployment } from "./receive-push.ts";
import { scheduleReviewSync } from "../review/ask-for-reviews.ts";

/** Refs of a hosted repository that have just moved, by their full names. */
export interface MovedRefs {
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
  { projectId, refs }: MovedRefs,
): Promise<void> {
  const { kysely } = options.database;
  await scheduleReviewSync(kysely, projectId, "push");
  const [branch] = await findBranches(kysely, sql`projects.id = ${projectId}`);
  if (branch && refs.includes(branch.branch)) await startBranchDeployment(options, branch);
  const others = refs.filter((ref) => ref !== branch?.branch);
  if (others.length === 0) return;
  await followVersions(options, projectId);
  await followPreviews(options, { projectId, refs: others });
}

/** Starts previews of the branches of a hosted repository that have moved and still exist. */
async function followPreviews(
  options: FollowOptions,
  { projectId, refs }: MovedRefs,
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

export async function followMissedRefs(options: FollowOptions, projectId?: string): Promise<void> {
  const isIncluded = projectId === undefined ? sql`true` : sql`projects.id = ${projectId}`;
  const branches = await findBranches(
    options.database.kysely,
    sql`${isIncluded} and not exists (select from deployments
      where deployments.project_id = projects.id and deployments.kind = 'production'
        and deployments.commit = refs.commit
        and deployments.status in ('queued', 'building', 'ready', 'failed'))`,
  );
  const actions = [
    ...branches.map((branch) => () => startBranchDeployment(options, branch)),
    () => followVersions(options, projectId),
  ];
  await runForAll(actions, 1, (action) => action());
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
 * Brings the versions of a site in line with its rules and these refs, and starts the deployments that they need. As
 * the service's own work, these do not count against any start quota.
 */
async function startVersions(
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

/**
 * Lists the branches and tags of a project's repository: the current refs, or the refs that an external repository last
 * reported.
 */
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

/** Finds the branches of hosted repositories whose changes are published automatically. */
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

/**
 * Starts a deployment of a branch that has moved. As the service's own work, it does not count against any start quota.
 */
async function startBranchDeployment(
  options: FollowOptions,
  { projectId, organizationId, ref, commit }: PublishedBranch,
): Promise<void> {
  await transact(options.database.kysely, async (transaction) => {
    await lockSite(transaction, projectId);
    // Several nodes may notice the same move, and a queued deployment without a commit builds the current tip of the
    // branch anyway.
    const existing = await transaction
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
    if (existing) return;
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

/** A project whose external repository is polled. */
interface PolledProject {
  readonly projectId: string;
  readonly organizationId: string;
  readonly repository: string;
  readonly codeHost: ProjectsTable["code_host"];
  /** The refs to list, such as `HEAD` and `refs/tags/*`. */
  readonly patterns: readonly string[];
}

/** Refs of a repository, and the full name of HEAD's branch if HEAD was requested. */
interface ListedRefs {
  readonly head: string | undefined;
  readonly refs: readonly RepositoryRef[];
}

/**
 * Lists refs of a repository, without fetching anything. Returns undefined for a repository that cannot be queried.
 * Throws in the same cases as `Git`.
 */
export type ReadRefs = (
  project: PolledProject,
  signal: AbortSignal,
) => Promise<ListedRefs | undefined>;

export interface PollOptions {
  readonly readRefs: ReadRefs;
  /** The interval at which a repository is polled. */
  readonly intervalMs: number;
  readonly log: Pick<JobLog, "info">;
}

/** The number of repositories that a node polls per round, and the number that it polls at the same time. */
const [maxPollsPerRound, maxConcurrentPolls] = [50, 4];
/** The time for which no other node polls a repository. Must be longer than the longest response time. */
const leaseMs = 120_000;
const responseTimeoutMs = 30_000;
/** The factor by which a repository is polled less often if its hook reported a push within the last week. */
const hookedFactor = 6;
/** The longest interval for a repository that does not respond. */
const maxWaitMs = 6 * 60 * 60 * 1000;
/** The maximum number of refs that are recorded. The dashboard uses them to show what version rules match. */
const maxRefs = 5_000;
/** The maximum length of the recorded reason. */
const maxErrorLength = 500;

type PollWork = Pick<JobStoreOptions, "database" | "queue">;

/**
 * Polls the repositories that are due, and starts deployments of those with new commits. A repository is polled by one
 * node at a time, less often if its code host reports pushes, and increasingly less often while it does not respond.
 */
export async function pollRepositories(work: PollWork, options: PollOptions): Promise<void> {
  const due = await claimDue(work.database.kysely);
  await runForAll(due, maxConcurrentPolls, (project) => pollProject(work, options, project));
}

/** A claimed project, with the data that determines what to query and when to poll next. */
interface DueProject extends Omit<PolledProject, "patterns"> {
  /** The published branch; null for the remote's HEAD. */
  readonly ref: string | null;
  readonly failures: number;
  readonly isHooked: boolean;
  /** Whether the site follows its branch. */
  readonly isFollowed: boolean;
  /** Whether rules turn other refs into versions. */
  readonly hasVersions: boolean;
  /** Patterns of the branches whose changes create previews. */
  readonly previewBranches: readonly string[];
}

/**
 * Claims the projects that are due: those with external repositories whose sites have version rules or branch previews,
 * or follow their branch and were last built from it. A later upload is not replaced by the repository's content.
 */
async function claimDue(kysely: Kysely<Tables>): Promise<readonly DueProject[]> {
  const { rows } = await sql<DueProject>`
    with followed as (
      select projects.id, polls.next_at, sites.is_automatic and coalesce('production' = (
          select kind from deployments where project_id = projects.id
            and kind in ('production', 'upload') order by id desc limit 1), false) as is_followed,
        version_rules <> '[]' or exists (
          select from site_versions where site_versions.project_id = projects.id) as has_versions, preview_branches
      from projects
        join sites on sites.project_id = projects.id
        left join repository_polls polls on polls.project_id = projects.id
      where projects.repository <> 'local' and coalesce(polls.next_at, '-infinity') <= now()
    ), due as (
      select * from followed where is_followed or has_versions or preview_branches <> '[]'
      order by next_at nulls first limit ${maxPollsPerRound}
    ), claimed as (
      insert into repository_polls as polls (project_id, next_at)
        select id, now() + ${leaseMs} * interval '1 millisecond' from due
      on conflict (project_id) do update set next_at = excluded.next_at
        where polls.next_at <= now()
      returning project_id, failures
    )
    select projects.id as "projectId", organization_id as "organizationId", repository,
      code_host as "codeHost", ref, claimed.failures, is_followed as "isFollowed",
      has_versions as "hasVersions", preview_branches as "previewBranches", exists (select from project_hooks hooks
        join hook_deliveries on hook_id = hooks.id and deployment_id is not null
          and received_at > now() - interval '7 days'
        where hooks.project_id = projects.id) as "isHooked"
    from claimed join projects on projects.id = claimed.project_id
      join due on due.id = claimed.project_id`.execute(kysely);
  return rows;
}

async function pollProject(
  { database, queue }: PollWork,
  { readRefs, intervalMs, log }: PollOptions,
  project: DueProject,
): Promise<void> {
  const { projectId, ref, failures, isHooked, isFollowed, hasVersions, previewBranches } = project;
  const waitMs = isHooked ? intervalMs * hookedFactor : intervalMs;
  const branch = ref === null ? "HEAD" : `refs/heads/${ref}`;
  const hasOtherRefs = hasVersions || previewBranches.length > 0;
  const patterns = hasOtherRefs ? ["HEAD", "refs/heads/*", "refs/tags/*"] : [branch];
  let listed: ListedRefs | undefined;
  try {
    listed = await readRefs({ ...project, patterns }, createTimeoutSignal(responseTimeoutMs));
  } catch (error) {
    const reason = isOctavoError(error) ? error.message : "The repository did not respond in time.";
    const retryWaitMs = Math.min(maxWaitMs, intervalMs * 2 ** Math.min(failures + 1, 10));
    await recordPoll(database.kysely, projectId, {
      waitMs: retryWaitMs,
      failures: failures + 1,
      reason,
    });
    log.info(
      { projectId, reason, waitMs: retryWaitMs },
      "A repository could not be polled for new commits",
    );
    return;
  }
  const commit = listed?.refs.find(({ name }) => name === branch)?.target;
  await transact(database.kysely, async (tx) => {
    if (isFollowed && commit !== undefined && (await isNewCommit(tx, projectId, commit))) {
      const push = { branch: ref ?? undefined, commit, defaultBranch: undefined };
      await startPushDeployment({ tx, queue }, { ...project, push, trigger: "poll" });
    }
    if (!listed || !hasOtherRefs) {
      return await recordPoll(tx, projectId, { waitMs, failures: 0, reason: null, commit });
    }
    const refs = listed.refs.filter(({ name }) => /^refs\/(?:heads|tags)\//.test(name));
    const publishedBranch = ref === null ? (listed.head ?? branch) : branch;
    const versions = { ...project, refs, branch: publishedBranch, trigger: "poll" } as const;
    await startVersions({ tx, queue }, versions);
    await startPreviews({ tx, queue }, versions);
    return await recordPoll(tx, projectId, { waitMs, failures: 0, reason: null, commit, refs });
  });
}

/** Starts previews of the branches that have moved since the last poll. The first poll starts no previews. */
async function startPreviews(
  options: Pick<PollWork, "queue"> & { readonly tx: Kysely<Tables> },
  {
    projectId,
    organizationId,
    refs,
    branch,
    previewBranches,
  }: DueProject & Omit<ProjectRefs, "projectId">,
): Promise<void> {
  if (previewBranches.length === 0) return;
  const lastPoll = await options.tx
    .selectFrom("repository_polls")
    .select("refs")
    .where("project_id", "=", projectId)
    .executeTakeFirst();
  if (!lastPoll?.refs) return;
  const lastTargets = new Map(lastPoll.refs.map(({ name, target }) => [name, target]));
  for (const { name, target } of refs) {
    const isMoved = lastTargets.get(name) !== target && name !== branch;
    if (!isMoved || !name.startsWith("refs/heads/")) continue;
    const movedBranch = {
      projectId,
      organizationId,
      ref: shortenRef(name),
      trigger: "poll",
    } as const;
    await previewBranch(options, movedBranch, previewBranches);
  }
}

/** Reports whether a commit has neither been deployed nor been reported by an earlier poll. */
async function isNewCommit(
  tx: Kysely<Tables>,
  projectId: string,
  commit: string,
): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    select exists (select from deployments where project_id = ${projectId}
        and kind = 'production' and commit = ${commit})
      or exists (select from repository_polls where project_id = ${projectId} and commit = ${commit})
      as known`.execute(tx);
  return rows[0]?.known !== true;
}

interface PollResult {
  readonly waitMs: number;
  readonly failures: number;
  readonly reason: string | null;
  readonly commit?: string | undefined;
  readonly refs?: readonly RepositoryRef[];
}

async function recordPoll(
  handle: Kysely<Tables>,
  projectId: string,
  { waitMs, failures, reason, commit, refs }: PollResult,
): Promise<void> {
  await handle
    .updateTable("repository_polls")
    .set({
      asked_at: sql<Date>`now()`,
      // Keeps the time if a request for another poll has shortened the lease in the meantime.
      next_at: sql<Date>`case when next_at <= clock_timestamp() then next_at
        else now() + ${waitMs} * interval '1 millisecond' end`,
      failures,
      error: reason?.slice(0, maxErrorLength) ?? null,
      ...(commit !== undefined && { commit }),
      ...(refs && { refs: JSON.stringify(refs.slice(0, maxRefs)) }),
    })
    .where("project_id", "=", projectId)
    .execute();
}
