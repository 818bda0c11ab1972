import { existsSync } from "node:fs";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Kysely, type CompiledQuery, type Dialect, type QueryResult } from "kysely";
import { OctavoError } from "@octavo/site/core";
import { ChannelHub, quoteChannel } from "../channel-hub.ts";
import type { Database, DatabaseLog, DatabaseOptions } from "../database.ts";
import { isMigrated, migrate } from "../migrate.ts";
import { createPrepare } from "../prepared-statement.ts";
import { notify, checkConnection } from "../statements.ts";
import type { Tables } from "../tables.ts";
import { openEngine, type Engine, type EngineSession } from "../../engine/index.ts";
import { lockFolder } from "./folder-lock.ts";
import { connectEngine, shareEngine } from "./shared-engine.ts";
import { flush, flushParents, flushTree } from "../../core/index.ts";
import { createSessionDialect, type DatabaseSession } from "../session-dialect.ts";

export interface EmbeddedOptions extends Pick<
  DatabaseOptions,
  "dataDir" | "engineThread" | "whileOpening" | "lastMigration"
> {
  readonly log: DatabaseLog;
}

/**
 * Opens the embedded database in `<dataDir>/database` for this process. Other processes of the same user can use it
 * through `openSharedDatabase`.
 */
export async function openEmbedded({
  dataDir,
  log,
  engineThread,
  whileOpening,
  lastMigration,
}: EmbeddedOptions): Promise<Database> {
  await using opening = new AsyncDisposableStack();
  opening.use(await lockFolder(dataDir));
  const hub: ChannelHub = new ChannelHub({
    listen: async (channel) => void (await engine.query(`LISTEN ${quoteChannel(channel)}`, [])),
    unlisten: async (channel) => void (await engine.query(`UNLISTEN ${quoteChannel(channel)}`, [])),
  });
  const engine: Engine = await openDurableEngine(dataDir, async (folder) => {
    const started = openEngine({
      folder,
      thread: engineThread,
      onNotification: (channel, payload) => hub.deliver(channel, payload),
      onCrash: (err) => log.warn({ err }, "The embedded database has stopped."),
    });
    whileOpening?.();
    return await started;
  });
  opening.defer(() => engine.close());
  const kysely = new Kysely<Tables>({ dialect: createEngineDialect(engine) });
  await migrate(kysely, lastMigration);
  opening.use(await shareEngine(dataDir, engine));
  const held = opening.move();
  return databaseOn({ engine, kysely, hub, close: () => held.disposeAsync() });
}

/**
 * Opens the embedded database that a running service has opened, for a command that reads or changes a few rows.
 * Returns undefined if no service shares the database. Throws `conflict` if that service is a different version of the
 * program, whose tables differ.
 */
export async function openSharedDatabase(dataDir: string): Promise<Database | undefined> {
  const engine = await connectEngine(dataDir);
  if (!engine) return undefined;
  const kysely = new Kysely<Tables>({ dialect: createEngineDialect(engine) });
  if (!(await isMigrated(kysely))) {
    await engine.close();
    throw new OctavoError(
      "conflict",
      "The running service is a different version of Octavo. Use that version's command, or restart the service " +
        "with this version.",
    );
  }
  const hub = new ChannelHub({ listen: refuseToListen, unlisten: refuseToListen });
  return databaseOn({ engine, kysely, hub, close: () => engine.close() });
}

async function refuseToListen(): Promise<void> {
  throw new OctavoError("internal", "A command does not receive notifications.");
}

interface EmbeddedParts {
  readonly engine: Engine;
  readonly kysely: Kysely<Tables>;
  readonly hub: ChannelHub;
  readonly close: () => Promise<void>;
}

function databaseOn({ engine, kysely, hub, close }: EmbeddedParts): Database {
  return {
    kysely,
    engine: "pglite",
    prepare: createPrepare(({ text }, values) => engine.query(text, values)),
    queue: {
      executeSql: (text, values) =>
        values?.length ? engine.query(text, values) : engine.script(text),
      async listen(channel, onPayload, onGap) {
        const subscription = await hub.subscribe(channel, { onPayload, onGap });
        onGap();
        return { close: async () => await subscription[Symbol.asyncDispose]() };
      },
    },
    notify,
    listen: (channel, onPayload, onGap) =>
      hub.subscribe(channel, { onPayload, ...(onGap && { onGap }) }),
    connections: () => undefined,
    ping: () => checkConnection(kysely),
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Opens or creates the database in `<dataDir>/database`, which this process has locked. When the promise resolves, all
 * of the database's files are on disk. PostgreSQL itself flushes only later writes.
 */
async function openDurableEngine(
  dataDir: string,
  open: (folder: string) => Promise<Engine>,
): Promise<Engine> {
  const folder = join(dataDir, "database");
  const finish = await prepareNew(dataDir, folder);
  // This is PostgreSQL's own lock. After a power failure, it can be empty, and PostgreSQL then refuses to start.
  await rm(join(folder, "postmaster.pid"), { force: true });
  try {
    const engine = await open(folder);
    try {
      await flushOnce(dataDir, folder);
      await finish();
      return engine;
    } catch (error) {
      await engine.close();
      throw error;
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OctavoError(
      "unavailable",
      `The embedded database in ${folder} could not be opened: ${reason}`,
      { cause },
    );
  }
}

/**
 * Prepares the folder of a new database. A first start that was killed leaves an incomplete database, which cannot be
 * opened. A marker file identifies it. Nothing was stored in it yet, so the database is created again. The returned
 * function removes the marker.
 */
async function prepareNew(dataDir: string, folder: string): Promise<() => Promise<void>> {
  const marker = join(dataDir, "database.unfinished");
  if (existsSync(marker)) await rm(folder, { recursive: true, force: true });
  if (existsSync(folder)) return async () => undefined;
  await writeFile(marker, "");
  await flush(dataDir);
  return async () => {
    await rm(marker);
    await flush(dataDir);
  };
}

/**
 * Flushes a database that is new or a copy, or that a version without flushes wrote. A marker file names the folder for
 * which this was done, so that it is done only once. It takes as long as the rest of a start.
 */
async function flushOnce(dataDir: string, folder: string): Promise<void> {
  const marker = join(dataDir, "database.flushed");
  const { ino, birthtimeMs } = await stat(folder);
  const identity = `${ino} ${birthtimeMs}`;
  if ((await readFile(marker, "utf8").catch(() => undefined)) === identity) return;
  await flushTree(folder);
  await flushParents(dataDir);
  await writeFile(marker, identity);
}

/**
 * Returns a Kysely dialect for the embedded engine. Kysely's own dialect for PGlite runs one query at a time. This
 * dialect pipelines queries, and only a transaction has exclusive use of the database.
 */
function createEngineDialect(engine: Engine): Dialect {
  return createSessionDialect({
    openSession: () => new SharedEngineSession(engine),
    // The engine's owner closes the engine, because the queue uses it too.
    close: async () => undefined,
  });
}

class SharedEngineSession implements DatabaseSession {
  readonly #engine: Engine;
  #session: EngineSession | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async execute<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const target = this.#session ?? this.#engine;
    const { rows, affectedRows } = await target.query(query.sql, query.parameters);
    return {
      rows: rows as Row[],
      ...(affectedRows === undefined ? {} : { numAffectedRows: BigInt(affectedRows) }),
    };
  }

  async begin(statement: string): Promise<void> {
    this.#session = await this.#engine.begin(statement);
  }

  async end(statement: "COMMIT" | "ROLLBACK"): Promise<string | undefined> {
    const session = this.#session;
    this.#session = undefined;
    if (!session) return undefined;
    try {
      return (await session.query(statement, [])).command;
    } finally {
      session.end();
    }
  }
}
