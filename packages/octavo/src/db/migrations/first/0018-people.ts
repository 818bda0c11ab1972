import { sql } from "kysely";
import type { Kysely } from "kysely";

const statements = [
  sql`create table members (
    id text collate "C" primary key,
    organization_id text collate "C" not null references organizations on delete cascade,
    email text,
    name text not null,
    role text not null check (role in ('owner', 'editor', 'viewer')),
    source text not null check (source in ('invited', 'groups', 'domain')),
    issuer text,
    subject text,
    created_by jsonb,
    created_at timestamptz not null default now(),
    last_seen_at timestamptz,
    constraint members_email unique (organization_id, email),
    constraint members_subject unique (organization_id, issuer, subject)
  )`,
  sql`create index members_identity on members (issuer, subject)`,
  sql`create index members_address on members (email)`,

  sql`alter table api_keys
    add column member_id text collate "C" references members on delete cascade`,
  sql`create index api_keys_member on api_keys (member_id) where member_id is not null`,

  sql`create table sessions (
    id text collate "C" primary key,
    organization_id text collate "C" not null references organizations on delete cascade,
    hash text not null unique,
    key_id text collate "C" references api_keys on delete cascade,
    member_id text collate "C" references members on delete cascade,
    address text not null,
    browser text not null,
    created_at timestamptz not null default now(),
    seen_at timestamptz not null default now(),
    expires_at timestamptz not null,
    check (num_nonnulls(key_id, member_id) = 1)
  )`,
  sql`create index sessions_organization on sessions (organization_id, id)`,
  sql`create index sessions_key on sessions (key_id)`,
  sql`create index sessions_member on sessions (member_id)`,
  sql`create index sessions_expires on sessions (expires_at)`,

  // Sign-ins that returned from the provider, so that each can be used only once.
  sql`create table used_sign_ins (
    state_hash text primary key,
    used_at timestamptz not null default now()
  )`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
