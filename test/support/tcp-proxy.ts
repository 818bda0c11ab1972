import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** A way to a server on 127.0.0.1 that can fail. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** Breaks all connections. */
  cut(): void;
  /** Breaks all connections, and new ones at once, until it is set back. */
  setClosed(isClosed: boolean): void;
  /** Resolves with the next new connection, before anything is passed on for it. */
  untilConnected(): Promise<void>;
  /** How long what is sent is held up, in either direction. */
  setDelay(milliseconds: number): void;
}

export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const open = new Set<Socket>();
  let isClosed = false;
  let delayMs = 0;
  const cut = () => {
    for (const socket of open) socket.resetAndDestroy();
  };
  const server = createServer((from) => {
    from.on("error", () => undefined);
    if (isClosed) {
      from.resetAndDestroy();
      return;
    }
    const to = connect(target, "127.0.0.1");
    for (const [socket, other] of [
      [from, to],
      [to, from],
    ] as const) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
      void passOn(socket, other).catch(() => other.destroy());
    }
  });
  async function passOn(from: Socket, to: Socket): Promise<void> {
    for await (const chunk of from) {
      if (delayMs > 0) await wait(delayMs);
      if (!to.write(chunk as Buffer)) await once(to, "drain");
    }
    to.end();
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    untilConnected: async () => void (await once(server, "connection")),
    port: (server.address() as AddressInfo).port,
    cut,
    setClosed(closed) {
      isClosed = closed;
      if (closed) cut();
    },
    setDelay: (milliseconds) => void (delayMs = milliseconds),
    async [Symbol.asyncDispose]() {
      server.close();
      cut();
      await once(server, "close");
    },
  };
}
