import { sql } from "kysely";
import type { Kysely } from "kysely";

/**
 * IDs begin with the time of their creation and are compared byte by byte (`collate "C"`), so that descending order by
 * ID means newest first. A single index per table is therefore enough for keyset pagination.
 */
const statements = [
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
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
