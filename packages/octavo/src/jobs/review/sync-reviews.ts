import { sql } from "kysely";
import type { Kysely, UpdateObject } from "kysely";
import { createTimeoutSignal, isOctavoError } from "@octavo/site/core";
import type { CodeHost, OpenPullRequest } from "../../codehost/index.ts";
import { createId } from "../../core/index.ts";
import { transact } from "../../db/index.ts";
import type { PreviewedPullRequests, ProjectsTable, Row, Tables } from "../../db/index.ts";
import type { Credentials } from "../../git/index.ts";
import { lockSite, shortenRef } from "../../publish/index.ts";
import { insertDeployment } from "../deployment/insert-deployment.ts";
import { deploymentKind } from "../deployment/kind.ts";
import { maxWaitingPreviews } from "../deployment/receive-push.ts";
import { runForAll } from "../deployment/run-for-all.ts";
import type { JobStoreOptions } from "../lifecycle/job-store.ts";
import type { JobLog } from "../ports.ts";

export interface ReviewHosts {
  readonly codeHosts: Readonly<Record<ProjectsTable["code_host"], CodeHost>>;
  readonly readCredentials: (projectId: string) => Promise<Credentials | undefined>;
  readonly log: Pick<JobLog, "info">;
}

export interface SyncOptions extends ReviewHosts, Pick<JobStoreOptions, "database" | "queue"> {
  /** The interval at which an external code host is queried; 0 to query it only when a hook reports something. */
  readonly intervalMs: number;
}

/** The number of projects that a node queries per round, and the number that it queries at the same time. */
const [maxProjectsPerRound, maxConcurrentProjects] = [20, 4];
/** The time for which no other node queries a project. Must be longer than the longest response time. */
const leaseMs = 120_000;
const responseTimeoutMs = 60_000;
/** The interval for the service's own pull requests, which need no request. */
const localIntervalMs = 60_000;
/** The factor by which a code host is queried less often if its hook reported something within the last week. */
const hookedFactor = 6;
/**
 * The time after which a host that has just reported something is queried again, because its lists may lag behind its
 * reports.
 */
const hookRequeryMs = 15_000;
/** The first wait for a code host that does not respond, which doubles each time, and the longest wait. */
const [firstWaitMs, maxWaitMs] = [5_000, 6 * 60 * 60 * 1000];
/** The maximum length of a recorded reason. */
const maxErrorLength = 500;
/** The maximum number of waiting previews per author without write access to the repository. */
const maxWaitingPerAuthor = 10;

interface DueProject {
  readonly projectId: string;
  readonly organizationId: string;
  readonly repository: string;
  readonly codeHost: ProjectsTable["code_host"];
  readonly previewed: PreviewedPullRequests;
  readonly trigger: "hook" | "push" | null;
  readonly failures: number;
  readonly isHooked: boolean;
  /**
   * Determines the order of responses, because a report can make a project due while a node still waits for an earlier
   * response.
   */
  readonly claimedAt: Date;
}

/**
 * Queries the code hosts that are due for the open pull requests of published sites, and starts a preview of each head
 * that has no preview. Hook reports only make a project due, so lost, repeated and late reports do no harm. A response
 * that arrives after the response to a later query is dropped.
 */
export async function syncReviews(options: SyncOptions): Promise<void> {
  const due = await claimDue(options.database.kysely);
  await runForAll(due, maxConcurrentProjects, (project) => syncProject(options, project));
}

async function claimDue(kysely: Kysely<Tables>): Promise<readonly DueProject[]> {
  const { rows } = await sql<DueProject>`
    with due as (
      select sites.project_id from sites
        left join review_polls polls on polls.project_id = sites.project_id
      where coalesce(polls.next_at, '-infinity') <= now()
        and (exists (select from deployments where deployments.project_id = sites.project_id
              and published_at is not null and left_at is null)
          and preview_pull_requests <> 'none'
          or exists (select from reviews where reviews.project_id = sites.project_id and ended_at is null))
      order by polls.next_at nulls first limit ${maxProjectsPerRound}
    ), claimed as (
      insert into review_polls as polls (project_id, next_at)
        select project_id, now() + ${leaseMs} * interval '1 millisecond' from due
      on conflict (project_id) do update set next_at = excluded.next_at
        where polls.next_at <= now()
      returning project_id, failures, trigger
    )
    select projects.id as "projectId", organization_id as "organizationId", repository,
      code_host as "codeHost", preview_pull_requests as previewed, claimed.trigger, claimed.failures,
      date_trunc('milliseconds', now()) as "claimedAt",
      exists (select from project_hooks hooks join hook_deliveries on hook_id = hooks.id
          and received_at > now() - interval '7 days'
        where hooks.project_id = projects.id) as "isHooked"
    from claimed join projects on projects.id = claimed.project_id
      join sites on sites.project_id = claimed.project_id`.execute(kysely);
  return rows;
}

async function syncProject(options: SyncOptions, project: DueProject): Promise<void> {
  const { database, intervalMs, log } = options;
  const { projectId, codeHost, failures, isHooked, trigger } = project;
  const ownMs = codeHost === "local" ? localIntervalMs : intervalMs * (isHooked ? hookedFactor : 1);
  try {
    const { pullRequests, hasMore } = await listPreviewed(options, project);
    await transact(database.kysely, (tx) =>
      applyList({ tx, queue: options.queue }, project, { pullRequests, hasMore }),
    );
    const waitMs = trigger === "hook" ? hookRequeryMs : ownMs;
    await recordPoll(database.kysely, project, { waitMs, failures: 0, reason: null, hasMore });
  } catch (error) {
    if (!isOctavoError(error)) throw error;
    const reason = error.message;
    const waitMs = Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(failures, 20));
    await recordPoll(database.kysely, project, { waitMs, failures: failures + 1, reason });
    log.info({ projectId, reason, waitMs }, "Open pull requests could not be listed");
  }
}

interface ListedPullRequests {
  readonly pullRequests: readonly OpenPullRequest[];
  readonly hasMore: boolean;
}

/** Lists the pull requests that the site previews. For a site that previews no pull requests, no query is sent. */
async function listPreviewed(
  { codeHosts, readCredentials }: SyncOptions,
  { projectId: id, repository, codeHost, previewed }: DueProject,
): Promise<ListedPullRequests> {
  if (previewed === "none") return { pullRequests: [], hasMore: false };
  const project = { id, repository, credentials: await readCredentials(id) };
  const listing = await codeHosts[codeHost].listOpen(
    project,
    createTimeoutSignal(responseTimeoutMs),
  );
  const { pullRequests } = listing;
  if (previewed === "all") return listing;
  return { ...listing, pullRequests: pullRequests.filter(({ isByMember }) => isByMember) };
}

type Transaction = Pick<SyncOptions, "queue"> & { readonly tx: Kysely<Tables> };

/** Matches a project if no later query of the project has been answered. */
function isNotAnswered(claimedAt: Date) {
  return sql<boolean>`(asked_at is null or asked_at <= ${claimedAt})`;
}

/** Brings the reviews of a project in line with its open pull requests, the newest first. */
async function applyList(
  { tx, queue }: Transaction,
  project: DueProject,
  { pullRequests, hasMore }: ListedPullRequests,
): Promise<void> {
  const { projectId, claimedAt } = project;
  await lockSite(tx, projectId);
  const { numUpdatedRows: updatedRows } = await tx
    .updateTable("review_polls")
    .set({ asked_at: claimedAt })
    .where("project_id", "=", projectId)
    .where(isNotAnswered(claimedAt))
    .executeTakeFirst();
  if (updatedRows === 0n) return;
  const reviews = await tx
    .selectFrom("reviews")
    .selectAll()
    .where("project_id", "=", projectId)
    .where((where) =>
      where.or([
        where("ended_at", "is", null),
        where("number", "in", [0, ...pullRequests.map(({ number }) => number)]),
      ]),
    )
    .execute();
  const byNumber = new Map(reviews.map((row) => [row.number, row]));
  const waiting = await countWaiting(tx, projectId);
  for (const open of pullRequests) {
    await applyOpen({ tx, queue }, project, { open, row: byNumber.get(open.number), waiting });
    byNumber.delete(open.number);
  }
  // Nothing is known about pull requests older than those listed.
  const oldest = hasMore ? Math.min(...pullRequests.map(({ number }) => number)) : 0;
  const endedNumbers = [...byNumber.keys()].filter((number) => number >= oldest);
  if (endedNumbers.length === 0) return;
  await tx
    .updateTable("reviews")
    .set({ ended_at: sql<Date>`now()` })
    .where("project_id", "=", projectId)
    .where("number", "in", endedNumbers)
    .where("ended_at", "is", null)
    .execute();
}

/** The numbers of a project's unfinished previews, which are limited to bound the work that strangers can cause. */
interface WaitingPreviews {
  total: number;
  readonly byAuthor: Map<string, number>;
}

async function countWaiting(tx: Kysely<Tables>, projectId: string): Promise<WaitingPreviews> {
  const rows = await tx
    .selectFrom("deployments")
    .leftJoin("reviews", "reviews.deployment_id", "deployments.id")
    .select("reviews.author")
    .where("deployments.project_id", "=", projectId)
    .where("kind", "=", "preview")
    .where("status", "in", ["queued", "building"])
    .execute();
  const byAuthor = new Map<string, number>();
  for (const { author } of rows) {
    if (author !== null) byAuthor.set(author, (byAuthor.get(author) ?? 0) + 1);
  }
  return { total: rows.length, byAuthor };
}

interface OpenReview {
  readonly open: OpenPullRequest;
  readonly row: Row<"reviews"> | undefined;
  readonly waiting: WaitingPreviews;
}

async function applyOpen(
  { tx, queue }: Transaction,
  { projectId, organizationId, codeHost, trigger }: DueProject,
  { open, row, waiting }: OpenReview,
): Promise<void> {
  const { number, headCommit, author, isByMember } = open;
  const isNew = row?.head_commit !== headCommit;
  const needsPreview = isNew || row.hold !== null || row.ended_at !== null;
  const details = {
    title: open.title,
    url: open.url,
    author,
    is_by_member: isByMember,
    is_from_fork: open.isFromFork,
    head: open.head,
    base: open.base,
    ref: open.ref,
    ended_at: null,
  };
  const key = { project_id: projectId, number };
  if (!needsPreview) {
    if (row.base === open.base) return;
    // A different base requires a new comparison.
    const changes = { ...details, base_commit: null, base_deployment_id: null };
    await updateReview(tx, key, changes);
    return;
  }
  const hold = findHold(waiting, open);
  const fields = {
    ...details,
    head_commit: headCommit,
    hold: hold ?? null,
    deployment_id: null,
    base_commit: null,
    base_deployment_id: null,
    next_at: sql<Date>`now()`,
    failures: 0,
  };
  // Written before the deployment, because a worker may finish the deployment immediately.
  if (row) await updateReview(tx, key, fields);
  else
    await tx
      .insertInto("reviews")
      .values({ ...key, ...fields, told_status: null })
      .execute();
  if (hold !== undefined) return;
  const { id } = await insertDeployment(tx, {
    id: createId("deployment"),
    organizationId,
    projectId,
    kind: "preview",
    trigger: codeHost === "local" ? "push" : (trigger ?? "poll"),
    ref: shortenRef(open.ref),
    pullRequest: number,
    commit: headCommit,
    createdBy: null,
  });
  await updateReview(tx, key, { deployment_id: id });
  await queue.enqueue(tx, deploymentKind.queue, id, { owner: { organizationId, projectId } });
  waiting.total += 1;
  waiting.byAuthor.set(author, (waiting.byAuthor.get(author) ?? 0) + 1);
}

/** Returns the reason why a head has to wait for its preview. */
function findHold(
  { total, byAuthor }: WaitingPreviews,
  { author, isByMember }: OpenPullRequest,
): string | undefined {
  if (total >= maxWaitingPreviews) {
    return `${maxWaitingPreviews} previews of this project are already waiting.`;
  }
  const isAuthorOverLimit = !isByMember && (byAuthor.get(author) ?? 0) >= maxWaitingPerAuthor;
  return isAuthorOverLimit
    ? `${maxWaitingPerAuthor} previews by this author are already waiting.`
    : undefined;
}

async function updateReview(
  tx: Kysely<Tables>,
  { project_id: projectId, number }: Pick<Row<"reviews">, "project_id" | "number">,
  changes: UpdateObject<Tables, "reviews">,
): Promise<void> {
  await tx
    .updateTable("reviews")
    .set(changes)
    .where("project_id", "=", projectId)
    .where("number", "=", number)
    .execute();
}

interface PollResult {
  readonly waitMs: number;
  readonly failures: number;
  readonly reason: string | null;
  readonly hasMore?: boolean;
}

async function recordPoll(
  kysely: Kysely<Tables>,
  { projectId, claimedAt }: DueProject,
  { waitMs, failures, reason, hasMore }: PollResult,
): Promise<void> {
  const next = sql`case when ${waitMs} = 0 then 'infinity'
    else now() + ${waitMs} * interval '1 millisecond' end`;
  await sql`
    update review_polls set asked_at = ${claimedAt}, failures = ${failures}, error = ${reason?.slice(0, maxErrorLength) ?? null},
      has_more = coalesce(${hasMore ?? null}, has_more),
      -- A request for another query shortens the lease; its trigger and time are then kept.
      trigger = case when next_at <= clock_timestamp() then trigger end,
      next_at = case when next_at <= clock_timestamp() then next_at else ${next} end
    where project_id = ${projectId} and ${isNotAnswered(claimedAt)}`.execute(kysely);
}
