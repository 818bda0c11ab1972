import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { fails } from "../../../../test/support/fails.ts";
import { createClient } from "./client.ts";

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** Starts a service that gives these answers, in turn, and records its requests. */
async function serve(t: TestContext, ...answers: readonly Answer[]) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answers[requests.length - 1]?.(response, request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { requests, client: createClient({ url, key: "k", signal: t.signal }), url };
}

const json = (status: number, body: unknown, headers = {}): Answer => {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
};

test("a call that creates something is repeated with the same idempotency key", async (t) => {
  const { client, requests } = await serve(
    t,
    json(503, { error: "Not now." }, { "retry-after": "0" }),
    (response) => response.destroy(),
    json(201, { id: "1" }),
  );
  assert.deepEqual(await client.call("POST", "/v2/things", { name: "x" }), { id: "1" });
  const keys = requests.map(({ headers }) => headers["idempotency-key"]);
  assert.equal(new Set(keys).size, 1);
  assert.match(keys[0] as string, /^[0-9a-f-]{36}$/);
  assert.equal(requests[0]?.headers.authorization, "Bearer k");
});

test("a refusal is told in the service's words, and not repeated", async (t) => {
  const { client, requests } = await serve(t, json(409, { error: "It has ended." }));
  await assert.rejects(client.call("POST", "/x"), fails("conflict", /^It has ended\.$/));
  assert.equal(requests.length, 1);
});

test("what is no JSON is told with its address and status", async (t) => {
  const { client, url } = await serve(t, (response) => response.writeHead(404).end("<html>"));
  await assert.rejects(
    client.call("GET", "/x"),
    fails("not_found", new RegExp(`${url}/x responded with 404`)),
  );
});

function stream(events: string, end: (response: ServerResponse) => void): Answer {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(events, () => end(response));
  };
}

test("a stream goes on after a lost connection where it was", async (t) => {
  const { client, requests } = await serve(
    t,
    stream("id: 7\nevent: step\ndata: 1\n\n", (response) => response.destroy()),
    stream(": still here\n\nid: 8\nevent: job\ndata: 2\n\n", (response) => response.end()),
  );
  const events = await Array.fromAsync(client.events("/events"));
  assert.deepEqual(events, [
    { type: "step", data: 1 },
    { type: "job", data: 2 },
  ]);
  assert.deepEqual(
    requests.map(({ headers }) => headers["last-event-id"]),
    [undefined, "7"],
  );
});
