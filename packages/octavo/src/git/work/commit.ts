import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import { cleanRelativePath, OctavoError, isSystemError, createInputError } from "@octavo/site/core";
import { createGitError } from "../program/failure.ts";
import { queryObjects, isFullCommit } from "../mirror/ref.ts";
import type { Mirror } from "../repository.ts";
import { openTemporaryKey } from "../program/environment.ts";
import { callGit, openWorkIndex, readGit } from "../program/tools.ts";
import type { GitTools } from "../program/tools.ts";

export interface Person {
  readonly name: string;
  readonly email: string;
}

export interface NewCommit {
  /** The full hash of a commit in the repository. */
  readonly parent: string;
  /**
   * The parents of the new commit, in place of `parent`. Used for a merge, for which `parent` is only an intermediate
   * commit.
   */
  readonly parents?: readonly string[] | undefined;
  /** The folder that `checkout` wrote. */
  readonly dir: string;
  /** The path in the repository that was checked out; `.` is the root. */
  readonly directory: string;
  /** The paths to commit, relative to `dir`. Missing files are removed. */
  readonly paths: readonly string[];
  readonly author: Person;
  readonly committer: Person;
  readonly message: string;
  /** The same values and time produce the same commit, so creating it again after a crash is harmless. */
  readonly at: Date;
  /** An Ed25519 or RSA private key for SSH, whose signatures are always the same. If omitted, commits are unsigned. */
  readonly signingKey?: string | undefined;
}

const nullHash = "0".repeat(40);

/**
 * Writes a commit into the repository and returns its full hash. Returns undefined if the paths do not differ from the
 * parent. Does not move a branch; `push` does. Throws `invalid_input` for a path that leads out of `dir`, through a
 * symbolic link or into `.git`, or that is not a regular file.
 */
export async function commitFiles(
  tools: GitTools,
  mirror: Mirror,
  plan: NewCommit,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (!isFullCommit(plan.parent))
    throw createInputError("The parent of a commit must be a full commit hash.");
  if (plan.message.trim() === "" || plan.message.includes("\0")) {
    throw createInputError("The commit message is empty or contains a NUL character.");
  }
  const files = await readFiles(tools, plan);
  const tree = await writeTree(tools, mirror, { files, plan, signal });
  const [parentTree = ""] = await queryObjects(tools, mirror, [`${plan.parent}^{tree}`]);
  if (parentTree.startsWith(`${tree} `)) return undefined;
  const { parent, parents = [parent] } = plan;
  return await writeCommit(tools, mirror, { ...plan, tree, parents });
}

export interface CommitRecord extends Pick<
  NewCommit,
  "author" | "committer" | "message" | "at" | "signingKey"
> {
  readonly tree: string;
  readonly parents: readonly string[];
}

/** Writes only the commit object, for a tree that exists. */
export async function writeCommit(
  tools: GitTools,
  mirror: Mirror,
  record: CommitRecord,
): Promise<string> {
  // With the @, any number means seconds; without it, git could interpret the number as a date.
  const date = `@${Math.floor(record.at.getTime() / 1000)} +0000`;
  const parents = record.parents.flatMap((parent) => ["-p", parent]);
  await using signing = await openSigning(tools, record.signingKey);
  const args = ["commit-tree", ...signing.flags, record.tree, ...parents, "-F", "-"];
  const result = await callGit(tools, [...signing.settings, ...args], {
    input: `${record.message.trimEnd()}\n`,
    environment: {
      GIT_DIR: mirror.path,
      GIT_AUTHOR_NAME: requireName(record.author),
      GIT_AUTHOR_EMAIL: requireEmail(record.author),
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: requireName(record.committer),
      GIT_COMMITTER_EMAIL: requireEmail(record.committer),
      GIT_COMMITTER_DATE: date,
    },
  });
  if (result.exitCode === 0) return result.stdout.trim();
  throw new OctavoError(
    "internal",
    record.signingKey === undefined
      ? "The service could not create a commit."
      : "The commit could not be signed with the project's key. Check that ssh-keygen is installed, and set the key again.",
    { cause: createGitError(result) },
  );
}

/** Prepares git to sign a commit. The key is stored in a file for the duration of the call. */
async function openSigning(tools: GitTools, privateKey: string | undefined) {
  if (privateKey === undefined) {
    return { settings: [], flags: [], [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const key = await openTemporaryKey(tools.home.folder, privateKey);
  const settings = ["gpg.format=ssh", "gpg.ssh.program=ssh-keygen", `user.signingKey=${key.file}`];
  return {
    settings: settings.flatMap((setting) => ["-c", setting]),
    flags: ["-S"],
    [Symbol.asyncDispose]: () => key[Symbol.asyncDispose](),
  };
}

interface WorkFile {
  /** The path in the repository. */
  readonly path: string;
  /** The absolute path of the file; undefined if the file must be removed. */
  readonly absolute: string | undefined;
  readonly mode: "100644" | "100755";
}

async function readFiles(tools: GitTools, plan: NewCommit): Promise<WorkFile[]> {
  const { checkoutFiles, checkoutBytes } = tools.limits;
  const root = await realpath(plan.dir);
  const prefix = normalizePath(plan.directory);
  const files: WorkFile[] = [];
  let bytes = 0;
  for (const requestedPath of new Set(plan.paths)) {
    const path = normalizePath(requestedPath);
    const file = await readEntry(root, path);
    bytes += file.size;
    files.push({ ...file, path: prefix === "" ? path : `${prefix}/${path}` });
    if (files.length > checkoutFiles || bytes > checkoutBytes) {
      throw new OctavoError("too_large", "The change has too many files or bytes to be committed.");
    }
  }
  return files;
}

async function readEntry(root: string, path: string) {
  const absolute = join(root, path);
  const stats = await lstat(absolute).catch((error: unknown) => {
    if (isSystemError(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  });
  if (!stats) return { absolute: undefined, mode: "100644", size: 0 } as const;
  if (!stats.isFile() || (await realpath(absolute)) !== absolute) {
    throw createInputError(
      `${JSON.stringify(path)} is not a regular file or is reached through a symbolic link; it was not committed.`,
    );
  }
  const mode = (stats.mode & 0o100) === 0 ? "100644" : "100755";
  return { absolute, mode, size: stats.size } as const;
}

// oxlint-disable-next-line no-control-regex -- the pattern must match control characters
const forbiddenPathCharacters = /[\u0000-\u001f\u007f]/;
/** Git's own folder must not be committed, regardless of case. */
const gitFolder = /(?:^|\/)\.git(?:\/|$)/i;

/** Normalizes a relative path; `""` for the root. */
function normalizePath(path: string): string {
  const clean = cleanRelativePath(path);
  if (clean === undefined || forbiddenPathCharacters.test(clean) || gitFolder.test(clean)) {
    throw createInputError(`${JSON.stringify(path)} is not a path that can be committed.`);
  }
  return clean;
}

interface TreeWork {
  readonly files: readonly WorkFile[];
  readonly plan: NewCommit;
  readonly signal: AbortSignal | undefined;
}

async function writeTree(
  tools: GitTools,
  mirror: Mirror,
  { files, plan, signal }: TreeWork,
): Promise<string> {
  await using index = openWorkIndex(tools);
  const environment = { GIT_INDEX_FILE: index.file };
  const objects = await writeObjects(tools, mirror, files, signal);
  await readGit(tools, mirror, ["read-tree", plan.parent], { environment, signal });
  const entries = files.map(({ path, absolute, mode }) =>
    absolute === undefined
      ? `0 ${nullHash}\t${path}\0`
      : `${mode} ${objects.get(absolute)}\t${path}\0`,
  );
  await readGit(tools, mirror, ["update-index", "--replace", "-z", "--index-info"], {
    environment,
    signal,
    input: entries.join(""),
  });
  return (await readGit(tools, mirror, ["write-tree"], { environment, signal })).trim();
}

/** Writes the files' contents into the repository. Returns the hashes of the objects by path. */
async function writeObjects(
  tools: GitTools,
  mirror: Mirror,
  files: readonly WorkFile[],
  signal: AbortSignal | undefined,
): Promise<Map<string, string>> {
  const paths = files.flatMap(({ absolute }) => (absolute === undefined ? [] : [absolute]));
  if (paths.length === 0) return new Map();
  const args = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
  const output = await readGit(tools, mirror, args, {
    input: paths.map((path) => `${path}\n`).join(""),
    signal,
  });
  const names = output.trimEnd().split("\n");
  return new Map(paths.map((path, index) => [path, names[index] ?? nullHash]));
}

/** Characters that would end a line of the commit, or begin the next field of the line. */
// oxlint-disable-next-line no-control-regex -- the pattern must match control characters
const forbiddenPersonCharacters = /[\u0000-\u001f\u007f<>]/g;

function requireName(person: Person): string {
  const name = person.name.replaceAll(forbiddenPersonCharacters, "").trim();
  if (name === "") throw createInputError("The author of a commit needs a name.");
  return name;
}

function requireEmail(person: Person): string {
  const email = person.email.replaceAll(forbiddenPersonCharacters, "").trim();
  if (email === "") throw createInputError("The author of a commit needs an email address.");
  return email;
}
