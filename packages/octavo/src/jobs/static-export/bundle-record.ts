import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Database } from "../../db/index.ts";

/** The `stored_at` of a bundle whose file is being removed. */
export const removalMark = new Date(0);

const pollMs = 50;
/**
 * The time after which a removal mark is abandoned. The storage finishes a removal within 25 seconds, so an older mark
 * means that the removal crashed.
 */
const removalMs = 30_000;

/**
 * Records that a bundle is about to be stored under `key`, so that retention always finds the file but does not remove
 * it from now on. Waits while an older file with the same bytes is being removed.
 */
export async function recordBundle({ kysely }: Database, key: string): Promise<void> {
  for (const end = Date.now() + removalMs; ; await sleep(pollMs)) {
    const isWaiting = Date.now() < end;
    // Uses the database's clock, as retention does.
    const stored_at = sql<Date>`now()`;
    const row = await kysely
      .insertInto("bundles")
      .values({ key, stored_at })
      .onConflict((conflict) => {
        const update = conflict.column("key").doUpdateSet({ stored_at });
        return isWaiting ? update.where("bundles.stored_at", ">", removalMark) : update;
      })
      .returning("key")
      .executeTakeFirst();
    if (row) return;
  }
}
