import type { ColumnType } from "kysely";
import type { AccessScope, Actor } from "../core/index.ts";

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
  actor_id: ColumnType<string | null, never, never>;
  /** JSON. */
  target: ColumnType<{ id: string; name: string | null }, string, never>;
  project_id: string | null;
  /** JSON. */
  details: ColumnType<Record<string, unknown>, string, never>;
}

/** Who may use the service, and who did what. */
export interface PeopleTables {
  api_keys: ApiKeysTable;
  audit_events: AuditEventsTable;
}
