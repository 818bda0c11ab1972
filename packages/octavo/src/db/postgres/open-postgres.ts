import { Kysely, PostgresDialect, sql } from "kysely";
import { Pool, types } from "pg";
import type { PoolConfig, QueryResult } from "pg";
import { OctavoError } from "@octavo/site/core";
import type { Database, DatabaseLog } from "../database.ts";
import { migrate } from "../migrate.ts";
import { createPrepare } from "../prepared-statement.ts";
import { notify, ping } from "../statements.ts";
import type { Tables } from "../tables.ts";
import { NotificationClient } from "./notification-client.ts";

/** PostgreSQL 15 is the oldest version that is supported and tested. */
const minVersion = 15;

/** Connects a pool to the server at `url` and brings its tables up to date. */
export async function openPostgres(url: string, log: DatabaseLog): Promise<Database> {
  const config: PoolConfig = {
    connectionString: url,
    application_name: "octavo",
    connectionTimeoutMillis: 10_000,
    // A transaction awaits nothing but its own statements; one that is idle for longer is a bug.
    idle_in_transaction_session_timeout: 15_000,
    keepAlive: true,
    max: 10,
    types: {
      getTypeParser: (oid, format) =>
        oid === types.builtins.INT8 ? parseInt8 : types.getTypeParser(oid, format),
    },
  };
  const pool = new Pool(config);
  pool.on("error", (err) => log.warn({ err }, "An idle PostgreSQL connection broke."));
  // The pool handles errors of idle connections only. An error between two statements of a transaction would end the
  // process; with this listener the next statement fails and the pool replaces the connection.
  pool.on("connect", (client) => {
    client.on("error", (err) => log.warn({ err }, "A PostgreSQL connection broke while in use."));
  });
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const notifications = new NotificationClient(
    {
      connectionString: url,
      application_name: "octavo notifications",
      connectionTimeoutMillis: 10_000,
    },
    log,
  );
  try {
    await checkVersion(kysely);
    await migrate(kysely);
  } catch (error) {
    await kysely.destroy();
    throw openError(url, error);
  }
  return {
    kysely,
    engine: "postgres",
    // With a name, each connection caches the parsed and planned statement on the server.
    prepare: createPrepare(({ number, text }, values) =>
      pool.query({ name: `octavo_${number}`, text, values }),
    ),
    queue: {
      async executeSql(text, values) {
        const result = (await pool.query(text, values)) as QueryResult | QueryResult[];
        // A text of several statements returns a list, one result for each.
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
    ping: () => ping(kysely),
    async [Symbol.asyncDispose]() {
      await notifications[Symbol.asyncDispose]();
      await kysely.destroy();
    },
  };
}

/** As the embedded database does: a bigint that fits is a number, not a string. */
function parseInt8(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

async function checkVersion(kysely: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ version: number }>`
    select current_setting('server_version_num')::int as version`.execute(kysely);
  const major = Math.floor((rows[0]?.version ?? 0) / 10_000);
  if (major >= minVersion) return;
  throw new OctavoError(
    "unavailable",
    `Octavo needs PostgreSQL ${minVersion} or newer; the server of DATABASE_URL is version ${major}.`,
  );
}

/** Names the server without the credentials of its URL. */
function openError(url: string, cause: unknown): OctavoError {
  if (cause instanceof OctavoError) return cause;
  const parsed = URL.parse(url);
  const where = parsed ? `${parsed.host}${parsed.pathname}` : "the address of DATABASE_URL";
  const reasons = cause instanceof AggregateError ? cause.errors : [cause];
  const reason = reasons.map((each) => (each instanceof Error ? each.message : String(each)));
  return new OctavoError(
    "unavailable",
    `The PostgreSQL database ${where} could not be opened: ${reason.join("; ")}. Check DATABASE_URL.`,
    { cause },
  );
}
