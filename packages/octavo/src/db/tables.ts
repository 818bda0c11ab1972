import type { ColumnType, Generated } from "kysely";
import type { CodeHostName, CommitConvention, OrganizationPlan } from "../core/index.ts";
import type { CreatedBy, PeopleTables } from "./people-tables.ts";

/** Times are `timestamptz`; both databases return them as `Date`. */
type CreatedAt = ColumnType<Date, Date | undefined, never>;

export interface OrganizationsTable {
  id: string;
  name: string;
  plan: OrganizationPlan;
  created_at: CreatedAt;
}

export interface ProjectsTable {
  id: string;
  organization_id: string;
  name: string;
  /** Host name, lower case, unique across all organizations. */
  domain: string;
  repository: string;
  /** Branch; null means the remote's HEAD. */
  ref: string | null;
  directory: string;
  code_host: CodeHostName;
  model: string | null;
  /** JSON; absent fields have their defaults. */
  pull_requests: ColumnType<StoredPullRequestSettings, string | undefined, string>;
  /** Encrypted with OCTAVO_SECRET; leaves `projects/` decrypted only for git and code hosts. */
  credentials: Uint8Array | null;
  /** JSON list of hosts from which pages may load, as sources of a policy. */
  remote_scripts: ColumnType<string[], string | undefined, string>;
  /** The private key that signs commits, encrypted like `credentials`; and its public key. */
  signing_key: Generated<Uint8Array | null>;
  signing_public_key: Generated<string | null>;
  /** JSON list of repositories that agents may read. */
  sources: ColumnType<SourceColumn[], string | undefined, string>;
  /** The credentials of the sources, as one list in their order; encrypted like `credentials`. */
  source_credentials: ColumnType<
    Uint8Array | null,
    Uint8Array | null | undefined,
    Uint8Array | null
  >;
  created_by: CreatedBy;
  created_at: CreatedAt;
}

/** The settings of a project's pull requests, as validated by `projects/`. */
export interface StoredPullRequestSettings {
  readonly draft?: boolean;
  readonly labels?: readonly string[];
  readonly reviewers?: readonly string[];
  readonly branchPrefix?: string;
  readonly author?: { readonly name: string; readonly email: string };
  readonly commitConvention?: CommitConvention;
}

interface SourceColumn {
  repository: string;
  ref: string | null;
  directory: string;
}

/** The processes that run the service. */
interface NodesTable {
  id: string;
  version: string;
  roles: string;
  started_at: CreatedAt;
  /** When the node last reported that it is alive. */
  seen_at: ColumnType<Date, Date | undefined, Date>;
}

/** The columns that the table of every kind of job has, besides its `status`. `jobs/lifecycle/` writes them. */
export interface JobColumns {
  id: string;
  organization_id: string;
  project_id: string;
  /** Why the job failed. */
  error: string | null;
  /** Counts the claims of the job; every write of a worker names its own attempt. */
  attempt: Generated<number>;
  /** Consecutive failed attempts: they neither ended, nor released the job, nor made progress. */
  strikes: Generated<number>;
  /** The reason why the job waits before its next attempt, as a sentence; null while it runs. */
  waiting_for: Generated<string | null>;
  /** When it began to wait, if it has made no progress since. */
  waiting_since: Generated<Date | null>;
  /** The number of waits since then. */
  waits: Generated<number>;
  /** Set by the database: increases with each change that a client sees; used as the ETag. */
  revision: ColumnType<number, never, never>;
}

/**
 * A trigger enforces what clients rely on: `progress` and `page_count` never decrease, an ended job does not
 * change, and each change that a client sees updates `revision` and `updated_at` and is announced on the channel
 * `octavo_static_export` as `<id> <status>`.
 */
export interface StaticExportJobsTable extends JobColumns {
  domain: string;
  /** Null until the commit is known, if the caller did not set a label. */
  version: string | null;
  ref: string | null;
  commit: string | null;
  format: "tar.gz" | "zip";
  /** The service creates previews of branches under review itself; lists do not include them. */
  purpose: Generated<"export" | "preview">;
  /** JSON list of page paths; null means all. */
  paths: ColumnType<string[] | null, string | null, never>;
  /** JSON list of hosts from which pages may load; null means the project's. */
  remote_scripts: ColumnType<string[] | null, string | null | undefined, never>;
  /** Null means `file`. */
  addresses: ColumnType<"file" | "folder" | null, "file" | "folder" | null | undefined, never>;
  status: "queued" | "running" | "completed" | "failed";
  progress: Generated<number>;
  page_count: Generated<number>;
  /** Newly rendered pages; the rest came from the cache. */
  rendered_pages: Generated<number>;
  /** The number of pages in the bundle; 0 while unknown. */
  total_pages: Generated<number>;
  /** JSON list of the log entries of the job's attempts, in order. */
  log: ColumnType<ExportLogColumn[], never, ExportLogColumn[]>;
  bundle_key: string | null;
  bundle_bytes: number | null;
  created_by: CreatedBy;
  created_at: CreatedAt;
  /** Set by the database, with `revision`. */
  updated_at: ColumnType<Date, Date | undefined, never>;
  completed_at: Date | null;
}

/** Every file that the storage may contain, recorded before the file is written, so that none is orphaned. */
export interface BundlesTable {
  key: string;
  /** When an export last stored it; exports of the same commit and options share the file. */
  stored_at: Date;
}

/**
 * A trigger enforces what clients rely on: an archived job stays archived, `turn` never decreases, and each step
 * (`last_seq`) and each change that a client sees updates `revision` and is announced on the channel
 * `octavo_agent` as `<id> <status>`. A step's number is the revision it creates.
 */
export interface AgentJobsTable extends JobColumns {
  status: "active" | "completed" | "failed" | "archived";
  /** `provider/model` */
  model: string;
  /** The project's repository when the job was created. */
  repository: string;
  /** The current or last turn. */
  turn: Generated<number>;
  /** The branch that the agent works on. */
  branch: string;
  /** The number of branches so far; every branch except the first has it in its name. */
  branch_number: Generated<number>;
  /** The turn that started the branch. */
  branch_turn: Generated<number>;
  /** The branch that the pull request is for; null until known. */
  base_ref: string | null;
  /** Where the branch forks from the base; null until known. */
  fork_commit: string | null;
  /** The commit that the running turn started from; null until a worker has recorded it. */
  turn_base: string | null;
  /** The base's commit that the running turn merged into its branch; null if it merged none. */
  merged_base: string | null;
  /** The tip that the service pushed, or is about to push; null if nothing was pushed. */
  head_commit: string | null;
  pull_request_number: number | null;
  pull_request_url: string | null;
  pull_request_state: "open" | "merged" | "closed" | null;
  pull_request_draft: Generated<boolean>;
  /** When the code host was last asked for the state. */
  pull_request_seen_at: Date | null;
  summary: string | null;
  input_tokens: Generated<number>;
  output_tokens: Generated<number>;
  /** Input tokens that the provider read from its cache. */
  cached_input_tokens: Generated<number>;
  /** In US dollars; null if the price of any reply is unknown. */
  cost: Generated<number | null>;
  /** How often earlier steps were summarized to fit the model's context. */
  compactions: Generated<number>;
  /** Model replies. */
  steps: Generated<number>;
  /** The number of the last step. Each step increases `revision`. */
  last_seq: Generated<number>;
  created_by: CreatedBy;
  created_at: CreatedAt;
  ended_at: Date | null;
  archived_at: Date | null;
}

/**
 * The messages of people; each is one turn of a job. At most one message of a job is running; the turn of a dropped
 * message failed, was cancelled or never started.
 */
export interface AgentMessagesTable {
  job_id: string;
  turn: number;
  text: string;
  state: "queued" | "running" | "done" | "dropped";
  created_by: CreatedBy;
  created_at: CreatedAt;
}

/** The transcript, which clients see as steps; each entry is written once, before the next step starts. */
export interface AgentEventsTable {
  job_id: string;
  seq: number;
  type: string;
  /** JSON, as text: text from a model or a page may contain characters that `jsonb` refuses. */
  entry: string;
}

/** The changes of a job so far, against its base. */
interface AgentDiffsTable {
  job_id: string;
  diff: string;
}

/** Each accepted call of the last hour, for the rate limit. */
interface AgentUsesTable {
  project_id: string;
  kind: "jobs" | "messages";
  used_at: Date;
}

/** The tokens of a project's models, by day (UTC). */
interface AgentTokensTable {
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

/** The pull requests of repositories that the service hosts. An ended one never reopens. */
export interface PullRequestsTable {
  project_id: string;
  /** Counts from 1 in each project. */
  number: number;
  title: string;
  body: string;
  /** Short names of branches; a project never has two open pull requests with the same pair. */
  head: string;
  base: string;
  is_draft: boolean;
  state: Generated<"open" | "merged" | "closed">;
  author: string;
  /** The head branch's tip when it was last read, or when the pull request ended. */
  head_commit: string;
  /** The merge base of both branches at that time: the diff is from here to `head_commit`. */
  base_commit: string;
  /** A commit of the base branch that contains `head_commit`; set only when merged. */
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

/** The repositories that the service hosts, and its copies of others. */
interface HostedRepositoriesTable {
  project_id: string;
  /** The full name of the branch to which HEAD points. */
  head: string;
  /** Counts changes of refs. */
  generation: Generated<number>;
  /**
   * The last generation at which objects may have become unreachable or were left out of the packs: a pack without the
   * objects that are reachable from the refs of an earlier generation may be incomplete.
   */
  basis: Generated<number>;
}

interface HostedRefsTable {
  project_id: string;
  /** In full: `refs/heads/main`. */
  name: string;
  commit: string;
}

/** Files of the storage with objects of hosted repositories, recorded before they are stored, so that none is orphaned. */
interface HostedPacksTable {
  key: string;
  /** Null when the repository was deleted. */
  project_id: string | null;
  /**
   * A copy that is complete at this generation has its objects. Null for a pack that is not used: it is being
   * stored, its push was lost, or another pack replaced it.
   */
  generation: number | null;
  bytes: number;
  /** When the pack was recorded, or was no longer used. */
  stored_at: ColumnType<Date, Date | undefined, Date>;
}

export interface WebhooksTable {
  id: string;
  organization_id: string;
  url: string;
  events: string[];
  /** Encrypted with OCTAVO_SECRET; leaves `projects/` decrypted only for signing. */
  secret: Uint8Array;
  created_by: CreatedBy;
  created_at: CreatedAt;
  /** When its receiver responded with 410 Gone; nothing is sent to it any more. */
  disabled_at: Date | null;
}

/** One message to one webhook. Never pending while the webhook is disabled. */
export interface WebhookDeliveriesTable {
  id: string;
  webhook_id: string;
  event: string;
  /** The job that the message is about; null for a test. */
  job_id: string | null;
  /** The job's project; null if it was deleted, and for messages of older versions. */
  project_id: string | null;
  state: Generated<"pending" | "delivered" | "failed">;
  /** The exact bytes that every attempt sends; null for messages that ended under older versions. */
  body: string | null;
  /** Finished attempts. */
  attempts: Generated<number>;
  /** The HTTP status of the last attempt; null if the receiver did not respond. */
  response_status: number | null;
  /** Why the last attempt failed. */
  error: string | null;
  created_at: CreatedAt;
  attempted_at: Date | null;
  /** Set while pending. */
  next_attempt_at: Date | null;
  ended_at: Date | null;
}

/** The single row, created at the first start, that identifies the storage that belongs to this database. */
interface InstallationTable {
  only_row: Generated<boolean>;
  id: string;
  storage_id: string | null;
  /** Set while a node is about to link its storage. */
  storage_claimed_at: Date | null;
  is_storage_linked: Generated<boolean>;
}

export interface Tables extends ShareTables, PeopleTables {
  organizations: OrganizationsTable;
  projects: ProjectsTable;
  static_export_jobs: StaticExportJobsTable;
  agent_jobs: AgentJobsTable;
  agent_messages: AgentMessagesTable;
  agent_events: AgentEventsTable;
  agent_diffs: AgentDiffsTable;
  agent_uses: AgentUsesTable;
  agent_tokens: AgentTokensTable;
  bundles: BundlesTable;
  installation: InstallationTable;
  nodes: NodesTable;
  idempotency_keys: IdempotencyKeysTable;
  pull_requests: PullRequestsTable;
  pull_request_comments: PullRequestCommentsTable;
  hosted_repositories: HostedRepositoriesTable;
  hosted_refs: HostedRefsTable;
  hosted_packs: HostedPacksTable;
  webhooks: WebhooksTable;
  webhook_deliveries: WebhookDeliveriesTable;
}

/** A line of an export's log, and the stage that began with it. */
interface ExportLogColumn {
  at: string;
  stage?: "checkout" | "rendering" | "packing" | "storing";
  text: string;
}

/** The lanes of the queues' entries. A lane whose project was deleted has no row, and its entries go first. */
interface QueueLanesTable {
  /** The priority of the lane's entries. */
  lane: ColumnType<number, never, never>;
  queue: string;
  organization_id: string;
  /** Null for work that does not belong to a project. */
  project_id: string | null;
  is_urgent: boolean;
}

/**
 * Decides whose work starts next: a row for each queue, organization and project that had work in it. Start times are
 * points on the clock of the row above: the queue's clock for organizations, the organization's for projects.
 */
interface QueueSharesTable {
  queue: string;
  organization_id: string | null;
  project_id: string | null;
  /** The earliest start of the next entry. */
  next_start: Generated<number>;
  /** The start of the last entry below this row. */
  clock: Generated<number>;
}

/**
 * The usage of an organization. Triggers on the job tables count it in the transaction of each change; a change locks
 * the row until its transaction ends, so that a later comparison with a quota is exact.
 */
interface OrganizationUsageTable {
  organization_id: string;
  /** Unfinished jobs of either kind, including previews. */
  open_jobs: number;
  /** The bytes of the bundles of its exports; a bundle that several exports share counts for each. */
  bundle_bytes: number;
}

/** The number of exports that people started in each minute of the last hour. */
interface ExportStartsTable {
  organization_id: string;
  minute: Date;
  starts: number;
}

/** The tables that decide whose work starts next, and that count usage for quotas. */
interface ShareTables {
  export_starts: ExportStartsTable;
  organization_usage: OrganizationUsageTable;
  queue_lanes: QueueLanesTable;
  queue_shares: QueueSharesTable;
}
