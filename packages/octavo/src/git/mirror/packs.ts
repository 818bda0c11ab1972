import { toleratedFaults } from "../program/environment.ts";
import { callGit, readGit } from "../program/tools.ts";
import type { GitTools } from "../program/tools.ts";
import type { Mirror } from "../repository.ts";

export interface NewObjects {
  /** Commits and tags whose history is packed. */
  readonly wanted: readonly string[];
  /** What these reach is left out. */
  readonly known: Iterable<string>;
  /** Where the pack is written; git adds a hash and endings. */
  readonly target: string;
  /** Folders of objects besides the repository's own. */
  readonly objects?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Packs objects so that nothing outside the pack is needed to read it; undefined if there are none. */
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

/** Makes the index of a pack, which is checked as what is pushed is; every object of it must be whole. */
export async function indexPack(
  tools: GitTools,
  mirror: Mirror,
  file: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const faults = toleratedFaults.map((fault) => `${fault}=ignore`).join(",");
  await readGit(tools, mirror, ["index-pack", `--strict=${faults}`, file], { signal });
}

/** Puts the packs of a repository into one where there are more than `maxPacks`. Refs are left as they are. */
export async function gatherPacks(
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
