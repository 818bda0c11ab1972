import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Creates the tables of webhooks and of the deliveries of their messages. */
const statements = [
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
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
