import { sql } from "kysely";
import type { Database } from "../db/index.ts";
import { countNodes } from "./node-registry.ts";
import type { JobCount, QueueState, WorkState } from "../telemetry/index.ts";
import { queueNames } from "./queue-name.ts";

export async function readWorkState(database: Database): Promise<WorkState> {
  const queues = await readQueues(database);
  const jobs = await countJobs(database);
  return { queues, jobs, nodes: await countNodes(database) };
}

async function readQueues({ queue }: Database): Promise<QueueState[]> {
  const { rows } = await queue.executeSql(
    `select name,
      count(*) filter (where state < 'active')::int as waiting,
      count(*) filter (where state = 'active')::int as running,
      coalesce(extract(epoch from max(now() - start_after)
        filter (where state < 'active' and start_after <= now())), 0)::float8 as oldest
    from pgboss.job where name = any($1::text[]) and state <= 'active' group by name`,
    [[...queueNames]],
  );
  const found = new Map(rows.map((row) => [row["name"], row]));
  return queueNames.map((name) => {
    const { waiting, running, oldest } = found.get(name) ?? {};
    return {
      queue: name,
      waiting: Number(waiting ?? 0),
      running: Number(running ?? 0),
      oldestSeconds: Number(oldest ?? 0),
    };
  });
}

async function countJobs({ kysely }: Database): Promise<JobCount[]> {
  const { rows } = await sql<JobCount>`
    select case purpose when 'preview' then 'preview' else 'static_export' end as kind, status,
      count(*)::int as count, count(waiting_for)::int as blocked
    from static_export_jobs group by 1, 2
    union all
    select 'agent', status, count(*)::int, count(waiting_for)::int from agent_jobs group by 2`.execute(
    kysely,
  );
  return rows;
}
