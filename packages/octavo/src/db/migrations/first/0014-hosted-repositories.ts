import { sql } from "kysely";
import type { Kysely } from "kysely";

/**
 * Creates the tables of hosted repositories: their refs and the packs of objects in the storage. The folders of nodes
 * are only copies.
 */
const statements = [
  sql`create table hosted_repositories (
    project_id text collate "C" primary key references projects on delete cascade,
    head text not null,
    generation integer not null default 0,
    basis integer not null default 0 check (basis <= generation)
  )`,
  sql`create table hosted_refs (
    project_id text collate "C" not null references hosted_repositories on delete cascade,
    name text collate "C" not null,
    commit text not null,
    primary key (project_id, name)
  )`,
  // The rows of packs remain after their repository is deleted, so that the cleanup of files finds them.
  sql`create table hosted_packs (
    key text collate "C" primary key,
    project_id text collate "C" references hosted_repositories on delete set null,
    generation integer,
    bytes bigint not null,
    stored_at timestamptz(3) not null default now()
  )`,
  sql`create index hosted_packs_of on hosted_packs (project_id, generation)
    where generation is not null`,
  sql`create index hosted_packs_unused on hosted_packs (stored_at)
    where generation is null or project_id is null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
