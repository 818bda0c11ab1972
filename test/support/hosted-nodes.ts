import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { PackStorage } from "../../packages/octavo/src/hosting/index.ts";
import type { Database } from "../../packages/octavo/src/db/index.ts";
import { createFileStorage } from "../../packages/octavo/src/storage/index.ts";
import { startCodeHostNode } from "./code-host-node.ts";
import type { CodeHostNode } from "./code-host-node.ts";
import { folderFor, git, openAuthor } from "./git-fixture.ts";
import type { Author } from "./git-fixture.ts";
import type { TestLimits } from "./local-host.ts";
import { addHostedProject } from "./hosted-repositories.ts";

export interface HostedNodesOptions {
  readonly database: Database;
  readonly limits?: TestLimits;
  readonly repository?: string;
  /** Repositories that it may copy. */
  readonly allow?: string;
  /** Default: the folder `storage`. */
  readonly packs?: PackStorage;
}

/** Nodes with a folder each, one database and one storage; and an author who knows them as `one` and `two`. */
export async function openHostedNodes(t: TestContext, options: HostedNodesOptions) {
  const { database, limits = {}, repository = "local", allow = "" } = options;
  const folder = await folderFor(t);
  const project = { id: await addHostedProject(database, repository), repository };
  const storage = join(folder, "storage");
  const packs = options.packs ?? createFileStorage(storage);
  const start = async (name: string): Promise<CodeHostNode> => {
    const given = { database, packs, allow, limits, folder: join(folder, name) };
    const node = await startCodeHostNode(given);
    t.after(() => node[Symbol.asyncDispose]());
    return node;
  };
  const [one, two] = [await start("one"), await start("two")];
  const author = await openAuthor(join(folder, "author"));
  await author.git("remote", "add", "one", one.urlOf(project.id));
  await author.git("remote", "add", "two", two.urlOf(project.id));
  return { folder, database, project, storage, start, one, two, author };
}

export async function refsAt(author: Author, remote: string): Promise<string> {
  return await author.git("ls-remote", remote);
}

/** Every object that the refs of a copy reach is there. */
export async function assertWhole(copy: string): Promise<void> {
  const said = await git(copy, "fsck", "--connectivity-only", "--no-dangling");
  assert.doesNotMatch(said, /missing|broken|error/);
}

export async function packRows({ kysely }: Database, projectId: string) {
  const rows = kysely.selectFrom("hosted_packs").select(["key", "generation"]);
  return await rows.where("project_id", "=", projectId).orderBy("generation").execute();
}
