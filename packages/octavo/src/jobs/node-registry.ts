import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Database } from "../db/index.ts";
import type { NodeCount } from "../telemetry/index.ts";
import type { JobLog } from "./ports.ts";

/** The interval at which a node shows that it is alive. */
const aliveMs = 30_000;
/**
 * The time, on the database's clock, in which a node misses three of these signals. It is then no longer counted, and
 * is later removed.
 */
const lostAfter = sql.lit("95 seconds");
const forgottenAfter = sql.lit("1 day");

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
  const showAlive = async () => {
    await kysely
      .insertInto("nodes")
      .values({ id, version, roles: roles.join() })
      .onConflict((conflict) => conflict.column("id").doUpdateSet({ seen_at: sql<Date>`now()` }))
      .execute();
    await kysely
      .deleteFrom("nodes")
      .where("seen_at", "<", sql<Date>`now() - interval ${forgottenAfter}`)
      .execute();
  };
  await showAlive();
  let showing = Promise.resolve();
  const timer = setInterval(() => {
    showing = showAlive().catch((err: unknown) =>
      log.warn({ err }, "This node could not show that it is alive"),
    );
  }, aliveMs).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await showing;
      // Otherwise the node would be counted until its last signal expires.
      await kysely
        .deleteFrom("nodes")
        .where("id", "=", id)
        .execute()
        .catch(() => undefined);
    },
  };
}

/** Counts the nodes that are alive, by version and roles. */
export async function countNodes({ kysely }: Pick<Database, "kysely">): Promise<NodeCount[]> {
  return await kysely
    .selectFrom("nodes")
    .select(["version", "roles", (eb) => eb.fn.countAll<number>().as("count")])
    .where("seen_at", ">", sql<Date>`now() - interval ${lostAfter}`)
    .groupBy(["version", "roles"])
    .execute();
}
