import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Creates the tables of agent jobs, their messages and events, and their rate limits. */
const statements = [
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
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
