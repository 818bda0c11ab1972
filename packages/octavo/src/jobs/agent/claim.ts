import { sql } from "kysely";
import type { Kysely, Selectable } from "kysely";
import type { Transcript, TranscriptEntry } from "../../agent/index.ts";
import { computeCost, findModelValue } from "../../core/index.ts";
import type { Actor, ModelPrice, PerModel } from "../../core/index.ts";
import type { AgentJobsTable, Database, Tables } from "../../db/index.ts";
import type { ClaimedProject, JobClaim } from "../lifecycle/job-claim.ts";
import type { JobRow } from "../lifecycle/job-kind.ts";
import type { AgentTypes } from "./kind.ts";

export interface TurnMessage {
  readonly turn: number;
  readonly text: string;
  readonly at: Date;
  /** The sender; null for messages stored by older versions. */
  readonly by: Actor | null;
}

export type ClaimedAgentJob = Selectable<AgentJobsTable> & {
  readonly project: ClaimedProject;
};

/** The starting point of a turn. The turn's first attempt records it, and every later attempt reuses it. */
export interface TurnStart {
  readonly branch: string;
  readonly branchNumber: number;
  readonly branchTurn: number;
  /** The branch that the pull request targets. */
  readonly baseRef: string;
  /** The commit where the branch forks from the base. */
  readonly forkCommit: string;
  /** The commit that the turn starts from. */
  readonly turnBase: string;
  /** The base's commit that the turn merges into `turnBase`; undefined if the turn does not merge the base. */
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
  /** The diff of the job's whole change so far; undefined if this turn changed nothing. */
  readonly diff?: string;
  /** The new state of the pull request; undefined if there is no pull request, or if it has not changed. */
  readonly pullRequest?: RecordedPullRequest;
  /** The tip of the branch, including other people's commits; set only while its pull request is open. */
  readonly head?: { readonly branch: string; readonly commit: string };
}

export interface AgentClaimOptions {
  readonly database: Database;
  /** Prices of the models whose cost is known. */
  readonly prices?: PerModel<ModelPrice> | undefined;
}

/** Reads the running turn and the transcript of a claimed job. */
export async function openAgentClaim(
  { database: { kysely }, prices }: AgentClaimOptions,
  claim: JobClaim<AgentTypes>,
): Promise<AgentClaim> {
  const message = await findFirstMessage(kysely, claim.job.id, "running");
  if (!message) throw new Error(`The agent job ${claim.job.id} is active without a message.`);
  const entries = await readEntries(kysely, claim.job.id);
  const price = findModelValue(prices, claim.job.model);
  return new AgentClaim(kysely, claim, { message, entries, price });
}

/** Returns the job's first message in the given state. */
async function findFirstMessage(
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

/** Returns the usage that an entry adds to its job's usage. */
function computeUsage(entry: TranscriptEntry, price: ModelPrice | undefined) {
  const isReply = entry.type === "model";
  const usage = isReply ? entry.usage : { inputTokens: 0, outputTokens: 0 };
  const { inputTokens, outputTokens, cachedInputTokens = 0 } = usage;
  return {
    inputTokens,
    outputTokens,
    cachedInputTokens,
    tokens: inputTokens + outputTokens,
    cost: price ? computeCost(price, usage) : null,
    steps: isReply ? 1 : 0,
  };
}

/** The columns of the job that its turns write. */
type TurnColumns = Partial<Omit<Selectable<AgentJobsTable>, keyof JobRow>>;

interface RunningTurn {
  readonly message: TurnMessage;
  readonly entries: TranscriptEntry[];
  readonly price: ModelPrice | undefined;
}

/** Writes an attempt's progress to its job, turn by turn. `JobClaim` describes the guarantees of each write. */
export class AgentClaim {
  readonly #kysely: Kysely<Tables>;
  readonly #claim: JobClaim<AgentTypes>;
  readonly #price: ModelPrice | undefined;
  readonly #entries: TranscriptEntry[];
  /** The job's history. `append` resolves once an entry is stored. */
  readonly transcript: Transcript;
  #job: ClaimedAgentJob;
  #message: TurnMessage;

  constructor(
    kysely: Kysely<Tables>,
    claim: JobClaim<AgentTypes>,
    { message, entries, price }: RunningTurn,
  ) {
    this.#kysely = kysely;
    this.#claim = claim;
    this.#price = price;
    this.#job = { ...claim.job, project: claim.project };
    this.#message = message;
    this.#entries = entries;
    this.transcript = { entries: () => this.#entries, append: (entry) => this.#append(entry) };
  }

  /** The job at the time of the claim, or at the start of its next turn. */
  get job(): ClaimedAgentJob {
    return this.#job;
  }

  /** The message of the running turn. */
  get message(): TurnMessage {
    return this.#message;
  }

  async recordStart(start: TurnStart): Promise<void> {
    await this.#record({
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

  /** Records the branch's new tip. Must be called before the tip is pushed. */
  async recordHead(commit: string): Promise<void> {
    await this.#record({ head_commit: commit });
  }

  async recordPullRequest(pullRequest: RecordedPullRequest | null): Promise<void> {
    await this.#record(buildPullRequestColumns(pullRequest));
  }

  /** Returns the messages that led to the current branch. The current message comes last. */
  async readInstructions(): Promise<readonly string[]> {
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

  /**
   * Ends the turn and runs `work` in the same transaction. Returns true if another message was queued; its turn is now
   * running.
   */
  async completeTurn(
    { summary, diff, pullRequest, head }: TurnResult,
    work: (transaction: Kysely<Tables>) => Promise<void>,
  ): Promise<boolean> {
    let next: TurnMessage | undefined;
    let columns: TurnColumns = {};
    await this.#claim.complete(async (transaction, { id }) => {
      await work(transaction);
      await this.#setState(transaction, this.#message.turn, "done");
      if (diff !== undefined) await storeDiff(transaction, id, diff);
      next = await findFirstMessage(transaction, id, "queued");
      if (next) await this.#setState(transaction, next.turn, "running");
      columns = {
        summary,
        turn_base: null,
        ...(pullRequest && buildPullRequestColumns(pullRequest)),
        ...(head && { head_commit: head.commit }),
        ...(next && { turn: next.turn }),
      };
      return { changes: columns, isPartial: next !== undefined };
    });
    this.#job = { ...this.#job, ...columns };
    if (next) this.#message = next;
    return next !== undefined;
  }

  async #record(columns: TurnColumns): Promise<void> {
    await this.#claim.write(columns);
    this.#job = { ...this.#job, ...columns };
  }

  async #append(entry: TranscriptEntry): Promise<void> {
    const { id, project_id } = this.#job;
    const { type } = entry;
    const usage = computeUsage(entry, this.#price);
    const text = JSON.stringify(entry);
    const update = this.#claim.update(
      {
        last_seq: sql`revision + 1`,
        input_tokens: sql`input_tokens + ${usage.inputTokens}`,
        output_tokens: sql`output_tokens + ${usage.outputTokens}`,
        cached_input_tokens: sql`cached_input_tokens + ${usage.cachedInputTokens}`,
        cost: sql`case when ${usage.steps}::integer = 0 then cost
          when steps = 0 then ${usage.cost}::double precision
          else cost + ${usage.cost}::double precision end`,
        steps: sql`steps + ${usage.steps}`,
        compactions: sql`compactions + ${type === "compaction" ? 1 : 0}`,
      },
      { isProgress: isProgress(entry) },
    );
    // This is one statement, so that storing the step, counting it and charging it to the project's daily total succeed
    // or fail together.
    const { rows } = await sql<{ last_seq: number }>`
      with job as (${update} returning last_seq), event as (
        insert into agent_events (job_id, seq, type, entry)
          select ${id}, last_seq, ${type}, ${text} from job
      ), day as (
        insert into agent_tokens as known (project_id, day, tokens)
          select ${project_id}, (now() at time zone 'utc')::date, ${usage.tokens}::bigint from job
          where ${usage.tokens}::bigint > 0
        on conflict (project_id, day) do update set tokens = known.tokens + excluded.tokens
      ) select last_seq from job`.execute(this.#kysely);
    if (rows.length === 0) this.#claim.abandon();
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
}

/**
 * Reports whether an entry counts as progress. An attempt writes entries that count only once; repeating a check after
 * a crash is not progress.
 */
function isProgress({ type }: TranscriptEntry): boolean {
  return type === "model" || type === "tool" || type === "message";
}

export function buildPullRequestColumns(pullRequest: RecordedPullRequest | null) {
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
