import { sql } from "kysely";
import type { Kysely } from "kysely";

const statements = [
  sql`create table sites (
    project_id text collate "C" primary key references projects on delete cascade,
    -- Null until the site is needed for the first time.
    slug text constraint sites_slug_key unique check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) <= 40),
    is_automatic boolean not null default true,
    visibility text not null default 'public' check (visibility in ('public', 'members', 'password')),
    password_hash text,
    has_trailing_slashes boolean not null default false,
    revision bigint not null default 1,
    constraint sites_password_needed check (visibility <> 'password' or password_hash is not null)
  )`,
  sql`create function sites_change() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        perform pg_notify('octavo_sites', old.project_id);
        return old;
      end if;
      if tg_op = 'UPDATE' then new.revision := old.revision + 1; end if;
      perform pg_notify('octavo_sites', new.project_id);
      return new;
    end
  $$`,
  sql`create trigger sites_change before insert or update or delete on sites
    for each row execute function sites_change()`,
  // Nobody asked to publish the projects of earlier versions.
  sql`insert into sites (project_id, is_automatic) select id, false from projects`,

  sql`create table deployments (
    id text collate "C" primary key,
    organization_id text collate "C" not null references organizations,
    project_id text collate "C" not null references projects on delete cascade,
    kind text not null check (kind in ('production', 'version', 'preview', 'upload')),
    trigger text not null check (trigger in ('push', 'hook', 'poll', 'api', 'dashboard', 'upload')),
    slug text not null,
    ref text,
    pull_request integer,
    commit text,
    subject text,
    author text,
    status text not null
      check (status in ('queued', 'building', 'ready', 'failed', 'superseded', 'removed')),
    progress double precision not null default 0,
    page_count integer not null default 0 check (page_count >= 0),
    rendered_pages integer not null default 0 check (rendered_pages >= 0),
    total_pages integer not null default 0,
    errors integer,
    warnings integer,
    log jsonb not null default '[]',
    error text,
    attempt integer not null default 0,
    strikes integer not null default 0,
    waiting_for text,
    waiting_since timestamptz(3),
    waits integer not null default 0,
    revision bigint not null default 1,
    bundle_key text,
    bundle_bytes bigint check (bundle_bytes >= 0),
    published_at timestamptz(3),
    published_by jsonb,
    left_at timestamptz(3),
    created_by jsonb,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    ended_at timestamptz(3),
    constraint deployments_error check ((error is not null) = (status = 'failed')),
    constraint deployments_ended
      check ((ended_at is not null) = (status not in ('queued', 'building'))),
    constraint deployments_bundle check ((bundle_key is not null) = (status = 'ready')),
    constraint deployments_left check (left_at is null or published_at is not null)
  )`,
  sql`create unique index deployments_live on deployments (project_id)
    where published_at is not null and left_at is null`,
  sql`create index deployments_project on deployments (project_id, id desc)`,
  sql`create index deployments_newest on deployments (organization_id, id desc)`,
  sql`create index deployments_ended on deployments (ended_at) where ended_at is not null`,
  sql`create index deployments_bundle_key on deployments (bundle_key) where bundle_key is not null`,
  sql`create index deployments_open on deployments (id) where status in ('queued', 'building')`,
  sql`create function deployments_change() returns trigger language plpgsql as $$
    begin
      if new.status <> old.status and (old.status in ('failed', 'superseded', 'removed')
          or (old.status = 'ready' and new.status <> 'removed')) then
        raise exception 'The deployment % has ended as %.', old.id, old.status
          using errcode = 'check_violation', constraint = 'deployments_final';
      end if;
      new.progress := greatest(old.progress, new.progress);
      new.page_count := greatest(old.page_count, new.page_count);
      if (old.status, old.progress, old.page_count, old.commit, old.subject, old.error,
          old.waiting_for, old.slug, old.published_at, old.left_at)
        is distinct from
        (new.status, new.progress, new.page_count, new.commit, new.subject, new.error,
          new.waiting_for, new.slug, new.published_at, new.left_at) then
        new.revision := old.revision + 1;
        new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 millisecond');
        perform pg_notify('octavo_deployment', new.id || ' ' || new.status);
      end if;
      return new;
    end
  $$`,
  sql`create trigger deployments_change before update on deployments
    for each row execute function deployments_change()`,
  // For everyone who works on a deployment or follows it, a deleted deployment has ended.
  sql`create function deployments_deletion() returns trigger language plpgsql as $$
    begin
      perform pg_notify('octavo_deployment', old.id || ' failed');
      return null;
    end
  $$`,
  sql`create trigger deployments_deletion after delete on deployments
    for each row execute function deployments_deletion()`,
  sql`create function deployments_usage() returns trigger language plpgsql as $$
    declare
      jobs integer := 0;
      bytes bigint := 0;
    begin
      if tg_op <> 'INSERT' then
        jobs := jobs - (old.status in ('queued', 'building'))::integer;
        bytes := bytes - case when old.bundle_key is null then 0 else coalesce(old.bundle_bytes, 0) end;
      end if;
      if tg_op <> 'DELETE' then
        jobs := jobs + (new.status in ('queued', 'building'))::integer;
        bytes := bytes + case when new.bundle_key is null then 0 else coalesce(new.bundle_bytes, 0) end;
      end if;
      perform add_usage(coalesce(new.organization_id, old.organization_id), jobs, bytes);
      return null;
    end
  $$`,
  sql`create trigger deployments_usage after insert or delete on deployments
    for each row execute function deployments_usage()`,
  sql`create trigger deployments_usage_change after update on deployments
    for each row when (old.status <> new.status or old.bundle_key is distinct from new.bundle_key)
    execute function deployments_usage()`,
  sql`insert into queue_shares (queue) values ('deployment')`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
