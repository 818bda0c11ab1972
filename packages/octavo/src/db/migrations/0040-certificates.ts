import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Adds accounts at ACME authorities, and the certificates and challenges of hosts. All secrets in them are encrypted. */
const statements = [
  sql`create table acme_accounts (
    directory text collate "C" primary key,
    key bytea not null,
    url text,
    created_at timestamptz(3) not null default now()
  )`,
  // The row of the node that orders certificates now.
  sql`create table acme_turn (
    is_only boolean primary key default true check (is_only),
    holder text,
    ends_at timestamptz(3) not null default now()
  )`,
  sql`insert into acme_turn default values`,
  sql`create table certificates (
    name text collate "C" primary key,
    sealed bytea,
    expires_at timestamptz(3),
    renew_at timestamptz(3),
    attempts integer not null default 0,
    next_attempt_at timestamptz(3) not null default now(),
    problem text,
    constraint certificates_times
      check ((sealed is null) = (expires_at is null) and (sealed is null) = (renew_at is null))
  )`,
  sql`create table acme_challenges (
    name text collate "C" primary key,
    sealed bytea not null,
    created_at timestamptz(3) not null default now()
  )`,
  sql`create function certificates_change() returns trigger language plpgsql as $$
    begin
      perform pg_notify('octavo_certificates', coalesce(new.name, old.name));
      return null;
    end
  $$`,
  sql`create trigger certificates_change after insert or update of sealed or delete on certificates
    for each row execute function certificates_change()`,
  sql`create trigger acme_challenges_change after insert or update or delete on acme_challenges
    for each row execute function certificates_change()`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
