import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Adds the previews of open pull requests, and what code hosts were told of them. */
const statements = [
  sql`alter table sites add column preview_pull_requests text not null default 'all'
    check (preview_pull_requests in ('none', 'members', 'all'))`,
  sql`create table review_polls (
    project_id text collate "C" primary key references projects on delete cascade,
    next_at timestamptz(3) not null,
    -- What made the next question due; null for the interval.
    trigger text check (trigger in ('hook', 'push')),
    asked_at timestamptz(3),
    has_more boolean not null default false,
    failures integer not null default 0,
    error text
  )`,
  sql`create index review_polls_next on review_polls (next_at)`,
  sql`create table reviews (
    project_id text collate "C" not null references projects on delete cascade,
    number integer not null check (number > 0),
    title text not null,
    url text not null,
    author text not null,
    is_by_member boolean not null,
    is_from_fork boolean not null,
    head text not null,
    base text not null,
    ref text not null,
    head_commit text not null,
    deployment_id text collate "C" references deployments on delete set null,
    -- Why the head has no preview yet.
    hold text,
    -- The commit where the head leaves its base; null until it is known.
    base_commit text,
    base_deployment_id text collate "C" references deployments on delete set null,
    told_status jsonb,
    told_comment text,
    comment_id bigint,
    -- The state of which the code host was told everything.
    settled text,
    next_at timestamptz(3) not null default now(),
    failures integer not null default 0,
    error text,
    created_at timestamptz(3) not null default now(),
    ended_at timestamptz(3),
    primary key (project_id, number)
  )`,
  sql`create index reviews_open on reviews (next_at) where ended_at is null`,
  sql`create index reviews_deployment on reviews (deployment_id) where deployment_id is not null`,
  sql`create index reviews_base_deployment on reviews (base_deployment_id)
    where base_deployment_id is not null`,
  sql`create index deployments_pull_request on deployments (project_id, pull_request, id desc)
    where pull_request is not null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
