import { domainToASCII } from "node:url";
import { sql } from "kysely";
import type { Kysely } from "kysely";
import { createMigration } from "./create-migration.ts";

/**
 * Creates the tables that decide the order in which work of organizations and their projects starts. The priority of a
 * queue entry is its lane, so that the queue's own index finds a lane's oldest entry.
 */
const fairShares = createMigration([
  sql`create table queue_lanes (
    lane integer generated always as identity primary key,
    queue text not null,
    organization_id text collate "C" not null references organizations on delete cascade,
    project_id text collate "C" references projects on delete cascade,
    is_urgent boolean not null,
    unique nulls not distinct (queue, organization_id, project_id, is_urgent)
  )`,
  sql`create index queue_lanes_project on queue_lanes (project_id)`,

  // A row is for a queue (without an organization), an organization (without a project) or a project.
  sql`create table queue_shares (
    queue text not null,
    organization_id text collate "C" references organizations on delete cascade,
    project_id text collate "C" references projects on delete cascade,
    next_start bigint not null default 0,
    clock bigint not null default 0,
    unique nulls not distinct (queue, organization_id, project_id)
  )`,
  sql`create index queue_shares_project on queue_shares (project_id)`,
  sql`insert into queue_shares (queue) values ('static-export'), ('agent'), ('webhook')`,

  // See `startNextLane` in `jobs/queue/fair-order.ts`. The statements are in a function so that they are planned
  // only once per connection, because planning takes longer than running them. The settings apply only to these plans.
  // A plan made while the queue is empty would otherwise read the whole table, and would still do so when the table is
  // full.
  sql`create function start_next_lane(
    of_queue text, periods jsonb, excluded text[],
    out lane integer, out organization_id text
  ) language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $$
    #variable_conflict use_column
    declare
      queue_clock bigint;
      candidate record;
    begin
      select clock into queue_clock from queue_shares
        where queue = of_queue and organization_id is null for update;
      for candidate in
        with recursive waiting (lane) as (
          (
            select priority from pgboss.job
            where name = of_queue and state < 'active' and not blocked
            order by priority desc limit 1
          )
          union all
          select (
            select priority from pgboss.job
            where name = of_queue and state < 'active' and not blocked
              and priority < waiting.lane
            order by priority desc limit 1
          ) from waiting where waiting.lane is not null
        )
        select waiting.lane, lanes.organization_id, lanes.project_id,
          greatest(of_organization.next_start, queue_clock) as start,
          greatest(of_project.next_start, of_organization.clock, 0) as project_start,
          (periods ->> organizations.plan)::bigint as period
        from waiting
        left join queue_lanes lanes on lanes.lane = waiting.lane and lanes.queue = of_queue
        left join organizations on organizations.id = lanes.organization_id
        left join queue_shares of_organization
          on of_organization.queue = of_queue
          and of_organization.organization_id = lanes.organization_id
          and of_organization.project_id is null
        left join queue_shares of_project
          on of_project.queue = of_queue
          and of_project.organization_id = lanes.organization_id
          and of_project.project_id = lanes.project_id
        where waiting.lane is not null
          and (lanes.organization_id is null or lanes.organization_id <> all (excluded))
        order by lanes.organization_id is not null,
          start, of_organization.next_start nulls first, lanes.organization_id,
          lanes.is_urgent desc,
          project_start, of_project.next_start nulls first,
          -- Of older versions, whose urgent entries have 0 and the others -1.
          case when lanes.lane is null then -waiting.lane else waiting.lane end
      loop
        continue when not exists (
          select from pgboss.job
          where name = of_queue and state < 'active' and not blocked
            and priority = candidate.lane and start_after <= now()
        );
        lane := candidate.lane;
        organization_id := candidate.organization_id;
        if candidate.organization_id is null then return; end if;
        update queue_shares set clock = candidate.start
          where queue = of_queue and organization_id is null;
        insert into queue_shares (queue, organization_id, project_id, next_start, clock)
          values (of_queue, candidate.organization_id, null,
            candidate.start + candidate.period, candidate.project_start)
          on conflict (queue, organization_id, project_id) do update
            set next_start = excluded.next_start, clock = excluded.clock;
        if candidate.project_id is null then return; end if;
        insert into queue_shares (queue, organization_id, project_id, next_start)
          values (of_queue, candidate.organization_id, candidate.project_id,
            candidate.project_start + 1000000)
          on conflict (queue, organization_id, project_id) do update
            set next_start = excluded.next_start;
        return;
      end loop;
    end
  $$`,

  // The usage that quotas limit, so that jobs need not be counted.
  sql`create table organization_usage (
    organization_id text collate "C" primary key references organizations on delete cascade,
    open_jobs integer not null default 0,
    bundle_bytes bigint not null default 0
  )`,
  sql`insert into organization_usage (organization_id, open_jobs, bundle_bytes)
    select id,
      (select count(*) from static_export_jobs
        where organization_id = organizations.id and status in ('queued', 'running'))
      + (select count(*) from agent_jobs
        where organization_id = organizations.id and status = 'active'),
      (select coalesce(sum(bundle_bytes), 0) from static_export_jobs
        where organization_id = organizations.id and bundle_key is not null)
    from organizations`,
  sql`create function add_usage(to_organization text, jobs integer, bytes bigint)
    returns void language plpgsql as $$
    begin
      if jobs = 0 and bytes = 0 then return; end if;
      insert into organization_usage as usage (organization_id, open_jobs, bundle_bytes)
        values (to_organization, jobs, bytes)
        on conflict (organization_id) do update
          set open_jobs = usage.open_jobs + jobs, bundle_bytes = usage.bundle_bytes + bytes;
    end
  $$`,
  sql`create function static_export_jobs_usage() returns trigger language plpgsql as $$
    declare
      jobs integer := 0;
      bytes bigint := 0;
    begin
      if tg_op <> 'INSERT' then
        jobs := jobs - (old.status in ('queued', 'running'))::integer;
        if old.bundle_key is not null then bytes := bytes - coalesce(old.bundle_bytes, 0); end if;
      end if;
      if tg_op <> 'DELETE' then
        jobs := jobs + (new.status in ('queued', 'running'))::integer;
        if new.bundle_key is not null then bytes := bytes + coalesce(new.bundle_bytes, 0); end if;
        perform add_usage(new.organization_id, jobs, bytes);
      else
        perform add_usage(old.organization_id, jobs, bytes);
      end if;
      return null;
    end
  $$`,
  sql`create trigger static_export_jobs_usage after insert or delete on static_export_jobs
    for each row execute function static_export_jobs_usage()`,
  sql`create trigger static_export_jobs_usage_change after update on static_export_jobs
    for each row when (old.status <> new.status or old.bundle_key is distinct from new.bundle_key)
    execute function static_export_jobs_usage()`,
  sql`create function agent_jobs_usage() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        perform add_usage(old.organization_id, -(old.status = 'active')::integer, 0);
      elsif tg_op = 'INSERT' then
        perform add_usage(new.organization_id, (new.status = 'active')::integer, 0);
      else
        perform add_usage(new.organization_id,
          (new.status = 'active')::integer - (old.status = 'active')::integer, 0);
      end if;
      return null;
    end
  $$`,
  sql`create trigger agent_jobs_usage after insert or delete on agent_jobs
    for each row execute function agent_jobs_usage()`,
  sql`create trigger agent_jobs_usage_change after update on agent_jobs
    for each row when (old.status <> new.status) execute function agent_jobs_usage()`,

  // The exports started in the last hour, by minute.
  sql`create table export_starts (
    organization_id text collate "C" not null references organizations on delete cascade,
    minute timestamptz not null,
    starts integer not null,
    primary key (organization_id, minute)
  )`,

  sql`alter table webhook_deliveries
    add column project_id text collate "C" references projects on delete set null`,
  sql`create index webhook_deliveries_project on webhook_deliveries (project_id)
    where project_id is not null`,
]);

const accessScopes = createMigration([
  // Keys of older versions have all scopes.
  sql`alter table api_keys
    add column scopes text[] not null default '{read,export,agent,admin}',
    add column expires_at timestamptz`,
]);

const actors = createMigration([
  sql`alter table api_keys add column created_by jsonb`,
  sql`alter table projects add column created_by jsonb`,
  sql`alter table static_export_jobs add column created_by jsonb`,
  sql`alter table agent_jobs add column created_by jsonb`,
  sql`alter table agent_messages add column created_by jsonb`,

  // Events do not reference their targets, so that they remain when a target is deleted.
  sql`create table audit_events (
    id text collate "C" primary key,
    organization_id text collate "C" not null references organizations on delete cascade,
    at timestamptz not null default now(),
    action text not null,
    actor jsonb,
    actor_id text collate "C",
    target jsonb not null,
    project_id text collate "C",
    details jsonb not null
  )`,
  sql`create index audit_events_organization on audit_events (organization_id, id)`,
  sql`create index audit_events_actor on audit_events (organization_id, actor_id, id)`,
  sql`create index audit_events_action on audit_events (organization_id, action, id)`,
  sql`create index audit_events_at on audit_events (at)`,
]);

const people = createMigration([
  sql`create table members (
    id text collate "C" primary key,
    organization_id text collate "C" not null references organizations on delete cascade,
    email text,
    name text not null,
    role text not null check (role in ('owner', 'editor', 'viewer')),
    source text not null check (source in ('invited', 'groups', 'domain')),
    issuer text,
    subject text,
    created_by jsonb,
    created_at timestamptz not null default now(),
    last_seen_at timestamptz,
    constraint members_email unique (organization_id, email),
    constraint members_subject unique (organization_id, issuer, subject)
  )`,
  sql`create index members_identity on members (issuer, subject)`,
  sql`create index members_address on members (email)`,

  sql`alter table api_keys
    add column member_id text collate "C" references members on delete cascade`,
  sql`create index api_keys_member on api_keys (member_id) where member_id is not null`,

  sql`create table sessions (
    id text collate "C" primary key,
    organization_id text collate "C" not null references organizations on delete cascade,
    hash text not null unique,
    key_id text collate "C" references api_keys on delete cascade,
    member_id text collate "C" references members on delete cascade,
    address text not null,
    browser text not null,
    created_at timestamptz not null default now(),
    seen_at timestamptz not null default now(),
    expires_at timestamptz not null,
    check (num_nonnulls(key_id, member_id) = 1)
  )`,
  sql`create index sessions_organization on sessions (organization_id, id)`,
  sql`create index sessions_key on sessions (key_id)`,
  sql`create index sessions_member on sessions (member_id)`,
  sql`create index sessions_expires on sessions (expires_at)`,

  // Sign-ins that returned from the provider, so that each can be used only once.
  sql`create table used_sign_ins (
    state_hash text primary key,
    used_at timestamptz not null default now()
  )`,
]);

const exportProgress = createMigration([
  // The progress of an export: its total number of pages, and the log of its attempts, in order.
  sql`alter table static_export_jobs
    add column total_pages integer not null default 0,
    add column log jsonb not null default '[]'`,
]);

/**
 * Adds the hosts from which a project's pages may load, by default none, and those of a single export. Null means the
 * project's hosts.
 */
const remoteScripts = createMigration([
  sql`alter table projects add column remote_scripts jsonb not null default '[]'
    check (jsonb_typeof(remote_scripts) = 'array')`,
  sql`alter table static_export_jobs add column remote_scripts jsonb
    check (jsonb_typeof(remote_scripts) = 'array')`,
]);

/**
 * Keeps messages to webhooks after they have ended, so that they can be sent again. A test message belongs to no job.
 */
const messagesKept = createMigration([
  sql`alter table webhook_deliveries
    drop constraint webhook_deliveries_body,
    add constraint webhook_deliveries_body check (body is not null or state <> 'pending'),
    alter column job_id drop not null`,
]);

/** Adds the style of an export's page addresses. Null means files. */
const pageAddresses = createMigration([
  sql`alter table static_export_jobs add column addresses text
    check (addresses in ('file', 'folder'))`,
]);

const agentCosts = createMigration([
  // The cost in US dollars; null if the price of any reply is unknown.
  sql`alter table agent_jobs add column cost double precision`,
]);

const webhookCreators = createMigration([
  // Null for the operator, and for webhooks of older versions.
  sql`alter table webhooks add column created_by jsonb`,
]);

interface Row {
  readonly id: string;
  readonly organization_id: string;
  readonly email: string;
  readonly has_signed_in: boolean;
}

/**
 * Brings domains of members' addresses into punycode, the form in which addresses are compared. Two members of one
 * organization may turn out to have the same address. An invitation gives way to the other member; if both have signed
 * in, they have different accounts of the provider, and both stay as they are.
 */
async function normalizeMemberDomains(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<Row>`
    select id, organization_id, email, subject is not null as has_signed_in
    from members where email ~ '[^\x01-\x7f]' order by id`.execute(db);
  for (const member of rows) {
    const email = toStoredAddress(member.email);
    if (email === undefined || email === member.email) continue;
    const other = await findOther(db, member, email);
    const outdated = other && chooseInvitation(member, other);
    if (other && !outdated) continue;
    if (outdated) await sql`delete from members where id = ${outdated.id}`.execute(db);
    if (outdated === member) continue;
    await sql`update members
      set email = ${email}, name = case when name = email then ${email} else name end
      where id = ${member.id}`.execute(db);
  }
}

function toStoredAddress(email: string): string | undefined {
  const at = email.lastIndexOf("@");
  const domain = domainToASCII(email.slice(at + 1));
  return domain === "" ? undefined : `${email.slice(0, at)}@${domain}`;
}

async function findOther(
  db: Kysely<unknown>,
  { organization_id: organizationId }: Row,
  email: string,
): Promise<Row | undefined> {
  const { rows } = await sql<Row>`
    select id, organization_id, email, subject is not null as has_signed_in
    from members where organization_id = ${organizationId} and email = ${email}`.execute(db);
  return rows[0];
}

function chooseInvitation(member: Row, other: Row): Row | undefined {
  return [member, other].find(({ has_signed_in: hasSignedIn }) => !hasSignedIn);
}

const memberDomains = { up: normalizeMemberDomains };

export const migrations0015To0028 = {
  "0015-fair-shares": fairShares,
  "0016-access-scopes": accessScopes,
  "0017-actors": actors,
  "0018-people": people,
  "0020-export-progress": exportProgress,
  "0021-remote-scripts": remoteScripts,
  "0023-messages-kept": messagesKept,
  "0025-page-addresses": pageAddresses,
  "0026-agent-costs": agentCosts,
  "0027-webhook-creators": webhookCreators,
  "0028-member-domains": memberDomains,
};
