import type { Kysely } from "kysely";
import { OctavoError } from "@octavo/site/core";
import { agentBranchName, defaultBranchPrefix, newId } from "../../core/index.ts";
import type { ModelList, Quotas, SpaceWatch } from "../../core/index.ts";
import type { Metrics } from "../../telemetry/index.ts";
import { recordEvent, toColumn } from "../../projects/index.ts";
import { transact } from "../../db/index.ts";
import type { Database, Tables } from "../../db/index.ts";
import { ChangeLatch } from "../lifecycle/job-changes.ts";
import type { JobQueue } from "../queue/queue.ts";
import { checkOpenJobs } from "../lifecycle/quotas.ts";
import type { JobAnnouncer } from "../webhooks/announce.ts";
import type { AgentChanges } from "./changes.ts";
import { eventsUntil } from "./events.ts";
import type { AgentEvent } from "./events.ts";
import { readMessages, readPrompts, readSteps } from "./history.ts";
import type { AgentMessage } from "./history.ts";
import { findRow, lockRow, selectVisible } from "./job-rows.ts";
import type { AgentScope } from "./job-rows.ts";
import { agentJobColumns, agentJobOf } from "./job.ts";
import type { AgentJobSnapshot, AgentJobStatus } from "./job.ts";
import { findPreview, startBranchPreview } from "./preview.ts";
import type { AgentPreview } from "./preview.ts";
import { countCall, rateState } from "./rate-limit.ts";
import type { RateKind, RateState } from "./rate-limit.ts";
import type { AgentStep } from "./step.ts";
import { failJob } from "./turn-end.ts";

export interface ListAgentJobs {
  readonly status?: AgentJobStatus | undefined;
  /** 1 to 100. */
  readonly limit: number;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

export interface AgentJobPage {
  readonly jobs: readonly AgentJobSnapshot[];
  readonly nextCursor: string | null;
}

/** All methods except `create`, `list` and `rate` throw `not_found`. */
export interface AgentJobs {
  /** `provider/model` for projects without a model of their own. */
  readonly defaultModel: string;
  /**
   * Counts the call, writes the job and enqueues it, in the transaction `handle` if one is given.
   * Throws `not_found` for the project, `rate_limited`, also where a quota is reached, and `unavailable` while disk
   * space is short.
   */
  create(scope: AgentScope, prompt: string, handle?: Kysely<Tables>): Promise<AgentJobSnapshot>;
  get(scope: AgentScope, jobId: string): Promise<AgentJobSnapshot>;
  /** Newest first. */
  list(scope: AgentScope, filter: ListAgentJobs): Promise<AgentJobPage>;
  /**
   * Adds a turn, which runs at once or after the queued ones. Throws `conflict` if the job is archived,
   * `rate_limited`, and `unavailable` while disk space is short.
   */
  message(
    scope: AgentScope,
    jobId: string,
    options: { readonly prompt: string; readonly handle?: Kysely<Tables> },
  ): Promise<AgentJobSnapshot>;
  /** Throws `conflict` if the job is not active. */
  cancel(scope: AgentScope, jobId: string): Promise<AgentJobSnapshot>;
  /** Idempotent. Throws `conflict` while the job is active. */
  archive(scope: AgentScope, jobId: string): Promise<AgentJobSnapshot>;
  /**
   * Each step, and the job after each change, from the first ID above `after` (default: all) to the job's
   * end. Ends without an error when aborted.
   */
  watch(
    scope: AgentScope,
    jobId: string,
    options: { readonly after?: number | undefined; readonly signal: AbortSignal },
  ): AsyncIterable<AgentEvent>;
  /** A unified diff against the base; empty if nothing has changed so far. */
  diff(scope: AgentScope, jobId: string): Promise<string>;
  /** The preview of one of the job's branches, counted from 1. Also throws `not_found` if nothing was pushed to it. */
  preview(scope: AgentScope, jobId: string, branchNumber: number): Promise<AgentPreview>;
  /**
   * Starts a preview of the branch's current commit, unless one is already queued or running. Throws
   * `forbidden` below the plan enterprise.
   */
  startPreview(scope: AgentScope, jobId: string, branchNumber: number): Promise<void>;
  /** The messages of people, in order. */
  messages(scope: AgentScope, jobId: string): Promise<readonly AgentMessage[]>;
  /** The first message of each of these jobs of a project, cut after 300 characters. */
  prompts(scope: AgentScope, jobIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The newest `limit` steps, in order. */
  steps(scope: AgentScope, jobId: string, limit: number): Promise<readonly AgentStep[]>;
  /** The calls that a project has left; all of them if the project does not exist. */
  rate(projectId: string, kind: RateKind): Promise<RateState>;
}

export interface AgentJobsOptions {
  readonly database: Database;
  readonly queue: JobQueue;
  readonly changes: AgentChanges;
  readonly announcer: JobAnnouncer;
  /** While space is short, no work is accepted. */
  readonly space: SpaceWatch;
  readonly metrics: Pick<Metrics, "jobEntered">;
  /** `provider/model` for projects without a model of their own. */
  readonly model: string;
  /** Those that projects may choose. */
  readonly allowedModels: ModelList;
  readonly quotas: Quotas;
}

/** The operations on agent jobs, for authenticated callers. */
export function createAgentJobs(options: AgentJobsOptions): AgentJobs {
  const { database, changes, announcer } = options;
  const { kysely } = database;
  const find = (scope: AgentScope, jobId: string) => findRow(kysely, scope, jobId);

  return {
    defaultModel: options.model,
    create(scope, prompt, handle) {
      return inTransaction(kysely, handle, (tx) => createJob(options, tx, { scope, prompt }));
    },
    async get(scope, jobId) {
      return agentJobOf(await find(scope, jobId));
    },
    async list(scope, { status, limit, cursor }) {
      let query = selectVisible(kysely, scope)
        .orderBy("id", "desc")
        .limit(limit + 1);
      if (status !== undefined) query = query.where("status", "=", status);
      if (cursor !== undefined) query = query.where("id", "<", cursor);
      const rows = await query.execute();
      const jobs = rows.slice(0, limit).map(agentJobOf);
      const last = rows.length > limit ? jobs.at(-1) : undefined;
      return { jobs, nextCursor: last?.job.id ?? null };
    },
    message(scope, jobId, { prompt, handle }) {
      return inTransaction(kysely, handle, (tx) =>
        addMessage(options, tx, { scope, jobId, prompt }),
      );
    },
    async cancel(scope, jobId) {
      const cancelled = await inTransaction(kysely, undefined, async (transaction) => {
        const row = await lockRow(transaction, scope, jobId);
        if (row.status === "active") {
          const { organizationId } = scope;
          await record(transaction, scope, { action: "cancelled", jobId });
          const failure = { error: "Cancelled by request.", organizationId, announcer };
          return agentJobOf(await failJob(transaction, row, failure));
        }
        throw new OctavoError("conflict", `The agent job is not active: it is ${row.status}.`);
      });
      options.metrics.jobEntered({ kind: "agent", state: "cancelled" });
      return cancelled;
    },
    archive(scope, jobId) {
      return inTransaction(kysely, undefined, (transaction) =>
        archiveJob(transaction, scope, jobId),
      );
    },
    async *watch(scope, jobId, { after, signal }) {
      const latch = new ChangeLatch();
      using _ = changes.follow(jobId, () => latch.set());
      let lastSent = after ?? 0;
      for (; !signal.aborted; await latch.next(signal)) {
        const snapshot = agentJobOf(await find(scope, jobId));
        // Not an ID of this job: start from the beginning.
        if (lastSent > snapshot.revision) lastSent = 0;
        for await (const event of eventsUntil(kysely, snapshot, lastSent)) {
          lastSent = event.id;
          yield event;
          if (signal.aborted) return;
        }
        if (snapshot.job.status !== "active") return;
      }
    },
    async diff(scope, jobId) {
      const { id } = await find(scope, jobId);
      const row = await kysely
        .selectFrom("agent_diffs")
        .select("diff")
        .where("job_id", "=", id)
        .executeTakeFirst();
      return row?.diff ?? "";
    },
    rate: (projectId, kind) => rateState(kysely, projectId, kind),
    ...createReaders(options),
  };
}

/** The operations behind the dashboard's pages. */
function createReaders({
  database: { kysely },
  queue,
}: AgentJobsOptions): Pick<
  AgentJobs,
  "preview" | "startPreview" | "messages" | "prompts" | "steps"
> {
  return {
    async preview({ organizationId, projectId }, jobId, number) {
      const { id } = await findRow(kysely, { organizationId, projectId }, jobId);
      return await findPreview(kysely, { projectId, jobId: id, number });
    },
    startPreview(scope, jobId, number) {
      return inTransaction(kysely, undefined, async (transaction) => {
        const { id } = await lockRow(transaction, scope, jobId);
        const { projectId } = scope;
        await startBranchPreview(transaction, queue, { projectId, jobId: id, number });
      });
    },
    async messages(scope, jobId) {
      const { id } = await findRow(kysely, scope, jobId);
      return await readMessages(kysely, id);
    },
    prompts: (scope, jobIds) => readPrompts(kysely, scope.projectId, jobIds),
    async steps(scope, jobId, limit) {
      const { id } = await findRow(kysely, scope, jobId);
      return await readSteps(kysely, id, limit);
    },
  };
}

function inTransaction<Result>(
  kysely: Kysely<Tables>,
  handle: Kysely<Tables> | undefined,
  work: (transaction: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  return handle ? work(handle) : transact(kysely, work);
}

interface Act {
  readonly action: "created" | "continued" | "cancelled" | "archived";
  readonly jobId: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

function record(
  transaction: Kysely<Tables>,
  scope: AgentScope,
  { action, jobId, details }: Act,
): Promise<void> {
  return recordEvent(transaction, scope, {
    action: `agent_job.${action}`,
    target: { id: jobId, name: null },
    projectId: scope.projectId,
    details,
  });
}

async function createJob(
  { queue, model: defaultModel, allowedModels, space, quotas }: AgentJobsOptions,
  transaction: Kysely<Tables>,
  { scope, prompt }: { scope: AgentScope; prompt: string },
): Promise<AgentJobSnapshot> {
  const project = await transaction
    .selectFrom("projects")
    .innerJoin("organizations", "organizations.id", "projects.organization_id")
    .select(["projects.id", "repository", "model", "pull_requests", "plan"])
    .where("projects.id", "=", scope.projectId)
    .where("organization_id", "=", scope.organizationId)
    .executeTakeFirst();
  if (!project) {
    throw new OctavoError("not_found", `There is no project ${JSON.stringify(scope.projectId)}.`);
  }
  const model = project.model ?? defaultModel;
  if (project.model !== null && !allowedModels.allows(model, project.plan)) {
    throw new OctavoError(
      "conflict",
      `The project's model ${model} is not one that this service allows by now; choose another in the project's settings.`,
    );
  }
  space.shortage.throwIfAborted();
  await countCall(transaction, project.id, "jobs");
  const id = newId("agentJob");
  const { branchPrefix: prefix = defaultBranchPrefix } = project.pull_requests;
  const row = await transaction
    .insertInto("agent_jobs")
    .values({
      id,
      organization_id: scope.organizationId,
      project_id: project.id,
      status: "active",
      model,
      repository: project.repository,
      branch: agentBranchName({ prefix, jobId: id, number: 1 }),
      created_by: toColumn(scope.actor),
    })
    .returning(agentJobColumns)
    .executeTakeFirstOrThrow();
  await transaction
    .insertInto("agent_messages")
    .values({
      job_id: id,
      turn: 1,
      text: prompt,
      state: "running",
      created_by: toColumn(scope.actor),
    })
    .execute();
  await checkOpenJobs(transaction, { ...scope, plan: project.plan, quotas });
  await queue.enqueue(transaction, "agent", id, { owner: scope });
  await record(transaction, scope, { action: "created", jobId: id });
  return agentJobOf(row);
}

async function addMessage(
  { queue, space, quotas }: AgentJobsOptions,
  transaction: Kysely<Tables>,
  { scope, jobId, prompt }: { scope: AgentScope; jobId: string; prompt: string },
): Promise<AgentJobSnapshot> {
  const row = await lockRow(transaction, scope, jobId);
  if (row.status === "archived") {
    throw new OctavoError("conflict", "The agent job is archived; create a new one instead.");
  }
  space.shortage.throwIfAborted();
  await countCall(transaction, row.project_id, "messages");
  const isActive = row.status === "active";
  // The job's row is locked: nobody else adds a turn meanwhile.
  const last = await transaction
    .selectFrom("agent_messages")
    .select((eb) => eb.fn.max("turn").as("turn"))
    .where("job_id", "=", row.id)
    .executeTakeFirstOrThrow();
  const turn = last.turn + 1;
  const state = isActive ? "queued" : "running";
  await transaction
    .insertInto("agent_messages")
    .values({ job_id: row.id, turn, text: prompt, state, created_by: toColumn(scope.actor) })
    .execute();
  await record(transaction, scope, { action: "continued", jobId, details: { turn } });
  if (isActive) return agentJobOf(row);
  const started = await transaction
    .updateTable("agent_jobs")
    .set((eb) => ({
      status: "active",
      turn,
      turn_base: null,
      error: null,
      ended_at: null,
      strikes: 0,
      // A worker that does not know yet that the previous turn was cancelled must not write to this one.
      attempt: eb("attempt", "+", 1),
    }))
    .where("id", "=", row.id)
    .returning(agentJobColumns)
    .executeTakeFirstOrThrow();
  const { plan } = await transaction
    .selectFrom("organizations")
    .select("plan")
    .where("id", "=", scope.organizationId)
    .executeTakeFirstOrThrow();
  await checkOpenJobs(transaction, { ...scope, plan, quotas });
  await queue.enqueue(transaction, "agent", row.id, { owner: scope });
  return agentJobOf(started);
}

async function archiveJob(
  transaction: Kysely<Tables>,
  scope: AgentScope,
  jobId: string,
): Promise<AgentJobSnapshot> {
  const row = await lockRow(transaction, scope, jobId);
  if (row.status === "archived") return agentJobOf(row);
  if (row.status === "active") {
    throw new OctavoError("conflict", "The agent job is active; wait until it ends, or cancel it.");
  }
  const archived = await transaction
    .updateTable("agent_jobs")
    .set({ status: "archived", archived_at: new Date() })
    .where("id", "=", row.id)
    .returning(agentJobColumns)
    .executeTakeFirstOrThrow();
  await record(transaction, scope, { action: "archived", jobId });
  return agentJobOf(archived);
}
