import { sql } from "kysely";
import type { Kysely } from "kysely";

/** Adds columns for drafts of turns that ended at a limit, and for the usage of the model's context. */
const statements = [
  sql`alter table agent_jobs
    add column pull_request_draft boolean not null default false,
    add column cached_input_tokens bigint not null default 0,
    add column compactions integer not null default 0`,
  // The usage changes only with steps, which already change the revision. A draft can become ready without a step.
  sql`create function agent_jobs_draft_change() returns trigger language plpgsql as $$
    begin
      if new.pull_request_draft is distinct from old.pull_request_draft
        and new.revision = old.revision then
        new.revision := old.revision + 1;
        perform pg_notify('octavo_agent', new.id || ' ' || new.status);
      end if;
      return new;
    end
  $$`,
  // Triggers fire in the order of their names, so this trigger sees the revision that the other one has set.
  sql`create trigger agent_jobs_draft_change before update on agent_jobs
    for each row execute function agent_jobs_draft_change()`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}
