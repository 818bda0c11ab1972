import { createWriteStream } from "node:fs";
import { access, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Readable } from "node:stream";
import { hashParts, isSystemError } from "@octavo/site/core";
import { flush } from "../../core/index.ts";
import { indexPack } from "../../git/index.ts";
import type { GitTools, Mirror } from "../../git/index.ts";

/** Git's file extensions. The index comes last, because git uses a pack only once its index exists. */
const packExtensions = [".pack", ".rev", ".idx"] as const;

/** Adds a pack from the storage to a copy, with the same checks as for pushed objects. */
export async function addPack(
  tools: GitTools,
  copy: Mirror,
  { key, content, signal }: NewPack,
): Promise<void> {
  const partial = join(copy.path, "objects", "pack", `tmp_${getPackName(key)}`);
  try {
    await pipeline(content, createWriteStream(`${partial}.pack`));
    await indexPack(tools, copy, `${partial}.pack`, signal);
    await placePack(copy, key, partial);
  } finally {
    await Promise.all(packExtensions.map((extension) => rm(partial + extension, { force: true })));
  }
}

interface NewPack {
  readonly key: string;
  readonly content: Readable;
  readonly signal: AbortSignal | undefined;
}

/** Moves the files of an indexed pack into a copy. `from` is their path without the extension. */
export async function placePack(copy: Mirror, key: string, from: string): Promise<void> {
  const to = getPackPath(copy, key);
  for (const extension of packExtensions) {
    await rename(from + extension, to + extension).catch((error: unknown) => {
      // Older versions of git do not write a reverse index.
      if (extension !== ".rev" || !isSystemError(error, "ENOENT")) throw error;
    });
  }
}

/** Reports whether a copy has received the pack. Git may have moved its objects to another pack since. */
export async function hasPack(copy: Mirror, key: string): Promise<boolean> {
  return await access(`${getPackPath(copy, key)}.idx`).then(
    () => true,
    () => false,
  );
}

/** Flushes the directory of a copy's packs to disk, because git and `addPack` flush only the content of the packs. */
export async function flushPacks(copy: Mirror): Promise<void> {
  await flush(join(copy.path, "objects", "pack"));
}

function getPackPath(copy: Mirror, key: string): string {
  return join(copy.path, "objects", "pack", `pack-${getPackName(key)}`);
}

/** Returns a name as long as git's own names, whose last part git parses as a hash. */
function getPackName(key: string): string {
  return hashParts([key]).slice(0, 40);
}
