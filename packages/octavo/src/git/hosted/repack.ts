import { join } from "node:path";
import { readCurrent } from "./hosted-copy.ts";
import { packObjects } from "../mirror/packs.ts";
import { placePack } from "./pack-file.ts";
import { storePack } from "./publish-state.ts";
import { openTemporaryFolder } from "../program/temporary-folder.ts";
import type { GitTools } from "../program/tools.ts";
import type { HostedRepository } from "./repository-store.ts";

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
