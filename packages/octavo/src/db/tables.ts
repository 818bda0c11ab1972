import type { ColumnType, Generated } from "kysely";

/** Times are `timestamptz`; both databases give them as `Date`. */
type CreatedAt = ColumnType<Date, Date | undefined, never>;

export interface OrganizationsTable {
  id: string;
  name: string;
  plan: "free" | "pro" | "enterprise";
  created_at: CreatedAt;
}

export interface ProjectsTable {
  id: string;
  organization_id: string;
  name: string;
  /** Host name, lower case, unique over all organisations. */
  domain: string;
  repository: string;
  /** Branch; null means the remote's HEAD. */
  ref: string | null;
  directory: string;
  code_host: "github" | "local";
  model: string | null;
  /** Encrypted with OCTAVO_SECRET; never leaves `projects/` in the clear except to git and code hosts. */
  credentials: Uint8Array | null;
  created_at: CreatedAt;
}

export interface ApiKeysTable {
  id: string;
  organization_id: string;
  /** Set on a key that is limited to one project. */
  project_id: string | null;
  name: string;
  prefix: string;
  /** SHA-256 of the whole key. */
  hash: string;
  created_at: CreatedAt;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

/**
 * A trigger holds what clients rely on: `progress` and `page_count` never go down, an ended job stays
 * as it ended, and each change that a client sees moves `revision` and `updated_at` and is notified
 * on the channel `octavo_static_export` as `<id> <status>`.
 */
export interface StaticExportJobsTable {
  id: string;
  organization_id: string;
  project_id: string;
  domain: string;
  /** Null until the commit is known, where the caller gave none. */
  version: string | null;
  ref: string | null;
  commit: string | null;
  format: "tar.gz" | "zip";
  /** A preview was not asked for: the service made it of a branch under review, and lists do not hold it. */
  purpose: Generated<"export" | "preview">;
  /** JSON list of page paths; null means all. */
  paths: ColumnType<string[] | null, string | null, never>;
  status: "queued" | "running" | "completed" | "failed";
  progress: Generated<number>;
  page_count: Generated<number>;
  /** How many of the pages were rendered anew, the others came from the cache. */
  rendered_pages: Generated<number>;
  error: string | null;
  /** Counts the workers that took the job; every write of a worker names its own. */
  attempt: Generated<number>;
  /** Attempts that were neither finished nor given back: the worker died, or something failed. */
  strikes: Generated<number>;
  /** Set by the database: goes up with each change that a client sees; the ETag. */
  revision: ColumnType<number, never, never>;
  bundle_key: string | null;
  bundle_bytes: number | null;
  created_at: CreatedAt;
  /** Set by the database, with `revision`. */
  updated_at: ColumnType<Date, Date | undefined, never>;
  completed_at: Date | null;
}

/** Every file that the storage may hold, written before the file: nothing is forgotten there. */
export interface BundlesTable {
  key: string;
  /** When an export last stored it; exports of the same commit and options share the file. */
  stored_at: Date;
}

/**
 * A trigger holds what clients rely on: an archived job stays archived, `turn` never goes down, and each
 * step (`last_seq`) and each change that a client sees moves `revision` and is notified on the channel
 * `octavo_agent` as `<id> <status>`. A step's number is the revision that it brings.
 */
export interface AgentJobsTable {
  id: string;
  organization_id: string;
  project_id: string;
  status: "active" | "completed" | "failed" | "archived";
  /** `provider/model` */
  model: string;
  /** As the project's was when the job was made. */
  repository: string;
  /** The message that is worked on, or was last. */
  turn: Generated<number>;
  /** The branch that the agent works on. */
  branch: string;
  /** How many branches the job has had; each but the first carries it in its name. */
  branch_number: Generated<number>;
  /** The turn that the branch was begun in. */
  branch_turn: Generated<number>;
  /** The branch that the pull request is for; null until known. */
  base_ref: string | null;
  /** Where the branch leaves the base; null until known. */
  fork_commit: string | null;
  /** The commit that the running turn began at; null until a worker has fixed it. */
  turn_base: string | null;
  /** Where the branch stands, or is about to, by the service's own hand; null where nothing was pushed. */
  head_commit: string | null;
  pull_request_number: number | null;
  pull_request_url: string | null;
  pull_request_state: "open" | "merged" | "closed" | null;
  /** When the code host was last asked for the state. */
  pull_request_seen_at: Date | null;
  summary: string | null;
  error: string | null;
  input_tokens: Generated<number>;
  output_tokens: Generated<number>;
  /** Answers of the model. */
  steps: Generated<number>;
  /** Counts the workers that took the job; every write of a worker names its own. */
  attempt: Generated<number>;
  /** Attempts in a row that neither ended, nor were given back, nor got a step further. */
  strikes: Generated<number>;
  last_seq: Generated<number>;
  /** Set by the database: goes up with each step and each change that a client sees; the ETag. */
  revision: ColumnType<number, never, never>;
  created_at: CreatedAt;
  ended_at: Date | null;
  archived_at: Date | null;
}

/**
 * What people asked; a job's turns are numbered by its messages. At most one of a job is running; one
 * that is dropped came to nothing: its turn failed or was cancelled, or never began.
 */
export interface AgentMessagesTable {
  job_id: string;
  turn: number;
  text: string;
  state: "queued" | "running" | "done" | "dropped";
  created_at: CreatedAt;
}

/** The transcript, which is also what clients see of the steps; written once, each before the next thing begins. */
export interface AgentEventsTable {
  job_id: string;
  seq: number;
  type: string;
  /** JSON, as text: what a model or a page says may hold what `jsonb` refuses. */
  entry: string;
}

/** What a job changed so far, against its base. */
export interface AgentDiffsTable {
  job_id: string;
  diff: string;
}

/** Each accepted call of the last hour, for the rate limit. */
export interface AgentUsesTable {
  project_id: string;
  kind: "jobs" | "messages";
  used_at: Date;
}

/** What a project's models read and wrote, by day (UTC). */
export interface AgentTokensTable {
  project_id: string;
  day: ColumnType<Date, string, string>;
  tokens: number;
}

export interface IdempotencyKeysTable {
  api_key_id: string;
  route: string;
  key: string;
  body_hash: string;
  /** Null while the first call is in flight. */
  status: number | null;
  headers: ColumnType<Record<string, string> | null, string | null, string | null>;
  body: string | null;
  created_at: CreatedAt;
}

/** Of repositories that the service keeps itself. An ended one never opens again. */
export interface PullRequestsTable {
  project_id: string;
  /** Counts from 1 in each project. */
  number: number;
  title: string;
  body: string;
  /** Short names of branches; never two open ones of a project with the same pair. */
  head: string;
  base: string;
  is_draft: boolean;
  state: Generated<"open" | "merged" | "closed">;
  author: string;
  /** Where the head branch was when somebody last looked, or when it ended. */
  head_commit: string;
  /** The newest commit that both branches had then: the difference is from here to `head_commit`. */
  base_commit: string;
  /** A commit of the base branch that holds `head_commit`; set exactly when merged. */
  merge_commit: string | null;
  created_at: CreatedAt;
  ended_at: Date | null;
}

export interface PullRequestCommentsTable {
  id: ColumnType<number, never, never>;
  project_id: string;
  number: number;
  author: string;
  body: string;
  created_at: CreatedAt;
}

export interface WebhooksTable {
  id: string;
  organization_id: string;
  url: string;
  events: string[];
  /** Encrypted with OCTAVO_SECRET; never leaves `projects/` in the clear except to sign. */
  secret: Uint8Array;
  created_at: CreatedAt;
  /** When its receiver answered that it is gone; nothing is sent to it any more. */
  disabled_at: Date | null;
}

/** One message to one webhook. Never pending while the webhook is disabled. */
export interface WebhookDeliveriesTable {
  id: string;
  webhook_id: string;
  event: string;
  /** The job that the message tells of. */
  job_id: string;
  state: Generated<"pending" | "delivered" | "failed">;
  /** What is sent, to the byte, on every attempt; kept while pending. */
  body: string | null;
  /** That have come to an end. */
  attempts: Generated<number>;
  /** Of the last attempt; null where nothing was answered. */
  response_status: number | null;
  /** Why the last attempt failed. */
  error: string | null;
  created_at: CreatedAt;
  attempted_at: Date | null;
  /** Set while pending. */
  next_attempt_at: Date | null;
  ended_at: Date | null;
}

export interface Tables {
  organizations: OrganizationsTable;
  projects: ProjectsTable;
  api_keys: ApiKeysTable;
  static_export_jobs: StaticExportJobsTable;
  agent_jobs: AgentJobsTable;
  agent_messages: AgentMessagesTable;
  agent_events: AgentEventsTable;
  agent_diffs: AgentDiffsTable;
  agent_uses: AgentUsesTable;
  agent_tokens: AgentTokensTable;
  bundles: BundlesTable;
  idempotency_keys: IdempotencyKeysTable;
  pull_requests: PullRequestsTable;
  pull_request_comments: PullRequestCommentsTable;
  webhooks: WebhooksTable;
  webhook_deliveries: WebhookDeliveriesTable;
}
