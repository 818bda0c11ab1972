/**
 * A server of a page that is measured from outside, since its CPU is its own:
 *
 *     node bench/publish/server.ts octavo <settings as JSON>   sites as a node serves them
 *     node bench/publish/server.ts sirv <folder>               files on the disk, as sirv serves them in production
 *     node bench/publish/server.ts bare <file>                 one answer from memory, by bare node:http
 *
 * Writes its address.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import sirv from "sirv";
import { createBundleCopies } from "../../packages/octavo/src/bundles/index.ts";
import type { StoredArchive } from "../../packages/octavo/src/bundles/index.ts";
import { createSitesHandler } from "../../packages/octavo/src/sites/index.ts";
import type { ServedSite } from "../../packages/octavo/src/sites/index.ts";
import { createFileStorage, createS3Storage } from "../../packages/octavo/src/storage/index.ts";
import { createLogger } from "../../packages/octavo/src/telemetry/index.ts";

/** The settings of a node: the archive of each host name, where the archives are stored, and where copies are made. */
export interface BenchedNode {
  readonly archives: Readonly<Record<string, StoredArchive>>;
  readonly storage:
    | { readonly folder: string }
    | { readonly s3: Parameters<typeof createS3Storage>[0] };
  readonly copies: string;
}

const maxCopyBytes = 10e9;

async function openServer(kind: string, given: string): Promise<Server> {
  if (kind === "bare") return createServer(answerFromMemory(readFileSync(given)));
  if (kind === "octavo") return await serveNode(JSON.parse(given) as BenchedNode);
  const serve = sirv(given, { dev: false, etag: true, gzip: true });
  return createServer((request, response) => serve(request, response));
}

function answerFromMemory(body: Buffer): RequestListener {
  return (_request, response) => {
    response
      .writeHead(200, {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Encoding": "gzip",
        "Content-Length": body.length,
      })
      .end(body);
  };
}

async function serveNode({ archives, storage, copies }: BenchedNode): Promise<Server> {
  const opened =
    "s3" in storage ? await createS3Storage(storage.s3) : createFileStorage(storage.folder);
  const sites = new Map(
    Object.entries(archives).map(([host, archive]) => [host, createSite(host, archive)]),
  );
  return createServer(
    createSitesHandler({
      live: { find: (host) => sites.get(host), renew: async () => true, staleSince: undefined },
      copies: createBundleCopies(opened, { folder: copies, maxBytes: maxCopyBytes }),
      log: createLogger({ level: "warn" }),
    }),
  );
}

function createSite(host: string, archive: StoredArchive): ServedSite {
  const deployment = { id: host, archive, commit: undefined, publishedAt: new Date() };
  return {
    kind: "production",
    origin: `http://${host}`,
    isRedirected: false,
    versions: [
      {
        slug: "latest",
        title: "Latest",
        isDefault: true,
        isHidden: false,
        state: "current",
        deployment,
      },
    ],
    recent: [],
    access: { kind: "public" },
    note: undefined,
  };
}

const [kind = "", given = ""] = process.argv.slice(2);
const server = await openServer(kind, given);
server.listen(0, "127.0.0.1");
await once(server, "listening");
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
