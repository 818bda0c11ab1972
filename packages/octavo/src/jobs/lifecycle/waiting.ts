import { sql } from "kysely";
import type { RawBuilder } from "kysely";

/** The first wait; each further one is twice as long, up to the longest. */
const firstSeconds = 5;
const maxSeconds = 60;
/** A job that has waited for so long fails. */
const maxWaitMs = 24 * 60 * 60 * 1000;

/** A job that may have waited already. */
export interface WaitingJob {
  readonly waits: number;
  readonly waiting_since: Date | null;
}

/** How long to wait before the next attempt; undefined if the job has waited for long enough. */
export function nextWaitSeconds({ waits, waiting_since: since }: WaitingJob): number | undefined {
  if (since !== null && Date.now() - since.getTime() > maxWaitMs) return undefined;
  return Math.min(firstSeconds * 2 ** Math.min(waits, 10), maxSeconds);
}

/** Columns of a job of either kind that waits from now on. The attempt does not count against it. */
export function waitingColumns(reason: string): {
  readonly waiting_for: string;
  readonly waiting_since: RawBuilder<Date>;
  readonly waits: RawBuilder<number>;
  readonly strikes: RawBuilder<number>;
} {
  return {
    waiting_for: reason,
    waiting_since: sql<Date>`coalesce(waiting_since, now())`,
    waits: sql<number>`waits + 1`,
    strikes: sql<number>`greatest(strikes - 1, 0)`,
  };
}
