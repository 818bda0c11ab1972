import type { ColumnType } from "kysely";
import type { AccessScope, Actor, MemberRole } from "../core/index.ts";

type CreatedAt = ColumnType<Date, Date | undefined, never>;

/** The actor that created the row, as JSON. Null for the operator, the service itself, and rows of older versions. */
export type CreatedBy = ColumnType<Actor | null, string | null | undefined, never>;

export interface ApiKeysTable {
  id: string;
  organization_id: string;
  /** The project to which the key is limited, if any. */
  project_id: string | null;
  name: string;
  prefix: string;
  /** SHA-256 of the whole key. */
  hash: string;
  /** The scopes of the key, of which there is at least one. */
  scopes: ColumnType<AccessScope[], AccessScope[] | undefined, never>;
  /** The person who owns the key. The key cannot do more than its owner can. Null for a key of the organization. */
  member_id: ColumnType<string | null, string | null | undefined, never>;
  /** When the key expires; null means never. */
  expires_at: ColumnType<Date | null, Date | null | undefined, never>;
  created_by: CreatedBy;
  created_at: CreatedAt;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

/** The audit log. An event remains when its target is deleted. */
export interface AuditEventsTable {
  id: string;
  organization_id: string;
  at: ColumnType<Date, Date | undefined, never>;
  action: string;
  /** The actor as JSON; null for the operator. */
  actor: ColumnType<Actor | null, string | null, never>;
  /** The ID of `actor`. */
  actor_id: string | null;
  /** JSON. */
  target: ColumnType<{ id: string; name: string | null }, string, never>;
  project_id: string | null;
  /** JSON. */
  details: ColumnType<Record<string, unknown>, string, never>;
}

export interface MembersTable {
  id: string;
  organization_id: string;
  /** The address, with ASCII letters in lower case and the domain in punycode. */
  email: string | null;
  name: string;
  role: MemberRole;
  /** How the person became a member. */
  source: "invited" | "groups" | "domain";
  /** The person's identity at the provider; null until they sign in for the first time. */
  issuer: string | null;
  subject: string | null;
  created_by: CreatedBy;
  created_at: CreatedAt;
  last_seen_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
}

/** The dashboard's sessions, each of a key or a member. */
interface SessionsTable {
  id: string;
  organization_id: string;
  /** SHA-256 of the token in the cookie. */
  hash: string;
  key_id: string | null;
  member_id: string | null;
  address: string;
  browser: string;
  created_at: CreatedAt;
  seen_at: ColumnType<Date, Date | undefined, Date>;
  expires_at: Date;
}

/** Sign-ins that returned from the provider, so that each can be used only once. */
interface UsedSignInsTable {
  state_hash: string;
  used_at: Date;
}

/** The tables of users and of the audit log. */
export interface PeopleTables {
  api_keys: ApiKeysTable;
  audit_events: AuditEventsTable;
  members: MembersTable;
  sessions: SessionsTable;
  used_sign_ins: UsedSignInsTable;
}
