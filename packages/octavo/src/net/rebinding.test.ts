import assert from "node:assert/strict";
import type { LookupAddress } from "node:dns";
import { once } from "node:events";
import { createServer } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isIP } from "node:net";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { fails } from "../../../../test/support/fails.ts";
import { makeCertificate } from "../../../../test/support/certificate.ts";
import { parseAllowList } from "../core/index.ts";
import { createGuardedFetch } from "./index.ts";
import type { GuardedFetchOptions } from "./index.ts";

const names = ["docs.example", "other.example", "metadata.google.internal"];
const { key, certificate } = makeCertificate(names);
setDefaultCACertificates([...getCACertificates(), certificate]);

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Starts a server at 127.0.0.1, whose address is allowed and whose names are not, and a name server that returns the
 * answers in `answers` for each name, in order. The last answer is repeated.
 */
async function setUp(
  t: TestContext,
  answers: Readonly<Record<string, readonly (readonly string[])[]>>,
  handler: Handler = (_, response) => void response.end("here"),
) {
  const seen = { connections: 0, requests: [] as string[], lookups: [] as string[] };
  const server = createServer({ key, cert: certificate }, (request, response) => {
    seen.requests.push(`${request.headers.host?.split(":")[0]}${request.url}`);
    handler(request, response);
  });
  server.on("connection", () => void seen.connections++);
  // Connections stay open for the duration of a test.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const resolve = (name: string): Promise<LookupAddress[]> => {
    const before = seen.lookups.filter((one) => one === name).length;
    seen.lookups.push(name);
    const found = answers[name]?.[before] ?? answers[name]?.at(-1) ?? [];
    return Promise.resolve(found.map((address) => ({ address, family: isIP(address) })));
  };
  const open = (options: Partial<GuardedFetchOptions> = {}) =>
    createGuardedFetch({
      allow: parseAllowList(`127.0.0.1:${port}`),
      timeoutMs: 10_000,
      maxResponseBytes: 10_000,
      resolve,
      ...options,
    });
  return { open, port, seen };
}

const here = ["127.0.0.1"];
const elsewhere = ["169.254.169.254"];

describe("a name whose addresses change", () => {
  it("is resolved once per connection, which goes to a checked address", async (t) => {
    const { open, port, seen } = await setUp(t, { "docs.example": [here, elsewhere] });
    const response = await open()(`https://docs.example:${port}/`);
    assert.equal(await response.text(), "here");
    assert.deepEqual(seen, {
      connections: 1,
      requests: ["docs.example/"],
      lookups: ["docs.example"],
    });
  });

  it("is refused at the next connection", async (t) => {
    const answers = { "docs.example": [here, elsewhere] };
    const { open, port, seen } = await setUp(t, answers, (_, response) => {
      response.writeHead(200, { connection: "close" }).end("here");
    });
    const ask = open();
    const url = `https://docs.example:${port}/`;
    assert.equal(await (await ask(url)).text(), "here");
    await assert.rejects(
      ask(url),
      fails("forbidden", /docs\.example .*OCTAVO_ALLOW=docs\.example/),
    );
    assert.equal(seen.connections, 1);
  });

  it("does not redirect a connection that is kept open", async (t) => {
    const answers = { "docs.example": [here, elsewhere], "other.example": [elsewhere] };
    const { open, port, seen } = await setUp(t, answers);
    const ask = open();
    for (const path of ["one", "two"]) {
      assert.equal(await (await ask(`https://docs.example:${port}/${path}`)).text(), "here");
    }
    await assert.rejects(ask(`https://other.example:${port}/`), fails("forbidden"));
    // A second client does not share the connection.
    await assert.rejects(open()(`https://docs.example:${port}/`), fails("forbidden"));
    assert.deepEqual(seen.requests, ["docs.example/one", "docs.example/two"]);
    assert.equal(seen.connections, 1);
  });

  it("is refused if any of its addresses is", async (t) => {
    const answers = { "docs.example": [[...here, ...elsewhere], [...elsewhere, ...here], []] };
    const { open, port, seen } = await setUp(t, answers);
    const url = `https://docs.example:${port}/`;
    await assert.rejects(open()(url), fails("forbidden"));
    await assert.rejects(open()(url), fails("forbidden"));
    await assert.rejects(open()(url), fails("unavailable", /host name is unknown/));
    assert.equal(seen.connections, 0);
  });

  const places =
    "10.0.0.1 127.0.0.1 ::1 :: 0.0.0.0 169.254.169.254 fd00:ec2::254 100.100.100.200 168.63.129.16 192.0.0.192 " +
    "::ffff:10.0.0.1 ::ffff:0:10.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 2002:a00:1::1 2001:0:a00:1::1 fe80::1%lo";
  it("is refused at every special address", async (t) => {
    const answers = { "metadata.google.internal": places.split(" ").map((place) => [place]) };
    const { open, seen } = await setUp(t, answers);
    for (const place of places.split(" ")) {
      const asking = open()("https://metadata.google.internal/computeMetadata/v1/?t=hunter2");
      await assert.rejects(
        asking,
        fails("forbidden", /OCTAVO_ALLOW=metadata\.google\.internal:443\.$/),
        place,
      );
    }
    assert.equal(seen.lookups.length, 17);
  });
});

describe("a redirect", () => {
  const forbidden: [location: string, code: "forbidden" | "invalid_input", words: RegExp][] = [
    ["https://other.example/hunter2", "forbidden", /OCTAVO_ALLOW=other\.example:443/],
    ["https://169.254.169.254/hunter2", "forbidden", /OCTAVO_ALLOW=169\.254\.169\.254:443/],
    ["https://[::ffff:7f00:1]/", "forbidden", /OCTAVO_ALLOW=\[::ffff:7f00:1\]:443/],
    ["https://0x7f.1/", "forbidden", /OCTAVO_ALLOW=127\.0\.0\.1:443/],
    ["https://localhost/", "forbidden", /OCTAVO_ALLOW=localhost:443/],
    ["http://docs.example/", "forbidden", /over http/],
    ["https://hunter2@docs.example/", "invalid_input", /user name or password/],
    ["file:///etc/hunter2", "invalid_input", /http and https/],
  ];
  for (const [location, code, words] of forbidden) {
    it(`to ${location} is checked like the first address`, async (t) => {
      const answers = { "docs.example": [here], "other.example": [elsewhere] };
      const { open, port, seen } = await setUp(t, answers, (_, response) => {
        response.writeHead(302, { location }).end();
      });
      const asking = open({ followsOtherOrigins: true })(`https://docs.example:${port}/`);
      await assert.rejects(asking, fails(code, words));
      assert.deepEqual(seen.requests, ["docs.example/"]);
    });
  }

  it("is checked again for the same name", async (t) => {
    const answers = { "docs.example": [here, elsewhere] };
    const { open, port, seen } = await setUp(t, answers, (_, response) => {
      response.writeHead(302, { location: "/again", connection: "close" }).end();
    });
    await assert.rejects(open()(`https://docs.example:${port}/`), fails("forbidden"));
    assert.deepEqual(seen.requests, ["docs.example/"]);
  });

  it("to another origin gets nothing meant for the first", async (t) => {
    const got: IncomingMessage["headers"][] = [];
    const answers = { "docs.example": [here], "other.example": [here] };
    const { open, port, seen } = await setUp(t, answers, (request, response) => {
      got.push(request.headers);
      const { port } = request.socket.address() as AddressInfo;
      if (request.url === "/end") response.end();
      else response.writeHead(307, { location: `https://other.example:${port}/end` }).end();
    });
    const ask = open({ followsOtherOrigins: true });
    const headers = {
      Authorization: "Bearer hunter2",
      Cookie: "hunter2",
      "X-Key": "hunter2",
      Accept: "image/*",
      "User-Agent": "Octavo",
    };
    await ask(`https://docs.example:${port}/`, { headers });
    assert.equal(got[0]?.authorization, "Bearer hunter2");
    assert.ok(!JSON.stringify(got[1]).includes("hunter2"));
    assert.deepEqual([got[1]?.accept, got[1]?.["user-agent"]], ["image/*", "Octavo"]);
    // Requests that write are never redirected.
    const posted = await ask(`https://docs.example:${port}/`, { method: "POST", body: "hunter2" });
    assert.equal(posted.status, 307);
    assert.deepEqual(seen.requests, ["docs.example/", "other.example/end", "docs.example/"]);
  });
});
