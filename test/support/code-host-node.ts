import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { isOctavoError } from "../../packages/site/src/core/index.ts";
import { createLocalCodeHost } from "../../packages/octavo/src/codehost/index.ts";
import type { AuthorizeGit, LocalCodeHost } from "../../packages/octavo/src/codehost/index.ts";
import type { PackStorage } from "../../packages/octavo/src/codehost/testing.ts";
import { parseAllowList } from "../../packages/octavo/src/core/index.ts";
import type { Database } from "../../packages/octavo/src/db/index.ts";
import { createGit, createGitHosting, createGitWork } from "../../packages/octavo/src/git/index.ts";
import type { Git, GitLimits, GitWork } from "../../packages/octavo/src/git/index.ts";
import { launcher } from "./launcher.ts";

export interface CodeHostNodeOptions {
  readonly database: Database;
  readonly packs: PackStorage;
  /** Of this node alone. */
  readonly folder: string;
  /** Repositories that it may copy. */
  readonly allow?: string;
  readonly limits?: Partial<GitLimits>;
}

/** One node with the service's own code host, behind a server that lets everybody in. */
export interface CodeHostNode extends AsyncDisposable {
  readonly host: LocalCodeHost;
  readonly git: Git;
  readonly work: GitWork;
  /** The address of a project's repository. */
  urlOf(projectId: string): string;
  /** This node's copy of it. */
  copyOf(projectId: string): string;
}

const author = { name: "Octavo", email: "octavo@example.com" };

const letIn: AuthorizeGit = (_, id) =>
  Promise.resolve({ project: { id, repository: "local" }, ref: null, canWrite: true });

export async function startCodeHostNode(options: CodeHostNodeOptions): Promise<CodeHostNode> {
  const { database, packs, folder, allow = "", limits = {} } = options;
  const gitOptions = {
    cacheDir: join(folder, "git"),
    allow: parseAllowList(allow),
    limits,
    processes: launcher,
  };
  const work = createGitWork(gitOptions);
  const host = createLocalCodeHost({
    db: database.kysely,
    packs,
    hosting: createGitHosting(gitOptions),
    work,
    repositoriesDir: join(folder, "repositories"),
    pullRequestUrl: (id, number) => `https://octavo.example/projects/${id}/pulls/${number}`,
    author,
  });
  const server = createServer((request, response) => {
    host.serve({ request, response }, letIn).catch((error: unknown) => {
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
    host,
    git: createGit(gitOptions),
    work,
    urlOf: (projectId) => `http://x:key@127.0.0.1:${port}/git/${projectId}.git`,
    copyOf: (projectId) => join(folder, "repositories", `${projectId}.git`),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close").catch(() => undefined);
    },
  };
}
