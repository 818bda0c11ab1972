import { sql } from "kysely";
import type { Kysely } from "kysely";
import { migrationNames, readAppliedNames } from "./migrate.ts";
import type { Tables } from "./tables.ts";

const rowsPerStatement = 200;

/**
 * Tables that are not copied, because they identify this database, its nodes and queue entries, or are derived from
 * other tables.
 */
const excludedTables: readonly string[] = [
  "acme_turn",
  "installation",
  "nodes",
  "organization_usage",
  "queue_lanes",
  "queue_shares",
] satisfies (keyof Tables)[];

/** A row in the format that PostgreSQL's `row_to_json` writes and `loadRows` reads, which preserves all types. */
export type RowText = string;

/** A consistent state of all tables. */
export interface Snapshot {
  /** The migrations that created the tables, in order. */
  readonly migrations: readonly string[];
  /** The tables. Each table comes after all tables that it references. */
  readonly tables: readonly string[];
  readonly readRows: (table: string) => AsyncIterable<readonly RowText[]>;
  /** The handle for other queries on this state. */
  readonly handle: Kysely<Tables>;
}

/**
 * Reads the service's tables in one transaction while the service runs. On the embedded database, all other queries
 * wait until `work` has finished, so `work` must do little between batches.
 */
export async function readSnapshot<Result>(
  kysely: Kysely<Tables>,
  work: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  return await kysely
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (transaction) =>
      work({
        migrations: await readAppliedNames(transaction),
        tables: await listTables(transaction),
        readRows: (table) => readRows(transaction, table),
        handle: transaction,
      }),
    );
}

async function* readRows(
  transaction: Kysely<Tables>,
  table: string,
): AsyncIterable<readonly RowText[]> {
  await sql`declare every_row no scroll cursor for
    select row_to_json(source.*)::text as line from ${sql.table(table)} source`.execute(
    transaction,
  );
  for (;;) {
    const { rows } = await sql<{
      line: string;
    }>`fetch ${sql.lit(rowsPerStatement)} from every_row`.execute(transaction);
    if (rows.length === 0) break;
    yield rows.map(({ line }) => line);
  }
  await sql`close every_row`.execute(transaction);
}

/** Adds rows to a table in the caller's transaction. */
export async function loadRows(
  transaction: Kysely<Tables>,
  table: string,
  rows: readonly RowText[],
): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    const batch = `[${rows.slice(start, start + rowsPerStatement).join()}]`;
    await sql`insert into ${sql.table(table)} overriding system value
      select * from json_populate_recordset(null::${sql.table(table)}, ${batch}::json)`.execute(
      transaction,
    );
  }
}

/** Advances the sequences of identity columns beyond the loaded rows. */
export async function advanceSequences(transaction: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ table: string; column: string }>`
    select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = 'public' and is_identity = 'YES'`.execute(transaction);
  for (const { table, column } of rows) {
    await sql`select setval(pg_get_serial_sequence(${table}, ${column}),
      (select coalesce(max(${sql.ref(column)}), 0) + 1 from ${sql.table(table)}), false)`.execute(
      transaction,
    );
  }
}

/** Reports whether this version's migrations begin with the migrations of a snapshot. */
export function canLoad(migrations: readonly string[]): boolean {
  return migrationNames.slice(0, migrations.length).join() === migrations.join();
}

/** Returns the service's tables, each after all tables that it references. */
async function listTables(handle: Kysely<Tables>): Promise<readonly string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public'
      and tablename not like 'kysely\\_migration%' order by tablename`.execute(handle);
  const { rows: references } = await sql<{ from: string; to: string }>`
    select source.relname as "from", target.relname as "to" from pg_constraint
      join pg_class source on source.oid = conrelid join pg_class target on target.oid = confrelid
    where contype = 'f' and conrelid <> confrelid`.execute(handle);
  const ordered = new Set<string>();
  const addWithReferences = (name: string): void => {
    if (ordered.has(name)) return;
    for (const { from, to } of references) if (from === name) addWithReferences(to);
    ordered.add(name);
  };
  for (const { name } of tables) if (!excludedTables.includes(name)) addWithReferences(name);
  return [...ordered];
}
