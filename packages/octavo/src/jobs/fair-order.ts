import { sql } from "kysely";
import type { Kysely } from "kysely";
import type { Quotas } from "../core/index.ts";
import type { Tables } from "../db/index.ts";
import type { QueueName } from "./queue-name.ts";

/** Whose work an entry of a queue is. */
export interface QueueOwner {
  readonly organizationId: string;
  /** Null for work that belongs to no project. */
  readonly projectId: string | null;
}

/** The distance on a clock between two starts of an organisation with the share 1; the database has it for projects. */
const period = 1_000_000;

export interface LaneRequest extends QueueOwner {
  readonly queue: QueueName;
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

export interface NextLaneRequest {
  readonly queue: QueueName;
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
 * Chooses the lane whose oldest due entry starts next, and counts the start. Undefined if nothing is due. Until the
 * transaction ends no other one chooses from the queue, on any node.
 *
 * This is start-time fair queuing, of organisations in a queue and of projects in an organisation. Each start moves
 * the organisation's next one ahead by a period divided by its share. Whoever has the earliest next start comes first,
 * but nobody's is before the clock, which is the start of the entry that began last: one who had nothing queued
 * comes next, and does not catch up on what was not asked for.
 *
 * The work grows with the lanes that have entries, not with the number of entries.
 */
export async function startNextLane(
  transaction: Kysely<Tables>,
  { queue, quotas, excluded }: NextLaneRequest,
): Promise<NextLane | undefined> {
  const periods = JSON.stringify(
    Object.fromEntries(
      Object.entries(quotas).map(([plan, { share }]) => [plan, Math.ceil(period / share)]),
    ),
  );
  const { rows } = await sql<{ lane: number | null; organization_id: string | null }>`
    select lane, organization_id
    from start_next_lane(${queue}, ${periods}, ${[...excluded]}::text[])`.execute(transaction);
  const [next] = rows;
  if (!next || next.lane === null) return undefined;
  return { lane: next.lane, organizationId: next.organization_id };
}
