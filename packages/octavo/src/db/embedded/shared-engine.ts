import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { open, realpath, rm } from "node:fs/promises";
import { deserialize, serialize } from "node:v8";
import type { Duplex } from "node:stream";
import { join } from "node:path";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import {
  EngineError,
  type Engine,
  type EngineFailure,
  type EngineResult,
  type EngineSession,
} from "../../engine/index.ts";

/** Opens the embedded database of a running service from another process. Returns undefined if no service shares it. */
export async function connectEngine(dataDir: string): Promise<Engine | undefined> {
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
  const pending = new Map<number, PromiseWithResolvers<EngineResult | undefined>>();
  let lastId = 0;
  let lastSession = 0;
  let closed: OctavoError | undefined;
  receiveFrames(socket, (frame) => {
    const answer = frame as EngineResponse;
    const call = pending.get(answer.id);
    pending.delete(answer.id);
    if ("failure" in answer) call?.reject(new EngineError(answer.failure));
    else call?.resolve(answer.result);
  });
  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    closed = new OctavoError("unavailable", "The service that holds the database has stopped.");
    for (const { reject } of pending.values()) reject(closed);
    pending.clear();
  });
  const send = (call: WithoutId<EngineCall>): Promise<EngineResult | undefined> => {
    if (closed) return Promise.reject(closed);
    const id = ++lastId;
    const answered = Promise.withResolvers<EngineResult | undefined>();
    pending.set(id, answered);
    sendFrame(socket, { ...call, id });
    return answered.promise;
  };
  const ask = async (call: WithoutId<EngineCall>): Promise<EngineResult> => {
    const result = await send(call);
    return result ?? { rows: [], affectedRows: undefined, command: undefined };
  };
  return {
    query: (sql, parameters) => ask({ kind: "query", session: undefined, sql, parameters }),
    script: (sql) => ask({ kind: "script", sql }),
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
      if (closed) return;
      socket.end();
      await once(socket, "close");
    },
  };
}

/**
 * Allows other processes of the same user to use the engine through a socket in the data folder. The caller must hold
 * the folder's lock, so an existing socket belongs to a dead process.
 */
export async function shareEngine(dataDir: string, engine: Engine): Promise<AsyncDisposable> {
  await using opening = new AsyncDisposableStack();
  const { path } = opening.use(await openSocketAddress(dataDir));
  await rm(path, { force: true });
  const clients = new Set<Socket>();
  const server = createServer((socket) => {
    clients.add(socket);
    void serveClient(socket, engine).finally(() => clients.delete(socket));
  });
  // The socket is created synchronously while this mask applies, so no other user can open it at any time.
  const umask = process.umask(0o177);
  server.listen({ path });
  process.umask(umask);
  await once(server, "listening");
  server.unref();
  opening.defer(async () => {
    for (const client of clients) client.destroy();
    server.close();
    await once(server, "close");
  });
  const opened = opening.move();
  return { [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Serves a client. Resolves when the client has disconnected and its open transactions are rolled back. */
async function serveClient(socket: Socket, engine: Engine): Promise<void> {
  const sessions = new Map<number, EngineSession>();
  receiveFrames(socket, (frame) => {
    const call = frame as EngineCall;
    answer(engine, sessions, call).then(
      (result) => sendFrame(socket, { id: call.id, result }),
      (error: unknown) => sendFrame(socket, { id: call.id, failure: toEngineFailure(error) }),
    );
  });
  socket.on("error", () => socket.destroy());
  await once(socket, "close");
  for (const session of sessions.values()) await rollBack(session);
}

async function answer(
  engine: Engine,
  sessions: Map<number, EngineSession>,
  call: EngineCall,
): Promise<EngineResult | undefined> {
  if (call.kind === "script") return await engine.script(call.sql);
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
const headBytes = 4;

interface SocketAddress extends AsyncDisposable {
  readonly path: string;
}

/**
 * Sends a value. Values such as dates, bytes and big integers keep their types. Both ends are processes of the same
 * user.
 */
function sendFrame(stream: Duplex, value: EngineCall | EngineResponse): void {
  const body = serialize(value);
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(body.length);
  stream.write(Buffer.concat([head, body]));
}

/** Calls `onFrame` with each value that the other end sent with `sendFrame`. */
function receiveFrames(stream: Duplex, onFrame: (frame: unknown) => void): void {
  let parts: Buffer[] = [];
  let length = 0;
  // The number of bytes to wait for, so that chunks are joined only when enough of them have arrived.
  let neededBytes = headBytes;
  stream.on("data", (chunk: Buffer) => {
    parts.push(chunk);
    length += chunk.length;
    while (length >= neededBytes) {
      const received = Buffer.concat(parts);
      parts = [received];
      neededBytes = received.readUInt32BE() + headBytes;
      if (neededBytes > maxFrameBytes) {
        const message = "A message to the embedded database is too long.";
        stream.destroy(new OctavoError("internal", message));
      }
      if (length < neededBytes) return;
      const frame = received.subarray(headBytes, neededBytes);
      parts = [received.subarray(neededBytes)];
      length -= neededBytes;
      neededBytes = headBytes;
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
