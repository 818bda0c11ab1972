import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { OctavoError } from "@octavo/site/core";
import { createLogger, createMetrics } from "../telemetry/index.ts";
import { createOperationsServer } from "./index.ts";

let server: FastifyInstance;
let url: string;
before(async () => {
  server = await createOperationsServer({
    metrics: createMetrics(),
    metricsToken: undefined,
    readGauges: () => Promise.reject(new Error("Nobody asks.")),
    // Nothing but memory answers.
    checkReady: () => Promise.reject(new OctavoError("unavailable", "The database is away.")),
    log: createLogger({ level: "silent" }),
    trustedProxies: [],
    sites: {
      owns: () => false,
      hasHost: (host) => host === "xn--bcher-kva.example",
      listener: () => assert.fail("A site was asked for."),
    },
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
  url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
});
after(() => server.close());

async function ask(query: string, headers: Record<string, string> = {}): Promise<number> {
  const answer = await fetch(`${url}/tls/ask${query}`, { headers });
  await answer.arrayBuffer();
  return answer.status;
}

describe("a proxy that asks which domains may have a certificate", () => {
  test("gets yes for a site's host in every spelling, while everything else is away", async () => {
    const ready = await fetch(`${url}/readyz`);
    assert.equal(ready.status, 503);
    await ready.arrayBuffer();
    for (const name of ["xn--bcher-kva.example", "XN--BCHER-KVA.Example.", "b%C3%BCcher.example"]) {
      assert.equal(await ask(`?domain=${name}`), 200, name);
    }
  });

  test("gets no for all other names", async () => {
    for (const query of [
      "",
      "?domain=",
      "?domain=other.example",
      "?domain=127.0.0.1",
      "?domain=a&domain=xn--bcher-kva.example",
      `?domain=${"a".repeat(5_000)}`,
      "?domain=%00",
    ]) {
      // prettier-ignore
      assert.equal(await ask(query), 404, query);
    }
  });

  test("is refused if it asks for somebody else", async () => {
    for (const name of [
      "Forwarded",
      "Via",
      "X-Forwarded-For",
      "x-forwarded-host",
      "X-Forwarded-Proto",
      "X-Real-IP",
    ]) {
      // prettier-ignore
      assert.equal(await ask("?domain=xn--bcher-kva.example", { [name]: "192.0.2.1" }), 403, name);
    }
  });
});
