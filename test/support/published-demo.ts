import { once } from "node:events";
import { request, type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { SiteDomain } from "../../packages/octavo/src/publish/index.ts";
import { createApiClient, type ApiClient } from "./api-client.ts";
import { startDnsServer, type DnsServer } from "./dns-server.ts";
import { freePort } from "./free-port.ts";
import { patience } from "./patience.ts";
import { startService, type RunningService } from "./service.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** An answer of a site. */
export interface SiteAnswer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A first start whose demo project is published, with a DNS server that proves its domains. */
export interface PublishedDemo extends AsyncDisposable {
  readonly folder: string;
  readonly service: RunningService;
  readonly client: ApiClient;
  readonly dns: DnsServer;
  readonly projectId: string;
  /** The port that the service listens on. */
  readonly port: number;
  /** Asks the service for a path of a host. */
  ask(host: string, path?: string, headers?: Readonly<Record<string, string>>): Promise<SiteAnswer>;
  /** Adds domains to the project and proves them by their DNS records. */
  addDomains(...names: readonly string[]): Promise<void>;
}

export async function openPublishedDemo(
  env: Readonly<Record<string, string>> = {},
): Promise<PublishedDemo> {
  await using opening = new AsyncDisposableStack();
  const { path: folder } = opening.use(await temporaryFolder());
  const dns = opening.use(await startDnsServer());
  const port = await freePort();
  const service = opening.use(
    await startService({
      data: join(folder, "data"),
      args: ["--demo", "--port", String(port)],
      env: { OCTAVO_DNS_SERVERS: dns.address, ...env },
      isFirstStart: true,
    }),
  );
  // Its own address, which a proxy may hide.
  const client = createApiClient(`http://127.0.0.1:${port}`, service.key);
  const { body } = await client.call<{ projects: { id: string }[] }>("GET", "/v2/projects");
  const projectId = body.projects[0]?.id ?? "";
  const opened = opening.move();
  return {
    folder,
    service,
    client,
    dns,
    projectId,
    port,
    async ask(host, path = "/", headers = {}) {
      const sent = request({ host: "127.0.0.1", port, path, headers: { host, ...headers } }).end();
      const [response] = await once(sent, "response");
      return { status: response.statusCode, headers: response.headers, body: await text(response) };
    },
    async addDomains(...names) {
      for (const name of names) await addDomain({ client, dns, projectId }, name);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Adds a domain to a project and proves it by its DNS record. */
export async function addDomain(
  { client, dns, projectId }: Pick<PublishedDemo, "client" | "dns" | "projectId">,
  name: string,
): Promise<void> {
  const path = `/v2/projects/${projectId}/site/domains`;
  const { body: domain } = await client.call<SiteDomain>("POST", path, { body: { name } });
  dns.texts.set(domain.record.name, [domain.record.value]);
  const checked = await client.call<SiteDomain>("POST", `${path}/${name}/check`);
  if (checked.body.provenAt === null) throw new Error(checked.body.problem ?? name);
}

/** Asks until it is so. */
export async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const signal = patience();
  while (!(await isTrue())) await sleep(50, undefined, { signal });
}
