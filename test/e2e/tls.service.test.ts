import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { join } from "node:path";
import { connect } from "node:tls";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import {
  findProgram,
  readSettings,
  startProgram,
  writeNginxSettings,
} from "../hosts/host-programs.ts";
import { makeCertificate } from "../support/certificate.ts";
import { freePort } from "../support/free-port.ts";
import { openPublishedDemo, until, type PublishedDemo } from "../support/published-demo.ts";

/** As many unknown names as a scanner would ask for. */
const unknownNames = 10_000;
const asked = process.env["OCTAVO_TEST_ALL"] === "1" ? unknownNames : 500;
const [nginx, caddy] = [findProgram("nginx"), findProgram("caddy")];

/** Opens a demo with the domain `docs.acme.example` that is reached at an https port. */
async function openDemo(port: number): Promise<PublishedDemo> {
  const demo = await openPublishedDemo({
    OCTAVO_BASE_URL: `https://octavo.example:${port}`,
    OCTAVO_SITES_DOMAIN: `sites.example:${port}`,
    OCTAVO_TRUST_PROXY: "loopback",
  });
  await demo.addDomains("docs.acme.example");
  await until(async () => (await demo.ask("docs.acme.example")).status === 200);
  return demo;
}

interface Reader {
  /** Asks for a path of a host over https. */
  readonly ask: (host: string, path?: string) => Promise<{ status: number | undefined; location: string | undefined; body: string }>; // prettier-ignore
}

function createReader(port: number, ca: string | undefined): Reader {
  return {
    async ask(host, path = "/") {
      const trust = ca === undefined ? { rejectUnauthorized: false } : { ca };
      const sent = request({ host: "127.0.0.1", port, path, servername: host, headers: { host: `${host}:${port}` }, agent: false, ...trust }).end(); // prettier-ignore
      const [response] = await once(sent, "response");
      return { status: response.statusCode, location: response.headers.location, body: await text(response) }; // prettier-ignore
    },
  };
}

/** Sites, canonical addresses and the service itself behind a proxy. */
async function assertServed(demo: PublishedDemo, reader: Reader, port: number): Promise<void> {
  for (const host of ["demo.sites.example", "docs.acme.example"]) {
    const { status, body } = await reader.ask(host, "/quickstart");
    assert.equal(status, 200, host);
    assert.match(body, /<h1/);
    assert.equal((await reader.ask(host, "/signin")).status, 404);
  }
  assert.equal((await reader.ask("octavo.example", "/signin")).status, 200);
  assert.equal((await reader.ask("octavo.example", "/quickstart")).status, 404);
  const body = { canonicalDomain: "docs.acme.example" };
  await demo.client.call("PUT", `/v2/projects/${demo.projectId}/site`, { body });
  await until(async () => (await reader.ask("demo.sites.example")).status === 308);
  const moved = await reader.ask("demo.sites.example", "/quickstart?a=1");
  assert.equal(moved.location, `https://docs.acme.example:${port}/quickstart?a=1`);
  assert.equal((await reader.ask("octavo.example", "/tls/ask?domain=docs.acme.example")).status, 403); // prettier-ignore
}

describe("a site behind nginx with certificates of its own", { skip: !nginx }, () => {
  const open = new AsyncDisposableStack();
  after(() => open.disposeAsync());

  test("is served as the manual says", async () => {
    const port = await freePort();
    const demo = open.use(await openDemo(port));
    const names = ["octavo.example", "demo.sites.example", "docs.acme.example"];
    const { key, certificate } = makeCertificate(names);
    const scratch = join(demo.folder, "nginx");
    await mkdir(scratch);
    await writeFile(join(scratch, "octavo.pem"), certificate);
    await writeFile(join(scratch, "octavo.key"), key);
    const settings = await readSettings("publish/with-nginx", "nginx", {
      "listen 443 ssl http2;": `listen 127.0.0.1:${port} ssl http2;`,
      "octavo.example.com *.example-sites.com docs.example.com": "octavo.example *.sites.example docs.acme.example", // prettier-ignore
      "/etc/ssl/": `${scratch}/`,
      "127.0.0.1:4400": `127.0.0.1:${demo.port}`,
    });
    const args = await writeNginxSettings(scratch, settings);
    open.use(await startProgram(nginx ?? "", args, { scratch, port }));
    await assertServed(demo, createReader(port, certificate), port);
  });
});

describe("a site behind Caddy, which asks for each domain", { skip: !caddy }, () => {
  const open = new AsyncDisposableStack();
  let demo: PublishedDemo;
  let port: number;
  let scratch: string;
  before(async () => {
    port = await freePort();
    demo = open.use(await openDemo(port));
    scratch = join(demo.folder, "caddy");
    await mkdir(scratch);
    const settings = await readSettings("publish/with-caddy", "text", {
      // Certificates come from Caddy's own authority, and the ports are free ones.
      "on_demand_tls {": `admin off\nlocal_certs\nskip_install_trust\nauto_https disable_redirects\nhttp_port ${await freePort()}\nhttps_port ${port}\ndefault_bind 127.0.0.1\non_demand_tls {`, // prettier-ignore
      "127.0.0.1:4400": `127.0.0.1:${demo.port}`,
    });
    await writeFile(join(scratch, "Caddyfile"), settings);
    const args = ["run", "--config", join(scratch, "Caddyfile"), "--adapter", "caddyfile"];
    open.use(await startProgram(caddy ?? "", args, { scratch, port }));
  });
  after(() => open.disposeAsync());

  test("is served as the manual says", async () => {
    await assertServed(demo, createReader(port, undefined), port);
  });

  test("has no certificate for names that nobody has, however many are asked for", async (t) => {
    const before = await listCertificates(scratch);
    const names = Array.from({ length: asked }, (_, at) => `${at}.scanner.example`);
    const start = performance.now();
    let refused = 0;
    const work = async () => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) {
        if (await isRefused(port, name)) refused += 1;
      }
    };
    await Promise.all(Array.from({ length: 20 }, work));
    t.diagnostic(`${refused} names refused in ${Math.round(performance.now() - start)} ms`);
    assert.equal(refused, asked);
    assert.deepEqual(await listCertificates(scratch), before);
    assert.deepEqual(before, ["demo.sites.example", "docs.acme.example", "octavo.example"]);
    const { status } = await createReader(port, undefined).ask("docs.acme.example", "/quickstart");
    assert.equal(status, 200);
  });
});

/** Reports whether a server does not open a connection for a name. */
async function isRefused(port: number, servername: string): Promise<boolean> {
  const socket = connect({ host: "127.0.0.1", port, servername, rejectUnauthorized: false });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.once("secureConnect", () => resolve(false));
  socket.once("error", () => resolve(true));
  socket.once("close", () => resolve(true));
  const isClosed = await promise;
  socket.destroy();
  return isClosed;
}

/** Lists the hosts for which Caddy has a certificate. */
async function listCertificates(scratch: string): Promise<readonly string[]> {
  return (await readdir(join(scratch, "caddy/certificates/local"))).toSorted();
}
