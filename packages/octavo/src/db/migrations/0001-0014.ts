import { sql } from "kysely";
import { createMigration } from "./create-migration.ts";

/**
 * IDs begin with the time of their creation and are compared byte by byte (`collate "C"`), so that descending order by
 * ID means newest first. A single index per table is therefore enough for keyset pagination.
 */
const initialTables = createMigration([
  sql`create table organizations (
    id text collate "C" primary key,
    name text not null check (name <> ''),
    plan text not null check (plan in ('free', 'pro', 'enterprise')),
    created_at timestamptz(3) not null default now()
  )`,

  sql`create table projects (
    id text collate "C" primary key,
    organization_id text collate "C" not null references organizations,
    name text not null,
    domain text not null constraint projects_domain_key unique check (domain = lower(domain)),
    repository text not null,
    ref text,
    directory text not null,
    code_host text not null check (code_host in ('github', 'local')),
    model text,
    credentials bytea,
    created_at timestamptz(3) not null default now()
  )`,
  sql`create index projects_newest on projects (organization_id, id desc)`,

  sql`create table api_keys (
    id text collate "C" primary key,
    organization_id text collate "C" not null references organizations,
    project_id text collate "C" references projects on delete cascade,
    name text not null,
    prefix text not null,
    hash text not null constraint api_keys_hash_key unique,
    created_at timestamptz(3) not null default now(),
    last_used_at timestamptz(3),
    revoked_at timestamptz(3)
  )`,
  sql`create index api_keys_newest on api_keys (organization_id, id desc)`,
  sql`create index api_keys_project on api_keys (project_id)`,

  sql`create table static_export_jobs (
    id text collate "C" primary key,
    organization_id text collate "C" not null references organizations,
    project_id text collate "C" not null references projects on delete cascade,
    domain text not null,
    version text check (char_length(version) between 1 and 100),
    ref text,
    commit text,
    format text not null check (format in ('tar.gz', 'zip')),
    paths jsonb,
    status text not null check (status in ('queued', 'running', 'completed', 'failed')),
    progress double precision not null default 0,
    page_count integer not null default 0 check (page_count >= 0),
    rendered_pages integer not null default 0 check (rendered_pages >= 0),
    error text,
    attempt integer not null default 0,
    strikes integer not null default 0,
    revision bigint not null default 1,
    bundle_key text,
    bundle_bytes bigint check (bundle_bytes >= 0),
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    completed_at timestamptz(3),
    constraint static_export_jobs_progress check (progress between 0 and 100),
    constraint static_export_jobs_whole check ((progress = 100) = (status = 'completed')),
    constraint static_export_jobs_error check ((error is not null) = (status = 'failed')),
    constraint static_export_jobs_ended
      check ((completed_at is not null) = (status in ('completed', 'failed')))
  )`,
  sql`create index static_export_jobs_newest on static_export_jobs (organization_id, id desc)`,
  sql`create index static_export_jobs_domain
    on static_export_jobs (organization_id, domain, id desc)`,
  sql`create index static_export_jobs_status
    on static_export_jobs (organization_id, status, id desc)`,
  sql`create index static_export_jobs_project on static_export_jobs (project_id, id desc)`,
  sql`create function static_export_jobs_change() returns trigger language plpgsql as $$
    begin
      if old.status in ('completed', 'failed') and new.status <> old.status then
        raise exception 'The static export % has ended as %.', old.id, old.status
          using errcode = 'check_violation', constraint = 'static_export_jobs_final';
      end if;
      new.progress := greatest(old.progress, new.progress);
      new.page_count := greatest(old.page_count, new.page_count);
      if (old.status, old.progress, old.page_count, old.version, old.commit, old.error)
        is distinct from
        (new.status, new.progress, new.page_count, new.version, new.commit, new.error) then
        new.revision := old.revision + 1;
        new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 millisecond');
        perform pg_notify('octavo_static_export', new.id || ' ' || new.status);
      end if;
      return new;
    end
  $$`,
  sql`create trigger static_export_jobs_change before update on static_export_jobs
    for each row execute function static_export_jobs_change()`,
  // For everyone who works on a job or follows it, a deleted job has ended.
  sql`create function static_export_jobs_deletion() returns trigger language plpgsql as $$
    begin
      perform pg_notify('octavo_static_export', old.id || ' failed');
      return null;
    end
  $$`,
  sql`create trigger static_export_jobs_deletion after delete on static_export_jobs
    for each row execute function static_export_jobs_deletion()`,

  // These indexes serve the queries of retention for jobs that ended long ago and for other jobs with the same bundle.
  sql`create index static_export_jobs_ended
    on static_export_jobs (completed_at) where completed_at is not null`,
  sql`create index static_export_jobs_bundle_key
    on static_export_jobs (bundle_key) where bundle_key is not null`,
  // There are few open jobs at any time. They are read at the start.
  sql`create index static_export_jobs_open
    on static_export_jobs (id) where status in ('queued', 'running')`,

  sql`create table bundles (
    key text primary key,
    stored_at timestamptz(3) not null
  )`,
  sql`create index bundles_age on bundles (stored_at)`,

  sql`create table idempotency_keys (
    api_key_id text collate "C" not null references api_keys on delete cascade,
    route text not null,
    key text not null,
    body_hash text not null,
    status integer,
    headers jsonb,
    body text,
    created_at timestamptz(3) not null default now(),
    primary key (api_key_id, route, key)
  )`,
  sql`create index idempotency_keys_age on idempotency_keys (created_at)`,
]);

/** Creates the table of pull requests in repositories that the service hosts. */
const pullRequests = createMigration([
  sql`create table pull_requests (
    project_id text collate "C" not null references projects on delete cascade,
    number integer not null check (number > 0),
    title text not null check (title <> ''),
    body text not null,
    head text not null,
    base text not null,
    is_draft boolean not null default false,
    state text not null default 'open' check (state in ('open', 'merged', 'closed')),
    author text not null,
    head_commit text not null,
    base_commit text not null,
    merge_commit text,
    created_at timestamptz(3) not null default now(),
    ended_at timestamptz(3),
    primary key (project_id, number),
    constraint pull_requests_ended check ((ended_at is not null) = (state <> 'open')),
    constraint pull_requests_merged check ((merge_commit is not null) = (state = 'merged'))
  )`,
  // There can never be two open pull requests for the same branches, even if they are created at the same time.
  sql`create unique index pull_requests_open
    on pull_requests (project_id, head, base) where state = 'open'`,
  sql`create index pull_requests_head on pull_requests (project_id, head, number desc)`,

  sql`create table pull_request_comments (
    id bigint generated always as identity primary key,
    project_id text collate "C" not null,
    number integer not null,
    author text not null,
    body text not null check (body <> ''),
    created_at timestamptz(3) not null default now(),
    foreign key (project_id, number) references pull_requests on delete cascade
  )`,
  sql`create index pull_request_comments_of
    on pull_request_comments (project_id, number, id)`,
]);

/** Creates the tables of agent jobs, their messages and events, and their rate limits. */
const agentJobs = createMigration([
  sql`create table agent_jobs (
    id text collate "C" primary key,
    organization_id text collate "C" not null references organizations,
    project_id text collate "C" not null references projects on delete cascade,
    status text not null check (status in ('active', 'completed', 'failed', 'archived')),
    model text not null,
    repository text not null,
    turn integer not null default 1,
    branch text not null,
    branch_number integer not null default 1,
    branch_turn integer not null default 1,
    base_ref text,
    fork_commit text,
    turn_base text,
    head_commit text,
    pull_request_number integer,
    pull_request_url text,
    pull_request_state text check (pull_request_state in ('open', 'merged', 'closed')),
    pull_request_seen_at timestamptz(3),
    summary text,
    error text,
    input_tokens bigint not null default 0,
    output_tokens bigint not null default 0,
    steps integer not null default 0,
    attempt integer not null default 0,
    strikes integer not null default 0,
    last_seq bigint not null default 0,
    revision bigint not null default 1,
    created_at timestamptz(3) not null default now(),
    ended_at timestamptz(3),
    archived_at timestamptz(3),
    constraint agent_jobs_error
      check ((error is not null) = (status = 'failed') or (status = 'archived')),
    constraint agent_jobs_ended check ((ended_at is null) = (status = 'active')),
    constraint agent_jobs_archived check ((archived_at is not null) = (status = 'archived')),
    constraint agent_jobs_pull_request check (
      (pull_request_number is null) = (pull_request_url is null)
      and (pull_request_number is null) = (pull_request_state is null)
    )
  )`,
  sql`create index agent_jobs_newest on agent_jobs (project_id, id desc)`,
  sql`create index agent_jobs_status on agent_jobs (project_id, status, id desc)`,
  sql`create index agent_jobs_ended on agent_jobs (ended_at) where ended_at is not null`,
  sql`create index agent_jobs_open_pull_requests on agent_jobs (pull_request_seen_at nulls first)
    where pull_request_state = 'open' and status <> 'active'`,
  // Steps and changes of a job share one counter, so that a single number shows which of them a client has received.
  sql`create function agent_jobs_change() returns trigger language plpgsql as $$
    begin
      if new.status <> old.status and (
        old.status = 'archived' or (old.status = 'active' and new.status = 'archived')
      ) then
        raise exception 'The agent job % does not go from % to %.', old.id, old.status, new.status
          using errcode = 'check_violation', constraint = 'agent_jobs_transition';
      end if;
      new.turn := greatest(old.turn, new.turn);
      new.revision := greatest(old.revision, new.last_seq);
      if (old.status, old.branch, old.summary, old.error, old.input_tokens, old.output_tokens,
          old.steps, old.pull_request_url, old.pull_request_state)
        is distinct from
        (new.status, new.branch, new.summary, new.error, new.input_tokens, new.output_tokens,
          new.steps, new.pull_request_url, new.pull_request_state) then
        new.revision := new.revision + 1;
      end if;
      if new.revision <> old.revision then
        perform pg_notify('octavo_agent', new.id || ' ' || new.status);
      end if;
      return new;
    end
  $$`,
  sql`create trigger agent_jobs_change before update on agent_jobs
    for each row execute function agent_jobs_change()`,
  // For everyone who works on a job or follows it, a deleted job has ended.
  sql`create function agent_jobs_deletion() returns trigger language plpgsql as $$
    begin
      perform pg_notify('octavo_agent', old.id || ' failed');
      return null;
    end
  $$`,
  sql`create trigger agent_jobs_deletion after delete on agent_jobs
    for each row execute function agent_jobs_deletion()`,

  sql`create table agent_messages (
    job_id text collate "C" not null references agent_jobs on delete cascade,
    turn integer not null,
    text text not null check (text <> ''),
    state text not null check (state in ('queued', 'running', 'done', 'dropped')),
    created_at timestamptz(3) not null default now(),
    primary key (job_id, turn)
  )`,
  sql`create unique index agent_messages_running on agent_messages (job_id)
    where state = 'running'`,

  sql`create table agent_events (
    job_id text collate "C" not null references agent_jobs on delete cascade,
    seq bigint not null,
    type text not null,
    entry text not null,
    primary key (job_id, seq)
  )`,

  sql`create table agent_diffs (
    job_id text collate "C" primary key references agent_jobs on delete cascade,
    diff text not null
  )`,

  sql`create table agent_uses (
    project_id text collate "C" not null references projects on delete cascade,
    kind text not null check (kind in ('jobs', 'messages')),
    used_at timestamptz not null
  )`,
  sql`create index agent_uses_newest on agent_uses (project_id, kind, used_at desc)`,

  sql`create table agent_tokens (
    project_id text collate "C" not null references projects on delete cascade,
    day date not null,
    tokens bigint not null check (tokens >= 0),
    primary key (project_id, day)
  )`,
  sql`create index agent_tokens_age on agent_tokens (day)`,
]);

/** Creates the tables of webhooks and of the deliveries of their messages. */
const webhooks = createMigration([
  sql`create table webhooks (
    id text collate "C" primary key,
    organization_id text collate "C" not null references organizations,
    url text not null check (url <> ''),
    events text[] not null check (cardinality(events) > 0),
    secret bytea not null,
    created_at timestamptz(3) not null default now(),
    disabled_at timestamptz(3)
  )`,
  sql`create index webhooks_newest on webhooks (organization_id, id desc)`,

  sql`create table webhook_deliveries (
    id text collate "C" primary key,
    webhook_id text collate "C" not null references webhooks on delete cascade,
    event text not null,
    job_id text not null,
    state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
    body text,
    attempts integer not null default 0 check (attempts >= 0),
    response_status integer,
    error text,
    created_at timestamptz(3) not null default now(),
    attempted_at timestamptz(3),
    next_attempt_at timestamptz(3),
    ended_at timestamptz(3),
    constraint webhook_deliveries_ended check ((ended_at is null) = (state = 'pending')),
    -- What was sent is not kept: the job itself can be read.
    constraint webhook_deliveries_body check ((body is not null) = (state = 'pending')),
    constraint webhook_deliveries_next check ((next_attempt_at is not null) = (state = 'pending'))
  )`,
  sql`create index webhook_deliveries_newest on webhook_deliveries (webhook_id, id desc)`,
  sql`create index webhook_deliveries_pending on webhook_deliveries (webhook_id)
    where state = 'pending'`,
  sql`create index webhook_deliveries_age on webhook_deliveries (ended_at)
    where ended_at is not null`,
]);

/**
 * Adds previews, which are exports that the service starts for branches under review. Lists contain only exports that
 * somebody requested, so their indexes contain no previews, however many there are.
 */
const previews = createMigration([
  sql`alter table static_export_jobs add column purpose text not null default 'export'
    check (purpose in ('export', 'preview'))`,
  sql`create index static_export_jobs_ref on static_export_jobs (project_id, ref, id desc)`,
  sql`drop index static_export_jobs_newest`,
  sql`create index static_export_jobs_newest on static_export_jobs (organization_id, id desc)
    where purpose = 'export'`,
  sql`drop index static_export_jobs_domain`,
  sql`create index static_export_jobs_domain
    on static_export_jobs (organization_id, domain, id desc) where purpose = 'export'`,
  sql`drop index static_export_jobs_status`,
  sql`create index static_export_jobs_status
    on static_export_jobs (organization_id, status, id desc) where purpose = 'export'`,
  sql`drop index static_export_jobs_project`,
  sql`create index static_export_jobs_project on static_export_jobs (project_id, id desc)
    where purpose = 'export'`,
]);

/** Adds columns for drafts of turns that ended at a limit, and for the usage of the model's context. */
const unfinishedTurns = createMigration([
  sql`alter table agent_jobs
    add column pull_request_draft boolean not null default false,
    add column cached_input_tokens bigint not null default 0,
    add column compactions integer not null default 0`,
  // The usage changes only with steps, which already change the revision. A draft can become ready without a step.
  sql`create function agent_jobs_draft_change() returns trigger language plpgsql as $$
    begin
      if new.pull_request_draft is distinct from old.pull_request_draft
        and new.revision = old.revision then
        new.revision := old.revision + 1;
        perform pg_notify('octavo_agent', new.id || ' ' || new.status);
      end if;
      return new;
    end
  $$`,
  // Triggers fire in the order of their names, so this trigger sees the revision that the other one has set.
  sql`create trigger agent_jobs_draft_change before update on agent_jobs
    for each row execute function agent_jobs_draft_change()`,
]);

/** Adds the repositories that a project's agents may read. Their credentials are encrypted as one list. */
const sources = createMigration([
  sql`alter table projects
    add column sources jsonb not null default '[]',
    add column source_credentials bytea`,
]);

/**
 * Adds a project's pull request settings, the key that signs its commits, and the commit that a turn merged from its
 * base. Missing settings have their defaults.
 */
const pullRequestSettings = createMigration([
  sql`alter table projects add column pull_requests jsonb not null default '{}'
    check (jsonb_typeof(pull_requests) = 'object')`,
  sql`alter table projects add column signing_key bytea, add column signing_public_key text,
    add constraint projects_signing check ((signing_key is null) = (signing_public_key is null))`,
  sql`alter table agent_jobs add column merged_base text`,
]);

/** Creates a table with one row, which identifies the installation and its storage. */
const installation = createMigration([
  sql`create table installation (
    only_row boolean primary key default true check (only_row),
    id text not null,
    storage_id text,
    storage_claimed_at timestamptz,
    is_storage_linked boolean not null default false
  )`,
]);

const waitColumns = `
    add column waiting_for text,
    add column waiting_since timestamptz(3),
    add column waits integer not null default 0`;

/** Adds columns for jobs that wait, e.g. for their storage or code host, with the reason. */
const waitingJobs = createMigration([
  sql`alter table static_export_jobs ${sql.raw(waitColumns)}`,
  sql`alter table agent_jobs ${sql.raw(waitColumns)}`,
  sql`create function static_export_jobs_waiting_change() returns trigger language plpgsql as $$
    begin
      if new.waiting_for is distinct from old.waiting_for and new.revision = old.revision then
        new.revision := old.revision + 1;
        new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 millisecond');
        perform pg_notify('octavo_static_export', new.id || ' ' || new.status);
      end if;
      return new;
    end
  $$`,
  sql`create function agent_jobs_waiting_change() returns trigger language plpgsql as $$
    begin
      if new.waiting_for is distinct from old.waiting_for and new.revision = old.revision then
        new.revision := old.revision + 1;
        perform pg_notify('octavo_agent', new.id || ' ' || new.status);
      end if;
      return new;
    end
  $$`,
  // Triggers fire in the order of their names, so these triggers see the revision that the others have set.
  sql`create trigger static_export_jobs_waiting_change before update on static_export_jobs
    for each row execute function static_export_jobs_waiting_change()`,
  sql`create trigger agent_jobs_waiting_change before update on agent_jobs
    for each row execute function agent_jobs_waiting_change()`,
]);

/** Creates the table of the service's nodes, each of which reports regularly that it is alive. */
const nodes = createMigration([
  sql`create table nodes (
    id text primary key,
    version text not null,
    roles text not null,
    started_at timestamptz(3) not null default now(),
    seen_at timestamptz(3) not null default now()
  )`,
]);

/**
 * Creates the tables of hosted repositories: their refs and the packs of objects in the storage. The folders of nodes
 * are only copies.
 */
const hostedRepositories = createMigration([
  sql`create table hosted_repositories (
    project_id text collate "C" primary key references projects on delete cascade,
    head text not null,
    generation integer not null default 0,
    basis integer not null default 0 check (basis <= generation)
  )`,
  sql`create table hosted_refs (
    project_id text collate "C" not null references hosted_repositories on delete cascade,
    name text collate "C" not null,
    commit text not null,
    primary key (project_id, name)
  )`,
  // The rows of packs remain after their repository is deleted, so that the cleanup of files finds them.
  sql`create table hosted_packs (
    key text collate "C" primary key,
    project_id text collate "C" references hosted_repositories on delete set null,
    generation integer,
    bytes bigint not null,
    stored_at timestamptz(3) not null default now()
  )`,
  sql`create index hosted_packs_of on hosted_packs (project_id, generation)
    where generation is not null`,
  sql`create index hosted_packs_unused on hosted_packs (stored_at)
    where generation is null or project_id is null`,
]);

export const migrations0001To0014 = {
  "0001-initial-tables": initialTables,
  "0002-pull-requests": pullRequests,
  "0003-agent-jobs": agentJobs,
  "0004-webhooks": webhooks,
  "0005-previews": previews,
  "0006-unfinished-turns": unfinishedTurns,
  "0007-sources": sources,
  "0008-pull-request-settings": pullRequestSettings,
  "0009-installation": installation,
  "0011-waiting-jobs": waitingJobs,
  "0013-nodes": nodes,
  "0014-hosted-repositories": hostedRepositories,
};
