import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { flushArguments, flushRepository } from "./flush-repository.ts";
import type { Mirror } from "./repository.ts";
import { readGit } from "./tools.ts";
import type { GitTools } from "./tools.ts";

/** Whoever looks at the history sees that the service made it. */
const person = {
  GIT_AUTHOR_NAME: "Octavo",
  GIT_AUTHOR_EMAIL: "octavo@localhost",
  GIT_COMMITTER_NAME: "Octavo",
  GIT_COMMITTER_EMAIL: "octavo@localhost",
};

/** Makes one commit of all files below `folder` the branch `main` of a repository that has none yet. */
export async function importFolder(
  tools: GitTools,
  repository: Mirror,
  { folder, message }: { readonly folder: string; readonly message: string },
): Promise<string> {
  const index = join(tools.home.folder, `index-${randomUUID()}`);
  const environment = { ...person, GIT_INDEX_FILE: index, GIT_WORK_TREE: folder };
  const run = (args: readonly string[], input?: string) =>
    readGit(tools, repository, [...flushArguments, ...args], {
      environment,
      ...(input === undefined ? {} : { input }),
    });
  try {
    await run(["--literal-pathspecs", "add", "--all", "--force", "--", folder]);
    const tree = (await run(["write-tree"])).trim();
    const commit = (await run(["commit-tree", tree, "-F", "-"], `${message}\n`)).trim();
    // The old value: where somebody pushed in the meantime, nothing of theirs is lost.
    await run(["update-ref", "refs/heads/main", commit, "0".repeat(commit.length)]);
    await flushRepository(repository.path, ["refs/heads/main"]);
    return commit;
  } finally {
    await rm(index, { force: true });
  }
}
