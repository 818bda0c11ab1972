import type { Kysely } from "kysely";
import { z } from "zod";
import type { Quotas } from "../../core/index.ts";
import type { QueueConnection, Tables } from "../../db/index.ts";

/** Whose work an entry of a queue is. */
export interface QueueOwner {
  readonly organizationId: string;
  /** Null for work that belongs to no project. */
  readonly projectId: string | null;
}

/** The distance on a clock between two starts of an organisation with the share 1; the database has it for projects. */
const period = 1_000_000;

export interface LaneRequest extends QueueOwner {
  readonly queue: string;
  readonly isUrgent: boolean;
}

/** The number of the lane that an entry goes into; made with its first entry, in the transaction of `handle`. */
export async function findLane(handle: Kysely<Tables>, request: LaneRequest): Promise<number> {
  const { queue, organizationId, projectId, isUrgent } = request;
  const find = () =>
    handle
      .selectFrom("queue_lanes")
      .select("lane")
      .where("queue", "=", queue)
      .where("organization_id", "=", organizationId)
      .where("project_id", projectId === null ? "is" : "=", projectId)
      .where("is_urgent", "=", isUrgent)
      .executeTakeFirst();
  const found = await find();
  if (found) return found.lane;
  const made = await handle
    .insertInto("queue_lanes")
    .values({
      queue,
      organization_id: organizationId,
      project_id: projectId,
      is_urgent: isUrgent,
    })
    // Another transaction made it meanwhile.
    .onConflict((conflict) => conflict.doNothing())
    .returning("lane")
    .executeTakeFirst();
  return (made ?? (await find()))?.lane ?? 0;
}

const NextLaneRow = z.object({
  lane: z.number().nullable(),
  organization_id: z.string().nullable(),
});

export interface NextLaneRequest {
  readonly queue: string;
  readonly quotas: Quotas;
  /** Organisations that have what they may have on this node. */
  readonly excluded: readonly string[];
}

export interface NextLane {
  readonly lane: number;
  /** Null for a lane without a row: its project is gone, or an older version enqueued it. */
  readonly organizationId: string | null;
}

/**
 * Chooses the lane whose oldest due entry starts next, and counts the start. Undefined if nothing is due. One node
 * chooses from a queue at a time. Until the entry is fetched another one may choose its lane too, for the next entry: if
 * there is none, one of them fetches nothing, and a start was counted that never was.
 *
 * This is start-time fair queuing, of organisations in a queue and of projects in an organisation. Each start moves
 * the organisation's next one ahead by a period divided by its share. Whoever has the earliest next start comes first,
 * but nobody's is before the clock, which is the start of the entry that began last: one who had nothing queued
 * comes next, and does not catch up on what was not asked for.
 *
 * The work grows with the lanes that have entries, not with the number of entries.
 */
export async function startNextLane(
  connection: Pick<QueueConnection, "executeSql">,
  { queue, quotas, excluded }: NextLaneRequest,
): Promise<NextLane | undefined> {
  const periods = JSON.stringify(
    Object.fromEntries(
      Object.entries(quotas).map(([plan, { share }]) => [plan, Math.ceil(period / share)]),
    ),
  );
  const { rows } = await connection.executeSql(
    "select lane, organization_id from start_next_lane($1, $2, $3)",
    [queue, periods, [...excluded]],
  );
  const { lane, organization_id: organizationId } = NextLaneRow.parse(rows[0]);
  return lane === null ? undefined : { lane, organizationId };
}
