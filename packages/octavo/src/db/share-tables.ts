import type { ColumnType, Generated } from "kysely";

/** The lanes that the entries of the queues are in. One whose project is gone has no row, and its entries go first. */
interface QueueLanesTable {
  /** The priority of its entries. */
  lane: ColumnType<number, never, never>;
  queue: string;
  organization_id: string;
  /** Null for work that belongs to no project. */
  project_id: string | null;
  is_urgent: boolean;
}

/**
 * What decides whose work starts next: a row for each queue, for each organisation and for each project that had work
 * in it. Starts are points of the clock that stands in the row above: the queue's for organisations, the organisation's
 * for projects.
 */
interface QueueSharesTable {
  queue: string;
  organization_id: string | null;
  project_id: string | null;
  /** The earliest start of its next entry. */
  next_start: Generated<number>;
  /** The start of the last entry below it. */
  clock: Generated<number>;
}

/**
 * What an organisation uses. Triggers of the tables of jobs count it, in the transaction of each change: whoever
 * changes it holds the row until then, so that a quota that is compared with it afterwards is exact.
 */
interface OrganizationUsageTable {
  organization_id: string;
  /** Jobs of either kind that have not ended, previews too. */
  open_jobs: number;
  /** Of the bundles of its exports; one that several exports share counts for each. */
  bundle_bytes: number;
}

/** How many exports people started in each minute of the last hour. */
interface ExportStartsTable {
  organization_id: string;
  minute: Date;
  starts: number;
}

/** What decides whose work starts next, and what quotas count. */
export interface ShareTables {
  export_starts: ExportStartsTable;
  organization_usage: OrganizationUsageTable;
  queue_lanes: QueueLanesTable;
  queue_shares: QueueSharesTable;
}
