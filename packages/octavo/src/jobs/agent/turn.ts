import { join, posix } from "node:path";
import { sql, type Kysely } from "kysely";
import { OctavoError } from "@octavo/site/core";
import {
  detectConvention,
  findTemplate,
  maxGuideBytes,
  sumUsage,
  type AgentLimits,
  type AgentModel,
  type GuideRepository,
  type PullRequestForm,
  type TranscriptEntry,
  type TurnSource,
} from "../../agent/index.ts";
import type { Tables } from "../../db/index.ts";
import { createBudget, describeSpent, type OpenedModel } from "../../model/index.ts";
import { startPreview, type PreviewOptions } from "../static-export/previews.ts";
import type { JobAttempt } from "../lifecycle/job-worker.ts";
import type { CommitConvention } from "../../core/index.ts";
import type { FolderEntries, Repository } from "../../git/index.ts";
import { readReviewNotes, type ReadableSource } from "../../projects/index.ts";
import type { AgentClaim, TurnResult } from "./claim.ts";
import type { AgentTypes } from "./kind.ts";
import { readOpenComments, sendAnswers } from "./line-comments.ts";
import { publishTurn } from "./publish.ts";
import { findPathInSite, openTurnWork, type TurnOptions, type TurnWork } from "./turn-work.ts";
import type { Watchdog } from "./watchdog.ts";

type TurnEnd =
  /** `hasNext` is true if another message was queued; its turn is now running. */
  | { readonly type: "completed"; readonly hasNext: boolean }
  /** `error` becomes the `error` of the job. */
  | { readonly type: "failed"; readonly error: string };

interface RunningTurn extends Pick<JobAttempt<AgentTypes>, "openFolder"> {
  readonly claim: AgentClaim;
}

/**
 * Runs one turn of a job, from the message to the pull request, in steps that can each be repeated:
 *
 * 1. Record the commit that the turn starts from, and check it out.
 * 2. Run the agent. Steps in the transcript are replayed without calling the model again.
 * 3. Commit (the same files produce the same commit), push, and find or create the pull request.
 * 4. End the turn in one transaction.
 *
 * Throws the error that ended the attempt, or `cancelled` if the signal ended it. A turn that the agent gave up on is
 * not retried, because model calls have retries of their own.
 */
export async function runTurn(
  options: TurnOptions,
  { claim, openFolder }: RunningTurn,
  watch: Watchdog,
): Promise<TurnEnd> {
  const { signal } = watch;
  await using folder = await openFolder(claim.message.turn);
  const limits = computeLimits(options.limits, claim);
  if ("spent" in limits) return { type: "failed", error: limits.spent };
  const model = await options.openModel(claim.job.model, signal);
  signal.throwIfAborted();
  watch.step("read the repository");
  const work = await openTurnWork(options, claim, { dir: join(folder.path, "checkout"), signal });
  const form = await readForm(work);
  const comments = await readOpenComments(work);
  watch.step("checked the site");
  const result = await options.performTurn({
    checkout: work.dir,
    siteDir: ".",
    folder: work.directory,
    repository: createGuideRepository(work),
    pullRequest: form,
    comments,
    reviewNotes: await readReviewNotes(options.database.kysely, claim.job.project_id),
    conflicts: listConflicts(work),
    history: await work.git.readContentHistory(work, work.startingPoint.commit, signal),
    sources: await createTurnSources(options, work),
    model: addDailyBudget(options, claim, model),
    instruction: { id: String(claim.message.turn), text: claim.message.text },
    transcript: claim.transcript,
    limits,
    cacheDir: join(options.cacheDir, claim.job.project_id),
    signal,
    onEvent: reportSteps(watch),
  });
  signal.throwIfAborted();
  if (result.error) return { type: "failed", error: result.error.message };
  watch.step("published the change to the code host");
  const turnResult = await publishTurn(work, { ...options, result, form });
  await sendAnswers(work, comments);
  const hasNext = await claim.completeTurn(turnResult, (transaction) =>
    startHeadPreview(transaction, options, { claim, head: turnResult.head }),
  );
  return { type: "completed", hasNext };
}

/** Returns the conflicting files in the site's folder, as paths relative to it. */
function listConflicts({ startingPoint, directory }: TurnWork): readonly string[] {
  return startingPoint.conflicts.flatMap((path) => findPathInSite(path, directory) ?? []);
}

/**
 * Starts a preview in the transaction that ends the turn, so that a turn has exactly one preview even after a crash.
 */
async function startHeadPreview(
  transaction: Kysely<Tables>,
  options: PreviewOptions,
  { claim, head }: { readonly claim: AgentClaim; readonly head: TurnResult["head"] },
): Promise<void> {
  if (!head) return;
  const { project_id: projectId } = claim.job;
  await startPreview(transaction, options, { projectId, ref: head.branch, commit: head.commit });
}

/** Reports the agent's activity after each entry of its transcript. */
function reportSteps(watch: Watchdog): (entry: TranscriptEntry) => void {
  let calls = 0;
  return (entry) => {
    if (entry.type === "check") return watch.step("evaluated the result");
    const isLastReply = entry.type === "model" && !entry.content.some(isToolCall);
    if (isLastReply) return watch.step("checked the site again");
    if (entry.type === "model") calls = entry.content.filter(isToolCall).length;
    if (entry.type === "tool") calls -= 1;
    watch.step(calls > 0 ? "ran the model's tool calls" : "waited for the model");
  };
}

const isToolCall = ({ type }: { readonly type: string }) => type === "tool-call";

function addDailyBudget(
  { database: { kysely }, limits }: TurnOptions,
  { job }: AgentClaim,
  model: OpenedModel,
): AgentModel {
  const beforeAnswer = () => checkDailyTokens(kysely, job.project_id, limits.tokensPerDay);
  return { ...model, beforeAnswer };
}

/** Throws `rate_limited` if the project has used up its tokens for the day (UTC). */
async function checkDailyTokens(
  kysely: Kysely<Tables>,
  projectId: string,
  maxTokens: number,
): Promise<void> {
  const { rows } = await sql<{ tokens: number }>`
    select tokens from agent_tokens
    where project_id = ${projectId} and day = (now() at time zone 'utc')::date`.execute(kysely);
  const used = { inputTokens: rows[0]?.tokens ?? 0, outputTokens: 0 };
  const spent = describeSpent(createBudget({ maxTokens, used }), "project-day");
  if (spent !== undefined) throw new OctavoError("rate_limited", spent);
}

/**
 * Returns the limits of a turn. The job's token limit applies to all its turns. Tokens that an earlier attempt at this
 * turn used are charged to this turn.
 */
function computeLimits(
  limits: TurnOptions["limits"],
  claim: AgentClaim,
): AgentLimits | { readonly spent: string } {
  const earlier = sumUsage(listEarlierEntries(claim));
  const budget = createBudget({ maxTokens: limits.tokens, used: earlier });
  const spent = describeSpent(budget, "job");
  return spent === undefined ? { ...limits, tokens: budget.remaining } : { spent };
}

function listEarlierEntries({ transcript, message }: AgentClaim): readonly TranscriptEntry[] {
  const entries = transcript.entries();
  const id = String(message.turn);
  const begin = entries.findIndex((entry) => entry.type === "message" && entry.id === id);
  return begin < 0 ? entries : entries.slice(0, begin);
}

/** The maximum number of commits that are read to detect a repository's convention. */
const maxConventionCommits = 50;

const emptyFolder: FolderEntries = { files: [], folders: [] };

/** Reads the repository's conventions for pull requests, at the commit that the turn starts from. */
async function readForm(work: TurnWork): Promise<PullRequestForm> {
  return {
    convention:
      work.claim.job.project.pull_requests.commitConvention ?? (await readConvention(work)),
    template: await findTemplate(createGuideReader(work)),
  };
}

async function readConvention({ gitWork, repository, start }: TurnWork): Promise<CommitConvention> {
  const list = { to: start.forkCommit, limit: maxConventionCommits };
  const commits = await gitWork.listCommits(repository, list);
  return detectConvention(commits.map(({ subject }) => subject));
}

/**
 * Returns access to the repository outside the site's folder, because only the site's folder is checked out, but the
 * team's guides may be anywhere in the repository. Returns undefined if the site is at the root.
 */
function createGuideRepository(work: TurnWork): GuideRepository | undefined {
  const { directory } = work;
  return directory === "." ? undefined : { siteFolder: directory, reader: createGuideReader(work) };
}

/**
 * Creates a reader that lists each folder at most once, and does not read folders or files that their parent does not
 * contain. The agent looks for guides in many locations, and most repositories contain few of them.
 */
function createGuideReader({
  gitWork,
  repository,
  startingPoint,
  signal,
}: TurnWork): GuideRepository["reader"] {
  const point = { commit: startingPoint.commit };
  const listings = new Map<string, Promise<FolderEntries>>();
  const listEntries = async (folder: string): Promise<FolderEntries> => {
    const cachedEntries = listings.get(folder);
    if (cachedEntries) return await cachedEntries;
    const listing = isListed(folder).then(async (isFolder) =>
      isFolder ? await gitWork.listFolder(repository, { ...point, folder }, signal) : emptyFolder,
    );
    listings.set(folder, listing);
    return await listing;
  };
  const isListed = async (folder: string): Promise<boolean> => {
    if (folder === "") return true;
    const { dir, base } = posix.parse(folder);
    return (await listEntries(dir)).folders.includes(base);
  };
  return {
    list: async (folder) => (await listEntries(folder)).files,
    async read(path) {
      const { dir, base } = posix.parse(path);
      if (!(await listEntries(dir)).files.includes(base)) return undefined;
      return await gitWork.readFile(
        repository,
        { ...point, path, maxBytes: maxGuideBytes },
        signal,
      );
    },
  };
}

/**
 * Returns the project's sources as the agent receives them: the address, and a function that opens the source with its
 * credentials.
 */
async function createTurnSources(
  options: Pick<TurnOptions, "codeHosts" | "readSources">,
  work: TurnWork,
): Promise<readonly TurnSource[]> {
  const sources = await options.readSources(work.project.id);
  return sources.map((source) => ({
    repository: source.repository,
    ref: source.ref,
    directory: source.directory,
    async open(commit, signal) {
      const { ref, directory } = source;
      const repository = await locateSource(options, work, { source, signal });
      const point = commit === undefined ? { ref: ref ?? undefined } : { commit };
      return await work.git.openSource({ repository, directory }, point, signal);
    },
  }));
}

/** Locates a source. If it has no credentials and is the project's own repository, uses the project's credentials. */
async function locateSource(
  { codeHosts }: Pick<TurnOptions, "codeHosts">,
  { project, host }: TurnWork,
  { source, signal }: { readonly source: ReadableSource; readonly signal: AbortSignal },
): Promise<Repository> {
  const { repository, credentials, codeHost } = source;
  if (repository === project.repository && !credentials) {
    return await host.readSource(project, signal);
  }
  return await codeHosts[codeHost].readSource({ id: project.id, repository, credentials }, signal);
}
