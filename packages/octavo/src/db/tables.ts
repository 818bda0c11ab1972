import type { AddressForm } from "@octavo/site/core";
import type { Selectable, ColumnType, Generated } from "kysely";
import type {
  CodeHostName,
  CommitConvention,
  OrganizationPlan,
  AccessScope,
  Actor,
  MemberRole,
} from "../core/index.ts";
import type { SiteTables } from "./site-tables.ts";
import type { CreatedAt, CreatedBy, JobColumns } from "./columns.ts";

interface ApiKeysTable {
  id: string;
  organization_id: string;
  /** The project to which the key is limited, if any. */
  project_id: string | null;
  name: string;
  prefix: string;
  /** SHA-256 of the whole key. */
  hash: string;
  /** The scopes of the key, of which there is at least one. */
  scopes: ColumnType<AccessScope[], AccessScope[] | undefined, never>;
  /** The person who owns the key. The key cannot do more than its owner can. Null for a key of the organization. */
  member_id: ColumnType<string | null, string | null | undefined, never>;
  /** When the key expires; null means never. */
  expires_at: ColumnType<Date | null, Date | null | undefined, never>;
  created_by: CreatedBy;
  created_at: CreatedAt;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

/** The audit log. An event remains when its target is deleted. */
interface AuditEventsTable {
  id: string;
  organization_id: string;
  at: ColumnType<Date, Date | undefined, never>;
  action: string;
  /** The actor as JSON; null for the operator. */
  actor: ColumnType<Actor | null, string | null, never>;
  /** The ID of `actor`. */
  actor_id: string | null;
  /** The target of the action, as JSON. */
  target: ColumnType<{ id: string; name: string | null }, string, never>;
  project_id: string | null;
  /** Other facts about the action, as JSON. */
  details: ColumnType<Record<string, unknown>, string, never>;
}

interface MembersTable {
  id: string;
  organization_id: string;
  /** The address, with ASCII letters in lower case and the domain in punycode. */
  email: string | null;
  name: string;
  role: MemberRole;
  /** How the person became a member. */
  source: "invited" | "groups" | "domain";
  /** The person's identity at the provider; null until they sign in for the first time. */
  issuer: string | null;
  subject: string | null;
  created_by: CreatedBy;
  created_at: CreatedAt;
  last_seen_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
}

/** The dashboard's sessions, each of a key or a member. */
interface SessionsTable {
  id: string;
  organization_id: string;
  /** SHA-256 of the token in the cookie. */
  hash: string;
  key_id: string | null;
  member_id: string | null;
  address: string;
  browser: string;
  created_at: CreatedAt;
  seen_at: ColumnType<Date, Date | undefined, Date>;
  expires_at: Date;
}

/** Sign-ins that returned from the provider, so that each can be used only once. */
interface UsedSignInsTable {
  state_hash: string;
  used_at: Date;
}

interface OrganizationsTable {
  id: string;
  name: string;
  plan: OrganizationPlan;
  created_at: CreatedAt;
}

export interface ProjectsTable {
  id: string;
  organization_id: string;
  name: string;
  /** The host name in lower case, which is unique across all organizations. */
  domain: string;
  repository: string;
  /** The branch; null means the remote's HEAD. */
  ref: string | null;
  directory: string;
  code_host: CodeHostName;
  model: string | null;
  /** The settings as JSON. Missing fields have their defaults. */
  pull_requests: ColumnType<StoredPullRequestSettings, string | undefined, string>;
  /** The credentials, encrypted with OCTAVO_SECRET. `projects/` decrypts them only for git and code hosts. */
  credentials: Uint8Array | null;
  /** JSON list of hosts from which pages may load scripts, each written as a source in a Content-Security-Policy. */
  remote_scripts: ColumnType<string[], string | undefined, string>;
  /** The private key that signs commits, encrypted like `credentials`. */
  signing_key: Generated<Uint8Array | null>;
  signing_public_key: Generated<string | null>;
  /** JSON list of repositories that agents may read. */
  sources: ColumnType<SourceColumn[], string | undefined, string>;
  /** The credentials for the sources as one list, in the order of the sources, encrypted like `credentials`. */
  source_credentials: ColumnType<
    Uint8Array | null,
    Uint8Array | null | undefined,
    Uint8Array | null
  >;
  created_by: CreatedBy;
  created_at: CreatedAt;
}

/** The settings of a project's pull requests, which `projects/` has validated. */
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

/** The nodes that run the service. */
interface NodesTable {
  id: string;
  version: string;
  roles: string;
  started_at: CreatedAt;
  /** The time of the node's last heartbeat. */
  seen_at: ColumnType<Date, Date | undefined, Date>;
}

/** A line of an export's log and the stage that began with it. */
interface ExportLogColumn {
  at: string;
  stage?: "checkout" | "rendering" | "packing" | "storing";
  text: string;
}

/**
 * A trigger enforces the rules on which clients rely. `progress` and `page_count` never decrease, and an ended job does
 * not change. Each change that a client can see updates `revision` and `updated_at` and is announced on the channel
 * `octavo_static_export` as `<id> <status>`.
 */
export interface StaticExportJobsTable extends JobColumns {
  domain: string;
  /** The export's label. If the caller did not set a label, null until the commit is known. */
  version: string | null;
  ref: string | null;
  commit: string | null;
  format: "tar.gz" | "zip";
  /** Previews show branches under review. The service creates them itself, and lists of exports omit them. */
  purpose: Generated<"export" | "preview">;
  /** JSON list of page paths; null means all. */
  paths: ColumnType<string[] | null, string | null, never>;
  /** JSON list of hosts from which pages may load scripts; null means the project's hosts. */
  remote_scripts: ColumnType<string[] | null, string | null | undefined, never>;
  /** The form of page addresses; null means `file`. */
  addresses: ColumnType<AddressForm | null, AddressForm | null | undefined, never>;
  status: "queued" | "running" | "completed" | "failed";
  progress: Generated<number>;
  page_count: Generated<number>;
  /** The number of newly rendered pages. The remaining pages came from the cache. */
  rendered_pages: Generated<number>;
  /** The number of pages in the bundle; 0 while it is unknown. */
  total_pages: Generated<number>;
  /** JSON list of the log entries of the job's attempts, in order. */
  log: ColumnType<ExportLogColumn[], never, ExportLogColumn[]>;
  bundle_key: string | null;
  bundle_bytes: number | null;
  created_by: CreatedBy;
  created_at: CreatedAt;
  /** Set by the database together with `revision`. */
  updated_at: ColumnType<Date, Date | undefined, never>;
  completed_at: Date | null;
}

/**
 * One deployment: an export of a project at one commit that its site can serve. A trigger enforces that an ended
 * deployment never changes its status, except from `ready` to `removed`. Each change that a client can see updates
 * `revision` and `updated_at` and is announced on the channel `octavo_deployment` as `<id> <status>`.
 */
export interface DeploymentsTable extends JobColumns {
  kind: "production" | "version" | "preview" | "upload";
  trigger: "push" | "hook" | "poll" | "api" | "dashboard" | "upload";
  /** A copy of the site's slug, which the database keeps up to date. */
  slug: string;
  /** The branch or tag; null for the repository's HEAD. */
  ref: string | null;
  pull_request: number | null;
  commit: string | null;
  /** The first line of the commit's message; null until it is known. */
  subject: string | null;
  /** The name of the commit's author; null until it is known. */
  author: string | null;
  /** Paths that the commit changed, as JSON; null if they are not known. */
  files_changed: ColumnType<ChangedFiles | null, string | null | undefined, string | null>;
  status: "queued" | "building" | "ready" | "failed" | "superseded" | "removed";
  progress: Generated<number>;
  page_count: Generated<number>;
  rendered_pages: Generated<number>;
  total_pages: Generated<number>;
  /** The number of problems in the report; null until it is known. */
  errors: number | null;
  warnings: number | null;
  log: ColumnType<ExportLogColumn[], string | undefined, ExportLogColumn[]>;
  /** Set if and only if the deployment is ready. */
  bundle_key: string | null;
  bundle_bytes: number | null;
  /** JSON list of the first path segments of the pages' addresses; null until they are known. */
  first_names: ColumnType<readonly string[] | null, never, string>;
  /** When this deployment last went live for readers; null if it never did. */
  published_at: Date | null;
  published_by: ColumnType<Actor | null, string | null | undefined, string | null>;
  /**
   * When another deployment replaced this one. At most one deployment of a project, and of each of its versions, is
   * live.
   */
  left_at: Date | null;
  created_by: CreatedBy;
  created_at: CreatedAt;
  /** Set by the database together with `revision`. */
  updated_at: ColumnType<Date, Date | undefined, never>;
  ended_at: Date | null;
}

/** Paths in a repository, grouped by the kind of change to their files. */
export interface ChangedFiles {
  readonly added: readonly string[];
  readonly modified: readonly string[];
  readonly removed: readonly string[];
}

/**
 * Every bundle that the storage may contain. A row is recorded before the file is written, so that no file is orphaned.
 */
interface BundlesTable {
  key: string;
  /** When an export last stored the file. Exports of the same commit with the same options share the file. */
  stored_at: Date;
}

/**
 * A trigger enforces the rules on which clients rely. An archived job stays archived, and `turn` never decreases. Each
 * step (`last_seq`) and each change that a client can see updates `revision` and is announced on the channel
 * `octavo_agent` as `<id> <status>`. A step's number is the revision that it creates.
 */
export interface AgentJobsTable extends JobColumns {
  status: "active" | "completed" | "failed" | "archived";
  /** The model, as `provider/model`. */
  model: string;
  /** The project's repository when the job was created. */
  repository: string;
  /** The current or last turn. */
  turn: Generated<number>;
  /** The branch that the agent works on. */
  branch: string;
  /** The number of branches so far. The name of every branch except the first contains its number. */
  branch_number: Generated<number>;
  /** The turn that started the branch. */
  branch_turn: Generated<number>;
  /** The branch into which the pull request is to be merged; null until it is known. */
  base_ref: string | null;
  /** The commit at which the branch forks from the base; null until it is known. */
  fork_commit: string | null;
  /** The commit from which the running turn started; null until a worker has recorded it. */
  turn_base: string | null;
  /** The commit of the base that the running turn merged into its branch; null if the turn did not merge the base. */
  merged_base: string | null;
  /** The tip that the service has pushed or is about to push; null if nothing was pushed. */
  head_commit: string | null;
  pull_request_number: number | null;
  pull_request_url: string | null;
  pull_request_state: "open" | "merged" | "closed" | null;
  pull_request_draft: Generated<boolean>;
  /** When the state was last requested from the code host. */
  pull_request_seen_at: Date | null;
  /** The pull request for which a review note was made; null if there is none. */
  noted_pull_request: Generated<number | null>;
  noted_refusal: Generated<string | null>;
  summary: string | null;
  input_tokens: Generated<number>;
  output_tokens: Generated<number>;
  /** Input tokens that the provider read from its cache. */
  cached_input_tokens: Generated<number>;
  /** The cost in US dollars; null if the price of any reply is unknown. */
  cost: Generated<number | null>;
  /** The number of times that earlier steps were summarized to fit the model's context. */
  compactions: Generated<number>;
  /** The number of model replies. */
  steps: Generated<number>;
  /** The number of the last step. Each step increases `revision`. */
  last_seq: Generated<number>;
  created_by: CreatedBy;
  created_at: CreatedAt;
  ended_at: Date | null;
  archived_at: Date | null;
}

/**
 * The messages of people, each of which starts one turn of a job. At most one message of a job is running. The turn of
 * a dropped message failed, was cancelled or never started.
 */
interface AgentMessagesTable {
  job_id: string;
  turn: number;
  text: string;
  state: "queued" | "running" | "done" | "dropped";
  created_by: CreatedBy;
  created_at: CreatedAt;
}

/** The transcript, which clients see as steps. Each entry is written once, before the next step starts. */
interface AgentEventsTable {
  job_id: string;
  seq: number;
  type: string;
  /** JSON, stored as text because text from a model or a page may contain characters that `jsonb` rejects. */
  entry: string;
}

/** A job's changes so far against its base. */
interface AgentDiffsTable {
  job_id: string;
  diff: string;
}

/** The agent jobs and messages that were accepted in the last hour, for the rate limit. */
interface AgentUsesTable {
  project_id: string;
  kind: "jobs" | "messages";
  used_at: Date;
}

/** The tokens that a project's models used, by day (UTC). */
interface AgentTokensTable {
  project_id: string;
  day: ColumnType<Date, string, string>;
  tokens: number;
}

interface IdempotencyKeysTable {
  api_key_id: string;
  route: string;
  key: string;
  body_hash: string;
  /** The status of the response; null while the first call is in progress. */
  status: number | null;
  headers: ColumnType<Record<string, string> | null, string | null, string | null>;
  body: string | null;
  created_at: CreatedAt;
}

/** The pull requests of repositories that the service hosts. An ended pull request never reopens. */
interface PullRequestsTable {
  project_id: string;
  /** The number of the pull request. Numbering starts at 1 in each project. */
  number: number;
  title: string;
  body: string;
  /** The short name of the head branch. A project never has two open pull requests with the same head and base. */
  head: string;
  base: string;
  is_draft: boolean;
  state: Generated<"open" | "merged" | "closed">;
  author: string;
  /** The head branch's tip when it was last read, or when the pull request ended. */
  head_commit: string;
  /** The merge base of both branches when `head_commit` was read. The diff is from this commit to `head_commit`. */
  base_commit: string;
  /** The commit on the base branch that contains `head_commit`. Set only after the merge. */
  merge_commit: string | null;
  created_at: CreatedAt;
  ended_at: Date | null;
}

interface PullRequestCommentsTable {
  id: ColumnType<number, never, never>;
  project_id: string;
  number: number;
  author: string;
  body: string;
  created_at: CreatedAt;
}

/** The repositories that the service hosts, including its copies of external repositories. */
interface HostedRepositoriesTable {
  project_id: string;
  /** The full name of the branch to which HEAD points. */
  head: string;
  /** The number of changes of refs. */
  generation: Generated<number>;
  /**
   * The last generation at which objects may have become unreachable or were omitted from the packs. A pack that omits
   * the objects reachable from the refs of an earlier generation may therefore be incomplete.
   */
  basis: Generated<number>;
}

interface HostedRefsTable {
  project_id: string;
  /** The full name, e.g. `refs/heads/main`. */
  name: string;
  commit: string;
}

/**
 * The pack files in the storage, which contain the objects of hosted repositories. A row is recorded before the file is
 * stored, so that no file is orphaned.
 */
interface HostedPacksTable {
  key: string;
  /** The project; null if the repository was deleted. */
  project_id: string | null;
  /**
   * The generation at which a complete local copy of the repository has the pack's objects. Null for a pack that is not
   * used because it is being stored, its push was lost, or another pack replaced it.
   */
  generation: number | null;
  bytes: number;
  /** When the pack was recorded or became unused. */
  stored_at: ColumnType<Date, Date | undefined, Date>;
}

/** Notes on the changes that reviewers rejected in a project. */
interface ReviewNotesTable {
  id: string;
  project_id: string;
  /** The job whose pull request was rejected; null if the job was deleted. */
  job_id: string | null;
  pull_request_url: string;
  text: string;
  created_at: CreatedAt;
  /** When a person last changed the text; null if nobody did. */
  edited_at: Generated<Date | null>;
}

interface WebhooksTable {
  id: string;
  organization_id: string;
  url: string;
  events: string[];
  /** The secret, encrypted with OCTAVO_SECRET. `projects/` decrypts it only for signing. */
  secret: Uint8Array;
  created_by: CreatedBy;
  created_at: CreatedAt;
  /** When the receiver responded with 410 Gone, after which no messages are sent. */
  disabled_at: Date | null;
}

/** One message to one webhook. No message is pending while its webhook is disabled. */
interface WebhookDeliveriesTable {
  id: string;
  webhook_id: string;
  event: string;
  /** The job that the message is about; null for a test message. */
  job_id: string | null;
  /** The job's project; null if the project was deleted, and for messages of older versions. */
  project_id: string | null;
  state: Generated<"pending" | "delivered" | "failed">;
  /** The exact text that every attempt sends; null for messages that ended under older versions. */
  body: string | null;
  /** The number of finished attempts. */
  attempts: Generated<number>;
  /** The HTTP status of the last attempt; null if the receiver did not respond. */
  response_status: number | null;
  /** The reason why the last attempt failed. */
  error: string | null;
  created_at: CreatedAt;
  attempted_at: Date | null;
  /** When the next attempt is due. Set while the message is pending. */
  next_attempt_at: Date | null;
  ended_at: Date | null;
}

/** A single row, created at the first start, which identifies the storage of this database. */
interface InstallationTable {
  only_row: Generated<boolean>;
  id: string;
  storage_id: string | null;
  /** Set while a node is about to link its storage. */
  storage_claimed_at: Date | null;
  is_storage_linked: Generated<boolean>;
}

export interface Tables extends SiteTables {
  api_keys: ApiKeysTable;
  audit_events: AuditEventsTable;
  members: MembersTable;
  sessions: SessionsTable;
  used_sign_ins: UsedSignInsTable;
  organizations: OrganizationsTable;
  projects: ProjectsTable;
  static_export_jobs: StaticExportJobsTable;
  agent_jobs: AgentJobsTable;
  deployments: DeploymentsTable;
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
  review_notes: ReviewNotesTable;
  webhooks: WebhooksTable;
  webhook_deliveries: WebhookDeliveriesTable;
  export_starts: ExportStartsTable;
  organization_usage: OrganizationUsageTable;
  queue_lanes: QueueLanesTable;
  queue_shares: QueueSharesTable;
}

/** A row of a table as it is read. */
export type Row<Name extends keyof Tables> = Selectable<Tables[Name]>;

/**
 * The lanes into which queues sort their entries. The lane of a deleted project has no row, and its entries run first.
 */
interface QueueLanesTable {
  /** The priority of the lane's entries. */
  lane: ColumnType<number, never, never>;
  queue: string;
  organization_id: string;
  /** The project; null for work that belongs to no project. */
  project_id: string | null;
  is_urgent: boolean;
}

/**
 * Decides whose work starts next. There is a row for each queue, and for each organization and project that had work in
 * it. Start times are points on the clock of the parent row, which is the queue for organizations and the organization
 * for projects.
 */
interface QueueSharesTable {
  queue: string;
  organization_id: string | null;
  project_id: string | null;
  /** The earliest start of the next entry. */
  next_start: Generated<number>;
  /** The start time of the last entry that was started below this row. */
  clock: Generated<number>;
}

/**
 * The usage of an organization. Triggers on the job tables update it in the transaction of each change. A change locks
 * the row until its transaction ends, so that a later comparison with a quota is exact.
 */
interface OrganizationUsageTable {
  organization_id: string;
  /** The number of unfinished jobs of all kinds, including previews. */
  open_jobs: number;
  /**
   * The total size of the bundles of the organization's exports and deployments, in bytes. A bundle that several of
   * them share is counted once for each.
   */
  bundle_bytes: number;
}

/** The number of exports that people started in each minute of the last hour. */
interface ExportStartsTable {
  organization_id: string;
  minute: Date;
  starts: number;
}
