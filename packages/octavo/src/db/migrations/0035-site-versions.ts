import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Adds the versions of published sites, and the rules that make branches and tags versions. */
const statements = [
  sql`alter table sites add column version_rules jsonb not null default '[]'`,
  sql`create table site_versions (
    project_id text collate "C" not null references projects on delete cascade,
    ref text collate "C" not null,
    target text not null,
    slug text collate "C",
    action text not null check (action in ('publish', 'hide', 'default')),
    problem text,
    primary key (project_id, ref),
    constraint site_versions_slug_key unique (project_id, slug),
    constraint site_versions_problem check ((slug is null) = (problem is not null))
  )`,
  // First segments of the addresses of a bundle's pages.
  sql`alter table deployments add column first_names jsonb`,
  sql`drop index deployments_live`,
  sql`create unique index deployments_live
    on deployments (project_id, (case kind when 'version' then ref else '' end))
    where published_at is not null and left_at is null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
