import { sql } from "kysely";
import type { Kysely } from "kysely";
import { isOctavoError } from "@octavo/site/core";
import type { CodeHost, CodeHostProject } from "../../codehost/index.ts";
import { createId } from "../../core/index.ts";
import { transact } from "../../db/index.ts";
import type { ProjectsTable, Row, Tables } from "../../db/index.ts";
import { announceSite, getPullRequestLabel, lockSite } from "../../publish/index.ts";
import { findCommitDeployment, type CommitDeployment } from "../deployment/preview-base.ts";
import { insertDeployment } from "../deployment/insert-deployment.ts";
import { deploymentKind } from "../deployment/kind.ts";
import { runForAll } from "../deployment/run-for-all.ts";
import type { JobStoreOptions } from "../lifecycle/job-store.ts";
import type { BundleComparison, ChangedPage, CompareBundles, NewProblem } from "../ports.ts";
import type { ReviewHosts } from "./sync-reviews.ts";

interface ReportOptions extends ReviewHosts, Pick<JobStoreOptions, "database" | "queue"> {
  readonly compareBundles: CompareBundles;
  /** Returns the origin of a subdomain of the sites domain. */
  readonly toOrigin: (label: string) => string;
  /** Returns the address of a deployment in the dashboard. */
  readonly getDeploymentUrl: (projectId: string, id: string) => string;
}

/** The number of reviews that a node reports per round, and the number that it reports at the same time. */
const [maxReviewsPerRound, maxConcurrentReviews] = [20, 4];
/** The time for which no other node reports a review. */
const leaseMs = 120_000;
/** The wait after the first failure, which doubles each time, and the longest wait. */
const [firstWaitMs, maxWaitMs] = [5_000, 60 * 60 * 1000];
/** The maximum length of the description of a status. */
const maxDescriptionLength = 140;
const maxErrorLength = 500;

interface DueReview extends Pick<
  Row<"reviews">,
  | "number"
  | "head"
  | "base"
  | "head_commit"
  | "hold"
  | "base_commit"
  | "told_status"
  | "told_comment"
  | "comment_id"
  | "failures"
> {
  readonly projectId: string;
  readonly organizationId: string;
  readonly repository: string;
  readonly codeHost: ProjectsTable["code_host"];
  readonly slug: string;
  /** A string that identifies the state to report, so that a change of the state is noticed. */
  readonly state: string;
  readonly preview: CommitDeployment | null;
  readonly compared: CommitDeployment | null;
}

/**
 * Brings the statuses and comments of open pull requests in line with their previews. A report is recorded after it was
 * sent, and sending it again changes nothing, so that nothing is lost when a node crashes or a host is down.
 */
export async function reportReviews(options: ReportOptions): Promise<void> {
  const due = await claimDue(options.database.kysely);
  await runForAll(due, maxConcurrentReviews, (review) => reportReview(options, review));
}

const buildDeploymentJson = (
  table: string,
) => sql`case when ${sql.ref(`${table}.id`)} is not null then json_build_object(
  'id', ${sql.ref(`${table}.id`)}, 'status', ${sql.ref(`${table}.status`)}, 'error', ${sql.ref(`${table}.error`)},
  'pages', ${sql.ref(`${table}.page_count`)}, 'key', ${sql.ref(`${table}.bundle_key`)},
  'bytes', ${sql.ref(`${table}.bundle_bytes`)}) end`;

/**
 * Claims the open reviews whose current state has not been reported to the code host, unless another node is already
 * reporting them.
 */
async function claimDue(kysely: Kysely<Tables>): Promise<readonly DueReview[]> {
  const state = sql`concat_ws(' ', reviews.head_commit, reviews.hold, preview.id, preview.status,
    reviews.base_commit, compared.id, compared.status)`;
  const { rows } = await sql<DueReview>`
    with due as (
      select reviews.project_id, reviews.number, ${state} as state from reviews
        left join deployments preview on preview.id = reviews.deployment_id
        left join deployments compared on compared.id = reviews.base_deployment_id
      where reviews.ended_at is null and reviews.next_at <= now()
        and settled is distinct from ${state}
        and preview.status is distinct from 'removed'
      order by reviews.next_at limit ${maxReviewsPerRound}
      for update of reviews skip locked
    ), claimed as (
      update reviews set next_at = now() + ${leaseMs} * interval '1 millisecond'
      from due where reviews.project_id = due.project_id and reviews.number = due.number
      returning reviews.*, due.state
    )
    select claimed.project_id as "projectId", number, head, base, head_commit, hold, base_commit,
      told_status, told_comment, comment_id, claimed.failures, claimed.state,
      projects.organization_id as "organizationId", projects.repository, code_host as "codeHost",
      sites.slug, ${buildDeploymentJson("preview")} as preview, ${buildDeploymentJson("compared")} as compared
    from claimed join projects on projects.id = claimed.project_id
      join sites on sites.project_id = claimed.project_id
      left join deployments preview on preview.id = claimed.deployment_id
      left join deployments compared on compared.id = claimed.base_deployment_id`.execute(kysely);
  return rows;
}

async function reportReview(options: ReportOptions, review: DueReview): Promise<void> {
  const { projectId, number, state, failures } = review;
  const { kysely } = options.database;
  const reviewUpdate = kysely
    .updateTable("reviews")
    .where("project_id", "=", projectId)
    .where("number", "=", number);
  try {
    await reportAll(options, review);
    await reviewUpdate
      .set({ settled: state, failures: 0, error: null, next_at: sql<Date>`now()` })
      .execute();
  } catch (error) {
    if (!isOctavoError(error)) throw error;
    const waitMs = Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(failures, 10));
    await reviewUpdate
      .set({
        failures: failures + 1,
        error: error.message.slice(0, maxErrorLength),
        next_at: sql<Date>`now() + ${waitMs} * interval '1 millisecond'`,
      })
      .execute();
    const { message: reason } = error;
    options.log.info({ projectId, number, reason, waitMs }, "A preview could not be reported on its pull request"); // prettier-ignore
  }
  await wakeHeldPreviews(kysely, projectId);
}

/** Makes the next poll of a project due immediately if previews are on hold, so that they can start. */
async function wakeHeldPreviews(kysely: Kysely<Tables>, projectId: string): Promise<void> {
  await sql`
    update review_polls polls set next_at = least(next_at, now())
    where project_id = ${projectId} and exists (select from reviews
      where reviews.project_id = polls.project_id and hold is not null and ended_at is null)`.execute(
    kysely,
  );
}

/**
 * Reports the status and the comment independently of each other, because a token may have the permission for only one
 * of them.
 */
async function reportAll(options: ReportOptions, review: DueReview): Promise<void> {
  const { projectId: id, repository, codeHost } = review;
  const project = { id, repository, credentials: await options.readCredentials(id) };
  const target = { host: options.codeHosts[codeHost], project };
  const results = await Promise.allSettled([
    reportStatus(options, target, review),
    reportComment(options, target, review),
  ]);
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}

interface ReviewTarget {
  readonly host: CodeHost;
  readonly project: CodeHostProject;
}

async function reportStatus(
  options: ReportOptions,
  { host, project }: ReviewTarget,
  review: DueReview,
): Promise<void> {
  if (!host.capabilities.supportsStatuses) return;
  const { projectId, number, head: branch, head_commit: commit, told_status: told } = review;
  const status = { commit, ...createStatus(options, review) };
  const isTold =
    told?.commit === commit &&
    told.state === status.state &&
    told.description === status.description &&
    told.url === status.url;
  if (isTold) return;
  await host.setStatus(project, { ...status, branch });
  await options.database.kysely
    .updateTable("reviews")
    .set({ told_status: JSON.stringify(status) })
    .where("project_id", "=", projectId)
    .where("number", "=", number)
    .execute();
}

function createStatus(
  { toOrigin, getDeploymentUrl }: ReportOptions,
  { projectId, number, slug, hold, preview }: DueReview,
): { state: "pending" | "success" | "failure"; description: string; url: string } {
  const previewUrl = toOrigin(getPullRequestLabel(slug, number));
  if (preview === null) {
    return {
      state: "pending",
      description: hold ?? "The preview has not started yet.",
      url: previewUrl,
    };
  }
  const { status, error, pages } = preview;
  if (status === "ready") {
    const count = pages === 1 ? "1 page" : `${pages.toLocaleString("en")} pages`;
    return { state: "success", description: `Preview of ${count}`, url: previewUrl };
  }
  const url = getDeploymentUrl(projectId, preview.id);
  if (status !== "failed")
    return { state: "pending", description: "The preview is being built.", url };
  return { state: "failure", description: toLine(error ?? "The preview failed."), url };
}

function toLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\s]+/gu, " ").trim();
  return line.length > maxDescriptionLength ? `${line.slice(0, maxDescriptionLength - 1)}…` : line;
}

async function reportComment(
  options: ReportOptions,
  { host, project }: ReviewTarget,
  review: DueReview,
): Promise<void> {
  const { projectId, number, preview, told_comment: told, comment_id: id } = review;
  if (!host.capabilities.supportsComments || preview?.status !== "ready") return;
  // The existing comment remains valid after the deployment that it compares with has been removed.
  if (review.compared?.status === "removed") return;
  const body = await createCommentBody(options, review, preview);
  if (body === undefined || (body.text ?? null) === told) return;
  const comment = { mark: `octavo review ${projectId}`, body: body.text, id: id ?? undefined };
  const commentId = await host.setComment(project, number, { comment });
  await options.database.kysely
    .updateTable("reviews")
    .set({ told_comment: body.text ?? null, comment_id: commentId ?? null })
    .where("project_id", "=", projectId)
    .where("number", "=", number)
    .execute();
}

/**
 * Returns the comment. Its text is undefined if the preview has the same bytes as the site that it is compared with.
 * Returns undefined while that site is being built.
 */
async function createCommentBody(
  options: ReportOptions,
  review: DueReview,
  preview: CommitDeployment,
): Promise<{ readonly text: string | undefined } | undefined> {
  const { slug, number, head_commit: commit, base, base_commit: baseCommit } = review;
  const origin = options.toOrigin(getPullRequestLabel(slug, number));
  const header = { origin, commit, base, baseCommit };
  if (baseCommit === null) {
    const reason = "the branches have no common history";
    return { text: formatReviewComment(header, { uncompared: reason }) };
  }
  const recorded = review.compared?.status === "superseded" ? null : review.compared;
  const compared = recorded ?? (await findComparedDeployment(options, review, baseCommit));
  if (compared.status === "queued" || compared.status === "building") return undefined;
  if (compared.key === null || compared.bytes === null) {
    const reason = "the site at that commit could not be built";
    return { text: formatReviewComment(header, { uncompared: reason }) };
  }
  if (compared.key === preview.key) return { text: undefined };
  if (preview.key === null || preview.bytes === null) return undefined;
  const comparison = await options.compareBundles(
    { key: compared.key, bytes: compared.bytes },
    { key: preview.key, bytes: preview.bytes },
  );
  return { text: formatReviewComment(header, comparison) };
}

/** Finds a deployment of the commit with which a preview is compared, or starts one that never goes live. */
async function findComparedDeployment(
  { database, queue }: ReportOptions,
  { projectId, organizationId, number, base_commit }: DueReview,
  commit: string,
): Promise<CommitDeployment> {
  return await transact(database.kysely, async (tx) => {
    await lockSite(tx, projectId);
    const existing = await findCommitDeployment(tx, projectId, commit);
    const deployment =
      existing ??
      (await startComparedDeployment({ tx, queue }, { projectId, organizationId, commit }));
    await tx
      .updateTable("reviews")
      .set({ base_deployment_id: deployment.id })
      .where("project_id", "=", projectId)
      .where("number", "=", number)
      .where("base_commit", "=", base_commit)
      .execute();
    // From now on, the preview can show its changes.
    await announceSite(tx, projectId);
    return deployment;
  });
}

async function startComparedDeployment(
  { tx, queue }: { readonly tx: Kysely<Tables> } & Pick<ReportOptions, "queue">,
  {
    projectId,
    organizationId,
    commit,
  }: { readonly projectId: string; readonly organizationId: string; readonly commit: string },
): Promise<CommitDeployment> {
  const { id, status } = await insertDeployment(tx, {
    id: createId("deployment"),
    organizationId,
    projectId,
    kind: "preview",
    trigger: "poll",
    ref: commit,
    commit,
    createdBy: null,
  });
  await queue.enqueue(tx, deploymentKind.queue, id, { owner: { organizationId, projectId } });
  return { id, status, error: null, pages: 0, key: null, bytes: null };
}

/** The maximum numbers of entries that a comment lists. */
const [maxPages, maxProblems, maxFiles] = [50, 20, 10];
/** The maximum length of a piece of author-supplied text in a comment. */
const maxTextLength = 200;

interface ShownReview {
  readonly origin: string;
  readonly commit: string;
  readonly base: string;
  /** The commit at which the head diverged from its base; null if they have no common commit. */
  readonly baseCommit: string | null;
}

/**
 * Formats the comment about a preview, as Markdown. All author-supplied text is formatted as code, so that it neither
 * mentions anybody nor becomes a link, a picture or a command.
 */
function formatReviewComment(
  { origin, commit, base, baseCommit }: ShownReview,
  result: BundleComparison | { readonly uncompared: string },
): string {
  const intro = `[Preview](${origin}/) of commit ${formatCommit(commit)}.`;
  if ("uncompared" in result) {
    return `${intro}\n\nIt was not compared with ${formatCode(base)}, because ${result.uncompared}.`;
  }
  const baseSuffix = baseCommit === null ? "" : ` at ${formatCommit(baseCommit)}`;
  const blocks = [
    intro,
    `Compared with ${formatCode(base)}${baseSuffix}, ${countPages(result.pages)}`,
    listSome(result.pages, maxPages, (page) => `- ${formatPage(origin, page)}`),
    formatFrame(result.framed),
    result.files.length > 0 ? "Other files that changed:" : "",
    listSome(result.files, maxFiles, (file) => `- ${formatCode(file)}`),
    result.problems.length > 0 ? "New problems:" : "",
    listSome(result.problems, maxProblems, (problem) => `- ${formatProblem(problem)}`),
    result.notChecked.length > 0
      ? `Not checked: ${result.notChecked.map((one) => one.replaceAll("_", " ")).join(", ")}.`
      : "",
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}

function countPages(pages: readonly ChangedPage[]): string {
  const counts = (["changed", "added", "removed"] as const).flatMap((kind) => {
    const count = pages.filter((page) => page.kind === kind).length;
    return count > 0 ? [`${count.toLocaleString("en")} ${kind}`] : [];
  });
  if (counts.length === 0) return "the content of all pages is unchanged.";
  return `${pages.length === 1 ? "1 page differs" : `${pages.length.toLocaleString("en")} pages differ`} (${counts.join(", ")}):`;
}

function formatCommit(commit: string): string {
  return `\`${commit.slice(0, 7)}\``;
}

function formatFrame(count: number): string {
  if (count === 0) return "";
  const pages = count === 1 ? "1 page" : `${count.toLocaleString("en")} pages`;
  return `On ${pages}, only parts outside the content changed, such as the navigation.`;
}

/** Formats a page with a link to it and a link to its changes. An added page has only the first link. */
function formatPage(origin: string, { path, kind }: ChangedPage): string {
  const name = formatCode(path);
  const address = `${origin}/${encodePath(path)}`;
  if (kind === "removed") return `removed: ${name} ([difference](${address}?diff))`;
  const page = `${kind}: [${name}](${address})`;
  return kind === "added" ? page : `${page} ([difference](${address}?diff))`;
}

function formatProblem({ severity, file, line, message }: NewProblem): string {
  const location = line === undefined ? formatCode(file) : `${formatCode(file)}, line ${line}`;
  return `${severity} in ${location}: ${formatCode(message)}`;
}

/** Lists the first `max` entries, and the number of the others. */
function listSome<Item>(
  items: readonly Item[],
  max: number,
  format: (item: Item) => string,
): string {
  const lines = items.slice(0, max).map((item) => format(item));
  const more = items.length - lines.length;
  return [...lines, ...(more > 0 ? [`- and ${more.toLocaleString("en")} more`] : [])].join("\n");
}

/** Formats text as code that it cannot break out of. */
function formatCode(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .replaceAll("`", "'")
    .trim();
  const shortened = line.length > maxTextLength ? `${line.slice(0, maxTextLength)}…` : line;
  return shortened === "" ? "`-`" : `\`${shortened}\``;
}

/** Encodes a page's path, including characters that would end a Markdown link. */
function encodePath(path: string): string {
  const address = path === "index" ? "" : path.replace(/\/index$/, "/");
  return address
    .toWellFormed()
    .split("/")
    .map((part) => encodeURIComponent(part).replaceAll(/[!'()*]/g, toPercent))
    .join("/");
}

function toPercent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
