import assert from "node:assert/strict";
import { once } from "node:events";
import { request as requestHttp } from "node:http";
import { request } from "node:https";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { findProgram } from "../hosts/host-programs.ts";
import { startAcmeAuthority, type AcmeAuthority } from "../support/acme-authority.ts";
import { createApiClient, type ApiClient } from "../support/api-client.ts";
import { startDnsServer, type DnsServer } from "../support/dns-server.ts";
import { freePort } from "../support/free-port.ts";
import { startPostgres } from "../support/postgres.ts";
import { addDomain, until } from "../support/published-demo.ts";
import { startService, type RunningService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const pebble = findProgram("pebble");
/** The addresses of two nodes, which have the same ports. */
const nodes = ["127.0.0.2", "127.0.0.3"] as const;
const validSeconds = 3_600;

interface Seen {
  readonly status: number | undefined;
  readonly body: string;
  /** The serial number of the certificate. */
  readonly serial: string;
}

for (const challenge of ["http-01", "tls-alpn-01"] as const) {
  describe(`two nodes that order certificates by ${challenge}`, { skip: !pebble }, () => {
    const open = new AsyncDisposableStack();
    let authority: AcmeAuthority;
    let dns: DnsServer;
    let client: ApiClient;
    let projectId: string;
    let databaseUrl: string;
    let services: readonly RunningService[];
    let ports: { readonly http: number; readonly tls: number };

    before(async () => {
      const { path: folder } = open.use(await temporaryFolder());
      const postgres = open.use(await startPostgres());
      dns = open.use(await startDnsServer());
      ports = { http: await freePort(), tls: await freePort() };
      authority = open.use(
        await startAcmeAuthority({
          program: pebble ?? "",
          folder: join(folder, "pebble"),
          dnsServer: dns.address,
          httpPort: ports.http,
          tlsPort: ports.tls,
          validSeconds,
          refused: ["refused.acme.example"],
        }),
      );
      // Each node is asked for what the other one may have ordered.
      dns.hosts.set("octavo.example", nodes[0]);
      dns.hosts.set("demo.sites.example", nodes[1]);
      dns.hosts.set("docs.acme.example", nodes[1]);
      dns.hosts.set("refused.acme.example", nodes[0]);
      databaseUrl = await postgres.createDatabase();
      const env = {
        DATABASE_URL: databaseUrl,
        OCTAVO_SECRET: "0123456789abcdef0123456789abcdef",
        OCTAVO_BASE_URL: `https://octavo.example:${ports.tls}`,
        OCTAVO_SITES_DOMAIN: `sites.example:${ports.tls}`,
        OCTAVO_DNS_SERVERS: dns.address,
        OCTAVO_TLS: "acme",
        OCTAVO_TLS_PORT: String(ports.tls),
        OCTAVO_ACME_DIRECTORY: authority.directoryUrl,
        OCTAVO_ACME_CA_FILE: authority.caFile,
        OCTAVO_ACME_CHALLENGE: challenge,
        OCTAVO_ALLOW: "127.0.0.1",
      };
      const start = async (host: string, args: readonly string[]) =>
        open.use(
          await startService({
            data: join(folder, "data"),
            args: ["--host", host, "--port", String(ports.http), ...args],
            env,
            isFirstStart: true,
          }),
        );
      services = [await start(nodes[0], ["--demo"]), await start(nodes[1], [])];
      client = createApiClient(`http://${nodes[0]}:${ports.http}`, services[0]?.key ?? "");
      const { body } = await client.call<{ projects: { id: string }[] }>("GET", "/v2/projects");
      projectId = body.projects[0]?.id ?? "";
    });
    after(() => open.disposeAsync());

    /** Asks a node for a page of a host over TLS, and trusts only the authority. */
    async function ask(node: string, host: string, path = "/quickstart"): Promise<Seen> {
      const sent = request({ host: node, port: ports.tls, path, servername: host, headers: { host: `${host}:${ports.tls}` }, ca: authority.root, agent: false }).end(); // prettier-ignore
      const [response] = await once(sent, "response");
      const { serialNumber } = (response.socket as TLSSocket).getPeerCertificate();
      return { status: response.statusCode, body: await text(response), serial: serialNumber };
    }
    const isServed = async (node: string, host: string) =>
      (await ask(node, host).catch(() => undefined))?.status === 200;

    test("serve each host on both nodes with one certificate, which is issued once", async (t) => {
      await addDomain({ client, dns, projectId }, "docs.acme.example");
      await addDomain({ client, dns, projectId }, "refused.acme.example");
      for (const host of ["demo.sites.example", "docs.acme.example"]) {
        for (const node of nodes) await until(async () => isServed(node, host));
        const [one, other] = await Promise.all(nodes.map((node) => ask(node, host)));
        assert.equal(one?.serial, other?.serial, host);
        assert.match(one?.body ?? "", /<h1/);
      }
      await until(async () => (await ask(nodes[1], "octavo.example", "/signin").catch(() => undefined))?.status === 200); // prettier-ignore
      t.diagnostic(`${authority.countIssued()} certificates`);
      assert.equal(authority.countIssued(), 3);
    });

    test("go on without the host that the authority refuses, and say why", async () => {
      await until(async () => /refused\.acme\.example.*got no certificate|got no certificate.*refused\.acme\.example/.test(services.map((service) => service.output()).join(""))); // prettier-ignore
      await assert.rejects(ask(nodes[0], "refused.acme.example"));
      await assert.rejects(ask(nodes[0], "stranger.example"));
    });

    test("lead plain requests to TLS, except those for health and challenges", async () => {
      const plain = async (host: string, path: string) => {
        const sent = requestHttp({ host: nodes[0], port: ports.http, path, headers: { host } }).end(); // prettier-ignore
        const [response] = await once(sent, "response");
        response.resume();
        return [response.statusCode, response.headers.location];
      };
      assert.deepEqual(await plain("docs.acme.example", "/quickstart?a=1"), [308, `https://docs.acme.example:${ports.tls}/quickstart?a=1`]); // prettier-ignore
      assert.deepEqual(await plain("octavo.example", "/projects"), [308, `https://octavo.example:${ports.tls}/projects`]); // prettier-ignore
      assert.deepEqual(await plain("docs.acme.example", "/.well-known/acme-challenge/x"), [404, undefined]); // prettier-ignore
      assert.deepEqual(await plain(`${nodes[0]}:${ports.http}`, "/healthz"), [200, undefined]);
    });

    test("renew a certificate when it is time, without a failed request", async (t) => {
      const { serial } = await ask(nodes[0], "docs.acme.example");
      const database = new Client({ connectionString: databaseUrl });
      await database.connect();
      await database.query("update certificates set renew_at = now() where name = 'docs.acme.example'"); // prettier-ignore
      await database.end();
      let reads = 0;
      await until(async () => {
        const seen = await Promise.all(nodes.map((node) => ask(node, "docs.acme.example")));
        for (const { status } of seen) assert.equal(status, 200);
        reads += seen.length;
        return seen.every((one) => one.serial !== serial);
      });
      t.diagnostic(`${reads} requests until both nodes had the next certificate`);
      assert.equal(authority.countIssued(), 4);
    });
  });
}
