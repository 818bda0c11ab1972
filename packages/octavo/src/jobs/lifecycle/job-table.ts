import { sql } from "kysely";
import type { Expression, Kysely, RawBuilder, SqlBool } from "kysely";
import type { Tables } from "../../db/index.ts";
import type { AnyJobKind, JobKind, JobRow, JobTypes } from "./job-kind.ts";

/**
 * Statements on the table of a kind, whose name is a value. The compiler checks the columns that every kind has, and
 * the kind's `Changes`, but not whether the table has those columns.
 */

/** Selects from the kind's table, under the alias `job`. */
export function selectJobs<T extends JobTypes>(handle: Kysely<Tables>, kind: JobKind<T>) {
  return handle
    .selectFrom(sql<JobRow>`${sql.table(kind.table)}`.as("job"))
    .select(kind.columns.map((column) => sql.ref(column).as(column)))
    .$castTo<T["View"]>();
}

/** Returns the condition that a row's job has not ended. */
export function isOpen({ statuses }: Pick<AnyJobKind, "statuses">): RawBuilder<SqlBool> {
  return sql`status in (${sql.join(statuses.open)})`;
}

/** Returns an update statement without a `returning` clause. */
export function buildJobUpdate<T extends JobTypes>(
  kind: JobKind<T>,
  set: T["Changes"],
  where: Expression<SqlBool>,
): RawBuilder<unknown> {
  const columns = Object.entries(set)
    .filter(([, value]) => value !== undefined)
    .map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  return sql`update ${sql.table(kind.table)} set ${sql.join(columns)} where ${where}`;
}

/** Runs an update of one job; returns undefined if it changed nothing. */
export async function updateJob<T extends JobTypes>(
  handle: Kysely<Tables>,
  kind: JobKind<T>,
  update: RawBuilder<unknown>,
): Promise<T["View"] | undefined> {
  const columns = sql.join(kind.columns.map((column) => sql.ref(column)));
  const { rows } = await sql<T["View"]>`${update} returning ${columns}`.execute(handle);
  return rows[0];
}
