import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { OctavoError } from "@octavo/site/core";
import type { Mirror } from "../repository.ts";
import { callGit, readGit } from "../program/tools.ts";
import type { GitCaller } from "../program/tools.ts";

export interface ChangedFilesQuery {
  /** The folder on the disk, and where it lies in the repository; `.` is its root. */
  readonly folder: string;
  readonly directory: string;
  /** A branch, tag or commit. */
  readonly since: string;
  /** Relative to the folder. */
  readonly files: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * Those of the files whose content, as it lies on the disk, is not what it was where the history of the commit that is
 * checked out left that of `since`. Git does not look at the folder, so nothing that its configuration names is run.
 * Throws `invalid_input` for a name that the repository does not know, or has no history in common with.
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

/** `<mode> <type> <id>\t<path>` */
function readEntry(entry: string): [path: string, id: string] {
  const [facts = "", path = ""] = entry.split("\t", 2);
  return [path, facts.split(" ")[2] ?? ""];
}

const sha1Length = 40;

/** Git names a blob by the hash of its header and its content. */
function isBlob(content: Buffer, id: string | undefined): boolean {
  if (id === undefined) return false;
  const hash = createHash(id.length === sha1Length ? "sha1" : "sha256");
  return hash.update(`blob ${content.length}\0`).update(content).digest("hex") === id;
}
