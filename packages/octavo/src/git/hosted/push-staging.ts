import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatPackedRefs } from "./packed-refs.ts";
import type { HostedRepository, RepositoryState } from "./repository-store.ts";
import { openTemporaryFolder } from "../program/temporary-folder.ts";
import type { TemporaryFolder } from "../program/temporary-folder.ts";
import type { GitTools } from "../program/tools.ts";

/**
 * A bare repository for one push: git checks and moves refs in it as if it were the hosted one. The new objects of the
 * push lie here until they are published.
 */
export async function openPushStaging(
  tools: GitTools,
  hosted: HostedRepository,
  state: RepositoryState,
): Promise<TemporaryFolder> {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await openTemporaryFolder(tools.cacheDir));
  await mkdir(join(folder.path, "objects", "info"), { recursive: true });
  await mkdir(join(folder.path, "refs"));
  const files = {
    HEAD: `ref: ${state.head}\n`,
    config: "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
    "packed-refs": formatPackedRefs(state.refs),
    "objects/info/alternates": `${join(hosted.path, "objects")}\n`,
  };
  await Promise.all(
    Object.entries(files).map(([name, content]) => writeFile(join(folder.path, name), content)),
  );
  opening.move();
  return folder;
}
