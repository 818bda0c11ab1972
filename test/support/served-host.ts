import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before } from "node:test";
import type { TestContext } from "node:test";
import { isOctavoError, OctavoError } from "../../packages/site/src/core/index.ts";
import { parseAllowList } from "../../packages/octavo/src/core/index.ts";
import type { Quotas } from "../../packages/octavo/src/core/index.ts";
import { openDatabase } from "../../packages/octavo/src/db/index.ts";
import type { Database } from "../../packages/octavo/src/db/index.ts";
import type { GitAccess } from "../../packages/octavo/src/hosting/index.ts";
import { createFileStorage } from "../../packages/octavo/src/storage/index.ts";
import { putEmptyDatabase } from "./empty-database.ts";
import { folderFor, openAuthor } from "./git-fixture.ts";
import type { Author } from "./git-fixture.ts";
import { addHostedProject } from "./hosted-repositories.ts";
import { launcher } from "./launcher.ts";
import { createLocalHost } from "./local-host.ts";
import type { LocalHost, TestLimits } from "./local-host.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { startTestedPostgres } from "./tested-engine.ts";

/** Keys that may push and read, and read alone. */
export const key = "octavo_hunter2notarealkey";
export const readingKey = "octavo_hunter2reading";

/** Opens the database that the tests of a file run on. */
export function useDatabase(): () => Database {
  const opening = new AsyncDisposableStack();
  let database: Database | undefined;
  before(async () => {
    const folder = opening.use(await temporaryFolder());
    const postgres = await startTestedPostgres();
    if (postgres) opening.use(postgres);
    const url = await postgres?.createDatabase();
    const dataDir = join(folder.path, "data");
    if (url === undefined) await putEmptyDatabase(dataDir);
    database = opening.use(await openDatabase({ dataDir, url }));
  });
  after(() => opening.disposeAsync());
  return () => {
    assert.ok(database);
    return database;
  };
}

export interface ServedHostOptions {
  readonly database: Database;
  readonly limits?: TestLimits;
  readonly quotas?: Quotas;
  /** Whether the project has an external repository; else its repository is `local`. */
  readonly isCopy?: boolean;
}

const statuses: Readonly<Record<string, number>> = {
  invalid_input: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  too_large: 413,
  unavailable: 503,
};

/** A project on the embedded host behind a real server, and an author with a clone of it. */
export async function openServedHost(t: TestContext, options: ServedHostOptions) {
  const folder = await folderFor(t);
  const { database, limits = {}, quotas, isCopy = false } = options;
  const outside = await openAuthor(join(folder, "outside"));
  await outside.commit({ "index.mdx": "one\n" });
  const repository = isCopy ? `file://${outside.folder}` : "local";
  const project = { id: await addHostedProject(database, repository), repository };
  const gitOptions = {
    processes: launcher,
    cacheDir: join(folder, "cache"),
    allow: parseAllowList(`file://${folder}`),
  };
  const open = (): LocalHost =>
    createLocalHost({
      db: database.kysely,
      packs: createFileStorage(join(folder, "storage")),
      git: gitOptions,
      limits,
      quotas,
      repositoriesDir: join(folder, "repositories"),
    });
  const parts = open();
  const server = await serve(t, parts, project);
  const author = await openAuthor(join(folder, "author"));
  const url = `http://ada:${key}@127.0.0.1:${server.port}/git/${project.id}.git`;
  await author.git("remote", "add", "origin", url);
  const setup = { ...parts, folder, open, project, author, outside, server, gitOptions };
  if (isCopy) return setup;
  await author.commit({ "index.mdx": "one\n", "b.mdx": "b\n" });
  await author.git("push", "--quiet", "origin", "main");
  return setup;
}

async function serve(
  t: TestContext,
  { hosting, pullRequests }: LocalHost,
  project: GitAccess["project"],
) {
  const authorize = async (given: string, projectId: string): Promise<GitAccess> => {
    if (given !== key && given !== readingKey)
      throw new OctavoError("unauthorized", "Unknown key.");
    if (projectId !== project.id) throw new OctavoError("not_found", "No such project.");
    const onPushed = () => pullRequests.refreshOpenPullRequests(projectId);
    const requireWrite = () => {
      if (given !== key) throw new OctavoError("forbidden", "This key may only read.");
    };
    return { project, ref: null, requireWrite, onPushed };
  };
  const errors: OctavoError[] = [];
  const server = createServer((request, response) => {
    hosting.serve({ request, response }, authorize).catch((error: unknown) => {
      if (isOctavoError(error)) errors.push(error);
      const status = isOctavoError(error) ? statuses[error.code] : undefined;
      const challenge = isOctavoError(error) ? error.details["authenticate"] : undefined;
      if (typeof challenge === "string") response.setHeader("www-authenticate", challenge);
      if (response.headersSent) response.destroy();
      else response.writeHead(status ?? 500, { connection: "close" }).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
    assert.ok(!errors.some(({ message }) => message.includes("hunter2")));
  });
  return { port: (server.address() as AddressInfo).port };
}

/** Commits on a new branch off `main` and pushes it. */
export async function pushBranch(
  { author }: { readonly author: Author },
  name: string,
  files: Record<string, string>,
): Promise<string> {
  await author.git("checkout", "--quiet", "-B", "work", "main");
  const commit = await author.commit(files);
  await author.git("push", "--quiet", "origin", `work:refs/heads/${name}`);
  await author.git("checkout", "--quiet", "main");
  return commit;
}
