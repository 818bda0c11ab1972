import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { OctavoError } from "@octavo/site/core";
import type { Mirror } from "../repository.ts";
import { callGit, readGit } from "../program/tools.ts";
import type { GitCaller } from "../program/tools.ts";

export interface ChangedFilesQuery {
  /** The folder on disk, and its path in the repository; `.` is the root. */
  readonly folder: string;
  readonly directory: string;
  /** A branch, tag or commit. */
  readonly since: string;
  /** Paths relative to the folder. */
  readonly files: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the files whose content on disk differs from their content at the merge base of the checked-out commit and
 * `since`. Git does not read the folder, so programs that its configuration names do not run. Throws `invalid_input`
 * for a name that the repository does not contain, or whose history has nothing in common.
 */
export async function findChangedFiles(
  tools: GitCaller,
  repository: Mirror,
  { folder, directory, since, files, signal }: ChangedFilesQuery,
): Promise<ReadonlySet<string>> {
  const base = await findBase(tools, repository, since, signal);
  const tree = directory === "." ? base : `${base}:${directory}`;
  const listed = await callGit(tools, ["ls-tree", "-r", "-z", tree], {
    environment: { GIT_DIR: repository.path },
    signal,
  });
  // The folder may be new.
  const before = new Map(listed.exitCode === 0 ? listed.stdout.split("\0").map(readEntry) : []);
  const changed = new Set<string>();
  for (const file of files) {
    const content = await readFile(join(folder, file)).catch(() => undefined);
    if (content === undefined || !isBlob(content, before.get(file))) changed.add(file);
  }
  return changed;
}

async function findBase(
  tools: GitCaller,
  repository: Mirror,
  since: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const environment = { GIT_DIR: repository.path };
  const name = `${since}^{commit}`;
  const known = ["rev-parse", "--verify", "--quiet", "--end-of-options", name];
  const { exitCode, stdout } = await callGit(tools, known, { environment, signal });
  if (exitCode !== 0) {
    throw new OctavoError("invalid_input", `The repository has no ${JSON.stringify(since)}.`);
  }
  const base = await callGit(tools, ["merge-base", stdout.trim(), "HEAD"], { environment, signal });
  if (base.exitCode === 0) return base.stdout.trim();
  const shallow = await readGit(tools, repository, ["rev-parse", "--is-shallow-repository"], {
    signal,
  });
  const advice = shallow.trim() === "true" ? " This clone has no older commits; fetch them." : "";
  throw new OctavoError(
    "invalid_input",
    `The history has nothing in common with ${JSON.stringify(since)}.${advice}`,
  );
}

/** Parses `<mode> <type> <id>\t<path>`. */
function readEntry(entry: string): [path: string, id: string] {
  const [facts = "", path = ""] = entry.split("\t", 2);
  return [path, facts.split(" ")[2] ?? ""];
}

const sha1Length = 40;

/** Reports whether content has a blob's ID, which is the hash of its header and its content. */
function isBlob(content: Buffer, id: string | undefined): boolean {
  if (id === undefined) return false;
  const hash = createHash(id.length === sha1Length ? "sha1" : "sha256");
  return hash.update(`blob ${content.length}\0`).update(content).digest("hex") === id;
}
