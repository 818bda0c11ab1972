import { sql } from "kysely";
import type { Kysely } from "kysely";

const columns = `
    add column waiting_for text,
    add column waiting_since timestamptz(3),
    add column waits integer not null default 0`;

/** Adds columns for jobs that wait, e.g. for their storage or code host, with the reason. */
const statements = [
  sql`alter table static_export_jobs ${sql.raw(columns)}`,
  sql`alter table agent_jobs ${sql.raw(columns)}`,
  sql`create function static_export_jobs_waiting_change() returns trigger language plpgsql as $$
    begin
      if new.waiting_for is distinct from old.waiting_for and new.revision = old.revision then
        new.revision := old.revision + 1;
        new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 millisecond');
        perform pg_notify('octavo_static_export', new.id || ' ' || new.status);
      end if;
      return new;
    end
  $$`,
  sql`create function agent_jobs_waiting_change() returns trigger language plpgsql as $$
    begin
      if new.waiting_for is distinct from old.waiting_for and new.revision = old.revision then
        new.revision := old.revision + 1;
        perform pg_notify('octavo_agent', new.id || ' ' || new.status);
      end if;
      return new;
    end
  $$`,
  // Triggers fire in the order of their names, so these triggers see the revision that the others have set.
  sql`create trigger static_export_jobs_waiting_change before update on static_export_jobs
    for each row execute function static_export_jobs_waiting_change()`,
  sql`create trigger agent_jobs_waiting_change before update on agent_jobs
    for each row execute function agent_jobs_waiting_change()`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
