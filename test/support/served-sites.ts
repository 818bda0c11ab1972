import { once } from "node:events";
import { createServer, request } from "node:http";
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { createBundleCopies } from "../../packages/octavo/src/bundles/index.ts";
import { buildDifference, createDifferences } from "../../packages/octavo/src/difference/index.ts";
import { createSitesHandler } from "../../packages/octavo/src/sites/index.ts";
import type {
  ServedDeployment,
  ServedSite,
  ServedVersion,
} from "../../packages/octavo/src/sites/index.ts";
import { createFileStorage } from "../../packages/octavo/src/storage/index.ts";
import type { Storage } from "../../packages/octavo/src/storage/index.ts";
import { createLogger } from "../../packages/octavo/src/telemetry/index.ts";
import { packFolder } from "./pack-folder.ts";
import { temporaryFolder, writeFiles } from "./temporary-folder.ts";

export interface ServedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface AskOptions {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

/** A server of sites with a table that tests fill. */
export interface ServedSites extends AsyncDisposable {
  readonly port: number;
  /** The table of host names. */
  readonly table: Map<string, ServedSite>;
  /** Packs files into a bundle in the storage. */
  deploy(files: Readonly<Record<string, string | Uint8Array>>): Promise<ServedDeployment>;
  /** Returns the number of open connections. */
  countConnections(): Promise<number>;
  /** Sends one request on a connection of its own. */
  ask(host: string, path: string, options?: AskOptions): Promise<ServedResponse>;
}

export interface ServedSitesOptions {
  /** Defaults to a folder. */
  readonly storage?: Storage;
  readonly isTrustedProxy?: (address: string) => boolean;
  readonly idleTimeoutMs?: number;
  /** By default, the table is always new. */
  readonly renew?: () => Promise<boolean>;
}

export async function startServedSites(options: ServedSitesOptions = {}): Promise<ServedSites> {
  await using resources = new AsyncDisposableStack();
  const folder = resources.use(await temporaryFolder());
  const storage = options.storage ?? createFileStorage(join(folder.path, "stored"));
  const copies = resources.use(
    createBundleCopies(storage, {
      folder: join(folder.path, "copies"),
      maxBytes: 1e9,
    }),
  );
  const differences = resources.use(
    createDifferences({
      copies,
      isolation: { run: (work) => work({ buildDifference }) },
      folder: join(folder.path, "differences"),
      maxBytes: 1e9,
    }),
  );
  const table = new Map<string, ServedSite>();
  const { isTrustedProxy, idleTimeoutMs, renew = async () => true } = options;
  const settings = {
    live: { find: (host: string) => table.get(host), renew, staleSince: undefined },
    copies,
    differences,
    log: createLogger({ level: "silent" }),
    ...(isTrustedProxy && { isTrustedProxy }),
    ...(idleTimeoutMs !== undefined && { idleTimeoutMs }),
  };
  const server = createServer(createSitesHandler(settings)).listen(0, "127.0.0.1");
  await once(server, "listening");
  resources.defer(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo;
  let count = 0;
  const moved = resources.move();
  return {
    port,
    table,
    async deploy(files) {
      const name = join(folder.path, `site-${(count += 1)}`);
      await writeFiles(name, files);
      const packed = await packFolder(name, "zip", `${name}.zip`);
      const key = `bundles/${packed.sha256}.zip`;
      await storage.put(key, `${name}.zip`);
      return {
        id: `dp_${count}`,
        archive: { key, format: "zip", bytes: packed.bytes },
        commit: packed.sha256.slice(0, 40),
        publishedAt: new Date(count * 1_000),
      };
    },
    countConnections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
    async ask(host, path, { method = "GET", headers = {}, body } = {}) {
      const sent = request({
        host: "127.0.0.1",
        port,
        path,
        method,
        headers: { host, ...headers },
        agent: false,
      });
      sent.end(body);
      const [response] = await once(sent, "response");
      return {
        status: response.statusCode,
        headers: response.headers,
        body: await buffer(response),
      };
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

/** Creates the version at the root, or another one with a slug. */
export function createServedVersion(
  deployment: ServedDeployment,
  version: Partial<ServedVersion> = {},
): ServedVersion {
  return {
    slug: "latest",
    title: "Latest",
    isDefault: version.slug === undefined,
    isHidden: false,
    state: "current",
    deployment,
    ...version,
  };
}

/** Creates a public production site. */
export function createServedSite(
  versions: readonly ServedVersion[],
  site: Partial<ServedSite> = {},
): ServedSite {
  return {
    kind: "production",
    origin: "https://docs.example.com",
    isRedirected: false,
    versions,
    recent: [],
    access: { kind: "public" },
    note: undefined,
    ...site,
  };
}
