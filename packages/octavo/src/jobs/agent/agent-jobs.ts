import type { Kysely } from "kysely";
import { OctavoError } from "@octavo/site/core";
import {
  formatAgentBranch,
  defaultBranchPrefix,
  createId,
  renumberAgentBranch,
} from "../../core/index.ts";
import type { ModelList, OrganizationPlan } from "../../core/index.ts";
import { recordEvent, toColumn } from "../../projects/index.ts";
import { transact } from "../../db/index.ts";
import type { Tables } from "../../db/index.ts";
import type { ActorScope } from "../../projects/index.ts";
import { createJobStore } from "../lifecycle/job-store.ts";
import type {
  JobPage,
  JobStore,
  JobStoreOptions,
  JobFilter,
  ProjectScope,
} from "../lifecycle/job-store.ts";
import { selectNewestExport } from "../static-export/exports.ts";
import { toExportSnapshot } from "../static-export/job.ts";
import type { StaticExportJob } from "../static-export/job.ts";
import { startPreview } from "../static-export/previews.ts";
import type { PreviewOptions } from "../static-export/previews.ts";
import { readEventsUntil, readMessages, readPrompts, readSteps } from "./history.ts";
import type { AgentEvent, AgentMessage, AgentStep } from "./history.ts";
import { agentJobColumns, toAgentJobSnapshot } from "./job.ts";
import type { AgentJobRow, AgentJobSnapshot, AgentJobStatus } from "./job.ts";
import { agentKind } from "./kind.ts";
import type { AgentTypes } from "./kind.ts";
import { countCall, readProjectRate } from "./rate-limit.ts";
import type { RateKind, RateState } from "./rate-limit.ts";

/** The organization and project that an operation applies to. */
export type AgentScope = ProjectScope;

export interface AgentJobFilter extends Pick<JobFilter, "limit" | "cursor"> {
  readonly status?: AgentJobStatus | undefined;
}

export type AgentJobPage = JobPage<AgentTypes>;

/**
 * The operations on agent jobs. All methods except `create`, `list` and `rate` throw `not_found` for an unknown job.
 */
export interface AgentJobs {
  /** The default model of projects that have not chosen one, as `provider/model`. */
  readonly defaultModel: string;
  /**
   * Counts the call, stores the job and enqueues it, in the transaction of `handle` if it is set. Throws `not_found`
   * for an unknown project, `rate_limited` (also when a quota is reached), and `unavailable` while disk space is low.
   */
  create(scope: AgentScope, prompt: string, handle?: Kysely<Tables>): Promise<AgentJobSnapshot>;
  get(scope: AgentScope, jobId: string): Promise<AgentJobSnapshot>;
  /** Returns a page of the project's jobs, newest first. */
  list(scope: AgentScope, filter: AgentJobFilter): Promise<AgentJobPage>;
  /**
   * Adds a turn, which runs immediately or after the queued turns. Throws `conflict` if the job is archived,
   * `rate_limited`, and `unavailable` while disk space is low.
   */
  addMessage(
    scope: AgentScope,
    jobId: string,
    options: { readonly prompt: string; readonly handle?: Kysely<Tables> },
  ): Promise<AgentJobSnapshot>;
  /** Cancels an active job. Throws `conflict` if the job is not active. */
  cancel(scope: AgentScope, jobId: string): Promise<AgentJobSnapshot>;
  /** Archives a job. Idempotent. Throws `conflict` while the job is active. */
  archive(scope: AgentScope, jobId: string): Promise<AgentJobSnapshot>;
  /**
   * Yields each step with an ID above `after` (by default, all steps), and the job after each change, until the job
   * ends. If the signal is aborted, ends without an error.
   */
  watch(
    scope: AgentScope,
    jobId: string,
    options: { readonly after?: number | undefined; readonly signal: AbortSignal },
  ): AsyncIterable<AgentEvent>;
  /** Returns a unified diff against the base. The result is empty if nothing has been changed yet. */
  readDiff(scope: AgentScope, jobId: string): Promise<string>;
  /**
   * Returns the preview of one of the job's branches, which are numbered from 1. Also throws `not_found` if nothing was
   * pushed to the branch.
   */
  findPreview(scope: AgentScope, jobId: string, branchNumber: number): Promise<AgentPreview>;
  /**
   * Starts a preview of the branch's current commit unless one is already queued or running. Throws `forbidden` if the
   * organization's plan is below enterprise.
   */
  startPreview(scope: AgentScope, jobId: string, branchNumber: number): Promise<void>;
  /** Returns the users' messages, in chronological order. */
  listMessages(scope: AgentScope, jobId: string): Promise<readonly AgentMessage[]>;
  /** Returns the first message of each of these jobs of a project, truncated to 300 characters. */
  readPrompts(scope: AgentScope, jobIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Returns the newest `limit` steps, in chronological order. */
  listSteps(scope: AgentScope, jobId: string, limit: number): Promise<readonly AgentStep[]>;
  /** Returns the project's remaining calls. Returns the full limit if the project does not exist. */
  readRate(projectId: string, kind: RateKind): Promise<RateState>;
}

export interface AgentJobsOptions extends JobStoreOptions {
  /** The default model of projects that have not chosen one, as `provider/model`. */
  readonly model: string;
  /** The models that projects may choose. */
  readonly allowedModels: ModelList;
}

/** Creates the operations on agent jobs, for authenticated callers. */
export function createAgentJobs(options: AgentJobsOptions): AgentJobs {
  const { kysely } = options.database;
  const store = createJobStore(agentKind, options);
  const inTransaction = <Result>(
    handle: Kysely<Tables> | undefined,
    work: (transaction: Kysely<Tables>) => Promise<Result>,
  ) => (handle ? work(handle) : transact(kysely, work));

  return {
    defaultModel: options.model,
    create: (scope, prompt, handle) =>
      inTransaction(handle, (tx) => createJob(options, store, { tx, scope, prompt })),
    async get(scope, jobId) {
      return toAgentJobSnapshot(await store.find(scope, jobId));
    },
    list: (scope, filter) => store.list(scope, filter),
    addMessage: (scope, jobId, { prompt, handle }) =>
      inTransaction(handle, (tx) => addMessage(options, store, { tx, scope, jobId, prompt })),
    cancel: (scope, jobId) => store.cancel(scope, jobId),
    archive: (scope, jobId) =>
      inTransaction(undefined, async (tx) =>
        archiveJob(tx, scope, await store.lock(tx, scope, jobId)),
      ),
    async *watch(scope, jobId, { after, signal }) {
      let lastSent = after ?? 0;
      for await (const snapshot of store.watch(scope, jobId, signal)) {
        // The ID does not belong to this job, so all events are sent.
        if (lastSent > snapshot.revision) lastSent = 0;
        for await (const event of readEventsUntil(kysely, snapshot, lastSent)) {
          lastSent = event.id;
          yield event;
          if (signal.aborted) return;
        }
      }
    },
    async readDiff(scope, jobId) {
      const { id } = await store.find(scope, jobId);
      const row = await kysely
        .selectFrom("agent_diffs")
        .select("diff")
        .where("job_id", "=", id)
        .executeTakeFirst();
      return row?.diff ?? "";
    },
    readRate: (projectId, kind) => readProjectRate(kysely, projectId, kind),
    ...createPageOperations(options, store),
  };
}

/** Creates the operations that only the dashboard's pages use. */
function createPageOperations(
  options: AgentJobsOptions,
  store: JobStore<AgentTypes>,
): Pick<AgentJobs, "findPreview" | "startPreview" | "listMessages" | "readPrompts" | "listSteps"> {
  const { kysely } = options.database;
  return {
    async findPreview(scope, jobId, number) {
      const { id } = await store.find(scope, jobId);
      return await findPreview(kysely, { projectId: scope.projectId, jobId: id, number });
    },
    startPreview: (scope, jobId, number) =>
      transact(kysely, async (transaction) => {
        const { id } = await store.lock(transaction, scope, jobId);
        const branch = { projectId: scope.projectId, jobId: id, number, caller: scope };
        await startBranchPreview(transaction, options, branch);
      }),
    async listMessages(scope, jobId) {
      const { id } = await store.find(scope, jobId);
      return await readMessages(kysely, id);
    },
    readPrompts: (scope, jobIds) => readPrompts(kysely, scope.projectId, jobIds),
    async listSteps(scope, jobId, limit) {
      const { id } = await store.find(scope, jobId);
      return await readSteps(kysely, id, limit);
    },
  };
}

function buildAuditEvent(
  event: "continued" | "archived",
  { id, project_id: projectId }: AgentJobRow,
) {
  return { action: `agent_job.${event}`, target: { id, name: null }, projectId } as const;
}

interface PromptRequest {
  readonly tx: Kysely<Tables>;
  readonly scope: AgentScope;
  readonly prompt: string;
}

async function createJob(
  { model: defaultModel, allowedModels }: AgentJobsOptions,
  store: JobStore<AgentTypes>,
  { tx, scope, prompt }: PromptRequest,
): Promise<AgentJobSnapshot> {
  const project = await tx
    .selectFrom("projects")
    .innerJoin("organizations", "organizations.id", "projects.organization_id")
    .select(["projects.id", "repository", "model", "pull_requests", "plan"])
    .where("projects.id", "=", scope.projectId)
    .where("organization_id", "=", scope.organizationId)
    .executeTakeFirst();
  if (!project) {
    throw new OctavoError(
      "not_found",
      `The project ${JSON.stringify(scope.projectId)} does not exist.`,
    );
  }
  const model = project.model ?? defaultModel;
  if (project.model !== null && !allowedModels.allows(model, project.plan)) {
    throw new OctavoError(
      "conflict",
      `The project's model ${model} is no longer allowed on this service; choose a different model in the project's settings.`,
    );
  }
  const insert = async () => {
    const id = createId("agentJob");
    const { branchPrefix: prefix = defaultBranchPrefix } = project.pull_requests;
    const row = await tx
      .insertInto("agent_jobs")
      .values({
        id,
        organization_id: scope.organizationId,
        project_id: project.id,
        status: "active",
        model,
        repository: project.repository,
        branch: formatAgentBranch({ prefix, jobId: id, number: 1 }),
        created_by: toColumn(scope.actor),
      })
      .returning(agentJobColumns)
      .executeTakeFirstOrThrow();
    await insertMessage({ tx, scope, prompt }, { jobId: id, turn: 1, state: "running" });
    return row;
  };
  return await store.start(tx, scope, { plan: project.plan, insert });
}

async function insertMessage(
  { tx, scope, prompt }: PromptRequest,
  message: {
    readonly jobId: string;
    readonly turn: number;
    readonly state: "queued" | "running";
  },
): Promise<void> {
  const { jobId: job_id, turn, state } = message;
  await tx
    .insertInto("agent_messages")
    .values({ job_id, turn, text: prompt, state, created_by: toColumn(scope.actor) })
    .execute();
}

async function addMessage(
  { space }: AgentJobsOptions,
  store: JobStore<AgentTypes>,
  { jobId, ...message }: PromptRequest & { readonly jobId: string },
): Promise<AgentJobSnapshot> {
  const { tx, scope } = message;
  const row = await store.lock(tx, scope, jobId);
  if (row.status === "archived") {
    throw new OctavoError("conflict", "The agent job is archived; create a new one instead.");
  }
  space.shortage.throwIfAborted();
  await countCall(tx, row.project_id, "messages");
  const isActive = row.status === "active";
  // The job's row is locked, so no other turn can be added in the meantime.
  const lastMessage = await tx
    .selectFrom("agent_messages")
    .select((eb) => eb.fn.max("turn").as("turn"))
    .where("job_id", "=", row.id)
    .executeTakeFirstOrThrow();
  const turn = lastMessage.turn + 1;
  await insertMessage(message, { jobId: row.id, turn, state: isActive ? "queued" : "running" });
  await recordEvent(tx, scope, { ...buildAuditEvent("continued", row), details: { turn } });
  if (isActive) return toAgentJobSnapshot(row);
  const plan = await readPlan(tx, scope.organizationId);
  const changes = { turn, turn_base: null };
  return toAgentJobSnapshot(await store.reopen(tx, scope, { id: row.id, plan, changes }));
}

async function readPlan(tx: Kysely<Tables>, organizationId: string): Promise<OrganizationPlan> {
  const { plan } = await tx
    .selectFrom("organizations")
    .select("plan")
    .where("id", "=", organizationId)
    .executeTakeFirstOrThrow();
  return plan;
}

async function archiveJob(
  transaction: Kysely<Tables>,
  scope: AgentScope,
  row: AgentJobRow,
): Promise<AgentJobSnapshot> {
  if (row.status === "archived") return toAgentJobSnapshot(row);
  if (row.status === "active") {
    throw new OctavoError("conflict", "The agent job is active; wait until it ends, or cancel it.");
  }
  const archived = await transaction
    .updateTable("agent_jobs")
    .set({ status: "archived", archived_at: new Date() })
    .where("id", "=", row.id)
    .returning(agentJobColumns)
    .executeTakeFirstOrThrow();
  await recordEvent(transaction, scope, buildAuditEvent("archived", row));
  return toAgentJobSnapshot(archived);
}

/** The preview of one of a job's branches. */
export interface AgentPreview {
  readonly branch: string;
  /** The newest export of the branch; undefined if the branch has no export. */
  readonly job: StaticExportJob | undefined;
  /** Whether the service has pushed to the branch since the newest export began. */
  readonly isOutdated: boolean;
}

interface JobBranch {
  readonly projectId: string;
  readonly jobId: string;
  /** The number of the job's branch, starting at 1. */
  readonly number: number;
}

/** Finds the preview of a branch. Throws `not_found` if the job has not pushed this branch to the code host. */
export async function findPreview(
  kysely: Kysely<Tables>,
  { projectId, jobId, number }: JobBranch,
): Promise<AgentPreview> {
  const job = await kysely
    .selectFrom("agent_jobs")
    .select(["branch", "branch_number", "head_commit", "ended_at"])
    .where("id", "=", jobId)
    .where("project_id", "=", projectId)
    .executeTakeFirst();
  const isLast = job?.branch_number === number;
  const isPushed = isLast ? job.head_commit !== null : number < (job?.branch_number ?? 0);
  if (!job || number < 1 || !isPushed) {
    throw new OctavoError("not_found", "The agent job has not pushed any changes to preview.");
  }
  const branch = renumberAgentBranch(job.branch, number);
  const row = await selectNewestExport(kysely, projectId, branch).executeTakeFirst();
  if (!row) return { branch, job: undefined, isOutdated: false };
  // An export that started after the last turn contains that turn's result or a newer result.
  const isOlderThanTurn = job.ended_at !== null && row.created_at < job.ended_at;
  const isBehind = isLast && isOlderThanTurn && row.commit !== job.head_commit;
  return { branch, job: toExportSnapshot(row).job, isOutdated: isBehind };
}

/**
 * Starts a preview of the branch's current commit unless one is already queued or running. The caller's transaction
 * must have locked the job's row. Throws in the same cases as `findPreview`, and `forbidden` if the organization's plan is below
 * enterprise.
 */
async function startBranchPreview(
  transaction: Kysely<Tables>,
  options: PreviewOptions,
  { caller, ...branchOfJob }: JobBranch & { readonly caller: ActorScope },
): Promise<void> {
  const { branch, job } = await findPreview(transaction, branchOfJob);
  if (job?.status === "queued" || job?.status === "running") return;
  const { projectId, jobId } = branchOfJob;
  if (await startPreview(transaction, options, { projectId, ref: branch })) {
    const target = { id: jobId, name: branch };
    return await recordEvent(transaction, caller, { action: "preview.started", target, projectId });
  }
  throw new OctavoError(
    "forbidden",
    "A preview is a static export, which requires the enterprise plan.",
  );
}
