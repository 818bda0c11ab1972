import { join } from "node:path";
import { readCurrent } from "./copy/hosted-copy.ts";
import { openTemporaryFolder, packObjects } from "../git/index.ts";
import type { GitTools } from "../git/index.ts";
import { placePack } from "./copy/pack-file.ts";
import { storePack } from "./publish-state.ts";
import type { HostedRepository } from "./store/repository-store.ts";

/**
 * Puts everything that the refs of a hosted repository reach into one pack of the storage, in place of all others.
 * Readers that still fetch one of those have a day for it. Does nothing if a ref moves meanwhile.
 */
export async function repackShared(tools: GitTools, hosted: HostedRepository): Promise<void> {
  const { generation, refs } = await readCurrent(tools, hosted);
  await using folder = await openTemporaryFolder(tools.cacheDir);
  const wanted = [...new Set(refs.values())];
  const target = join(folder.path, "all");
  const file = await packObjects(tools, hosted, { wanted, known: [], target });
  if (file === undefined) return;
  const pack = await storePack(hosted, file);
  const isReplaced = await hosted.store.replacePacks(generation, pack);
  // The copy has these objects, and git finds them faster here; its own packs go when it gathers them.
  if (isReplaced) await placePack(hosted, pack.key, file).catch(() => undefined);
}
