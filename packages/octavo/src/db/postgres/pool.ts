import { Pool, types } from "pg";
import type { ClientConfig, PoolClient } from "pg";
import type { DatabaseLog } from "../database.ts";
import { isDriverFault, toDatabaseError } from "../faults.ts";
import { retryOnFault } from "../transact.ts";

/**
 * The time after which an idle connection is closed, so that an idle node keeps little more than its connection for
 * notifications.
 */
const idleMs = 5_000;

interface PoolOptions {
  readonly url: string;
  readonly maxConnections: number;
  readonly log: DatabaseLog;
}

/** Returns the configuration of connections to the server at `url`. PgBouncer accepts all parameters in it. */
export function createConnectionConfig(url: string): ClientConfig {
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

/** Creates a pool. It replaces connections that break. Statements that are running on such a connection fail. */
export function openPool({ url, maxConnections, log }: PoolOptions): Pool {
  const pool = new Pool({
    ...createConnectionConfig(url),
    max: maxConnections,
    idleTimeoutMillis: idleMs,
  });
  pool.on("error", (err) => log.warn({ err }, "An idle PostgreSQL connection broke."));
  // The pool handles only errors of idle connections. An error between two statements of a transaction would end the
  // process. With this listener, the next statement fails and the pool replaces the connection.
  pool.on("connect", (client) => {
    client.on("error", (err) => log.warn({ err }, "A PostgreSQL connection broke while in use."));
  });
  return pool;
}

/**
 * The kind of work on a connection: a read, which changes nothing, a single statement, or a script, which may begin
 * transactions.
 */
type Work = "read" | "statement" | "script";

/**
 * Runs `act` on a connection of the pool. After a connection fault, a read is repeated from its beginning. Other work
 * is repeated only until it has a connection, because its outcome on a broken connection is unknown. Throws
 * `unavailable` if repeating does not help.
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

/**
 * Runs `act` on a connection. Afterward, returns the connection to the pool, or closes it if it is broken or a script
 * may have left an open transaction.
 */
async function useClient<Result>(
  client: PoolClient,
  work: Work,
  act: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  let isBroken = false;
  try {
    return await act(client);
  } catch (error) {
    // After an error in a script, the driver does not yet know in which state the server left the connection.
    isBroken = work === "script" || isDriverFault(error);
    throw error;
  } finally {
    client.release(isBroken);
  }
}

/** Parses a bigint as the embedded database does: to a number if it fits, not to a string. */
function parseInt8(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}
