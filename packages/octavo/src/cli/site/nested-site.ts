import { existsSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";

const configNames = ["docs.json", "mint.json"];
/** `docs/` and `packages/docs/`: deeper ones are rather examples of something. */
const maxDepth = 2;

/** Whether a folder has a site's configuration of its own. */
export function hasConfiguration(folder: string): boolean {
  return configNames.some((name) => existsSync(join(folder, name)));
}

/** Folders below this one, down to the second level, that hold a site's configuration: the closest first, by path. */
export async function nestedSites(folder: string): Promise<string[]> {
  const found: string[] = [];
  let level = [""];
  for (let depth = 0; depth < maxDepth; depth++) {
    const below = await Promise.all(level.map((path) => foldersIn(folder, path)));
    level = below.flat();
    const isSite = await Promise.all(level.map((path) => isSiteFolder(join(folder, path))));
    found.push(...level.filter((_, at) => isSite[at]));
  }
  return found;
}

async function foldersIn(root: string, below: string): Promise<string[]> {
  const entries = await readdir(join(root, below), { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name))
    .map(({ name }) => join(below, name))
    .toSorted();
}

/** Other programs have a file `docs.json` too, without navigation. */
async function isSiteFolder(folder: string): Promise<boolean> {
  for (const name of configNames) {
    const file = join(folder, name);
    // Looking costs a tenth of what an attempt to open it does, and most folders have neither.
    const text = existsSync(file) ? await readFile(file, "utf8").catch(() => "") : "";
    if (text.includes('"navigation"')) return true;
  }
  return false;
}
