import type { ColumnType, Generated } from "kysely";

/** The lanes that the entries of the queues are in. One whose project is gone has no row, and its entries go first. */
export interface QueueLanesTable {
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
export interface QueueSharesTable {
  queue: string;
  organization_id: string | null;
  project_id: string | null;
  /** The earliest start of its next entry. */
  next_start: Generated<number>;
  /** The start of the last entry below it. */
  clock: Generated<number>;
}
