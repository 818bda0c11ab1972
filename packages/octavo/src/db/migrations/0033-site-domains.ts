import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Adds the domains of projects. Only a proven domain is served, so any number of projects may claim the same one. */
const statements = [
  sql`create table site_domains (
    project_id text collate "C" not null references projects on delete cascade,
    name text collate "C" not null,
    token text not null,
    is_canonical boolean not null default false,
    proven_at timestamptz(3),
    proven_by text check (proven_by in ('dns', 'operator')),
    checked_at timestamptz(3),
    problem text,
    created_at timestamptz(3) not null default now(),
    created_by jsonb,
    primary key (project_id, name),
    constraint site_domains_proof check ((proven_at is null) = (proven_by is null)),
    constraint site_domains_served check (proven_at is not null or not is_canonical)
  )`,
  sql`create unique index site_domains_proven on site_domains (name) where proven_at is not null`,
  sql`create unique index site_domains_canonical on site_domains (project_id) where is_canonical`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
