import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../db/index.ts";

/** Stands as the time of a bundle whose file is being removed. */
export const beingRemoved = new Date(0);

const pollMs = 50;
/** Removing a file takes milliseconds; a removal that is still marked after this time died in the middle. */
const removalMs = 5_000;

/**
 * Notes that a bundle is about to be stored under `key`, so that retention finds the file whatever
 * happens, and leaves it alone from now on. Waits while an older file of the same bytes is removed.
 */
export async function recordBundle({ kysely }: Database, key: string): Promise<void> {
  for (const end = Date.now() + removalMs; ; await sleep(pollMs)) {
    const isPatient = Date.now() < end;
    const stored_at = new Date();
    const row = await kysely
      .insertInto("bundles")
      .values({ key, stored_at })
      .onConflict((conflict) => {
        const update = conflict.column("key").doUpdateSet({ stored_at });
        return isPatient ? update.where("bundles.stored_at", ">", beingRemoved) : update;
      })
      .returning("key")
      .executeTakeFirst();
    if (row) return;
  }
}
