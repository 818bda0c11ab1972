import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { openApi } from "../../../../test/support/running-api.ts";
import type { RunningApi } from "../../../../test/support/running-api.ts";

let api: RunningApi;
before(async () => {
  api = await openApi();
});
after(() => api[Symbol.asyncDispose]());

/** Everything that comes back for these bytes until the service closes the connection. */
async function send(bytes: string): Promise<string> {
  const socket = connect(Number(new URL(api.url).port), "127.0.0.1");
  socket.setEncoding("utf8");
  socket.write(bytes, "latin1");
  let text = "";
  for await (const part of socket) text += part;
  return text;
}

const host = "Host: a.example\r\n";
const close = "Connection: close\r\n\r\n";

describe("what comes over the wire", () => {
  const cases: [name: string, bytes: string, status: number][] = [
    ["a request line that is none", "GARBAGE\r\n\r\n", 400],
    ["bytes that are no text", "\x16\x03\x01\x02\x00\x01\x00\x01\r\n\r\n", 400],
    ["an unknown method", `BREW /v1 HTTP/1.1\r\n${host}\r\n`, 400],
    ["an unknown version", `GET / HTTP/9.9\r\n${host}\r\n`, 400],
    [
      "headers that are too large",
      `GET / HTTP/1.1\r\n${host}X: ${"x".repeat(20_000)}\r\n\r\n`,
      431,
    ],
    ["a header without a name", `GET / HTTP/1.1\r\n${host}: x\r\n\r\n`, 400],
    [
      "two lengths",
      `POST / HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx`,
      400,
    ],
    [
      "a length and chunks",
      `POST / HTTP/1.1\r\n${host}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [
      "an invalid percent-encoding",
      `GET /v1/static-export/jobs/%zz HTTP/1.1\r\n${host}${close}`,
      400,
    ],
    [
      "an escape that is no UTF-8",
      `GET /v1/static-export/jobs/%ff HTTP/1.1\r\n${host}${close}`,
      400,
    ],
    ["no host", `GET /nowhere HTTP/1.1\r\n${close}`, 400],
    [
      "another expectation",
      `POST / HTTP/1.1\r\n${host}Expect: x\r\nContent-Length: 0\r\n${close}`,
      417,
    ],
    ["a proxy's request", `CONNECT a.example:443 HTTP/1.1\r\n${host}\r\n`, 400],
    ["two hosts", `GET /healthz HTTP/1.1\r\n${host}host: b.example\r\n${close}`, 400],
    ["an address for a path", `GET http://a.example/x HTTP/1.1\r\n${host}${close}`, 404],
    [
      "an upgrade",
      `GET /x HTTP/1.1\r\n${host}Upgrade: websocket\r\nConnection: upgrade, close\r\n\r\n`,
      404,
    ],
  ];
  for (const [name, bytes, status] of cases) {
    test(`${name} gets ${status} and the standard error body`, async () => {
      const answer = await send(bytes);
      const [head = "", body = ""] = answer.split("\r\n\r\n");
      assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `), answer);
      assert.match(head, /^x-request-id: [0-9a-f-]{36}$/im);
      assert.match(head, /^content-type: application\/json/im);
      const { error, ...rest } = JSON.parse(body) as { error: string };
      assert.match(error, /\.$/);
      assert.deepEqual(rest, {});
    });
  }

  test("a body that breaks off affects no other request", async () => {
    const { key } = await api.openOrganization();
    const start = `POST /v2/keys HTTP/1.1\r\n${host}Authorization: Bearer ${key}\r\n`;
    const broken = `${start}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`;
    assert.match(await send(broken), /^HTTP\/1\.1 400 .*{"error":"[^"]+"}$/s);
    assert.equal((await fetch(`${api.url}/healthz`)).status, 200);
  });

  test("the sender of a refused body gets the response even if it keeps sending", async () => {
    const { key } = await api.openOrganization();
    const start = `POST /v2/keys HTTP/1.1\r\n${host}Authorization: Bearer ${key}\r\n`;
    const chunk = `100000\r\n${" ".repeat(0x100000)}\r\n`;
    const body = `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(8)}0\r\n\r\n`;
    const answers = await send(`${start}${body}GET /healthz HTTP/1.1\r\n${host}${close}`);
    const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    assert.deepEqual(statuses, ["413", "200"]);
  });

  test("no link contains a request's Host", async () => {
    const { key, addProject, client } = await api.openOrganization();
    const { domain } = await addProject();
    const path = "/v1/static-export/jobs";
    const { body } = await client.call<{ jobId: string }>("POST", path, { body: { domain } });
    await client.waitForExport(body.jobId);
    const authorization = `Authorization: Bearer ${key}\r\n`;
    const forwarded = "X-Forwarded-Host: evil.example\r\nForwarded: host=evil.example\r\n";
    const answer = await send(
      `POST ${path}/${body.jobId}/bundle HTTP/1.1\r\nHost: evil.example\r\n${authorization}${forwarded}${close}`,
    );
    assert.match(answer, /^HTTP\/1\.1 200 /);
    assert.ok(answer.includes(`"bundleUrl":"${api.url}/bundles/`));
    assert.equal(answer.includes("evil"), false);
  });
});
