import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { fails } from "../../../../test/support/fails.ts";
import { parseAllowList } from "../core/index.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function setUp(t: TestContext, handler: Handler) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    handler(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const open = (allow = `127.0.0.1:${port}`, timeoutMs = 10_000) =>
    createGuardedFetch({ allow: parseAllowList(allow), timeoutMs, maxResponseBytes: 10_000 });
  return { asked, port, open, url: `http://127.0.0.1:${port}` };
}

describe("the guarded fetch", () => {
  it("sends the request, and returns the response", async (t) => {
    const { open, url } = await setUp(t, (request, response) => {
      void text(request).then((body) => {
        const seen = { method: request.method, a: request.headers["x-a"], body };
        response.writeHead(201, { "content-type": "application/json", "x-b": ["1", "2"] });
        return response.end(JSON.stringify(seen));
      });
    });
    const init = { method: "PATCH", headers: { "x-a": "1" }, body: "ü" };
    const response = await open()(`${url}/a?b`, init);
    assert.equal(response.status, 201);
    assert.equal(response.headers.get("x-b"), "1, 2");
    assert.deepEqual(await response.json(), { method: "PATCH", a: "1", body: "ü" });
  });

  it("returns responses without a body", async (t) => {
    const { open, url } = await setUp(t, (request, response) => {
      response.writeHead(Number(request.url?.slice(1))).end();
    });
    for (const status of [204, 304, 404, 500]) {
      assert.equal((await open()(`${url}/${status}`)).status, status);
    }
  });

  it("reaches no private or local address that is not allowed, under any name", async (t) => {
    const { open, port, asked } = await setUp(t, (_, response) => void response.end());
    const places = [
      `http://127.0.0.1:${port}/`,
      `https://127.0.0.1:${port}/`,
      `https://localhost:${port}/`,
      `https://0x7f000001:${port}/`,
      `https://[::1]:${port}/`,
      `https://[::ffff:127.0.0.1]:${port}/`,
      "https://169.254.169.254/latest/meta-data",
      "https://10.0.0.1/",
      "http://example.com/",
    ];
    for (const place of places) {
      for (const allow of ["", "127.0.0.1:1", "localhost:1"]) {
        await assert.rejects(open(allow)(place), fails("forbidden", /OCTAVO_ALLOW/), place);
      }
    }
    for (const place of ["file:///etc/passwd", "ftp://a/", "data:,a", "", "a b"]) {
      await assert.rejects(open()(place), fails("invalid_input", /http and https/), place);
    }
    assert.deepEqual(asked, []);
  });

  it("reaches an address by an allowed name or network", async (t) => {
    const { open, port } = await setUp(t, (_, response) => void response.end("ok"));
    const named = await open(`localhost:${port}`)(`http://localhost:${port}/`);
    assert.equal(await named.text(), "ok");
    const within = await open("127.0.0.0/8")(`http://127.0.0.1:${port}/`);
    assert.equal(await within.text(), "ok");
  });

  const redirects: [from: string, method: string, asked: string[], status: number][] = [
    ["/301", "GET", ["GET /301", "GET /end"], 200],
    ["/307", "POST", ["POST /307", "POST /end"], 200],
    ["/302", "POST", ["POST /302"], 302],
    ["/elsewhere", "GET", ["GET /elsewhere"], 301],
    ["/again", "GET", ["GET /again", "GET /again", "GET /again", "GET /again"], 301],
  ];
  for (const [from, method, expected, status] of redirects) {
    it(`follows within the origin only: ${method} ${from}`, async (t) => {
      const { open, url, asked } = await setUp(t, (request, response) => {
        const path = request.url ?? "";
        const code = Number.parseInt(path.slice(1), 10) || 301;
        if (path === "/end") {
          response.end("end");
          return;
        }
        const location =
          { "/elsewhere": "https://example.com/", "/again": "/again" }[path] ?? "/end";
        response.writeHead(code, { location }).end();
      });
      const response = await open()(url + from, { method, headers: { authorization: "token" } });
      assert.equal(response.status, status);
      assert.deepEqual(asked, expected);
    });
  }

  it("follows no redirect where none is wanted", async (t) => {
    const { port, url, asked } = await setUp(t, (_, response) => {
      response.writeHead(307, { location: "/end" }).end();
    });
    const allow = parseAllowList(`127.0.0.1:${port}`);
    const limits = { timeoutMs: 10_000, maxResponseBytes: 10_000, maxRedirects: 0 };
    const response = await createGuardedFetch({ allow, ...limits })(url, { method: "POST" });
    assert.equal(response.status, 307);
    assert.deepEqual(asked, ["POST /"]);
  });

  it("returns the head of a response whose body is not read, however long that is", async (t) => {
    const { port, url } = await setUp(t, (request, response) => {
      response.writeHead(202, { "x-b": "1" });
      if (request.url === "/large") response.end("a".repeat(1_000_000));
      if (request.url === "/endless") response.write("a");
      if (request.url === "/cut") response.write("a", () => response.destroy());
      if (request.url === "/small") response.end("a");
    });
    const allow = parseAllowList(`127.0.0.1:${port}`);
    const limits = { maxResponseBytes: 1_000, bodyMode: "none" } as const;
    const ask = createGuardedFetch({ allow, timeoutMs: 10_000, ...limits });
    const askBriefly = createGuardedFetch({ allow, timeoutMs: 5_000, ...limits });
    for (const path of ["/large", "/cut", "/small", "/endless"]) {
      const response = await (path === "/endless" ? askBriefly : ask)(url + path);
      assert.deepEqual([response.status, response.headers.get("x-b")], [202, "1"], path);
      assert.equal(await response.text(), "");
    }
    await assert.rejects(ask(`http://127.0.0.1:1/`), fails("forbidden", /OCTAVO_ALLOW/));
  });

  it("reads no more than its limit, and waits no longer", async (t) => {
    const { open, url } = await setUp(t, (request, response) => {
      if (request.url === "/large") response.end("a".repeat(10_001));
      if (request.url === "/slow") response.write("a");
      if (request.url === "/cut") {
        response.writeHead(200, { "content-length": "10" }).write("a");
        setImmediate(() => response.destroy());
      }
    });
    await assert.rejects(open()(`${url}/large`), fails("too_large", /10,000 bytes/));
    await assert.rejects(open()(`${url}/cut`), fails("unavailable", /connection .* failed/));
    for (const path of ["/slow", "/silent"]) {
      const late = open(undefined, 50)(url + path);
      await assert.rejects(late, fails("unavailable", /in time/), path);
    }
    const controller = new AbortController();
    const asking = open()(`${url}/silent`, { signal: controller.signal });
    controller.abort();
    await assert.rejects(asking, fails("cancelled", /Cancelled/));
    const { port } = new URL(url);
    await assert.rejects(
      open("127.0.0.1")(`http://127.0.0.1:${Number(port) === 1 ? 2 : 1}/`),
      fails("unavailable", /connection .* failed \(ECONNREFUSED\)/),
    );
  });
});
