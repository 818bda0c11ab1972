import type { Kysely, Selectable } from "kysely";
import type { Transcript } from "../../agent/index.ts";
import type { Actor } from "../../core/index.ts";
import type { AgentJobsTable, OrganizationsTable, ProjectsTable, Tables } from "../../db/index.ts";

export interface TurnMessage {
  readonly turn: number;
  readonly text: string;
  readonly at: Date;
  /** Who sent it; null for messages of older versions. */
  readonly by: Actor | null;
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
  /** As of an export's claim. */
  wait(reason: string, delaySeconds: number): Promise<void>;
  /** As of an export's claim. */
  isKnownRepository(address: string): Promise<boolean>;
  /** Checks whether the job still belongs to this attempt, and aborts `lost` if not. */
  checkOwnership(): Promise<void>;
}
