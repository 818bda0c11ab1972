import { sql } from "kysely";
import type { Kysely } from "kysely";
import type { Tables } from "../../packages/octavo/src/db/index.ts";

/** Rows like the one with this value of its key, with these in its place; starting 10,000 jobs one by one takes minutes. */
export async function copyRow(
  kysely: Kysely<Tables>,
  { table, key }: { readonly table: keyof Tables; readonly key: string },
  { of, ids }: { readonly of: string; readonly ids: readonly string[] },
): Promise<void> {
  await sql`insert into ${sql.table(table)}
    select (jsonb_populate_record(source, jsonb_build_object(${key}::text, copies.id))).*
    from ${sql.table(table)} source, unnest(${[...ids]}::text[]) copies (id)
    where source.${sql.ref(key)} = ${of}`.execute(kysely);
}

/** Entries of the queue like that of the job `of`, for other jobs. */
export async function copyEntry(
  kysely: Kysely<Tables>,
  of: string,
  ids: readonly string[],
): Promise<void> {
  await sql`insert into pgboss.job
    select (jsonb_populate_record(source, jsonb_build_object(
      'id', gen_random_uuid(), 'data', jsonb_build_object('jobId', copies.id)))).*
    from pgboss.job source, unnest(${[...ids]}::text[]) copies (id)
    where source.data ->> 'jobId' = ${of}`.execute(kysely);
}
