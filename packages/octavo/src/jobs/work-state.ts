import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Database } from "../db/index.ts";
import type {
  DeliveryCount,
  JobCount,
  QueueState,
  StoredBytes,
  WorkState,
  NodeCount,
} from "../telemetry/index.ts";
import { jobKinds, queueNames } from "./job-kinds.ts";
import type { JobLog } from "./ports.ts";
import { deliveryStates } from "./webhooks/deliveries.ts";

export async function readWorkState(database: Database): Promise<WorkState> {
  const queues = await readQueues(database);
  const jobs = await countJobs(database);
  const deliveries = await countDeliveries(database);
  const stored = await sumStoredBytes(database);
  return { queues, jobs, nodes: await countNodes(database), deliveries, stored };
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
  const rowsByName = new Map(rows.map((row) => [row["name"], row]));
  return queueNames.map((name) => {
    const { waiting, running, oldest } = rowsByName.get(name) ?? {};
    return {
      queue: name,
      waiting: Number(waiting ?? 0),
      running: Number(running ?? 0),
      oldestSeconds: Number(oldest ?? 0),
    };
  });
}

async function countJobs({ kysely }: Database): Promise<JobCount[]> {
  const counts = jobKinds.map(
    ({ table, metricSql }) => sql`select ${metricSql} as kind, status, count(*)::int as count,
      count(waiting_for)::int as blocked from ${sql.table(table)} group by 1, 2`,
  );
  const { rows } = await sql<JobCount>`${sql.join(counts, sql` union all `)}`.execute(kysely);
  return rows;
}

/** Counts deliveries by state. Includes the states without deliveries, so that their metrics return to zero. */
async function countDeliveries({ kysely }: Database): Promise<DeliveryCount[]> {
  const rows = await kysely
    .selectFrom("webhook_deliveries")
    .select(["state", (eb) => eb.fn.countAll<number>().as("count")])
    .groupBy("state")
    .execute();
  const counts = new Map(rows.map(({ state, count }) => [state, count]));
  return deliveryStates.map((state) => ({ state, count: counts.get(state) ?? 0 }));
}

async function sumStoredBytes({ kysely }: Database): Promise<StoredBytes[]> {
  const { rows } = await sql<StoredBytes>`
    select 'bundles' as kind, coalesce(sum(bundle_bytes), 0)::float8 as bytes
    from (
      select bundle_key, bundle_bytes from static_export_jobs where bundle_key is not null
      union
      select bundle_key, bundle_bytes from deployments where bundle_key is not null
    ) as bundles
    union all
    select 'repositories', coalesce(sum(bytes), 0)::float8 from hosted_packs`.execute(kysely);
  return rows;
}

const heartbeatIntervalMs = 30_000;
/** The time without a heartbeat after which a node is no longer counted: slightly more than three intervals. */
const nodeTimeout = sql.lit("95 seconds");
/** The time without a heartbeat after which a node's row is deleted. */
const nodeRetention = sql.lit("1 day");

export interface NodeDescription {
  /** The program's version. */
  readonly version: string;
  /** `api`, `worker` or both. */
  readonly roles: readonly string[];
}

/** Counts this process among the service's nodes until the result is disposed of. */
export async function registerNode(
  { kysely }: Pick<Database, "kysely">,
  { version, roles }: NodeDescription,
  log: Pick<JobLog, "warn">,
): Promise<AsyncDisposable> {
  const id = randomUUID();
  const sendHeartbeat = async () => {
    await kysely
      .insertInto("nodes")
      .values({ id, version, roles: roles.join() })
      .onConflict((conflict) => conflict.column("id").doUpdateSet({ seen_at: sql<Date>`now()` }))
      .execute();
    await kysely
      .deleteFrom("nodes")
      .where("seen_at", "<", sql<Date>`now() - interval ${nodeRetention}`)
      .execute();
  };
  await sendHeartbeat();
  let lastHeartbeat = Promise.resolve();
  const timer = setInterval(() => {
    lastHeartbeat = sendHeartbeat().catch((err: unknown) =>
      log.warn({ err }, "This node's heartbeat could not be stored"),
    );
  }, heartbeatIntervalMs).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await lastHeartbeat;
      // Otherwise the node would be counted until its last heartbeat expires.
      await kysely
        .deleteFrom("nodes")
        .where("id", "=", id)
        .execute()
        .catch(() => undefined);
    },
  };
}

/** Counts the nodes that are alive, by version and roles. */
async function countNodes({ kysely }: Pick<Database, "kysely">): Promise<NodeCount[]> {
  return await kysely
    .selectFrom("nodes")
    .select(["version", "roles", (eb) => eb.fn.countAll<number>().as("count")])
    .where("seen_at", ">", sql<Date>`now() - interval ${nodeTimeout}`)
    .groupBy(["version", "roles"])
    .execute();
}
