import { sql } from "kysely";
import type { Kysely, Selectable, UpdateObject } from "kysely";
import type { Transcript, TranscriptEntry } from "../../agent/index.ts";
import { costOf, valueFor } from "../../core/index.ts";
import type { ModelPrice, PerModel } from "../../core/index.ts";
import { transact } from "../../db/index.ts";
import type { AgentJobsTable, Database, Tables } from "../../db/index.ts";
import { isKnownRepository } from "../lifecycle/known-repository.ts";
import type { JobQueue } from "../queue/queue.ts";
import { waitingColumns } from "../lifecycle/waiting.ts";
import type { JobAnnouncer } from "../webhooks/announce.ts";
import type {
  AgentClaim,
  ClaimedAgentJob,
  RecordedPullRequest,
  TurnMessage,
  TurnResult,
  TurnStart,
} from "./claim.ts";
import { endedSnapshot } from "./job.ts";
import { failJob } from "./turn-end.ts";

export interface AgentClaimOptions {
  readonly database: Database;
  readonly announcer: JobAnnouncer;
  readonly queue: JobQueue;
  /** Of the models whose cost is known. */
  readonly prices?: PerModel<ModelPrice> | undefined;
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
    .set((eb) => ({
      attempt: eb("attempt", "+", 1),
      strikes: eb("strikes", "+", 1),
      waiting_for: null,
    }))
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
    .select(["turn", "text", "created_at as at", "created_by as by"])
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

/** What an entry adds to the usage of its job. */
function usageOf(entry: TranscriptEntry, price: ModelPrice | undefined) {
  const isReply = entry.type === "model";
  const usage = isReply ? entry.usage : { inputTokens: 0, outputTokens: 0 };
  const { inputTokens, outputTokens, cachedInputTokens = 0 } = usage;
  return {
    inputTokens,
    outputTokens,
    cachedInputTokens,
    tokens: inputTokens + outputTokens,
    cost: price ? costOf(price, usage) : null,
    steps: isReply ? 1 : 0,
  };
}

class AgentAttemptClaim implements AgentClaim {
  readonly #kysely: Kysely<Tables>;
  readonly #announcer: JobAnnouncer;
  readonly #queue: AgentClaimOptions["queue"];
  readonly #price: ModelPrice | undefined;
  readonly #lost = new AbortController();
  readonly #entries: TranscriptEntry[];
  readonly transcript: Transcript;
  #job: ClaimedAgentJob;
  #message: TurnMessage;

  constructor(
    { database, announcer, queue, prices }: AgentClaimOptions,
    job: ClaimedAgentJob,
    { message, entries }: { message: TurnMessage; entries: TranscriptEntry[] },
  ) {
    this.#kysely = database.kysely;
    this.#announcer = announcer;
    this.#queue = queue;
    this.#price = valueFor(prices, job.model);
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
            ? { turn: next.turn, strikes: 0, waits: 0, waiting_since: null }
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

  async wait(reason: string, delaySeconds: number): Promise<void> {
    await this.#inTransaction(async (transaction, { id }) => {
      await transaction
        .updateTable("agent_jobs")
        .set(waitingColumns(reason))
        .where("id", "=", id)
        .execute();
      const { organization_id: organizationId, project_id: projectId } = this.#job;
      const owner = { organizationId, projectId };
      await this.#queue.enqueue(transaction, "agent", id, { owner, delaySeconds });
    });
  }

  async isKnownRepository(address: string): Promise<boolean> {
    return await isKnownRepository(this.#kysely, this.#job.project_id, address);
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
    const used = usageOf(entry, this.#price);
    const text = JSON.stringify(entry);
    // One statement: the step is stored, counted, and charged to the project's day, or none of it.
    const { rows } = await sql<{ last_seq: number }>`
      with job as (
        update agent_jobs set last_seq = revision + 1,
          input_tokens = input_tokens + ${used.inputTokens},
          output_tokens = output_tokens + ${used.outputTokens},
          cached_input_tokens = cached_input_tokens + ${used.cachedInputTokens},
          cost = case when ${used.steps}::integer = 0 then cost
            when steps = 0 then ${used.cost}::double precision
            else cost + ${used.cost}::double precision end,
          steps = steps + ${used.steps},
          compactions = compactions + ${type === "compaction" ? 1 : 0},
          strikes = case when ${isProgress(entry)} then 0 else strikes end
        where id = ${id} and attempt = ${attempt} and status = 'active'
        returning last_seq
      ), event as (
        insert into agent_events (job_id, seq, type, entry)
          select ${id}, last_seq, ${type}, ${text} from job
      ), day as (
        insert into agent_tokens as known (project_id, day, tokens)
          select ${project_id}, (now() at time zone 'utc')::date, ${used.tokens}::bigint from job
          where ${used.tokens}::bigint > 0
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
