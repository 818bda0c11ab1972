import { sql, type Kysely, type RawBuilder, type Selectable, type SqlBool } from "kysely";
import {
  hostedRepository,
  parseRepositoryAddress,
  type OrganizationPlan,
} from "../../core/index.ts";
import { transact, type Database, type ProjectsTable, type Tables } from "../../db/index.ts";
import type { JobQueue } from "../queue/queue.ts";
import type { JobAnnouncer } from "../webhooks/announce.ts";
import { jobKinds } from "../job-kinds.ts";
import { failJob } from "./fail-job.ts";
import type { JobKind, JobTypes } from "./job-kind.ts";
import { isOpen, selectJobs, updateJob, buildJobUpdate } from "./job-table.ts";

/** The properties of a project that a job uses. */
export type ClaimedProject = Pick<
  Selectable<ProjectsTable>,
  "repository" | "ref" | "directory" | "code_host" | "pull_requests" | "remote_scripts"
> & { readonly plan: OrganizationPlan };

/** The completion of a job, or of a part of its work after which the job continues. */
export interface JobCompletion<T extends JobTypes> {
  readonly changes: T["Changes"];
  /**
   * Whether only a part of the work is done and the job continues. Its counts of failed attempts and waits are then
   * reset.
   */
  readonly isPartial?: boolean;
  /** Runs after the row is written and its end is announced. Throws if the job must not complete. */
  readonly check?: (transaction: Kysely<Tables>, row: T["View"]) => Promise<void>;
}

export interface JobClaimOptions {
  readonly database: Database;
  readonly announcer: JobAnnouncer;
  readonly queue: JobQueue;
}

/** The changes that reset the counts of failed attempts and waits. */
const clearedCounts = { strikes: 0, waits: 0, waiting_since: null };

/** Claims the job for a new attempt. Returns undefined if the job has ended, or was deleted with its project. */
export async function claimJob<T extends JobTypes>(
  kind: JobKind<T>,
  options: JobClaimOptions,
  jobId: string,
): Promise<JobClaim<T> | undefined> {
  const { rows } = await sql<ClaimedRow<T>>`
    update ${sql.table(kind.table)} as job
    set status = ${kind.statuses.running}, attempt = job.attempt + 1, strikes = job.strikes + 1,
      waiting_for = null
    from projects, organizations
    where projects.id = job.project_id and organizations.id = projects.organization_id
      and job.id = ${jobId} and ${isOpen(kind)}
    returning job.*, projects.repository as project_repository, projects.ref as project_ref,
      projects.directory as project_directory, projects.code_host as project_code_host,
      projects.pull_requests as project_pull_requests,
      projects.remote_scripts as project_remote_scripts, organizations.plan as project_plan
  `.execute(options.database.kysely);
  const [row] = rows;
  return row && new JobClaim<T>(kind, options, row);
}

/** The columns of a project, as a claim reads them together with the job's own columns. */
type ProjectPrefixed<Columns> = {
  readonly [Column in keyof Columns & string as `project_${Column}`]: Columns[Column];
};

type ClaimedRow<T extends JobTypes> = T["Row"] & T["View"] & ProjectPrefixed<ClaimedProject>;

/** Undoes the claim's increment of the number of failed attempts. */
const oneStrikeLess = sql`greatest(strikes - 1, 0)`;

/**
 * The right of an attempt to write to a job. Every write names the attempt. Once the job has ended or another worker
 * has claimed it, a write changes nothing, aborts `lost` and throws the abort reason. This stops the whole attempt,
 * including work that has read from the job and would act on it later.
 */
export class JobClaim<T extends JobTypes> {
  /** The job at the time of the claim. */
  readonly job: T["Row"] & T["View"];
  readonly project: ClaimedProject;
  readonly #kind: JobKind<T>;
  readonly #options: JobClaimOptions;
  readonly #kysely: Kysely<Tables>;
  readonly #lost = new AbortController();

  constructor(kind: JobKind<T>, options: JobClaimOptions, row: ClaimedRow<T>) {
    this.#kind = kind;
    this.#options = options;
    this.#kysely = options.database.kysely;
    this.job = row;
    this.project = {
      repository: row.project_repository,
      ref: row.project_ref,
      directory: row.project_directory,
      code_host: row.project_code_host,
      pull_requests: row.project_pull_requests,
      remote_scripts: row.project_remote_scripts,
      plan: row.project_plan,
    };
  }

  get lostSignal(): AbortSignal {
    return this.#lost.signal;
  }

  async write(changes: T["Changes"]): Promise<void> {
    const { rows } = await sql`${this.update(changes)} returning id`.execute(this.#kysely);
    if (rows.length === 0) this.abandon();
  }

  /**
   * Returns the update that `write` runs, for a statement that also writes to other tables. If the job is lost, the
   * update changes no rows, and the caller must call `abandon`. `isProgress` resets the counts of failed attempts and
   * waits.
   */
  update(changes: T["Changes"], { isProgress } = { isProgress: false }): RawBuilder<unknown> {
    const set = { ...changes, ...(isProgress && clearedCounts) };
    return buildJobUpdate(this.#kind, set, this.#isHeld());
  }

  /** Aborts `lost` and throws its reason. */
  abandon(): never {
    this.#lost.abort();
    this.#lost.signal.throwIfAborted();
    throw new Error("An aborted signal throws.");
  }

  /** Completes the job with the result of `work`, which runs in the same transaction while the job's row is locked. */
  async complete(
    work: (transaction: Kysely<Tables>, job: T["View"]) => Promise<JobCompletion<T>>,
  ): Promise<T["View"]> {
    const { id } = this.job;
    return await transact(this.#kysely, async (transaction) => {
      // Because of the lock, a message, a cancellation or another claim comes either before or after the whole
      // transaction.
      const held = await this.#selectHeld(transaction).forNoKeyUpdate().executeTakeFirst();
      if (!held) return this.abandon();
      const { changes, isPartial = false, check } = await work(transaction, held);
      const { statuses, endedColumn } = this.#kind;
      const end = { status: statuses.completed, [endedColumn]: sql`now()` };
      const set = { ...changes, ...(isPartial ? clearedCounts : end) };
      const update = buildJobUpdate(this.#kind, set, sql`id = ${id}`);
      const row = await updateJob(transaction, this.#kind, update);
      if (!row) return this.abandon();
      const { announcer } = this.#options;
      await announcer.announceEnd(this.#kind, transaction, { row, status: "completed" });
      await check?.(transaction, row);
      return row;
    });
  }

  async fail(error: string): Promise<void> {
    const { announcer } = this.#options;
    const failure = { jobId: this.job.id, error, announcer, where: this.#isHeld() };
    await transact(this.#kysely, async (transaction) => {
      if (!(await failJob(this.#kind, transaction, failure))) this.abandon();
    });
  }

  /**
   * Undoes counting the attempt as failed, for a worker that is alive but is stopping or could not reach its database.
   * Also works after another worker has claimed the job, because that worker assumed that this worker was dead.
   */
  async release(): Promise<void> {
    const where = sql<SqlBool>`id = ${this.job.id} and ${isOpen(this.#kind)}`;
    const set = { strikes: oneStrikeLess };
    await buildJobUpdate(this.#kind, set, where).execute(this.#kysely);
  }

  /** Makes the job run again after a delay, without counting the attempt, and records what it waits for. */
  async wait(reason: string, delaySeconds: number): Promise<void> {
    const { id, organization_id: organizationId, project_id: projectId } = this.job;
    const { queue } = this.#options;
    await transact(this.#kysely, async (transaction) => {
      const waiting = {
        waiting_for: reason,
        waiting_since: sql`coalesce(waiting_since, now())`,
        waits: sql`waits + 1`,
        strikes: oneStrikeLess,
      };
      const update = buildJobUpdate(this.#kind, waiting, this.#isHeld());
      if (!(await updateJob(transaction, this.#kind, update))) this.abandon();
      const owner = { organizationId, projectId };
      await queue.enqueue(transaction, this.#kind.queue, id, { owner, delaySeconds });
    });
  }

  /** Reports whether the repository is the project's own and a node has read it before. */
  async isKnownRepository(address: string): Promise<boolean> {
    return await isKnownRepository(this.#kysely, this.job.project_id, address);
  }

  /** Checks whether the job still belongs to this attempt, and aborts `lost` if not. */
  async checkOwnership(): Promise<void> {
    if (!(await this.#selectHeld(this.#kysely).executeTakeFirst())) this.#lost.abort();
  }

  #selectHeld(handle: Kysely<Tables>) {
    return selectJobs(handle, this.#kind).where(this.#isHeld());
  }

  /** Returns the condition that a row is this job and still belongs to this attempt. */
  #isHeld(): RawBuilder<SqlBool> {
    const { id, attempt } = this.job;
    return sql`id = ${id} and attempt = ${attempt} and status = ${this.#kind.statuses.running}`;
  }
}

/**
 * Reports whether a repository is the project's own and a node has read it before. If so, its address is correct, and
 * if it does not respond, it is temporarily unavailable. `address` is in the form that git received.
 */
async function isKnownRepository(
  kysely: Kysely<Tables>,
  projectId: string,
  address: string,
): Promise<boolean> {
  const project = await kysely
    .selectFrom("projects")
    .select(["repository", wasRead])
    .where("id", "=", projectId)
    .executeTakeFirst();
  if (project?.wasRead !== true || project.repository === hostedRepository) return false;
  const { repository } = project;
  return repository === address || parseRepositoryAddress(repository).url === address;
}

const wasRead = sql<boolean>`${sql.join(
  jobKinds.flatMap(({ table, hasReadRepository }) =>
    hasReadRepository === undefined
      ? []
      : sql`exists (select from ${sql.table(table)} as job
          where job.project_id = projects.id and ${hasReadRepository})`,
  ),
  sql` or `,
)}`.as("wasRead");
