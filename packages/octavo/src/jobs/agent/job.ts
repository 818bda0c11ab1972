import type { Selectable } from "kysely";
import { maxSummaryLength, shortenText, toPublicActor } from "../../core/index.ts";
import type { PublicActor } from "../../core/index.ts";
import type { AgentJobsTable } from "../../db/index.ts";

export const agentJobStatuses = ["active", "completed", "archived", "failed"] as const;
export type AgentJobStatus = (typeof agentJobStatuses)[number];

/** An agent job as clients see it. Times are RFC 3339 in UTC with milliseconds. */
export interface AgentJob {
  readonly id: string;
  readonly status: AgentJobStatus;
  readonly source: {
    /** The repository's URL without credentials, or `local` for a repository that the service hosts. */
    readonly repository: string;
    /** The branch that the agent works on. */
    readonly ref: string;
  };
  /** The model, as `provider/model`. */
  readonly model: string;
  /** The pull request's URL; null while the job is active, or if no file was changed. */
  readonly prLink: string | null;
  readonly createdBy: PublicActor | null;
  readonly createdAt: string;
  readonly archivedAt: string | null;
  /** The summary of the last completed turn. */
  readonly summary: string | null;
  readonly pullRequest: {
    readonly url: string;
    readonly state: "open" | "merged" | "closed";
    /**
     * Whether the pull request is a draft, for example because the work ended at a limit. It remains a draft until a
     * person marks it as ready.
     */
    readonly draft: boolean;
  } | null;
  readonly usage: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    /** The number of input tokens that the provider read from its cache. */
    readonly cachedInputTokens: number;
    /** The cost in US dollars. Omitted if a price is not known. */
    readonly costUsd?: number;
    /** The number of model replies. */
    readonly steps: number;
    /** The number of times that earlier steps were summarized to fit the model's context. */
    readonly compactions: number;
  };
  /** Set if and only if the job failed. */
  readonly error?: string;
  /** A sentence that says what the job is waiting for. Omitted while it is not waiting. */
  readonly waitingFor?: string;
}

/** A job at one point in time. `revision` changes with every change to the job. */
export interface AgentJobSnapshot {
  readonly job: AgentJob;
  readonly revision: number;
  readonly projectId: string;
}

export const agentJobColumns = [
  "id",
  "organization_id",
  "project_id",
  "status",
  "repository",
  "branch",
  "model",
  "pull_request_url",
  "pull_request_state",
  "pull_request_draft",
  "created_by",
  "created_at",
  "archived_at",
  "summary",
  "input_tokens",
  "output_tokens",
  "cached_input_tokens",
  "cost",
  "steps",
  "compactions",
  "error",
  "waiting_for",
  "revision",
] as const satisfies readonly (keyof AgentJobsTable)[];

export type AgentJobRow = Pick<Selectable<AgentJobsTable>, (typeof agentJobColumns)[number]>;

export function toAgentJobSnapshot(row: AgentJobRow): AgentJobSnapshot {
  const { pull_request_url: url, pull_request_state: state, pull_request_draft: draft } = row;
  const job: AgentJob = {
    id: row.id,
    status: row.status,
    source: { repository: row.repository, ref: row.branch },
    model: row.model,
    prLink: row.status === "active" ? null : url,
    createdBy: toPublicActor(row.created_by),
    createdAt: row.created_at.toISOString(),
    archivedAt: row.archived_at?.toISOString() ?? null,
    // Older versions stored summaries of any length.
    summary: row.summary === null ? null : shortenText(row.summary, maxSummaryLength),
    pullRequest: url === null || state === null ? null : { url, state, draft },
    usage: {
      inputTokens: row.input_tokens,
      outputTokens: row.output_tokens,
      cachedInputTokens: row.cached_input_tokens,
      // The cost is rounded, because sums of floating-point numbers have spurious digits.
      ...(row.cost !== null && { costUsd: Number(row.cost.toFixed(6)) }),
      steps: row.steps,
      compactions: row.compactions,
    },
    ...(row.status === "failed" &&
      row.error !== null && { error: shortenText(row.error, maxSummaryLength) }),
    ...(row.status === "active" && row.waiting_for !== null && { waitingFor: row.waiting_for }),
  };
  return { job, revision: row.revision, projectId: row.project_id };
}

/** The maximum length of a prompt, in characters. */
export const maxPromptLength = 20_000;

/** Reports whether a text is short enough for a prompt. Counts code points, as people do, instead of UTF-16 units. */
export function isWithinPromptLimit(text: string): boolean {
  if (text.length <= maxPromptLength) return true;
  return text.length <= 2 * maxPromptLength && Array.from(text).length <= maxPromptLength;
}

/** Reports whether a prompt contains nothing but whitespace and invisible characters. */
export function isBlankPrompt(text: string): boolean {
  return !/[^\s\p{Z}\p{C}]/u.test(text);
}
