import { sql } from "kysely";
import type { Kysely } from "kysely";
import { OctavoError } from "@octavo/site/core";
import type { Tables } from "../../db/index.ts";

/** What is counted, each for itself. */
export type RateKind = "jobs" | "messages";

/** So many calls of a kind for one project in any window of this length. */
export const rateLimit = { calls: 100, windowSeconds: 60 * 60 } as const;

/** What is left of a project's calls at one moment. */
export interface RateState {
  readonly remaining: number;
  /** Until one more call is taken than now; undefined where all are left. */
  readonly resetSeconds: number | undefined;
}

/**
 * Counts one call, in the transaction of what it does: rolled back, it was never counted. Throws
 * `rate_limited` with the seconds after which the next is taken. Calls for one project wait for each
 * other here, on whatever node they are, so that the count is exact.
 */
export async function countCall(
  transaction: Kysely<Tables>,
  projectId: string,
  kind: RateKind,
): Promise<void> {
  const lock = `octavo agent ${kind} ${projectId}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(transaction);
  const { remaining, resetSeconds } = await rateState(transaction, projectId, kind);
  if (remaining === 0) {
    throw new OctavoError(
      "rate_limited",
      `A project takes ${rateLimit.calls} ${callsOf[kind]} in any 60 minutes; the next is taken in ${resetSeconds} s.`,
      { details: { retryAfterSeconds: resetSeconds } },
    );
  }
  // The transaction began before it waited for its turn: its `now()` would lie.
  await sql`with expired as (
    delete from agent_uses where project_id = ${projectId} and kind = ${kind}
      and used_at <= clock_timestamp() - make_interval(secs => ${rateLimit.windowSeconds})
  ) insert into agent_uses (project_id, kind, used_at)
    values (${projectId}, ${kind}, clock_timestamp())`.execute(transaction);
}

const callsOf: Readonly<Record<RateKind, string>> = {
  jobs: "new agent jobs",
  messages: "messages to agent jobs",
};

export async function rateState(
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
