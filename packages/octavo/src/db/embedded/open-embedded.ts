import { once } from "node:events";
import { existsSync } from "node:fs";
import { open, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { deserialize, serialize } from "node:v8";
import { Kysely, type CompiledQuery, type Dialect, type QueryResult } from "kysely";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import { ChannelHub, quoteChannel } from "../channel-hub.ts";
import type { Database, DatabaseLog, DatabaseOptions } from "../database.ts";
import { isMigrated, migrate } from "../migrate.ts";
import { createPrepare } from "../prepared-statement.ts";
import { notify, checkConnection } from "../statements.ts";
import type { Tables } from "../tables.ts";
import {
  openEngine,
  type Engine,
  type EngineSession,
  EngineError,
  type EngineFailure,
  type EngineResult,
} from "../../engine/index.ts";
import { lockFolder } from "./folder-lock.ts";
import { flush, flushParents, flushTree } from "../../core/index.ts";
import { createSessionDialect, type DatabaseSession } from "../session-dialect.ts";

interface EmbeddedOptions extends Pick<
  DatabaseOptions,
  "dataDir" | "engineThread" | "onEngineOpening" | "lastMigration"
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
  onEngineOpening,
  lastMigration,
}: EmbeddedOptions): Promise<Database> {
  await using resources = new AsyncDisposableStack();
  resources.use(await lockFolder(dataDir));
  const hub: ChannelHub = new ChannelHub({
    listen: async (channel) => void (await engine.query(`LISTEN ${quoteChannel(channel)}`, [])),
    unlisten: async (channel) => void (await engine.query(`UNLISTEN ${quoteChannel(channel)}`, [])),
  });
  const engine: Engine = await openDurableEngine(dataDir, async (folder) => {
    const pendingEngine = openEngine({
      folder,
      thread: engineThread,
      onNotification: (channel, payload) => hub.deliver(channel, payload),
      onCrash: (err) => log.warn({ err }, "The embedded database has stopped."),
    });
    onEngineOpening?.();
    return await pendingEngine;
  });
  resources.defer(() => engine.close());
  const kysely = new Kysely<Tables>({ dialect: createEngineDialect(engine) });
  await migrate(kysely, lastMigration);
  resources.use(await shareEngine(dataDir, engine));
  const heldResources = resources.move();
  return createDatabase({ engine, kysely, hub, close: () => heldResources.disposeAsync() });
}

/** The time for which a command waits for a service that is starting. */
const shareTimeoutMs = 5_000;

const shareRetryIntervalMs = 100;

/**
 * Opens the embedded database, or uses the database that a service shares. Waits if a service is starting, because the
 * service locks the database before it shares the database.
 */
export async function openEmbeddedOrShared(options: EmbeddedOptions): Promise<Database> {
  for (const deadline = performance.now() + shareTimeoutMs; ; await sleep(shareRetryIntervalMs)) {
    try {
      return await openEmbedded(options);
    } catch (error) {
      if (!isOctavoError(error, "conflict")) throw error;
      const shared = await openSharedDatabase(options.dataDir);
      if (shared) return shared;
      if (performance.now() > deadline) throw error;
    }
  }
}

/**
 * Opens the embedded database that a running service has opened, for a command that reads or changes a few rows.
 * Returns undefined if no service shares the database. Throws `conflict` if that service is a different version of the
 * program, whose tables differ.
 */
async function openSharedDatabase(dataDir: string): Promise<Database | undefined> {
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
  return createDatabase({ engine, kysely, hub, close: () => engine.close() });
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

function createDatabase({ engine, kysely, hub, close }: EmbeddedParts): Database {
  return {
    kysely,
    engine: "pglite",
    prepare: createPrepare(({ text }, values) => engine.query(text, values)),
    queue: {
      executeSql: (text, values) =>
        values?.length ? engine.query(text, values) : engine.runScript(text),
      async listen(channel, onPayload, onGap) {
        const subscription = await hub.subscribe(channel, { onPayload, onGap });
        onGap();
        return { close: async () => await subscription[Symbol.asyncDispose]() };
      },
    },
    notify,
    listen: (channel, onPayload, onGap) =>
      hub.subscribe(channel, { onPayload, ...(onGap && { onGap }) }),
    countConnections: () => undefined,
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
  const removeMarker = await prepareNewDatabase(dataDir, folder);
  // This is PostgreSQL's own lock. After a power failure, it can be empty, and PostgreSQL then refuses to start.
  await rm(join(folder, "postmaster.pid"), { force: true });
  try {
    const engine = await open(folder);
    try {
      await flushOnce(dataDir, folder);
      await removeMarker();
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
 * Prepares the folder of a new database. If the first start was killed, the incomplete database cannot be opened. A
 * marker file identifies such a database, which is still empty and is therefore created again. The returned function
 * removes the marker.
 */
async function prepareNewDatabase(dataDir: string, folder: string): Promise<() => Promise<void>> {
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
 * Flushes a database whose files may not be on disk: a new one, a copy, or one from an old version, which did not
 * flush. A marker file records the flushed folder, so that later starts skip the flush, which takes as long as the rest
 * of a start.
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

/** Opens the embedded database of a running service from another process. Returns undefined if no service shares it. */
async function connectEngine(dataDir: string): Promise<Engine | undefined> {
  await using address = await openSocketAddress(dataDir);
  const socket = connect({ path: address.path });
  try {
    await once(socket, "connect");
  } catch {
    return undefined;
  }
  return createSharedEngine(socket);
}

type WithoutId<Call> = Call extends unknown ? Omit<Call, "id"> : never;

function createSharedEngine(socket: Socket): Engine {
  const pendingCalls = new Map<number, PromiseWithResolvers<EngineResult | undefined>>();
  let lastId = 0;
  let lastSession = 0;
  let closedError: OctavoError | undefined;
  receiveFrames(socket, (frame) => {
    const response = frame as EngineResponse;
    const call = pendingCalls.get(response.id);
    pendingCalls.delete(response.id);
    if ("failure" in response) call?.reject(new EngineError(response.failure));
    else call?.resolve(response.result);
  });
  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    closedError = new OctavoError(
      "unavailable",
      "The service that holds the database has stopped.",
    );
    for (const { reject } of pendingCalls.values()) reject(closedError);
    pendingCalls.clear();
  });
  const send = (call: WithoutId<EngineCall>): Promise<EngineResult | undefined> => {
    if (closedError) return Promise.reject(closedError);
    const id = ++lastId;
    const reply = Promise.withResolvers<EngineResult | undefined>();
    pendingCalls.set(id, reply);
    sendFrame(socket, { ...call, id });
    return reply.promise;
  };
  const ask = async (call: WithoutId<EngineCall>): Promise<EngineResult> => {
    const result = await send(call);
    return result ?? { rows: [], affectedRows: undefined, command: undefined };
  };
  return {
    query: (sql, parameters) => ask({ kind: "query", session: undefined, sql, parameters }),
    runScript: (sql) => ask({ kind: "script", sql }),
    async begin(sql): Promise<EngineSession> {
      const session = ++lastSession;
      await ask({ kind: "begin", session, sql });
      return {
        query: (statement, parameters) =>
          ask({ kind: "query", session, sql: statement, parameters }),
        end: () => void send({ kind: "end", session }).catch(() => undefined),
      };
    },
    async close() {
      if (closedError) return;
      socket.end();
      await once(socket, "close");
    },
  };
}

/**
 * Allows other processes of the same user to use the engine through a socket in the data folder. The caller must hold
 * the folder's lock, so an existing socket belongs to a dead process.
 */
async function shareEngine(dataDir: string, engine: Engine): Promise<AsyncDisposable> {
  await using resources = new AsyncDisposableStack();
  const { path } = resources.use(await openSocketAddress(dataDir));
  await rm(path, { force: true });
  const clients = new Set<Socket>();
  const server = createServer((socket) => {
    clients.add(socket);
    void serveClient(socket, engine).finally(() => clients.delete(socket));
  });
  // The socket is created synchronously while this mask applies, so no other user can ever open it.
  const umask = process.umask(0o177);
  server.listen({ path });
  process.umask(umask);
  await once(server, "listening");
  server.unref();
  resources.defer(async () => {
    for (const client of clients) client.destroy();
    server.close();
    await once(server, "close");
  });
  const heldResources = resources.move();
  return { [Symbol.asyncDispose]: () => heldResources.disposeAsync() };
}

/** Serves a client. Resolves when the client has disconnected and its open transactions are rolled back. */
async function serveClient(socket: Socket, engine: Engine): Promise<void> {
  const sessions = new Map<number, EngineSession>();
  receiveFrames(socket, (frame) => {
    const call = frame as EngineCall;
    answerCall(engine, sessions, call).then(
      (result) => sendFrame(socket, { id: call.id, result }),
      (error: unknown) => sendFrame(socket, { id: call.id, failure: toEngineFailure(error) }),
    );
  });
  socket.on("error", () => socket.destroy());
  await once(socket, "close");
  for (const session of sessions.values()) await rollBack(session);
}

async function answerCall(
  engine: Engine,
  sessions: Map<number, EngineSession>,
  call: EngineCall,
): Promise<EngineResult | undefined> {
  if (call.kind === "script") return await engine.runScript(call.sql);
  if (call.kind === "begin") {
    // If the client disconnects before the transaction begins, the engine rolls the idle transaction back.
    sessions.set(call.session, await engine.begin(call.sql));
    return undefined;
  }
  if (call.kind === "end") {
    sessions.get(call.session)?.end();
    sessions.delete(call.session);
    return undefined;
  }
  const target = call.session === undefined ? engine : sessions.get(call.session);
  if (!target) throw new Error("The transaction has ended.");
  return await target.query(call.sql, call.parameters);
}

async function rollBack(session: EngineSession): Promise<void> {
  try {
    await session.query("ROLLBACK", []);
  } catch {
    // The transaction has already ended.
  } finally {
    session.end();
  }
}

function toEngineFailure(error: unknown): EngineFailure {
  const { code, detail, constraint, table } =
    error instanceof EngineError ? error : ({} as Partial<EngineError>);
  const message = error instanceof Error ? error.message : String(error);
  return { message, code: isOctavoError(error) ? undefined : code, detail, constraint, table };
}

/** Another process's request to the engine. `session` identifies the transaction. */
type EngineCall =
  | { readonly id: number; readonly kind: "script"; readonly sql: string }
  | { readonly id: number; readonly kind: "begin"; readonly session: number; readonly sql: string }
  | { readonly id: number; readonly kind: "end"; readonly session: number }
  | {
      readonly id: number;
      readonly kind: "query";
      /** The transaction; undefined means outside any transaction. */
      readonly session: number | undefined;
      readonly sql: string;
      readonly parameters: readonly unknown[];
    };

type EngineResponse =
  | { readonly id: number; readonly result: EngineResult | undefined }
  | { readonly id: number; readonly failure: EngineFailure };

/** The maximum size of a frame, which is larger than any statement or result of the service. */
const maxFrameBytes = 256 * 1024 * 1024;
const headerBytes = 4;

interface SocketAddress extends AsyncDisposable {
  readonly path: string;
}

/**
 * Sends a value. Values such as dates, bytes and big integers keep their types. Both ends are processes of the same
 * user.
 */
function sendFrame(stream: Duplex, value: EngineCall | EngineResponse): void {
  const body = serialize(value);
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32BE(body.length);
  stream.write(Buffer.concat([header, body]));
}

/** Calls `onFrame` with each value that the other end sent with `sendFrame`. */
function receiveFrames(stream: Duplex, onFrame: (frame: unknown) => void): void {
  let chunks: Buffer[] = [];
  let bufferedBytes = 0;
  // Chunks are joined only once this many bytes have arrived.
  let neededBytes = headerBytes;
  stream.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    bufferedBytes += chunk.length;
    while (bufferedBytes >= neededBytes) {
      const received = Buffer.concat(chunks);
      chunks = [received];
      neededBytes = received.readUInt32BE() + headerBytes;
      if (neededBytes > maxFrameBytes) {
        const message = "A message to the embedded database is too long.";
        stream.destroy(new OctavoError("internal", message));
      }
      if (bufferedBytes < neededBytes) return;
      const frame = received.subarray(headerBytes, neededBytes);
      chunks = [received.subarray(neededBytes)];
      bufferedBytes -= neededBytes;
      neededBytes = headerBytes;
      onFrame(deserialize(frame));
    }
  });
}

/**
 * Returns the address of the socket in the data folder through which other processes use the embedded database. An
 * address can have at most 107 bytes. On Linux, the address of any folder fits because it uses the folder's descriptor,
 * which must stay open as long as the address is used.
 */
async function openSocketAddress(dataDir: string): Promise<SocketAddress> {
  const name = "octavo.sock";
  if (process.platform !== "linux") {
    return { path: join(await realpath(dataDir), name), async [Symbol.asyncDispose]() {} };
  }
  const folder = await open(dataDir);
  return {
    path: `/proc/self/fd/${folder.fd}/${name}`,
    [Symbol.asyncDispose]: () => folder.close(),
  };
}
