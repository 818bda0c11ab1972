import { sql } from "kysely";
import type { Kysely } from "kysely";
import { createId } from "../../core/index.ts";
import type { Tables } from "../../db/index.ts";
import type { JobKind, JobRow } from "./job-kind.ts";
import type { ProjectScope } from "./job-store.ts";

/** A kind of job that the service does not have: it copies a site to a number of hosts, one after another. */
export interface MirroringRow extends JobRow {
  readonly status: "queued" | "running" | "completed" | "failed";
  readonly hosts: number;
}

export interface MirroringTypes {
  readonly Row: MirroringRow;
  readonly View: MirroringRow;
  readonly Snapshot: {
    readonly job: MirroringRow;
    readonly revision: number;
    readonly projectId: string;
  };
  readonly Changes: { readonly hosts?: number };
}

export const mirroringKind: JobKind<MirroringTypes> = {
  name: "mirroring",
  // Its IDs look like those of another kind.
  idKind: "staticExport",
  table: "mirrorings",
  queue: "mirroring",
  channel: "test_mirroring",
  statuses: { open: ["queued", "running"], running: "running", completed: "completed" },
  endedColumn: "ended_at",
  columns: [
    "id",
    "organization_id",
    "project_id",
    "status",
    "error",
    "attempt",
    "strikes",
    "waiting_for",
    "waiting_since",
    "waits",
    "revision",
    "hosts",
  ],
  toSnapshot: (job) => ({ job, revision: job.revision, projectId: job.project_id }),
  audit: { started: "export.started", cancelled: "export.cancelled" },
  getMetricKind: () => "mirroring",
  metricSql: sql`'mirroring'`,
};

/** The statements of its migration. */
const statements = [
  `create table if not exists mirrorings (
    id text collate "C" primary key,
    organization_id text not null references organizations,
    project_id text not null references projects on delete cascade,
    status text not null default 'queued',
    error text,
    attempt integer not null default 0,
    strikes integer not null default 0,
    waiting_for text, waiting_since timestamptz(3), waits integer not null default 0,
    revision bigint not null default 1,
    hosts integer not null default 0,
    ended_at timestamptz(3)
  )`,
  `create or replace function mirrorings_change() returns trigger language plpgsql as $$
    begin
      new.revision := old.revision + 1;
      perform pg_notify('test_mirroring', new.id || ' ' || new.status);
      return new;
    end
  $$`,
  `create or replace trigger mirrorings_change before update on mirrorings for each row
    when (row(old.status, old.hosts, old.waiting_for) is distinct from
      row(new.status, new.hosts, new.waiting_for))
    execute function mirrorings_change()`,
  `create or replace function mirrorings_usage() returns trigger language plpgsql as $$
    begin
      perform add_usage(coalesce(new.organization_id, old.organization_id),
        coalesce((new.status in ('queued', 'running'))::integer, 0)
        - coalesce((old.status in ('queued', 'running'))::integer, 0), 0);
      return null;
    end
  $$`,
  `create or replace trigger mirrorings_usage after insert or update or delete on mirrorings
    for each row execute function mirrorings_usage()`,
  `insert into queue_shares (queue) values ('mirroring') on conflict do nothing`,
];

export async function createMirrorings(kysely: Kysely<Tables>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(kysely);
}

export async function insertMirroring(
  transaction: Kysely<Tables>,
  { organizationId, projectId }: ProjectScope,
): Promise<MirroringRow> {
  const { rows } = await sql<MirroringRow>`
    insert into mirrorings (id, organization_id, project_id)
    values (${createId("staticExport")}, ${organizationId}, ${projectId}) returning *`.execute(
    transaction,
  );
  for (const row of rows) return row;
  throw new Error("The database returned no row.");
}
