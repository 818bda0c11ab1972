import { sql } from "kysely";
import { openDatabase } from "../../packages/octavo/src/db/index.ts";
import type { Database } from "../../packages/octavo/src/db/index.ts";
import { passAsFlushed } from "../support/empty-database.ts";
import { preloadInEngine } from "./engine-thread.ts";
import { leaving, removed } from "./load.ts";
import type { Acknowledged } from "./load.ts";

/**
 * Opens a data folder that a loss of power left and returns what is wrong with it: rows that were acknowledged and
 * are missing or older, tables and indexes that are damaged. Empty if it is as it must be.
 */
export async function findFaults(
  dataDir: string,
  acknowledged: readonly Acknowledged[],
): Promise<string[]> {
  passAsFlushed(dataDir);
  const restore = preloadInEngine("./amcheck.preload.ts", {});
  try {
    await using database = await openDatabase({ dataDir });
    return [...(await findLosses(database, acknowledged)), ...(await findDamage(database))];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  } finally {
    restore();
  }
}

/** A row may be newer than what was acknowledged. */
async function findLosses(
  { kysely }: Database,
  acknowledged: readonly Acknowledged[],
): Promise<string[]> {
  if (acknowledged.length === 0) return [];
  const { rows } = await sql<{ row: string; version: number }>`
    SELECT 'organizations ' || id AS row, name::int AS version FROM organizations
    UNION ALL SELECT 'projects ' || id, name::int FROM projects
    UNION ALL SELECT 'load_rows ' || id, version FROM load_rows`.execute(kysely);
  const versions = new Map(rows.map(({ row, version }) => [row, version]));
  const expected = new Map<string, number>();
  for (const { table, id, version } of acknowledged) expected.set(`${table} ${id}`, version);
  return [...expected].flatMap(([row, version]) => {
    const found = versions.get(row);
    if (version === leaving) return [];
    if (version === removed) return found === undefined ? [] : [`${row} is back`];
    if (found === undefined) return [`${row} is lost`];
    return found < version ? [`${row} has version ${found}, not ${version}`] : [];
  });
}

/** Every index with its table and every table by itself, PostgreSQL's own included. */
async function findDamage({ queue }: Database): Promise<string[]> {
  const { rows } = await queue.executeSql(`CREATE EXTENSION IF NOT EXISTS amcheck;
    WITH trees AS MATERIALIZED (SELECT c.oid FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
      WHERE c.relam = 403 AND c.relkind = 'i' AND i.indisvalid AND c.relpersistence = 'p')
    SELECT bt_index_check(oid, heapallindexed => true) FROM trees;
    SELECT c.oid::regclass || ': ' || v.msg AS fault FROM pg_class c, verify_heapam(c.oid) v
      WHERE c.relkind IN ('r', 't', 'm') AND c.relpersistence = 'p'`);
  return rows.flatMap(({ fault }) => (typeof fault === "string" ? [fault] : []));
}
