import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Mirror } from "../repository.ts";
import { readGit } from "../program/tools.ts";
import type { GitTools } from "../program/tools.ts";

/** Whoever looks at the history sees that the service made it. */
const person = {
  GIT_AUTHOR_NAME: "Octavo",
  GIT_AUTHOR_EMAIL: "octavo@localhost",
  GIT_COMMITTER_NAME: "Octavo",
  GIT_COMMITTER_EMAIL: "octavo@localhost",
};

interface ImportedFolder {
  readonly folder: string;
  readonly message: string;
}

/** Makes one commit of all files below `folder` the branch `main` of a repository that has none yet. */
export async function importFolder(
  tools: GitTools,
  repository: Mirror,
  imported: ImportedFolder,
): Promise<string> {
  const commit = await commitFolder(tools, repository, imported);
  // The old value: where somebody pushed in the meantime, nothing of theirs is lost.
  const none = "0".repeat(commit.length);
  await readGit(tools, repository, ["update-ref", "refs/heads/main", commit, none]);
  return commit;
}

/** Writes one commit of all files below `folder`, without a parent; no ref leads to it yet. */
export async function commitFolder(
  tools: GitTools,
  repository: Mirror,
  { folder, message }: ImportedFolder,
): Promise<string> {
  const index = join(tools.home.folder, `index-${randomUUID()}`);
  const environment = { ...person, GIT_INDEX_FILE: index, GIT_WORK_TREE: folder };
  const run = (args: readonly string[], input?: string) =>
    readGit(tools, repository, args, {
      environment,
      ...(input === undefined ? {} : { input }),
    });
  try {
    await run(["--literal-pathspecs", "add", "--all", "--force", "--", folder]);
    const tree = (await run(["write-tree"])).trim();
    return (await run(["commit-tree", tree, "-F", "-"], `${message}\n`)).trim();
  } finally {
    await rm(index, { force: true });
  }
}
