import { sql } from "kysely";
import type { Kysely } from "kysely";
import type { Tables } from "../../db/index.ts";
import type { PackStorage } from "./database-store.ts";

const batchSize = 100;

/**
 * Removes packs that were replaced, whose push was lost or whose repository is gone; may run on several nodes. After a
 * day: a pack is stored within an hour, and readers that began before it was replaced have ended.
 */
export async function removeUnusedPacks(
  { db, packs }: { readonly db: Kysely<Tables>; readonly packs: PackStorage },
  now: Date | undefined,
): Promise<number> {
  // By the clock of the database, which wrote what is compared.
  const time = now === undefined ? sql<Date>`now()` : sql<Date>`${now}::timestamptz`;
  const before = sql<Date>`${time} - interval '1 day'`;
  let removed = 0;
  for (;;) {
    // No pack comes into use again after that time, so nobody can take one up between the statements.
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
