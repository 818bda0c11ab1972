import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { OctavoError } from "@octavo/site/core";
import { EngineError } from "./engine.ts";
import type { Engine, EngineSession } from "./engine.ts";
import { openSocketAddress, receiveFrames, sendFrame } from "./engine-frames.ts";
import type { EngineAnswer, EngineCall } from "./engine-frames.ts";
import type { EngineResult } from "./protocol.ts";

/** Opens the embedded database of a running service from another process; undefined if no service shares it. */
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
    const answer = frame as EngineAnswer;
    const call = pending.get(answer.id);
    pending.delete(answer.id);
    if ("failure" in answer) call?.reject(new EngineError(answer.failure));
    else call?.resolve(answer.result);
  });
  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    closed = new OctavoError("unavailable", "The service that holds the database has ended.");
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
