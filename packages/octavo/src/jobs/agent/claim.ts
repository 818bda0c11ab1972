import { sql } from "kysely";
import type { Kysely, Selectable, UpdateObject } from "kysely";
import type { Transcript, TranscriptEntry } from "../../agent/index.ts";
import type {
  AgentJobsTable,
  Database,
  OrganizationsTable,
  ProjectsTable,
  Tables,
} from "../../db/index.ts";
import { transact } from "../../db/index.ts";
import type { JobAnnouncer } from "../webhooks/announce.ts";
import { endedSnapshot } from "./job.ts";
import { failJob } from "./turn-end.ts";

export interface TurnMessage {
  readonly turn: number;
  readonly text: string;
  readonly at: Date;
}

export type ClaimedAgentJob = Selectable<AgentJobsTable> & {
  readonly project: Pick<
    Selectable<ProjectsTable>,
    "repository" | "ref" | "directory" | "code_host" | "pull_requests"
  > &
    Pick<OrganizationsTable, "plan">;
};

/** Where a turn starts: recorded by its first attempt and reused by every later one. */
export interface TurnStart {
  readonly branch: string;
  readonly branchNumber: number;
  readonly branchTurn: number;
  /** The branch that the pull request is for. */
  readonly baseRef: string;
  /** Where the branch forks from the base. */
  readonly forkCommit: string;
  /** The commit that the turn starts from. */
  readonly turnBase: string;
  /** The base's commit that the turn merges into it; undefined if it merges none. */
  readonly mergedBase?: string | undefined;
}

export interface RecordedPullRequest {
  readonly number: number;
  readonly url: string;
  readonly state: "open" | "merged" | "closed";
  readonly isDraft: boolean;
}

export interface TurnResult {
  readonly summary: string;
  /** The job's complete change so far; undefined if this turn changed nothing. */
  readonly diff?: string;
  /** Undefined if there is none, or it has not changed. */
  readonly pullRequest?: RecordedPullRequest;
  /** The tip of the branch, including other people's commits; only while its pull request is open. */
  readonly head?: { readonly branch: string; readonly commit: string };
}

/**
 * One attempt's right to write to a job. Every write names the attempt: once the job has ended or another
 * worker has claimed it, a write changes nothing and `lost` aborts.
 */
export interface AgentClaim {
  /** As of the claim, or of the start of its next turn. */
  readonly job: ClaimedAgentJob;
  readonly lost: AbortSignal;
  /** The message of the running turn. */
  readonly message: TurnMessage;
  /** The job's history; an entry is stored before `append` resolves. */
  readonly transcript: Transcript;
  recordStart(start: TurnStart): Promise<void>;
  /** Records the branch's new tip before it is pushed. */
  recordHead(commit: string): Promise<void>;
  recordPullRequest(pullRequest: RecordedPullRequest | null): Promise<void>;
  /** The messages that the current branch was made for, the current one last. */
  instructions(): Promise<readonly string[]>;
  /**
   * Ends the turn and does `work` in the same transaction. True if another message was queued and is now
   * running.
   */
  completeTurn(
    result: TurnResult,
    work: (transaction: Kysely<Tables>) => Promise<void>,
  ): Promise<boolean>;
  fail(error: string): Promise<void>;
  /** As of an export's claim. */
  release(): Promise<void>;
  /** Checks whether the job still belongs to this attempt, and aborts `lost` if not. */
  checkOwnership(): Promise<void>;
}

export interface AgentClaimOptions {
  readonly database: Database;
  readonly announcer: JobAnnouncer;
}

/** Claims the job for a new attempt; undefined if it is not active, or was deleted with its project. */
export async function claimAgentJob(
  options: AgentClaimOptions,
  jobId: string,
): Promise<AgentClaim | undefined> {
  const { kysely } = options.database;
  const row = await kysely
    .updateTable("agent_jobs")
    .from(["projects", "organizations"])
    .set((eb) => ({ attempt: eb("attempt", "+", 1), strikes: eb("strikes", "+", 1) }))
    .whereRef("projects.id", "=", "agent_jobs.project_id")
    .whereRef("organizations.id", "=", "projects.organization_id")
    .where("agent_jobs.id", "=", jobId)
    .where("status", "=", "active")
    .returningAll("agent_jobs")
    .returning([
      "projects.repository as project_repository",
      "projects.ref as project_ref",
      "projects.directory as project_directory",
      "projects.code_host as project_code_host",
      "projects.pull_requests as project_pull_requests",
      "organizations.plan as plan",
    ])
    .executeTakeFirst();
  if (!row) return undefined;
  const { project_repository, project_ref, project_directory, project_code_host, ...rest } = row;
  const { project_pull_requests, plan, ...job } = rest;
  const project = {
    repository: project_repository,
    ref: project_ref,
    directory: project_directory,
    code_host: project_code_host,
    pull_requests: project_pull_requests,
    plan,
  };
  const message = await firstMessage(kysely, jobId, "running");
  const entries = await readEntries(kysely, jobId);
  return message && new AgentAttemptClaim(options, { ...job, project }, { message, entries });
}

/** The job's first message in a state. */
async function firstMessage(
  kysely: Kysely<Tables>,
  jobId: string,
  state: "queued" | "running",
): Promise<TurnMessage | undefined> {
  return await kysely
    .selectFrom("agent_messages")
    .select(["turn", "text", "created_at as at"])
    .where("job_id", "=", jobId)
    .where("state", "=", state)
    .orderBy("turn")
    .limit(1)
    .executeTakeFirst();
}

async function readEntries(kysely: Kysely<Tables>, jobId: string): Promise<TranscriptEntry[]> {
  const rows = await kysely
    .selectFrom("agent_events")
    .select("entry")
    .where("job_id", "=", jobId)
    .orderBy("seq")
    .execute();
  return rows.map(({ entry }) => JSON.parse(entry) as TranscriptEntry);
}

class AgentAttemptClaim implements AgentClaim {
  readonly #kysely: Kysely<Tables>;
  readonly #announcer: JobAnnouncer;
  readonly #lost = new AbortController();
  readonly #entries: TranscriptEntry[];
  readonly transcript: Transcript;
  #job: ClaimedAgentJob;
  #message: TurnMessage;

  constructor(
    { database, announcer }: AgentClaimOptions,
    job: ClaimedAgentJob,
    { message, entries }: { message: TurnMessage; entries: TranscriptEntry[] },
  ) {
    this.#kysely = database.kysely;
    this.#announcer = announcer;
    this.#job = job;
    this.#message = message;
    this.#entries = entries;
    this.transcript = { entries: () => this.#entries, append: (entry) => this.#append(entry) };
  }

  get job(): ClaimedAgentJob {
    return this.#job;
  }

  get message(): TurnMessage {
    return this.#message;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async recordStart(start: TurnStart): Promise<void> {
    await this.#write({
      branch: start.branch,
      branch_number: start.branchNumber,
      branch_turn: start.branchTurn,
      base_ref: start.baseRef,
      fork_commit: start.forkCommit,
      turn_base: start.turnBase,
      merged_base: start.mergedBase ?? null,
      ...(start.branch === this.#job.branch ? {} : { head_commit: null }),
    });
  }

  async recordHead(commit: string): Promise<void> {
    await this.#write({ head_commit: commit });
  }

  async recordPullRequest(pullRequest: RecordedPullRequest | null): Promise<void> {
    await this.#write(pullRequestColumns(pullRequest));
  }

  async instructions(): Promise<readonly string[]> {
    const rows = await this.#kysely
      .selectFrom("agent_messages")
      .select("text")
      .where("job_id", "=", this.#job.id)
      .where("turn", ">=", this.#job.branch_turn)
      .where("state", "in", ["running", "done"])
      .orderBy("turn")
      .execute();
    return rows.map(({ text }) => text);
  }

  async completeTurn(
    { summary, diff, pullRequest, head }: TurnResult,
    alongside: (transaction: Kysely<Tables>) => Promise<void>,
  ): Promise<boolean> {
    const { row, next } = await this.#inTransaction(async (transaction, job) => {
      await alongside(transaction);
      await this.#setState(transaction, this.#message.turn, "done");
      if (diff !== undefined) await storeDiff(transaction, job.id, diff);
      const next = await firstMessage(transaction, job.id, "queued");
      if (next) await this.#setState(transaction, next.turn, "running");
      const row = await transaction
        .updateTable("agent_jobs")
        .set({
          summary,
          turn_base: null,
          ...(pullRequest && pullRequestColumns(pullRequest)),
          ...(head && { head_commit: head.commit }),
          ...(next
            ? { turn: next.turn, strikes: 0 }
            : { status: "completed", ended_at: new Date() }),
        })
        .where("id", "=", job.id)
        .returningAll()
        .executeTakeFirstOrThrow();
      const ended = endedSnapshot(row, "completed");
      await this.#announcer.turnEnded(transaction, job.organization_id, ended);
      return { row, next };
    });
    this.#job = { ...this.#job, ...row };
    if (next) this.#message = next;
    return next !== undefined;
  }

  async fail(error: string): Promise<void> {
    await this.#inTransaction((transaction, job) =>
      failJob(transaction, job, {
        error,
        organizationId: job.organization_id,
        announcer: this.#announcer,
      }),
    );
  }

  async release(): Promise<void> {
    await this.#kysely
      .updateTable("agent_jobs")
      .set({ strikes: sql`greatest(strikes - 1, 0)` })
      .where("id", "=", this.#job.id)
      .where("status", "=", "active")
      .execute();
  }

  async checkOwnership(): Promise<void> {
    const row = await this.#kysely
      .selectFrom("agent_jobs")
      .select("id")
      .where("id", "=", this.#job.id)
      .where("attempt", "=", this.#job.attempt)
      .where("status", "=", "active")
      .executeTakeFirst();
    if (!row) this.#lost.abort();
  }

  async #append(entry: TranscriptEntry): Promise<void> {
    const { id, attempt, project_id } = this.#job;
    const { type } = entry;
    const usage = entry.type === "model" ? entry.usage : undefined;
    const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
    const text = JSON.stringify(entry);
    // One statement: the step is stored, counted, and charged to the project's day, or none of it.
    const { rows } = await sql<{ last_seq: number }>`
      with job as (
        update agent_jobs set last_seq = revision + 1,
          input_tokens = input_tokens + ${usage?.inputTokens ?? 0},
          output_tokens = output_tokens + ${usage?.outputTokens ?? 0},
          cached_input_tokens = cached_input_tokens + ${usage?.cachedInputTokens ?? 0},
          steps = steps + ${usage ? 1 : 0},
          compactions = compactions + ${type === "compaction" ? 1 : 0},
          strikes = case when ${isProgress(entry)} then 0 else strikes end
        where id = ${id} and attempt = ${attempt} and status = 'active'
        returning last_seq
      ), event as (
        insert into agent_events (job_id, seq, type, entry)
          select ${id}, last_seq, ${type}, ${text} from job
      ), day as (
        insert into agent_tokens as known (project_id, day, tokens)
          select ${project_id}, (now() at time zone 'utc')::date, ${tokens}::bigint from job
          where ${tokens}::bigint > 0
        on conflict (project_id, day) do update set tokens = known.tokens + excluded.tokens
      ) select last_seq from job`.execute(this.#kysely);
    if (rows.length === 0) return this.#abandon();
    this.#entries.push(entry);
  }

  async #setState(
    transaction: Kysely<Tables>,
    turn: number,
    state: "running" | "done",
  ): Promise<void> {
    await transaction
      .updateTable("agent_messages")
      .set({ state })
      .where("job_id", "=", this.#job.id)
      .where("turn", "=", turn)
      .execute();
  }

  /** Locks the job's row: a message or a cancellation comes before the whole transaction or after it. */
  async #inTransaction<Result>(
    work: (transaction: Kysely<Tables>, job: Selectable<AgentJobsTable>) => Promise<Result>,
  ): Promise<Result> {
    return await transact(this.#kysely, async (transaction) => {
      const job = await transaction
        .selectFrom("agent_jobs")
        .selectAll()
        .where("id", "=", this.#job.id)
        .where("attempt", "=", this.#job.attempt)
        .where("status", "=", "active")
        .forNoKeyUpdate()
        .executeTakeFirst();
      return job ? await work(transaction, job) : this.#abandon();
    });
  }

  async #write(values: UpdateObject<Tables, "agent_jobs">): Promise<void> {
    const row = await this.#kysely
      .updateTable("agent_jobs")
      .set(values)
      .where("id", "=", this.#job.id)
      .where("attempt", "=", this.#job.attempt)
      .where("status", "=", "active")
      .returningAll()
      .executeTakeFirst();
    if (!row) return this.#abandon();
    this.#job = { ...this.#job, ...row };
  }

  /** Stops the whole attempt, including work that has read from the job and would act on it later. */
  #abandon(): never {
    this.#lost.abort();
    this.#lost.signal.throwIfAborted();
    throw new Error("An aborted signal throws.");
  }
}

/** Entries that an attempt writes only once: repeating a check after a crash is not progress. */
function isProgress({ type }: TranscriptEntry): boolean {
  return type === "model" || type === "tool" || type === "message";
}

function pullRequestColumns(pullRequest: RecordedPullRequest | null) {
  return {
    pull_request_number: pullRequest?.number ?? null,
    pull_request_url: pullRequest?.url ?? null,
    pull_request_state: pullRequest?.state ?? null,
    pull_request_draft: pullRequest?.isDraft ?? false,
    pull_request_seen_at: pullRequest && new Date(),
  };
}

async function storeDiff(transaction: Kysely<Tables>, jobId: string, diff: string): Promise<void> {
  await transaction
    .insertInto("agent_diffs")
    .values({ job_id: jobId, diff })
    .onConflict((conflict) => conflict.column("job_id").doUpdateSet({ diff }))
    .execute();
}
