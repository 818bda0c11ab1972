import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { it } from "node:test";
import type { TestContext } from "node:test";
import { isOctavoError } from "@octavo/site/core";
import { allRemoteHosts, parseAllowList, parseRemoteHosts } from "../core/index.ts";
import { createRemoteFetch } from "./remote-fetch.ts";

async function serve(
  t: TestContext,
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(handler);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it("fetches a file through redirects, and nothing but the file", async (t) => {
  const far = await serve(t, (_, response) => {
    response.setHeader("content-type", "image/png; charset=x");
    response.end("far");
  });
  const near = await serve(t, (request, response) => {
    if (request.url === "/away") response.writeHead(302, { location: `http://${far}/` }).end();
    else if (request.url === "/private")
      response.writeHead(301, { location: "https://10.0.0.1/" }).end();
    else if (request.url === "/none") response.writeHead(404).end("gone");
    else if (request.url === "/large") response.end("x".repeat(101));
    else response.writeHead(200).end("near");
  });
  const fetchRemote = createRemoteFetch({
    hosts: allRemoteHosts,
    allow: parseAllowList(`${near},${far}`),
  });
  const read = async (path: string) => {
    const { bytes, mediaType } = await fetchRemote(`http://${near}${path}`, { maxBytes: 100 });
    return [Buffer.from(bytes).toString(), mediaType];
  };
  assert.deepEqual(await read("/"), ["near", undefined]);
  assert.deepEqual(await read("/away"), ["far", "image/png"]);
  const refused = [
    ["/none", "unavailable", /responded with 404/],
    ["/large", "too_large", /100 bytes/],
    ["/private", "forbidden", /OCTAVO_ALLOW/],
  ] as const;
  for (const [path, code, words] of refused) {
    await assert.rejects(read(path), (error: unknown) => {
      assert.ok(isOctavoError(error, code), `${path}: ${String(error)}`);
      assert.match(error.message, words);
      return true;
    });
  }
});

it("reaches no private address that the operator did not allow", async (t) => {
  const near = await serve(t, (_, response) => void response.end("near"));
  const fetchRemote = createRemoteFetch({ hosts: allRemoteHosts, allow: parseAllowList("") });
  await assert.rejects(fetchRemote(`http://${near}/`, { maxBytes: 100 }), (error: unknown) =>
    isOctavoError(error, "forbidden"),
  );
});

it("asks no host that the operator did not name, redirected or not", async (t) => {
  const near = await serve(t, (_, response) => {
    response.writeHead(302, { location: "https://other.example/" }).end();
  });
  const fetchRemote = createRemoteFetch({
    hosts: parseRemoteHosts("cdn.example"),
    allow: parseAllowList(near),
  });
  for (const url of ["https://other.example/a.png", `http://${near}/`]) {
    await assert.rejects(fetchRemote(url, { maxBytes: 100 }), (error: unknown) => {
      assert.ok(isOctavoError(error, "forbidden"), String(error));
      assert.match(error.message, /^other\.example .*OCTAVO_REMOTE_HOSTS=other\.example\.$/);
      return true;
    });
  }
});
