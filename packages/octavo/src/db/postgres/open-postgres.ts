import { Kysely, sql, type CompiledQuery, type Dialect, type QueryResult as Rows } from "kysely";
import type { PoolClient, QueryResult, ClientConfig } from "pg";
import { Pool, types } from "pg";
import { OctavoError } from "@octavo/site/core";
import type { Database, DatabaseLog } from "../database.ts";
import { isConnectionFault, toDatabaseError, isDriverFault } from "../faults.ts";
import { migrate } from "../migrate.ts";
import { createPrepare, isReadQuery, type PreparedStatement } from "../prepared-statement.ts";
import { checkConnection, notify } from "../statements.ts";
import type { Tables } from "../tables.ts";
import { retryOnFault } from "../transact.ts";
import { createSessionDialect, type DatabaseSession } from "../session-dialect.ts";
import { NotificationClient } from "./notification-client.ts";

/** The oldest version of PostgreSQL that is supported and tested. */
const minMajorVersion = 15;

interface PostgresOptions {
  /** The address for statements: the server, or a pooler in front of it. */
  readonly url: string;
  /** The address of the server itself, for notifications. Defaults to `url`. */
  readonly directUrl?: string | undefined;
  readonly maxConnections: number;
  readonly log: DatabaseLog;
  readonly lastMigration?: string | undefined;
}

/** The SQLSTATEs "invalid_sql_statement_name" and "duplicate_prepared_statement". */
const namedStatementFaults: ReadonlySet<unknown> = new Set(["26000", "42P05"]);

/** Connects a pool to the server at `url` and brings its tables up to date. */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, directUrl = url, log } = options;
  const pool = openPool(options);
  const kysely = new Kysely<Tables>({ dialect: createPostgresDialect(pool) });
  const notifications = new NotificationClient({
    config: { ...createConnectionConfig(directUrl), application_name: "octavo notifications" },
    log,
    send: (channel, payload) => notify(kysely, channel, payload),
  });
  try {
    await checkVersion(kysely);
    await migrate(kysely, options.lastMigration);
  } catch (error) {
    await kysely.destroy();
    throw createOpenError(url, error);
  }
  return {
    kysely,
    engine: "postgres",
    prepare: createPrepare(createRunPrepared(pool)),
    queue: {
      async executeSql(text, values) {
        // The statements may change data, so they are not retried as reads are. The queue retries by itself.
        const run = (client: PoolClient) => client.query(text, values);
        const result = (await runOnPool(pool, "script", run)) as QueryResult | QueryResult[];
        // For several statements, the driver returns a list with one result per statement.
        return { rows: [result].flat().flatMap(({ rows }) => rows) };
      },
      async listen(channel, onPayload, onGap) {
        const subscription = await notifications.subscribe(channel, { onPayload, onGap });
        onGap();
        return { close: async () => await subscription[Symbol.asyncDispose]() };
      },
    },
    notify,
    listen: (channel, onPayload, onGap) =>
      notifications.subscribe(channel, { onPayload, ...(onGap && { onGap }) }),
    countConnections: () => ({
      inUse: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      max: options.maxConnections,
    }),
    ping: () => checkConnection(kysely),
    async [Symbol.asyncDispose]() {
      await notifications[Symbol.asyncDispose]();
      await kysely.destroy();
    },
  };
}

async function checkVersion(kysely: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ version: number }>`
    select current_setting('server_version_num')::int as version`.execute(kysely);
  const major = Math.floor((rows[0]?.version ?? 0) / 10_000);
  if (major >= minMajorVersion) return;
  throw new OctavoError(
    "unavailable",
    `Octavo requires PostgreSQL ${minMajorVersion} or newer, but the server of DATABASE_URL has version ${major}.`,
  );
}

/** Creates an error that names the server without the credentials in its URL. */
function createOpenError(url: string, error: unknown): OctavoError {
  if (error instanceof OctavoError && !isConnectionFault(error)) return error;
  // The driver's own message is more useful than a message that the database does not respond.
  const cause = error instanceof OctavoError ? error.cause : error;
  const parsed = URL.parse(url);
  const target = parsed ? `${parsed.host}${parsed.pathname}` : "the address of DATABASE_URL";
  const reasons = cause instanceof AggregateError ? cause.errors : [cause];
  const messages = reasons.map((each) => (each instanceof Error ? each.message : String(each)));
  return new OctavoError(
    "unavailable",
    `The PostgreSQL database ${target} could not be opened: ${messages.join("; ")}. Check DATABASE_URL.`,
    { cause },
  );
}

/**
 * Returns a function that runs prepared statements. For a statement with a name, the server caches the parsed and
 * planned statement per connection. Behind a pooler that does not support names and uses a different connection for
 * each transaction, the server refuses a name before it runs anything. From then on, statements are sent without names.
 */
function createRunPrepared(pool: Pool) {
  let canUseNames = true;
  return async (
    { name, text, isRead }: PreparedStatement,
    values: unknown[],
  ): Promise<QueryResult> => {
    const work = isRead ? "read" : "statement";
    const runUnnamed = () => runOnPool(pool, work, (client) => client.query(text, values));
    if (!canUseNames) return await runUnnamed();
    try {
      return await runOnPool(pool, work, (client) => client.query({ name, text, values }));
    } catch (error) {
      if (!namedStatementFaults.has((error as { code?: unknown }).code)) throw error;
      canUseNames = false;
      return await runUnnamed();
    }
  };
}

/**
 * The maximum idle time of a transaction. A transaction awaits nothing but its own statements, so a longer idle time is
 * a bug.
 */
const idleInTransactionTimeoutMs = 15_000;
const writeCommands: ReadonlySet<string> = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

/**
 * Returns a Kysely dialect for connections that may break at any time. It repeats work that cannot have changed
 * anything: reads outside transactions, and the beginning of a transaction. Kysely's own dialect for PostgreSQL repeats
 * nothing.
 */
function createPostgresDialect(pool: Pool): Dialect {
  return createSessionDialect({
    openSession: () => new PoolSession(pool),
    close: () => pool.end(),
  });
}

/** Takes a connection from the pool for each statement or for a whole transaction. */
class PoolSession implements DatabaseSession {
  readonly #pool: Pool;
  #client: PoolClient | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async execute<Row>(query: CompiledQuery): Promise<Rows<Row>> {
    const { command, rowCount, rows } = await this.#execute(query);
    return {
      rows,
      ...(writeCommands.has(command) && { numAffectedRows: BigInt(rowCount ?? 0) }),
    };
  }

  async begin(statement: string): Promise<void> {
    try {
      // The limit is set in the same message that begins the transaction, because PgBouncer rejects it as a connection
      // parameter.
      const limit = `set local idle_in_transaction_session_timeout = ${idleInTransactionTimeoutMs}`;
      this.#client = await retryOnFault(() => this.#beginOnce(`${statement}; ${limit}`));
    } catch (error) {
      throw toDatabaseError(error);
    }
  }

  async end(statement: "COMMIT" | "ROLLBACK"): Promise<string | undefined> {
    const client = this.#client;
    this.#client = undefined;
    try {
      const result = await client?.query(statement);
      client?.release();
      return result?.command;
    } catch (error) {
      client?.release(true);
      // The server rolls back the transaction of a broken connection. The earlier error is more useful.
      if (statement === "ROLLBACK") return undefined;
      throw toDatabaseError(error);
    }
  }

  async #beginOnce(statement: string): Promise<PoolClient> {
    const client = await this.#pool.connect();
    try {
      await client.query(statement);
      return client;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  async #execute(query: CompiledQuery): Promise<QueryResult> {
    const run = (client: PoolClient) => client.query(query.sql, [...query.parameters]);
    if (this.#client) {
      return await run(this.#client).catch((error: unknown) => {
        throw toDatabaseError(error);
      });
    }
    return await runOnPool(this.#pool, isReadQuery(query) ? "read" : "statement", run);
  }
}

/**
 * The time after which an idle connection is closed, so that an idle node keeps little more than its connection for
 * notifications.
 */
const idleTimeoutMs = 5_000;

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

/** Creates a pool that replaces broken connections. Statements that were running on a broken connection fail. */
function openPool({ url, maxConnections, log }: PostgresOptions): Pool {
  const pool = new Pool({
    ...createConnectionConfig(url),
    max: maxConnections,
    idleTimeoutMillis: idleTimeoutMs,
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
 * The kind of work on a connection: a read (changes nothing), a single statement, or a script (may begin transactions).
 */
type Work = "read" | "statement" | "script";

/**
 * Runs `action` on a connection of the pool. After a connection fault, a read is repeated from the start. For other work,
 * only connecting is repeated, because the outcome of work on a broken connection is unknown. Throws `unavailable` if
 * the fault persists.
 */
async function runOnPool<Result>(
  pool: Pool,
  work: Work,
  action: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const connect = () => pool.connect();
  const use = (client: PoolClient) => useClient(client, work, action);
  try {
    if (work === "read") return await retryOnFault(async () => await use(await connect()));
    return await use(await retryOnFault(connect));
  } catch (error) {
    throw toDatabaseError(error);
  }
}

/**
 * Runs `action` on a connection. Afterward, returns the connection to the pool, or closes it if it is broken or a script
 * may have left an open transaction.
 */
async function useClient<Result>(
  client: PoolClient,
  work: Work,
  action: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  let isBroken = false;
  try {
    return await action(client);
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
