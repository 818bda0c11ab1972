import assert from "node:assert/strict";
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { isOctavoError } from "@octavo/site/core";
import { parseAllowList } from "../core/index.ts";
import { createProviderFetch } from "./open-model.ts";

/** Creates a guarded `fetch` for the folder `/v1/` of a separate server. */
async function withFetch(
  answer: RequestListener,
  check: (fetch: typeof globalThis.fetch, url: string) => Promise<void>,
): Promise<void> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const fetch = createProviderFetch({
    baseUrl: `${url}/v1/`,
    label: "The server",
    urlVariable: "SOME_URL",
    allow: parseAllowList("127.0.0.1,localhost"),
    idleTimeoutMs: 10_000,
    maxResponseBytes: 100,
  });
  try {
    await check(fetch, url);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function repeatRequest(request: IncomingMessage, response: ServerResponse): void {
  const { "x-api-key": key, "accept-encoding": encoding } = request.headers;
  request.on("data", (body: Buffer) => {
    response.writeHead(429, { "retry-after": "3" });
    response.end([request.method, key, encoding, body].join(" "));
  });
}

/** Sends as many bytes as the last segment of the path specifies, in two pieces. */
function sendBytes(request: IncomingMessage, response: ServerResponse): void {
  response.write("x".repeat(60));
  setImmediate(() => response.end("x".repeat(Number(request.url?.slice("/v1/".length)) - 60)));
}

function beginOnly(_request: IncomingMessage, response: ServerResponse): void {
  response.write("begin");
}

test("asks below the base address and nowhere else", async () => {
  const asked: string[] = [];
  const answer: RequestListener = (request, response) => {
    asked.push(request.url ?? "");
    response.end("{}");
  };
  await withFetch(answer, async (fetch, url) => {
    const { port } = new URL(url);
    const others = [
      `${url}/v2/messages`,
      `${url}/v1evil`,
      `${url}/v1/../admin`,
      `${url}/v1/%2e%2e/admin`,
      `http://localhost:${port}/v1/messages`,
      `https://127.0.0.1:${port}/v1/messages`,
      "http://169.254.169.254/v1/messages",
    ];
    for (const other of others) {
      await assert.rejects(fetch(other), (error) => isOctavoError(error, "internal"), other);
    }
    assert.deepEqual(asked, []);
    const response = await fetch(`${url}/v1/messages?a=1`);
    assert.equal(await response.text(), "{}");
    assert.deepEqual(asked, ["/v1/messages?a=1"]);
  });
});

test("sends method, headers and text, and asks for no compression", async () => {
  await withFetch(repeatRequest, async (fetch, url) => {
    const response = await fetch(`${url}/v1/x`, {
      method: "POST",
      headers: { "X-Api-Key": "k", "Accept-Encoding": "gzip" },
      body: "text",
    });
    assert.deepEqual([response.status, response.headers.get("retry-after")], [429, "3"]);
    assert.equal(await response.text(), "POST k identity text");
  });
});

test("reads a response of the maximum size, and not one byte more", async () => {
  await withFetch(sendBytes, async (fetch, url) => {
    assert.equal((await (await fetch(`${url}/v1/100`)).text()).length, 100);
    const response = await fetch(`${url}/v1/101`);
    await assert.rejects(response.text(), (error) => isOctavoError(error, "too_large"));
  });
});

test("rejects with the reason of its signal, before and while it reads", async () => {
  await withFetch(beginOnly, async (fetch, url) => {
    const reason = new Error("enough");
    const aborted = fetch(`${url}/v1/x`, { signal: AbortSignal.abort(reason) });
    await assert.rejects(aborted, reason);
    const abort = new AbortController();
    const response = await fetch(`${url}/v1/x`, { signal: abort.signal });
    const text = response.text();
    abort.abort(reason);
    await assert.rejects(text, reason);
  });
});
