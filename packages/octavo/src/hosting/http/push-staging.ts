import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatPackedRefs } from "../copy/packed-refs.ts";
import type { HostedRepository, RepositoryState } from "../store/repository-store.ts";
import { openTemporaryFolder } from "../../git/index.ts";
import type { GitTools, TemporaryFolder } from "../../git/index.ts";

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
