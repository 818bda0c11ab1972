import { Client } from "pg";
import type { QueryResultRow } from "pg";

/** A change of a job that a client or a worker could see, as the database noted it. */
export interface JobChange extends QueryResultRow {
  readonly at: Date;
  readonly job: string;
  readonly status: string;
  readonly attempt: number;
  readonly waiting: string | null;
  /** The node that made the change. */
  readonly node: string;
}

const statements = `
  create schema chaos;
  create table chaos.changes (
    seq bigserial primary key, at timestamptz not null default clock_timestamp(),
    job text not null, status text not null, attempt int not null, waiting text, node text not null);
  create function chaos.note() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' or (new.status, new.attempt, new.waiting_for) is distinct from
      (old.status, old.attempt, old.waiting_for) then
      insert into chaos.changes (job, status, attempt, waiting, node)
        values (new.id, new.status, new.attempt, new.waiting_for, current_setting('application_name'));
    end if;
    return null;
  end $$;
  create trigger chaos after insert or update on static_export_jobs
    for each row execute function chaos.note();
  create trigger chaos after insert or update on agent_jobs
    for each row execute function chaos.note();
  create trigger chaos after insert or update on deployments
    for each row execute function chaos.note();
  create table chaos.endings (at timestamptz not null default clock_timestamp(), number int not null);
  create function chaos.note_ending() returns trigger language plpgsql as $$
  begin
    insert into chaos.endings (number) values (new.number);
    return null;
  end $$;
  create trigger chaos after update on reviews
    for each row when (old.ended_at is null and new.ended_at is not null)
    execute function chaos.note_ending();
`;

/** Has the database note what becomes of jobs, by which node, and when pull requests were seen to have ended. */
export async function observeJobs(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(statements);
  await client.end();
}

export const allChanges =
  "select at, job, status, attempt, waiting, node from chaos.changes order by seq";
