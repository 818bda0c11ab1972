import { sql } from "kysely";
import type { Kysely } from "kysely";
import type { Tables } from "../../db/index.ts";
import type { PackStorage } from "./database-store.ts";

const batchSize = 100;

/**
 * Removes packs that were replaced, whose push failed or whose repository was deleted; may run on several nodes. It
 * waits for a day: a pack is stored within an hour, and readers that began before it was replaced have ended.
 */
export async function removeUnusedPacks(
  { db, packs }: { readonly db: Kysely<Tables>; readonly packs: PackStorage },
  now: Date | undefined,
): Promise<number> {
  // The database's clock, which also wrote `stored_at`.
  const time = now === undefined ? sql<Date>`now()` : sql<Date>`${now}::timestamptz`;
  const before = sql<Date>`${time} - interval '1 day'`;
  let removed = 0;
  for (;;) {
    // A pack is not used again after that time, so it cannot be claimed between the statements.
    const claimed = await db
      .updateTable("hosted_packs")
      .set({ project_id: null })
      .where("key", "in", (eb) =>
        eb
          .selectFrom("hosted_packs")
          .select("key")
          .where((unused) =>
            unused.or([unused("generation", "is", null), unused("project_id", "is", null)]),
          )
          .where("stored_at", "<", before)
          .limit(batchSize),
      )
      .returning("key")
      .execute();
    const keys = claimed.map(({ key }) => key);
    if (keys.length === 0) return removed;
    for (const key of keys) await packs.delete(key);
    await db.deleteFrom("hosted_packs").where("key", "in", keys).execute();
    removed += keys.length;
  }
}
