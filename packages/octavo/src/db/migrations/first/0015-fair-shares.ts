import { sql } from "kysely";
import type { Kysely } from "kysely";

/**
 * Creates the tables that decide the order in which work of organizations and their projects starts. The priority of a
 * queue entry is its lane, so that the queue's own index finds a lane's oldest entry.
 */
const statements = [
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

  // See \`startNextLane\` in \`jobs/queue/fair-order.ts\`. The statements are in a function so that they are planned
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
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
