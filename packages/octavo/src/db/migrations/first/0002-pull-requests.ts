import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Creates the table of pull requests in repositories that the service hosts. */
const statements = [
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
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
