import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { openApi } from "../../../../test/support/running-api.ts";
import type { RunningApi } from "../../../../test/support/running-api.ts";
import { defaultTimeLimits } from "./request-clock.ts";

const maxConnectionsPerAddress = 20;

let api: RunningApi;
before(async () => {
  api = await openApi({
    connections: { maxConnections: 100, maxConnectionsPerAddress },
  });
});
after(() => api[Symbol.asyncDispose]());

async function open({ url } = api): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  // One that is refused is reset.
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

const isServed = () =>
  fetch(`${api.url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );

/** Resolves when the service has closed it. */
async function closed(socket: Socket): Promise<void> {
  socket.resume();
  if (!socket.closed) await once(socket, "close");
}

const request = "GET /healthz HTTP/1.1\r\nHost: a.example\r\n";

describe("connections that hold others up", () => {
  it("are closed when no request, or half of one, comes over them", async () => {
    await using strict = await openApi({
      requestTimeLimits: { ...defaultTimeLimits, headersTimeoutMs: 1_000 },
    });
    for (const bytes of ["", request]) {
      const socket = await open(strict);
      socket.write(bytes);
      await closed(socket);
    }
  });

  it("are closed at once beyond the limit of an address, and others are served", async () => {
    const sockets = await Promise.all(
      Array.from({ length: maxConnectionsPerAddress }, () => open()),
    );
    for (const socket of sockets) socket.write(request);
    await closed(await open());
    const [one, ...others] = sockets;
    assert.ok(one);
    one.write("\r\n");
    const [answer] = (await once(one, "data")) as [Buffer];
    assert.match(answer.toString(), /^HTTP\/1\.1 200/);
    for (const socket of others) socket.destroy();
    await Promise.all(others.map(closed));
    one.destroy();
    // The service hears of the ends a little later.
    while (!(await isServed()));
  });
});
