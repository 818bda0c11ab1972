import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createPlainServer } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { patienceMs } from "../../../../test/support/patience.ts";
import { fails } from "../../../../test/support/fails.ts";
import { parseAllowList } from "../core/index.ts";
import { createGuardedFetch } from "./index.ts";
import type { GuardedFetchOptions } from "./index.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function listen(t: TestContext, server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function open(options: Partial<GuardedFetchOptions> = {}) {
  const allow = parseAllowList("127.0.0.1,slow.example");
  return createGuardedFetch({ allow, maxResponseBytes: 10_000, ...options });
}

const never = () => new Promise<never>(() => undefined);
const isUnknown = () => Promise.reject(Object.assign(new Error("hunter2"), { code: "ENOTFOUND" }));

async function setUp(t: TestContext, handler: Handler) {
  const server = createServer(handler);
  const url = await listen(t, server);
  t.after(() => server.closeAllConnections());
  return { url };
}

describe("a compressed response", () => {
  const page = Buffer.from("A page. ".repeat(1_000));
  const bomb = Buffer.alloc(5_000_000);
  const answers: Record<string, [encoding: string, body: Buffer]> = {
    "/gzip": ["gzip", gzipSync(page)],
    "/x-gzip": ["X-GZIP", gzipSync(page)],
    "/br": ["br", brotliCompressSync(page)],
    "/plain": ["identity", page],
    "/gzip-bomb": ["gzip", gzipSync(bomb)],
    "/br-bomb": ["br", brotliCompressSync(bomb)],
    "/cut": ["gzip", gzipSync(page).subarray(0, 30)],
    "/wrong": ["gzip", page],
    "/twice": ["gzip, gzip", gzipSync(gzipSync(page))],
    "/unknown": ["hunter", page],
  };
  const handler: Handler = (request, response) => {
    const [encoding = "", body] = answers[request.url ?? ""] ?? [];
    response.writeHead(200, { "content-encoding": encoding }).end(body);
  };

  it("is decompressed", async (t) => {
    const { url } = await setUp(t, handler);
    for (const path of ["/gzip", "/x-gzip", "/br", "/plain"]) {
      const response = await open()(url + path);
      assert.equal(await response.text(), page.toString(), path);
    }
  });

  it("does not grow beyond the limit, and is refused if it cannot be decompressed", async (t) => {
    const { url } = await setUp(t, handler);
    for (const path of ["/gzip-bomb", "/br-bomb"]) {
      await assert.rejects(open()(url + path), fails("too_large", /10,000 bytes/), path);
    }
    for (const path of ["/cut", "/wrong"]) {
      await assert.rejects(open()(url + path), fails("unavailable", /failed \(Z_/), path);
    }
    for (const path of ["/twice", "/unknown"]) {
      await assert.rejects(open()(url + path), fails("unavailable", /not requested/), path);
    }
  });

  it("is not requested for a stream, whatever the caller says", async (t) => {
    const { url } = await setUp(t, (request, response) => {
      response.end(request.headers["accept-encoding"]);
    });
    const headers = { "Accept-Encoding": "zstd" };
    const streamed = await open({ bodyMode: "streamed" })(url, { headers });
    assert.equal(await streamed.text(), "identity");
    assert.equal(await (await open()(url, { headers })).text(), "gzip, br");
  });
});

describe("a streamed response", () => {
  it("is passed on as it arrives, and ended when the reader stops", async (t) => {
    let closed: Promise<unknown> | undefined;
    const { url } = await setUp(t, (_, response) => {
      closed = once(response, "close");
      response.write("one");
    });
    const response = await open({ bodyMode: "streamed" })(url);
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    assert.equal(Buffer.from(value ?? []).toString(), "one");
    await reader?.cancel();
    await closed;
  });

  it("ends with an OctavoError when it is too large, stalls or loses its connection", async (t) => {
    const { url } = await setUp(t, (request, response) => {
      if (request.url === "/large") response.end("a".repeat(10_001));
      else response.write("a", () => request.url === "/cut" && response.destroy());
    });
    const cases = [
      ["/large", "too_large", /10,000 bytes/, patienceMs],
      ["/silent", "unavailable", /sent nothing for 3 seconds\./, 3_000],
      ["/cut", "unavailable", /failed \(ECONNRESET\)/, patienceMs],
    ] as const;
    for (const [path, code, words, idleTimeoutMs] of cases) {
      const response = await open({ bodyMode: "streamed", idleTimeoutMs })(url + path);
      await assert.rejects(response.text(), fails(code, words), path);
    }
  });

  it("does not time out while nobody reads it", async (t) => {
    const { url } = await setUp(t, (_, response) => void response.end("a"));
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const response = await open({ bodyMode: "streamed", idleTimeoutMs: 1_000 })(url);
    t.mock.timers.tick(60_000);
    assert.equal(await response.text(), "a");
  });
});

describe("a server", () => {
  it("that does not accept a connection in time is given up", async () => {
    const asking = open({ resolve: never, connectTimeoutMs: 50 })("http://slow.example/hunter2");
    await assert.rejects(
      asking,
      fails("unavailable", /connection to slow\.example was not established within/),
    );
  });

  it("that sends no head in time is given up", async (t) => {
    const { url } = await setUp(t, () => undefined);
    const asking = open({ idleTimeoutMs: 50 })(`${url}/hunter2`);
    await assert.rejects(asking, fails("unavailable", /sent nothing for/));
  });

  it("that does not speak HTTP is an error, which does not repeat its bytes", async (t) => {
    const lines = [
      "SSH-2.0-hunter2\r\n",
      "HTTP/1.1 999 hunter2\r\n\r\n",
      `HTTP/1.1 200 OK\r\nx: ${"hunter2".repeat(10_000)}\r\n\r\n`,
      "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\nhunter2",
    ];
    for (const line of lines) {
      const url = await listen(
        t,
        createPlainServer((socket) => void socket.on("error", () => undefined).end(line)),
      );
      await assert.rejects(open()(url), fails("unavailable"), line.slice(0, 20));
    }
  });

  it("gets no user name, and no error contains a whole address", async (t) => {
    const { url } = await setUp(t, (_, response) => void response.destroy());
    const { host } = new URL(url);
    const withUser = [`http://hunter2@${host}/`, `http://ada:hunter2@${host}/`];
    for (const place of withUser) {
      await assert.rejects(open()(place), fails("invalid_input", /user name or password/));
    }
    const asking = open()(`${url}/hunter2?token=hunter2`);
    await assert.rejects(
      asking,
      fails("unavailable", /^The connection to 127\.0\.0\.1:\d+ failed/),
    );
    await assert.rejects(
      open({ resolve: isUnknown })("https://nowhere.example/hunter2"),
      fails("unavailable", /nowhere\.example cannot be reached/),
    );
  });

  it("is given up with the caller's reason", async (t) => {
    const { url } = await setUp(t, () => undefined);
    const reason = new Error("enough");
    const aborted = AbortSignal.abort(reason);
    await assert.rejects(open()(url, { signal: aborted }), reason);
    await assert.rejects(open()(url, { signal: AbortSignal.abort() }), fails("cancelled"));
  });
});
