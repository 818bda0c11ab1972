import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { isOctavoError } from "../../packages/site/src/core/index.ts";
import type { AuthorizeGit, PackStorage } from "../../packages/octavo/src/hosting/index.ts";
import { parseAllowList } from "../../packages/octavo/src/core/index.ts";
import type { Database } from "../../packages/octavo/src/db/index.ts";
import { createGit } from "../../packages/octavo/src/git/index.ts";
import type { Git } from "../../packages/octavo/src/git/index.ts";
import { launcher } from "./launcher.ts";
import { createLocalHost } from "./local-host.ts";
import type { LocalHost, TestLimits } from "./local-host.ts";

export interface CodeHostNodeOptions {
  readonly database: Database;
  readonly packs: PackStorage;
  /** The folder of this node alone. */
  readonly folder: string;
  /** Repositories that it may copy. */
  readonly allow?: string;
  readonly limits?: TestLimits;
}

/** One node with the service's own code host, behind a server that lets everybody in. */
export interface CodeHostNode extends AsyncDisposable, LocalHost {
  readonly git: Git;
  /** The address of a project's repository. */
  urlOf(projectId: string): string;
  /** This node's copy of it. */
  copyOf(projectId: string): string;
}

export async function startCodeHostNode(options: CodeHostNodeOptions): Promise<CodeHostNode> {
  const { database, packs, folder, allow = "", limits = {} } = options;
  const gitOptions = {
    cacheDir: join(folder, "git"),
    allow: parseAllowList(allow),
    processes: launcher,
  };
  const parts = createLocalHost({
    db: database.kysely,
    packs,
    git: gitOptions,
    limits,
    repositoriesDir: join(folder, "repositories"),
  });
  const letIn: AuthorizeGit = (_, id) =>
    Promise.resolve({
      project: { id, repository: "local" },
      ref: null,
      requireWrite: () => undefined,
      onPushed: () => parts.pullRequests.refreshOpenPullRequests(id),
    });
  const server = createServer((request, response) => {
    parts.hosting.serve({ request, response }, letIn).catch((error: unknown) => {
      // Git sends no password before it is asked for one.
      const status = isOctavoError(error, "unauthorized") ? 401 : 500;
      if (status === 401) response.setHeader("www-authenticate", "Basic");
      if (response.headersSent) response.destroy();
      else response.writeHead(status, { connection: "close" }).end(String(error));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    ...parts,
    git: createGit({ ...gitOptions, limits }),
    urlOf: (projectId) => `http://x:key@127.0.0.1:${port}/git/${projectId}.git`,
    copyOf: (projectId) => join(folder, "repositories", `${projectId}.git`),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close").catch(() => undefined);
    },
  };
}
