import { sql } from "kysely";
import type { Kysely } from "kysely";

const statements = [
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
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
