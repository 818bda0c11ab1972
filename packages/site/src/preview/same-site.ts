import { stat } from "node:fs/promises";
import { join } from "node:path";
import { ProblemLog } from "../core/index.ts";
import { readPages } from "../site/index.ts";
import type { Reading } from "./reading.ts";

/** What files of these kinds hold is read for what a page or the whole site is made of. */
const readKinds = /\.(?:mdx?|json|ya?ml)$/i;
const ignoreFile = ".mintignore";

/**
 * Whether changed files leave the site as it was read, so that only pages have to be made again: text of a
 * page below an unchanged head, a snippet, a picture that is still there. Reading a site of 1,000 pages again
 * is some 100 ms; this is one file. `isKnownSnippet` says which other files pages were made of.
 */
export async function isSameSite(
  reading: Reading,
  files: Iterable<string>,
  isKnownSnippet: (file: string) => boolean,
): Promise<boolean> {
  for (const file of files) {
    if (!(await leavesSite(reading, file, isKnownSnippet))) return false;
  }
  return true;
}

async function leavesSite(
  reading: Reading,
  file: string,
  isKnownSnippet: (file: string) => boolean,
): Promise<boolean> {
  if (file === ignoreFile) return false;
  if (isHidden(file)) return true;
  if (reading.sources.has(file)) return isSameHead(reading, file);
  const isThere = await exists(join(reading.site.root, file));
  if (reading.assets.has(file)) return isThere && !readKinds.test(file);
  if (isKnownSnippet(file)) return isThere;
  // What an editor wrote beside a file and took away again.
  return !isThere && !isFolderOfSite(reading, file);
}

async function isSameHead({ site, sources }: Reading, file: string): Promise<boolean> {
  // A problem that is mended changes the site too.
  if (site.problems.some((problem) => problem.file === file)) return false;
  const problems = new ProblemLog();
  const isPlain = site.configFile === "none";
  const [source] = await readPages(site.root, [file], { isPlain, problems });
  const isClean = problems.sorted().length === 0;
  return isClean && JSON.stringify(source) === JSON.stringify(sources.get(file));
}

/** Watchers name folders that were moved away, and not what lay in them. */
function isFolderOfSite({ sources, assets }: Reading, folder: string): boolean {
  const start = `${folder}/`;
  const isBelow = (file: string): boolean => file.startsWith(start);
  return [...sources.keys()].some(isBelow) || [...assets].some(isBelow);
}

function isHidden(file: string): boolean {
  const parts = file.split("/");
  const shown = parts[0] === ".well-known" ? parts.slice(1) : parts;
  return shown.some((part) => part.startsWith("."));
}

async function exists(file: string): Promise<boolean> {
  return await stat(file).then(
    () => true,
    () => false,
  );
}
