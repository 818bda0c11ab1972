import { toleratedFaults } from "../program/environment.ts";
import { callGit, readGit } from "../program/tools.ts";
import type { GitTools } from "../program/tools.ts";
import type { Mirror } from "../repository.ts";

interface NewObjects {
  /** The commits and tags whose history is packed. */
  readonly wanted: readonly string[];
  /** Commits whose reachable objects are omitted. */
  readonly known: Iterable<string>;
  /** The path of the pack; git adds a hash and extensions. */
  readonly target: string;
  /** Object folders in addition to the repository's own folder. */
  readonly objects?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Packs objects into a self-contained pack. Returns undefined if there are no objects. */
export async function packObjects(
  tools: GitTools,
  mirror: Mirror,
  { wanted, known, target, objects = [], signal }: NewObjects,
): Promise<string | undefined> {
  const lines = [...wanted, ...Array.from(known, (commit) => `^${commit}`)];
  const args = ["pack-objects", "--revs", "--non-empty", "--delta-base-offset", "--quiet", target];
  const output = await readGit(tools, mirror, args, {
    input: `${lines.join("\n")}\n`,
    environment: { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects.join(":") },
    signal,
  });
  const hash = output.trim();
  return hash === "" ? undefined : `${target}-${hash}`;
}

/** Creates the index of a pack, with the same checks as for a push. Every object must be complete. */
export async function indexPack(
  tools: GitTools,
  mirror: Mirror,
  file: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const faults = toleratedFaults.map((fault) => `${fault}=ignore`).join(",");
  await readGit(tools, mirror, ["index-pack", `--strict=${faults}`, file], { signal });
}

/** Combines a repository's packs into one if there are more than `maxPacks`. Does not change refs. */
export async function combinePacks(
  tools: GitTools,
  { path }: Mirror,
  maxPacks: number,
): Promise<void> {
  const settings = ["-c", "gc.packRefs=false", "-c", `gc.autoPackLimit=${maxPacks}`];
  const result = await callGit(tools, [...settings, "gc", "--auto", "--quiet"], {
    environment: { GIT_DIR: path },
  });
  if (result.exitCode !== 0) tools.log("A copy could not be packed", { path });
}
