import type { ColumnType, Generated } from "kysely";
import type { Actor } from "../core/index.ts";

/**
 * The actor that created the row, as JSON. Null for the operator, the service itself, and rows that older versions
 * wrote.
 */
export type CreatedBy = ColumnType<Actor | null, string | null | undefined, never>;

/** A time of type `timestamptz`, which both databases return as `Date`. */
export type CreatedAt = ColumnType<Date, Date | undefined, never>;

/** The columns, besides `status`, that the tables of all kinds of jobs share. `jobs/lifecycle/` writes them. */
export interface JobColumns {
  id: string;
  organization_id: string;
  project_id: string;
  /** The reason why the job failed. */
  error: string | null;
  /**
   * The number of times that a worker has claimed the job. Every write by a worker specifies the worker's own attempt.
   */
  attempt: Generated<number>;
  /** The number of consecutive attempts that neither ended, nor released the job, nor made progress. */
  strikes: Generated<number>;
  /** The reason, as a sentence, why the job waits before its next attempt; null while the job runs. */
  waiting_for: Generated<string | null>;
  /** When the job began to wait, if it has made no progress since. */
  waiting_since: Generated<Date | null>;
  /** The number of waits since `waiting_since`. */
  waits: Generated<number>;
  /** A number, used as the ETag, that the database increases with each change that a client can see. */
  revision: ColumnType<number, never, never>;
}
