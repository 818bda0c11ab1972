import type { ColumnType } from "kysely";
import type { AccessScope, Actor, MemberRole } from "../core/index.ts";

type CreatedAt = ColumnType<Date, Date | undefined, never>;

/** Who made the row, as JSON; null for the operator, for the service itself, and for rows of older versions. */
export type CreatedBy = ColumnType<Actor | null, string | null | undefined, never>;

export interface ApiKeysTable {
  id: string;
  organization_id: string;
  /** Set on a key that is limited to one project. */
  project_id: string | null;
  name: string;
  prefix: string;
  /** SHA-256 of the whole key. */
  hash: string;
  /** What it may be used for: at least one. */
  scopes: ColumnType<AccessScope[], AccessScope[] | undefined, never>;
  /** The person that it is a key of; it does no more than they may. Null for one of the organisation. */
  member_id: ColumnType<string | null, string | null | undefined, never>;
  /** Null means never. */
  expires_at: ColumnType<Date | null, Date | null | undefined, never>;
  created_by: CreatedBy;
  created_at: CreatedAt;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

/** Who did what. An event stays when what it is about is deleted. */
export interface AuditEventsTable {
  id: string;
  organization_id: string;
  at: ColumnType<Date, Date | undefined, never>;
  action: string;
  /** JSON; null for the operator. */
  actor: ColumnType<Actor | null, string | null, never>;
  /** Of `actor`. */
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
  /** Lower case. */
  email: string | null;
  name: string;
  role: MemberRole;
  /** How they became a member. */
  source: "invited" | "groups" | "domain";
  /** Who they are to the provider; null until they sign in for the first time. */
  issuer: string | null;
  subject: string | null;
  created_by: CreatedBy;
  created_at: CreatedAt;
  last_seen_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
}

/** Of the dashboard; by a key or by a member. */
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

/** Sign-ins that came back from the provider. */
interface UsedSignInsTable {
  state_hash: string;
  used_at: Date;
}

/** Who may use the service, and who did what. */
export interface PeopleTables {
  api_keys: ApiKeysTable;
  audit_events: AuditEventsTable;
  members: MembersTable;
  sessions: SessionsTable;
  used_sign_ins: UsedSignInsTable;
}
