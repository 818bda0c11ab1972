import { sql } from "kysely";
import type { Kysely } from "kysely";
import { OctavoError } from "@octavo/site/core";
import type { Tables } from "../../db/index.ts";

/** A kind of call; each kind is counted separately. */
export type RateKind = "jobs" | "messages";

/** The maximum number of calls of one kind for one project in any window of this length. */
export const rateLimit = { calls: 100, windowSeconds: 60 * 60 } as const;

/** A project's remaining calls at one point in time. */
export interface RateState {
  readonly remaining: number;
  /** Seconds until one more call is allowed. Undefined if the full limit remains. */
  readonly resetSeconds: number | undefined;
}

/**
 * Counts one call in the call's own transaction, so that a rollback undoes the count. Throws `rate_limited` with the
 * number of seconds until the next call is allowed. Calls for the same project wait for each other here, across all
 * nodes, so that the count is exact.
 */
export async function countCall(
  transaction: Kysely<Tables>,
  projectId: string,
  kind: RateKind,
): Promise<void> {
  const lock = `octavo agent ${kind} ${projectId}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(transaction);
  const { remaining, resetSeconds } = await readProjectRate(transaction, projectId, kind);
  if (remaining === 0) {
    throw new OctavoError(
      "rate_limited",
      `A project may have at most ${rateLimit.calls} ${callNames[kind]} in any 60 minutes; try again in ${resetSeconds} s.`,
      { details: { retryAfterSeconds: resetSeconds } },
    );
  }
  // The transaction started before it waited for the lock, so its `now()` would be too early.
  await sql`with expired as (
    delete from agent_uses where project_id = ${projectId} and kind = ${kind}
      and used_at <= clock_timestamp() - make_interval(secs => ${rateLimit.windowSeconds})
  ) insert into agent_uses (project_id, kind, used_at)
    values (${projectId}, ${kind}, clock_timestamp())`.execute(transaction);
}

const callNames: Readonly<Record<RateKind, string>> = {
  jobs: "new agent jobs",
  messages: "messages to agent jobs",
};

export async function readProjectRate(
  db: Kysely<Tables>,
  projectId: string,
  kind: RateKind,
): Promise<RateState> {
  const window = sql`make_interval(secs => ${rateLimit.windowSeconds})`;
  const { rows } = await sql<{ used: number; reset: number | null }>`
    select count(*)::int as used,
      ceil(extract(epoch from min(used_at) + ${window} - clock_timestamp()))::int as reset
    from agent_uses
    where project_id = ${projectId} and kind = ${kind}
      and used_at > clock_timestamp() - ${window}`.execute(db);
  const { used = 0, reset = null } = rows[0] ?? {};
  return {
    remaining: Math.max(0, rateLimit.calls - used),
    resetSeconds: reset === null ? undefined : Math.max(1, reset),
  };
}
