import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Database } from "../../packages/octavo/src/db/index.ts";
import type { Random } from "../support/random.ts";

/** A promise of the database: the row of `id` has this version or a newer one. */
export interface Acknowledged {
  readonly table: "organizations" | "projects" | "load_rows";
  readonly id: string;
  readonly version: number;
}

/** The version of a row whose removal is about to be asked for: it may be there or not. */
export const leaving = 0;
/** The version of a row that was removed. */
export const removed = 1_000_000;

type Acknowledge = (...rows: readonly Acknowledged[]) => void;

export interface Load {
  readonly database: Database;
  /** Called when the database has acknowledged it. */
  readonly acknowledge: Acknowledge;
  readonly random: Random;
  readonly steps: number;
}

/**
 * Writes rows to several tables with indexes, one statement after the other, as jobs do: inserts in transactions,
 * updates, removals. In between come checkpoints, and what creates, empties and removes files.
 */
export async function runLoad({ database, acknowledge, random, steps }: Load): Promise<void> {
  const run = (script: string) => database.queue.executeSql(script);
  await run(`CREATE TABLE IF NOT EXISTS load_rows (id text PRIMARY KEY, version int NOT NULL,
    label text NOT NULL, body text NOT NULL);
    CREATE INDEX IF NOT EXISTS load_labels ON load_rows (label, version);
    CREATE INDEX IF NOT EXISTS load_bodies ON load_rows (md5(body)) WHERE version > 1`);
  const prefix = randomUUID().slice(0, 8);
  for (let step = 0; step < steps; step += 1) {
    const id = `${prefix}-${step}`;
    await insert(database, id, random);
    acknowledge(
      { table: "organizations", id, version: 1 },
      { table: "projects", id, version: 1 },
      { table: "load_rows", id, version: 1 },
    );
    const earlier = `${prefix}-${Math.floor(random() * step)}`;
    const version = step + 2;
    await run(`UPDATE organizations SET name = '${version}' WHERE id = '${earlier}'`);
    if (step > 0) acknowledge({ table: "organizations", id: earlier, version });
    await run(`UPDATE load_rows SET version = ${version}, label = md5(label) WHERE id = '${id}'`);
    acknowledge({ table: "load_rows", id, version });
    if (random() < 0.2 && step > 0) {
      acknowledge({ table: "load_rows", id: earlier, version: leaving });
      await run(`DELETE FROM load_rows WHERE id = '${earlier}'`);
      acknowledge({ table: "load_rows", id: earlier, version: removed });
    }
    const chore = chores[Math.floor(random() * chores.length * 4)];
    if (chore !== undefined) await run(chore);
  }
}

async function insert({ kysely }: Database, id: string, random: Random): Promise<void> {
  // Some are so long that PostgreSQL stores them in a table of its own, in parts.
  const body = Array.from({ length: Math.ceil(random() ** 4 * 800) }, () => String(random()));
  await kysely.transaction().execute(async (tx) => {
    await tx.insertInto("organizations").values({ id, name: "1", plan: "pro" }).execute();
    await tx
      .insertInto("projects")
      .values({
        id,
        organization_id: id,
        name: "1",
        domain: `${id}.example.com`,
        repository: "local",
        ref: null,
        directory: ".",
        code_host: "local",
        model: null,
        credentials: null,
      })
      .execute();
    await sql`INSERT INTO load_rows VALUES (${id}, 1, ${String(random())}, ${body.join(" ")})`.execute(
      tx,
    );
  });
}

const chores: readonly string[] = [
  "CHECKPOINT",
  "CHECKPOINT",
  "VACUUM load_rows",
  "REINDEX TABLE load_rows",
  `CREATE TABLE load_side (n int PRIMARY KEY); INSERT INTO load_side SELECT generate_series(1, 500);
    TRUNCATE load_side; DROP TABLE load_side`,
  "CREATE INDEX load_passing ON load_rows (version); DROP INDEX load_passing",
];
