import type { Kysely } from "kysely";
import { z } from "zod";
import type { Quotas } from "../../core/index.ts";
import type { QueueConnection, Tables } from "../../db/index.ts";

/** The owner of a queue entry's work. */
export interface QueueOwner {
  readonly organizationId: string;
  /** The project; null for work that does not belong to a project. */
  readonly projectId: string | null;
}

/**
 * The distance on the virtual clock between two starts of an organization whose share is 1. For projects, the distance
 * is defined in the database.
 */
const period = 1_000_000;

export interface LaneRequest extends QueueOwner {
  readonly queue: string;
  readonly isUrgent: boolean;
}

/**
 * Returns the number of the lane for an entry. If this is the lane's first entry, creates the lane in the transaction
 * of `handle`.
 */
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
  const existing = await find();
  if (existing) return existing.lane;
  const inserted = await handle
    .insertInto("queue_lanes")
    .values({
      queue,
      organization_id: organizationId,
      project_id: projectId,
      is_urgent: isUrgent,
    })
    // Another transaction may have created it in the meantime.
    .onConflict((conflict) => conflict.doNothing())
    .returning("lane")
    .executeTakeFirst();
  return (inserted ?? (await find()))?.lane ?? 0;
}

const NextLaneRow = z.object({
  lane: z.number().nullable(),
  organization_id: z.string().nullable(),
});

export interface NextLaneRequest {
  readonly queue: string;
  readonly quotas: Quotas;
  /** Organizations that have reached their maximum on this node. */
  readonly excluded: readonly string[];
}

export interface NextLane {
  readonly lane: number;
  /**
   * The organization; null for a lane without a row, because its project was deleted or an older version enqueued the
   * entry.
   */
  readonly organizationId: string | null;
}

/**
 * Chooses the lane whose oldest due entry starts next, and counts the start. Returns undefined if no entry is due. Only
 * one node at a time chooses from a queue. Until the entry is fetched, another node may choose the same lane for the
 * lane's next entry. If there is no next entry, one of the nodes fetches nothing, and a start is counted that did not
 * happen.
 *
 * This is start-time fair queuing, of organizations in a queue and of projects in an organization. Each start postpones
 * the organization's next start by a period divided by its share. The organization with the earliest next start comes
 * first. A next start is never earlier than the clock, which is the start of the entry that began last. An organization
 * that had nothing queued therefore comes next, but does not make up for the time in which it requested nothing.
 *
 * The cost grows with the number of lanes that have entries, not with the number of entries.
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
