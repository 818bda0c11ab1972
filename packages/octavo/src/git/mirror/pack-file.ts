import { createWriteStream } from "node:fs";
import { access, copyFile, link, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Readable } from "node:stream";
import { hashParts } from "@octavo/site/core";
import { flush } from "../../core/index.ts";
import { toleratedFaults } from "../program/environment.ts";
import type { Mirror } from "../repository.ts";
import { readGit } from "../program/tools.ts";
import type { GitTools } from "../program/tools.ts";

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

/** Git's endings; the index is last: with it, a pack counts. */
const endings = [".pack", ".rev", ".idx"] as const;

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

/** Adds a pack from the storage to a copy, checked as what is pushed is. */
export async function addPack(
  tools: GitTools,
  copy: Mirror,
  { key, content, signal }: AddedPack,
): Promise<void> {
  const partial = join(copy.path, "objects", "pack", `tmp_${nameOf(key)}`);
  try {
    await pipeline(content, createWriteStream(`${partial}.pack`));
    const faults = toleratedFaults.map((fault) => `${fault}=ignore`).join(",");
    await readGit(tools, copy, ["index-pack", `--strict=${faults}`, `${partial}.pack`], { signal });
    await placePack(copy, key, partial);
  } finally {
    await Promise.all(endings.map((ending) => rm(partial + ending, { force: true })));
  }
}

interface AddedPack {
  readonly key: string;
  readonly content: Readable;
  readonly signal: AbortSignal | undefined;
}

/** Moves the files of an indexed pack into a copy; `from` is their path without the ending. */
export async function placePack(copy: Mirror, key: string, from: string): Promise<void> {
  const to = packPath(copy, key);
  for (const ending of endings) {
    await rename(from + ending, to + ending).catch((error: NodeJS.ErrnoException) => {
      // Older versions of git write no reverse index.
      if (ending !== ".rev" || error.code !== "ENOENT") throw error;
    });
  }
}

/** Whether a copy has the pack; git may have put its objects into another one since. */
export async function hasPack(copy: Mirror, key: string): Promise<boolean> {
  return await access(`${packPath(copy, key)}.idx`).then(
    () => true,
    () => false,
  );
}

/** A second name for a file, or a copy of it where the file system has no such names. */
export async function linkFile(from: string, to: string): Promise<void> {
  await link(from, to).catch(async () => copyFile(from, to));
}

/** Flushes the names of a copy's packs to the disk: git and `addPack` flush their content only. */
export async function flushPacks(copy: Mirror): Promise<void> {
  await flush(join(copy.path, "objects", "pack"));
}

function packPath(copy: Mirror, key: string): string {
  return join(copy.path, "objects", "pack", `pack-${nameOf(key)}`);
}

/** As long as a name of git's own, which takes its end for a hash. */
function nameOf(key: string): string {
  return hashParts([key]).slice(0, 40);
}
