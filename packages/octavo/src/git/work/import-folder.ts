import type { Mirror } from "../repository.ts";
import { readGit } from "../program/tools.ts";
import { openWorkIndex } from "./work-index.ts";
import type { GitTools } from "../program/tools.ts";

/** Shows in the history that the service made the commit. */
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

/** Commits all files below `folder` as the branch `main` of a repository that does not have commits yet. */
export async function importFolder(
  tools: GitTools,
  repository: Mirror,
  imported: ImportedFolder,
): Promise<string> {
  const commit = await commitFolder(tools, repository, imported);
  // The required old value. If someone has pushed in the meantime, their commits are not lost.
  const none = "0".repeat(commit.length);
  await readGit(tools, repository, ["update-ref", "refs/heads/main", commit, none]);
  return commit;
}

/** Commits all files below `folder`, without a parent; does not create a ref. */
export async function commitFolder(
  tools: GitTools,
  repository: Mirror,
  { folder, message }: ImportedFolder,
): Promise<string> {
  await using index = openWorkIndex(tools);
  const environment = { ...person, GIT_INDEX_FILE: index.file, GIT_WORK_TREE: folder };
  const add = ["--literal-pathspecs", "add", "--all", "--force", "--", folder];
  await readGit(tools, repository, add, { environment });
  const tree = (await readGit(tools, repository, ["write-tree"], { environment })).trim();
  const options = { environment, input: `${message}\n` };
  return (await readGit(tools, repository, ["commit-tree", tree, "-F", "-"], options)).trim();
}
