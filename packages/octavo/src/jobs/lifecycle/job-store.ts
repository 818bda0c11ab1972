import { sql } from "kysely";
import type { Expression, Kysely, SqlBool } from "kysely";
import { OctavoError } from "@octavo/site/core";
import { isId } from "../../core/index.ts";
import type { OrganizationPlan, Quotas, SpaceWatch } from "../../core/index.ts";
import { transact } from "../../db/index.ts";
import type { Database, Param, Tables } from "../../db/index.ts";
import { recordEvent } from "../../projects/index.ts";
import type { ActorScope, NewAuditEvent } from "../../projects/index.ts";
import type { Metrics } from "../../telemetry/index.ts";
import type { JobQueue } from "../queue/queue.ts";
import type { JobAnnouncer } from "../webhooks/announce.ts";
import { failJob } from "./fail-job.ts";
import type { JobChanges } from "./job-changes.ts";
import { getShortName } from "./job-kind.ts";
import type { AnyJobKind, JobKind, JobTypes } from "./job-kind.ts";
import { selectJobs, updateJob, buildJobUpdate } from "./job-table.ts";
import { checkOpenJobs } from "./quotas.ts";

/**
 * The caller of an operation. Jobs of other organizations are hidden from the caller, and so are jobs of other projects
 * if `projectId` is set.
 */
export interface JobScope extends ActorScope {
  readonly projectId: string | null;
}

/** The caller of an operation on one project. */
export interface ProjectScope extends ActorScope {
  readonly projectId: string;
}

export interface JobFilter {
  /** The maximum number of jobs to return, from 1 to 100. */
  readonly limit: number;
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
  readonly status?: string | undefined;
  /** Additional conditions on the columns of the kind's table. */
  readonly where?: readonly Expression<SqlBool>[];
}

export interface JobPage<T extends JobTypes> {
  readonly jobs: readonly T["Snapshot"][];
  readonly nextCursor: string | null;
}

interface NewJob<T extends JobTypes> {
  readonly plan: OrganizationPlan;
  /** Writes the job's row, with an open status, and the rows that belong to it. */
  readonly insert: () => Promise<T["View"]>;
}

interface ReopenedJob<T extends JobTypes> {
  readonly id: string;
  readonly plan: OrganizationPlan;
  readonly changes: T["Changes"];
}

export interface JobStoreOptions {
  readonly database: Database;
  readonly queue: JobQueue;
  readonly changes: JobChanges;
  readonly announcer: JobAnnouncer;
  /** Watches the disk space. While it is low, new work is not accepted. */
  readonly space: SpaceWatch;
  readonly metrics: Pick<Metrics, "jobEntered">;
  readonly quotas: Quotas;
}

export type JobStore<T extends JobTypes> = ReturnType<typeof createJobStore<T>>;

/** Creates the operations on the jobs of a kind. Operations that take a job ID throw `not_found`. */
export function createJobStore<T extends JobTypes>(kind: JobKind<T>, options: JobStoreOptions) {
  return { ...createReads(kind, options), ...createWrites(kind, options) };
}

function createReads<T extends JobTypes>(kind: JobKind<T>, { database, changes }: JobStoreOptions) {
  const read = prepareRead(database, kind);
  const find = async (scope: JobScope, jobId: string) => {
    const [row] = isId(kind.idKind, jobId) ? await read(scope, jobId) : [];
    if (row) return row;
    throw createNotFoundError(kind, jobId);
  };
  return {
    find,

    /** Returns a page of jobs, newest first. Throws `invalid_input` for an invalid cursor. */
    async list(
      scope: JobScope,
      { status, cursor, limit, where = [] }: JobFilter,
    ): Promise<JobPage<T>> {
      let query = selectVisible(database.kysely, kind, scope)
        .orderBy("job.id", "desc")
        .limit(limit + 1);
      for (const condition of where) query = query.where(condition);
      if (status !== undefined) query = query.where("job.status", "=", status);
      if (cursor !== undefined) query = query.where("job.id", "<", parseCursor(kind, cursor));
      const rows = await query.execute();
      const page = rows.slice(0, limit);
      const last = rows.length > limit ? page.at(-1) : undefined;
      return { jobs: page.map((row) => kind.toSnapshot(row)), nextCursor: last?.id ?? null };
    },

    /** Yields the job now and after each change until it ends. When aborted, ends without an error. */
    async *watch(
      scope: JobScope,
      jobId: string,
      signal: AbortSignal,
    ): AsyncGenerator<T["Snapshot"], void, undefined> {
      const latch = new ChangeLatch();
      using _ = changes.follow(jobId, () => latch.set());
      for (let revision = -1; !signal.aborted; await latch.next(signal)) {
        const row = await find(scope, jobId);
        if (row.revision === revision) continue;
        revision = row.revision;
        yield kind.toSnapshot(row);
        if (!kind.statuses.open.includes(row.status)) return;
      }
    },
  };
}

function createWrites<T extends JobTypes>(kind: JobKind<T>, options: JobStoreOptions) {
  const { database, queue, announcer, metrics, quotas } = options;

  const enqueue = async (
    transaction: Kysely<Tables>,
    owner: ProjectScope,
    { id, plan }: { readonly id: string; readonly plan: OrganizationPlan },
  ) => {
    await checkOpenJobs(transaction, { ...owner, plan, quotas });
    await kind.checkQuotas?.(transaction, { ...owner, plan, quotas });
    await queue.enqueue(transaction, kind.queue, id, { owner });
  };

  const lock = async (transaction: Kysely<Tables>, scope: JobScope, jobId: string) => {
    const query = selectVisible(transaction, kind, scope).where("job.id", "=", jobId);
    const row = isId(kind.idKind, jobId)
      ? await query.forNoKeyUpdate().executeTakeFirst()
      : undefined;
    if (row) return row;
    throw createNotFoundError(kind, jobId);
  };

  return {
    /**
     * Locks the row until the transaction ends. Every change of a job's state locks the row first, even when a worker
     * ends the job.
     */
    lock,

    /**
     * Stores a job and enqueues it, in the caller's transaction. Throws `rate_limited` when a quota is reached, and
     * `unavailable` while disk space is low.
     */
    async start(
      transaction: Kysely<Tables>,
      scope: ProjectScope,
      { plan, insert }: NewJob<T>,
    ): Promise<T["Snapshot"]> {
      options.space.shortage.throwIfAborted();
      await kind.countStart?.(transaction, scope.projectId);
      const row = await insert();
      await enqueue(transaction, scope, { id: row.id, plan });
      await recordEvent(transaction, scope, buildAuditEvent(kind, "started", row));
      return kind.toSnapshot(row);
    },

    /**
     * Reopens a job that has ended, in the caller's transaction, which must have locked its row. Throws `rate_limited`
     * if too many jobs are open.
     */
    async reopen(
      transaction: Kysely<Tables>,
      scope: ProjectScope,
      { id, plan, changes }: ReopenedJob<T>,
    ): Promise<T["View"]> {
      const set = {
        ...changes,
        status: kind.statuses.running,
        error: null,
        [kind.endedColumn]: null,
        strikes: 0,
        waits: 0,
        waiting_for: null,
        waiting_since: null,
        // A worker that has not yet noticed that the job has ended must no longer write to it.
        attempt: sql`attempt + 1`,
      };
      const row = await updateJob(transaction, kind, buildJobUpdate(kind, set, sql`id = ${id}`));
      if (!row) throw createNotFoundError(kind, id);
      await enqueue(transaction, scope, { id, plan });
      return row;
    },

    /** Cancels a job. Throws `conflict` if it has ended. */
    async cancel(scope: JobScope, jobId: string): Promise<T["Snapshot"]> {
      const row = await transact(database.kysely, async (transaction) => {
        const { id, status } = await lock(transaction, scope, jobId);
        const error = "Cancelled by request.";
        const failure = { jobId: id, error, isCancelled: true, announcer };
        const cancelled = await failJob(kind, transaction, failure);
        if (!cancelled) {
          const message = `The ${getShortName(kind)} has already ended; its status is ${status}.`;
          throw new OctavoError("conflict", message);
        }
        await recordEvent(transaction, scope, buildAuditEvent(kind, "cancelled", cancelled));
        return cancelled;
      });
      metrics.jobEntered({ kind: kind.getMetricKind(row), state: "cancelled" });
      return kind.toSnapshot(row);
    },
  };
}

function buildAuditEvent<T extends JobTypes>(
  kind: JobKind<T>,
  event: "started" | "cancelled",
  row: T["View"],
): NewAuditEvent {
  const target = { id: row.id, name: kind.getTargetName?.(row) ?? null };
  return { action: kind.audit[event], target, projectId: row.project_id };
}

interface JobKey {
  readonly organizationId: string;
  readonly jobId: string;
}

/** Prepares the statement that reads a job, because clients poll it. */
function prepareRead<T extends JobTypes>({ kysely, prepare }: Database, kind: JobKind<T>) {
  const readOne = (param: Param<JobKey>) =>
    selectJobs(kysely, kind)
      .where("job.organization_id", "=", param("organizationId"))
      .where("job.id", "=", param("jobId"));
  const readInOrganization = prepare(readOne);
  const readInProject = prepare((param: Param<JobKey & { readonly projectId: string }>) =>
    readOne(param).where("job.project_id", "=", param("projectId")),
  );
  return ({ organizationId, projectId }: JobScope, jobId: string) =>
    projectId === null
      ? readInOrganization({ organizationId, jobId })
      : readInProject({ organizationId, projectId, jobId });
}

function selectVisible<T extends JobTypes>(
  handle: Kysely<Tables>,
  kind: JobKind<T>,
  { organizationId, projectId }: JobScope,
) {
  const query = selectJobs(handle, kind).where("job.organization_id", "=", organizationId);
  return projectId === null ? query : query.where("job.project_id", "=", projectId);
}

function parseCursor({ idKind }: Pick<AnyJobKind, "idKind">, cursor: string): string {
  if (isId(idKind, cursor)) return cursor;
  throw new OctavoError(
    "invalid_input",
    "`cursor` is not from this list. Omit it to start with the newest job.",
  );
}

function createNotFoundError({ name }: Pick<AnyJobKind, "name">, jobId: string): OctavoError {
  const quotedId = JSON.stringify(jobId.slice(0, 100).toWellFormed());
  return new OctavoError("not_found", `The ${name} ${quotedId} does not exist.`);
}

/** A latch that changes set and that one reader waits for. Several changes during a read set it once. */
class ChangeLatch {
  #isSet = false;
  #wake: (() => void) | undefined;

  set(): void {
    this.#isSet = true;
    this.#wake?.();
  }

  /** Resolves at the next change, or when aborted. */
  async next(signal: AbortSignal): Promise<void> {
    if (!this.#isSet && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const stop = () => resolve();
      signal.addEventListener("abort", stop);
      await promise;
      signal.removeEventListener("abort", stop);
    }
    this.#isSet = false;
  }
}
