import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { Readable } from "node:stream";
import { describe, it } from "node:test";
import { setImmediate as yieldToEvents, setTimeout as sleep } from "node:timers/promises";
import { patienceMs } from "../../../../test/support/patience.ts";
import { openApi } from "../../../../test/support/running-api.ts";
import { trackConnections } from "./server.ts";
import { defaultTimeLimits } from "./request-clock.ts";

const stopTimeoutMs = 500;
const head = "GET /healthz HTTP/1.1\r\nHost: a.example\r\n";

/** A connection that takes a reset for an end like any other. */
async function open(port: number): Promise<{ socket: Socket; ended: Promise<unknown> }> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  const ended = new Promise((resolve) => socket.once("close", resolve));
  await once(socket, "connect");
  return { socket, ended };
}

describe("a service that stops", { timeout: patienceMs }, () => {
  const connections = {
    "on which nothing was sent": "",
    "with half of a request's headers": head,
    "that is kept open after a response": `${head}\r\n`,
  };
  for (const [name, bytes] of Object.entries(connections)) {
    it(`is not held up by a connection ${name}`, async () => {
      await using api = await openApi({
        requestTimeLimits: { ...defaultTimeLimits, stopTimeoutMs },
      });
      const { socket, ended } = await open(Number(new URL(api.url).port));
      socket.write(bytes);
      if (bytes.endsWith("\r\n\r\n")) await once(socket, "data");
      socket.resume();
      // The service has the bytes before this request.
      await fetch(`${api.url}/healthz`);
      await api.app.close();
      await ended;
    });
  }
});

it(
  "a server that stops before it listens leaves nothing running",
  { timeout: patienceMs },
  async () => {
    const drainConnections = trackConnections(createServer(), stopTimeoutMs);
    drainConnections();
    while (process.getActiveResourcesInfo().includes("Timeout")) await yieldToEvents();
  },
);

/** It stops while a client has yet to read the response. */
async function stopBeside(respond: RequestListener) {
  const server = createServer(respond);
  const drainConnections = trackConnections(server, stopTimeoutMs);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { socket, ended } = await open((server.address() as AddressInfo).port);
  socket.pause().write(`${head}\r\n`);
  await once(server, "request");
  const closed = once(server, "close");
  server.close();
  drainConnections();
  return { socket, ended, closed };
}

describe("a server that stops", { timeout: patienceMs }, () => {
  /** More than the system takes for a client that does not read. */
  const bytes = 32 * 1024 ** 2;
  const chunk = Buffer.alloc(64 * 1024);

  const inChunks: RequestListener = (_request, response) => {
    Readable.from(Array.from({ length: bytes / chunk.length }, () => chunk)).pipe(response);
  };
  const inOnePiece: RequestListener = (_request, response) => response.end(Buffer.alloc(bytes));

  it("is not held up by a client that does not read on", async () => {
    const { socket, ended, closed } = await stopBeside(inChunks);
    await closed;
    socket.resume();
    await ended;
    assert.ok(socket.bytesRead < bytes);
  });

  it("completes a response that is read slowly", async () => {
    const { socket, ended, closed } = await stopBeside(inChunks);
    while (socket.bytesRead < bytes) {
      await sleep(stopTimeoutMs / 100);
      socket.resume();
      await once(socket, "data");
      socket.pause();
    }
    socket.resume();
    await Promise.all([ended, closed]);
    assert.ok(socket.bytesRead > bytes);
  });

  it("completes a response that the handler has ended", async () => {
    const { socket, ended, closed } = await stopBeside(inOnePiece);
    socket.resume();
    await Promise.all([ended, closed]);
    assert.ok(socket.bytesRead > bytes);
  });
});
