import { join } from "node:path";
import { createId } from "../../packages/octavo/src/core/index.ts";
import { openDatabase } from "../../packages/octavo/src/db/index.ts";
import type { Database } from "../../packages/octavo/src/db/index.ts";
import type { HostedRepository, Hosting } from "../../packages/octavo/src/hosting/index.ts";
import { createFileStorage } from "../../packages/octavo/src/storage/index.ts";
import type { Storage } from "../../packages/octavo/src/storage/index.ts";
import { putEmptyDatabase } from "./empty-database.ts";
import { git } from "./git-fixture.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** The persistent parts of hosted repositories: an embedded database, and a folder as storage. */
export interface HostedRepositories extends AsyncDisposable {
  readonly database: Database;
  readonly packs: Storage;
  /** The folder of the storage. */
  readonly storage: string;
}

export async function openHostedRepositories(): Promise<HostedRepositories> {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await temporaryFolder());
  await putEmptyDatabase(folder.path);
  const database = opening.use(await openDatabase({ dataDir: folder.path }));
  const storage = join(folder.path, "storage");
  const packs = createFileStorage(storage);
  const opened = opening.move();
  return {
    storage,
    database,
    packs,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** A project of a new organization on the service's own code host. */
export async function addHostedProject(
  { kysely }: Database,
  repository = "local",
): Promise<string> {
  const [organization_id, id] = [createId("organization"), createId("project")];
  await kysely
    .insertInto("organizations")
    .values({ id: organization_id, name: "Acme", plan: "enterprise" })
    .execute();
  const names = { name: "Docs", domain: `${id.replace("_", "-")}.example.com`, repository };
  const rest = { directory: ".", code_host: "local", organization_id } as const;
  await kysely
    .insertInto("projects")
    .values({ id, ...names, ...rest })
    .execute();
  return id;
}

/** Moves a ref, as a push from `folder` does, without a server and its rules; null removes it. */
export async function moveHostedRef(
  hosting: Hosting,
  repository: HostedRepository,
  { name, to, folder }: { name: string; to: string | null; folder?: string },
): Promise<void> {
  // Beside the refs of the repository, so that it has the objects.
  if (folder !== undefined && to !== null) {
    await git(folder, "push", "--quiet", repository.path, `${to}:refs/test/${to}`);
  }
  await hosting.updateRef(repository, { name, to });
}
