import { sql } from "kysely";
import type { Kysely, RawBuilder, Selectable, UpdateObject } from "kysely";
import type { Quotas } from "../../core/index.ts";
import { transact } from "../../db/index.ts";
import type {
  Database,
  OrganizationsTable,
  ProjectsTable,
  StaticExportJobsTable,
  Tables,
} from "../../db/index.ts";
import { isKnownRepository } from "../lifecycle/known-repository.ts";
import type { JobQueue } from "../queue/queue.ts";
import { checkBundle } from "../lifecycle/quotas.ts";
import { waitingColumns } from "../lifecycle/waiting.ts";
import type { JobAnnouncer } from "../webhooks/announce.ts";
import { hasWebhookEvents, exportColumns, exportOf } from "./job.ts";
import type { ExportLogEntry, ExportStage } from "./progress.ts";

/** At most four progress writes per second. */
const progressIntervalMs = 250;

export type ClaimedExport = Selectable<StaticExportJobsTable> &
  Pick<Selectable<ProjectsTable>, "repository" | "code_host" | "directory"> &
  Pick<OrganizationsTable, "plan"> & { readonly project_remote_scripts: string[] };

export interface CompletedExport {
  readonly bundleKey: string;
  readonly bundleBytes: number;
  readonly pages: number;
  readonly rendered: number;
}

/**
 * One attempt's right to write to a job. Every write names the attempt: once the job has ended or another
 * worker has claimed it, a write changes nothing and `lost` aborts.
 */
export interface ExportClaim {
  readonly job: ClaimedExport;
  readonly lost: AbortSignal;
  /** Records the commit that this and every later attempt exports, and the version if none was given. */
  recordCommit(commit: string): Promise<void>;
  /** Writes with a delay, at most four times per second; never throws. */
  reportProgress(percent: number, pages: number, totalPages?: number): void;
  /** Adds a line to the job's log, and begins a stage with it if one is named. */
  logStage(text: string, stage?: ExportStage): Promise<void>;
  /** False if the job no longer belonged to this attempt. Throws `too_large` if its bundle is beyond a quota. */
  complete(result: CompletedExport): Promise<boolean>;
  fail(error: string): Promise<boolean>;
  /**
   * Takes back that the attempt counts against the job, for a worker that is alive: it stops, or its database was
   * away. Also after another worker has claimed the job, because that one took this for dead.
   */
  release(): Promise<void>;
  /** Has the job run again after a delay, without counting the attempt, and says on it what it waits for. */
  wait(reason: string, delaySeconds: number): Promise<void>;
  /** Whether the repository is the project's, and some node could read it before. */
  isKnownRepository(address: string): Promise<boolean>;
}

export interface ExportClaimOptions {
  readonly database: Database;
  readonly announcer: JobAnnouncer;
  readonly queue: JobQueue;
  readonly quotas: Quotas;
}

interface WrittenProgress {
  readonly progress: number;
  readonly page_count: number;
  readonly total_pages?: number;
}

/** A job that is tried again and again stops writing its log. */
const maxLogEntries = 200;

function logColumn(entry: Omit<ExportLogEntry, "at">): { log: RawBuilder<never> } {
  const json = JSON.stringify([{ at: new Date().toISOString(), ...entry }]);
  return {
    log: sql`case when jsonb_array_length(log) < ${maxLogEntries} then log || ${json}::jsonb else log end`,
  };
}

/** Claims the job for a new attempt; undefined if it has ended, or was deleted with its project. */
export async function claimExport(
  options: ExportClaimOptions,
  jobId: string,
): Promise<ExportClaim | undefined> {
  const row = await options.database.kysely
    .updateTable("static_export_jobs")
    .from(["projects", "organizations"])
    .set((eb) => ({
      status: "running",
      attempt: eb("attempt", "+", 1),
      strikes: eb("strikes", "+", 1),
      waiting_for: null,
    }))
    .whereRef("projects.id", "=", "static_export_jobs.project_id")
    .whereRef("organizations.id", "=", "projects.organization_id")
    .where("static_export_jobs.id", "=", jobId)
    .where("status", "in", ["queued", "running"])
    .returningAll("static_export_jobs")
    .returning(["projects.repository", "projects.code_host", "projects.directory"])
    .returning("projects.remote_scripts as project_remote_scripts")
    .returning("organizations.plan")
    .executeTakeFirst();
  return row && new ExportAttemptClaim(options, row);
}

class ExportAttemptClaim implements ExportClaim {
  readonly job: ClaimedExport;
  readonly #kysely: Kysely<Tables>;
  readonly #announcer: JobAnnouncer;
  readonly #queue: ExportClaimOptions["queue"];
  readonly #quotas: Quotas;
  readonly #lost = new AbortController();
  #progress: WrittenProgress | undefined;
  #writing: Promise<void> | undefined;
  #lastWrite = 0;
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor({ database, announcer, queue, quotas }: ExportClaimOptions, job: ClaimedExport) {
    this.#kysely = database.kysely;
    this.#announcer = announcer;
    this.#queue = queue;
    this.#quotas = quotas;
    this.job = job;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async recordCommit(commit: string): Promise<void> {
    await this.#write({
      commit: sql`coalesce(commit, ${commit})`,
      version: sql`coalesce(version, ${commit.slice(0, 7)})`,
    });
  }

  async logStage(text: string, stage?: ExportStage): Promise<void> {
    await this.#write(logColumn({ text, ...(stage && { stage }) }));
  }

  reportProgress(percent: number, pages: number, totalPages?: number): void {
    if (this.#hasEnded) return;
    this.#progress = {
      progress: percent,
      page_count: pages,
      ...(totalPages !== undefined && { total_pages: totalPages }),
    };
    if (this.#timer || this.#writing) return;
    const waitMs = Math.max(0, this.#lastWrite + progressIntervalMs - Date.now());
    this.#timer = setTimeout(() => this.#writeProgress(), waitMs).unref();
  }

  async complete(result: CompletedExport): Promise<boolean> {
    await this.#settle();
    return this.#end({
      status: "completed",
      progress: 100,
      page_count: result.pages,
      rendered_pages: result.rendered,
      bundle_key: result.bundleKey,
      bundle_bytes: result.bundleBytes,
      completed_at: sql`now()`,
      ...logColumn({ text: "Completed." }),
    });
  }

  async fail(error: string): Promise<boolean> {
    await this.#settle();
    const entry = logColumn({ text: `Failed: ${error}` });
    return this.#end({ status: "failed", error, completed_at: sql`now()`, ...entry });
  }

  async release(): Promise<void> {
    await this.#settle();
    await this.#kysely
      .updateTable("static_export_jobs")
      .set({ strikes: sql`greatest(strikes - 1, 0)` })
      .where("id", "=", this.job.id)
      .where("status", "=", "running")
      .execute();
  }

  async wait(reason: string, delaySeconds: number): Promise<void> {
    await this.#settle();
    const { id, organization_id: organizationId, project_id: projectId } = this.job;
    const isHeld = await transact(this.#kysely, async (transaction) => {
      const { numUpdatedRows } = await this.#update(
        transaction,
        waitingColumns(reason),
      ).executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) return false;
      await this.#queue.enqueue(transaction, "static-export", id, {
        owner: { organizationId, projectId },
        delaySeconds,
      });
      return true;
    });
    if (!isHeld) this.#lost.abort();
  }

  async isKnownRepository(address: string): Promise<boolean> {
    return await isKnownRepository(this.#kysely, this.job.project_id, address);
  }

  #writeProgress(): void {
    this.#timer = undefined;
    const progress = this.#progress;
    if (!progress || this.#hasEnded) return;
    this.#progress = undefined;
    this.#lastWrite = Date.now();
    this.#writing = this.#writeQuietly(progress);
  }

  async #writeQuietly(values: WrittenProgress): Promise<void> {
    try {
      await this.#write(values);
    } catch {
      // Progress that cannot be written is included in the next write; the job goes on.
    }
    this.#writing = undefined;
    const { progress, page_count: pages, total_pages: total } = this.#progress ?? {};
    if (progress !== undefined && pages !== undefined) this.reportProgress(progress, pages, total);
  }

  /** No progress is written after this. */
  async #settle(): Promise<void> {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    await this.#writing;
  }

  async #end(values: UpdateObject<Tables, "static_export_jobs">): Promise<boolean> {
    const { organization_id: organizationId, purpose, plan } = this.job;
    const hasEnded = await transact(this.#kysely, async (transaction) => {
      const row = await this.#update(transaction, values)
        .returning(exportColumns)
        .executeTakeFirst();
      if (!row) return false;
      if (row.status === "completed") {
        await checkBundle(transaction, { organizationId, plan, quotas: this.#quotas });
      }
      if (hasWebhookEvents(purpose)) {
        await this.#announcer.exportEnded(transaction, organizationId, exportOf(row));
      }
      return true;
    });
    if (!hasEnded) this.#lost.abort();
    return hasEnded;
  }

  async #write(values: UpdateObject<Tables, "static_export_jobs">): Promise<boolean> {
    const { numUpdatedRows } = await this.#update(this.#kysely, values).executeTakeFirstOrThrow();
    if (numUpdatedRows > 0n) return true;
    this.#lost.abort();
    return false;
  }

  #update(handle: Kysely<Tables>, values: UpdateObject<Tables, "static_export_jobs">) {
    return handle
      .updateTable("static_export_jobs")
      .set(values)
      .where("id", "=", this.job.id)
      .where("attempt", "=", this.job.attempt)
      .where("status", "=", "running");
  }
}
