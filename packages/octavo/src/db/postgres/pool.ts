import { Pool, types } from "pg";
import type { ClientConfig, PoolClient } from "pg";
import type { DatabaseLog } from "../database.ts";
import { isDriverFault, toDatabaseError } from "../faults.ts";
import { retryOnFault } from "../transact.ts";

/** Connections without work are closed after this time: an idle node holds little more than that of its notifications. */
const idleMs = 5_000;

interface PoolOptions {
  readonly url: string;
  readonly maxConnections: number;
  readonly log: DatabaseLog;
}

/** How each connection to the server at `url` is opened. Nothing in it is refused by PgBouncer. */
export function connectionConfig(url: string): ClientConfig {
  return {
    connectionString: url,
    application_name: "octavo",
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    types: {
      getTypeParser: (oid, format) =>
        oid === types.builtins.INT8 ? parseInt8 : types.getTypeParser(oid, format),
    },
  };
}

/** The pool replaces connections that break; what ran on them fails. */
export function openPool({ url, maxConnections, log }: PoolOptions): Pool {
  const pool = new Pool({
    ...connectionConfig(url),
    max: maxConnections,
    idleTimeoutMillis: idleMs,
  });
  pool.on("error", (err) => log.warn({ err }, "An idle PostgreSQL connection broke."));
  // The pool handles errors of idle connections only. An error between two statements of a transaction would end the
  // process; with this listener the next statement fails and the pool replaces the connection.
  pool.on("connect", (client) => {
    client.on("error", (err) => log.warn({ err }, "A PostgreSQL connection broke while in use."));
  });
  return pool;
}

/** What runs on a connection: something that changes nothing, one statement, or several that may begin transactions. */
type Work = "read" | "statement" | "script";

/**
 * Runs `act` on a connection of the pool. While the connection is at fault a read is run again, from its beginning;
 * anything else only until it has a connection, because nobody knows what a broken one did. Throws `unavailable` where
 * that does not help.
 */
export async function runOnPool<Result>(
  pool: Pool,
  work: Work,
  act: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const connect = () => pool.connect();
  const use = (client: PoolClient) => useClient(client, work, act);
  try {
    if (work === "read") return await retryOnFault(async () => await use(await connect()));
    return await use(await retryOnFault(connect));
  } catch (error) {
    throw toDatabaseError(error);
  }
}

/** Gives the connection back to the pool, or closes it if it broke or a script left it within a transaction. */
async function useClient<Result>(
  client: PoolClient,
  work: Work,
  act: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  let isBroken = false;
  try {
    return await act(client);
  } catch (error) {
    // The driver rejects before it knows in what state the server left the connection.
    isBroken = work === "script" || isDriverFault(error);
    throw error;
  } finally {
    client.release(isBroken);
  }
}

/** As the embedded database does: a bigint that fits is a number, not a string. */
function parseInt8(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}
