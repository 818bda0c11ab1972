import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Adds the hooks with which code hosts report pushes, and what they delivered. */
const statements = [
  sql`create table project_hooks (
    id text collate "C" primary key,
    project_id text collate "C" not null constraint project_hooks_project unique
      references projects on delete cascade,
    secret bytea not null,
    revision integer not null default 1,
    refused_at timestamptz(3),
    created_by jsonb,
    created_at timestamptz(3) not null default now()
  )`,
  sql`create table hook_deliveries (
    id text collate "C" primary key,
    hook_id text collate "C" not null references project_hooks on delete cascade,
    delivery text not null,
    sender text not null check (sender in ('github', 'gitea', 'forgejo', 'gitlab', 'standard')),
    event text not null,
    branch text,
    commit text,
    deployment_id text collate "C" references deployments on delete set null,
    reason text,
    received_at timestamptz(3) not null default now(),
    constraint hook_deliveries_once unique (hook_id, delivery)
  )`,
  sql`create index hook_deliveries_newest on hook_deliveries (hook_id, id desc)`,
  sql`create index hook_deliveries_received on hook_deliveries (received_at)`,
  sql`create index hook_deliveries_deployment on hook_deliveries (deployment_id)
    where deployment_id is not null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
