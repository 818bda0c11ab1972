import { createHash, randomUUID } from "node:crypto";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import type { Stats } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { OctavoError, describeSystemRefusal, makeFolder } from "@octavo/site/core";
import { describeFolderRefusal, findUserCacheFolder } from "../../config/index.ts";
import type { CommandContext } from "../context.ts";
import { formatCommandLine } from "../invocation.ts";

export interface SiteFlags {
  readonly asFolder?: true;
}

/** The argument of every command that works on a site's folder. */
export const siteArgument = [
  "[site]",
  "folder of the site, with a docs.json or only Markdown files",
  ".",
] as const;

/** The flag that makes these commands treat the folder as plain Markdown. */
export const asFolderFlag = [
  "--as-folder",
  "treat the folder as plain Markdown, even if a subfolder has a docs.json",
] as const;

const configNames = ["docs.json", "mint.json"];
/**
 * The depth to which sites are searched for, e.g. `docs/` and `packages/docs/`. Deeper sites are more likely to be
 * examples.
 */
const maxDepth = 2;

/**
 * Returns the real path of the site's folder that the user named. Throws `invalid_input` if the folder does not exist,
 * or if the site is more likely in a subfolder.
 */
export async function findSite(
  context: CommandContext,
  named: string,
  { asFolder }: SiteFlags,
): Promise<string> {
  const path = resolve(context.invocationDir, named);
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) {
    const reason = found ? "is a file" : "does not exist";
    const message = `${JSON.stringify(named)} ${reason}; name the folder that contains the site's docs.json.`;
    throw new OctavoError("invalid_input", message);
  }
  if (!asFolder && !hasConfiguration(path)) await refuseNested(context, named, path);
  return await realpath(path);
}

async function refuseNested(context: CommandContext, named: string, path: string): Promise<void> {
  const nested = await findNestedSites(path);
  const [first] = nested;
  if (first === undefined) return;
  const listed = nested.slice(0, 3).map((folder) => JSON.stringify(join(named, folder)));
  const have = listed.length === 1 ? `${listed.join()} has one` : `${listed.join(", ")} have`;
  const nestedPath = join(path, first);
  const at = context.args.indexOf(named);
  const inFolder = at === -1 ? [...context.args, nestedPath] : context.args.with(at, nestedPath);
  const message =
    `${JSON.stringify(named)} has no docs.json, but ${have}. Run \`${formatCommandLine(context, inFolder)}\`, or ` +
    `add --as-folder to treat ${JSON.stringify(named)} as a folder of Markdown.`;
  throw new OctavoError("invalid_input", message);
}

/**
 * Resolves a path that the user named. Throws for an empty path, which an unset shell variable produces and which would
 * mean the invocation directory itself.
 */
function resolveNamed(flag: string, invocationDir: string, named: string): string {
  if (named !== "" && !named.includes("\0")) return resolve(invocationDir, named);
  const what = named === "" ? "is empty" : "contains a NUL character";
  throw new OctavoError("invalid_input", `${flag} ${what}; pass a path.`);
}

/** The path and format of a bundle. */
export type Destination =
  | { readonly format: "folder"; readonly path: string }
  | { readonly format: "tar.gz" | "zip"; readonly path: string };

/** Extensions of archives that cannot be written. */
const otherArchives = /\.(?:tar|tar\.\w{1,4}|rar|7z|gz|bz2|xz|zst|tbz2?|txz|jar)$/i;

/**
 * Parses a destination. A path with the extension `.tar.gz`, `.tgz` or `.zip` is an archive; any other path is a
 * folder. Throws `invalid_input` for an empty path and for the extension of an archive that cannot be written.
 */
export function readDestination({ invocationDir }: CommandContext, out: string): Destination {
  const path = resolveNamed("--out", invocationDir, out);
  if (/\.(?:tar\.gz|tgz)$/i.test(out)) return { format: "tar.gz", path };
  if (/\.zip$/i.test(out)) return { format: "zip", path };
  if (otherArchives.test(out)) {
    throw new OctavoError(
      "invalid_input",
      `${JSON.stringify(out)} has the extension of an archive that cannot be written; use .tar.gz, .tgz or .zip, or name a folder.`,
    );
  }
  return { format: "folder", path };
}

/**
 * Throws `invalid_input` if writing would destroy something, or if the system denies access. Writing would destroy the
 * contents of a folder that is not an earlier export, and a folder that has the name of the archive.
 */
export async function protectDestination(
  { format, path }: Destination,
  siteDir?: string,
): Promise<void> {
  const found = await findDestination(path);
  if (format !== "folder") {
    if (!found?.isDirectory()) return;
    throw new OctavoError("invalid_input", `${path} is a folder; name a file for the archive.`);
  }
  if (found && !found.isDirectory()) {
    throw new OctavoError(
      "invalid_input",
      `${path} is a file; name a folder, or a file with the extension .zip.`,
    );
  }
  const real = found ? await realpath(path) : path;
  if (siteDir !== undefined && isInside(real, siteDir)) {
    throw new OctavoError(
      "invalid_input",
      `An export to ${path} would replace the site itself; name another folder.`,
    );
  }
  const { isEmptyOrExport } = await import("@octavo/site");
  if (found && !isEmptyOrExport(path)) {
    throw new OctavoError(
      "invalid_input",
      `${path} is not empty and does not contain an earlier export; name another folder, or empty this one.`,
    );
  }
}

async function findDestination(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (cause) {
    const refusal = describeSystemRefusal(cause);
    if (refusal === undefined) return undefined;
    const message = `${path} cannot be written: ${refusal}; choose another location for the bundle.`;
    throw new OctavoError("invalid_input", message, { cause });
  }
}

/** Reports whether `path` is `folder` itself or inside it. */
function isInside(folder: string, path: string): boolean {
  const fromFolder = relative(folder, path);
  return fromFolder !== ".." && !fromFolder.startsWith(`..${sep}`) && !isAbsolute(fromFolder);
}

/**
 * Returns the cache folder for a site's rendered pages: the folder that the user named, none if the user disabled the
 * cache, otherwise a separate folder for each site. Its contents can be deleted at any time.
 */
export function findCacheFolder(
  { env, invocationDir, terminal }: CommandContext,
  siteDir: string,
  named: string | false | undefined,
): string | undefined {
  if (named === false) return undefined;
  if (named !== undefined) {
    const path = resolveNamed("--cache", invocationDir, named);
    const refusal = findCacheRefusal(path);
    if (refusal === undefined) return path;
    terminal.note(
      `octavo: The cache folder ${path} cannot be used: ${refusal}. Every page is rendered again.`,
    );
    return undefined;
  }
  const folder = findUserCacheFolder(env);
  const name = createHash("sha256").update(siteDir).digest("hex").slice(0, 16);
  return folder === undefined ? undefined : join(folder, "pages", name);
}

/** The minimum free space for a useful cache. */
const minCacheBytes = 1024 * 1024;

/** Returns the reason why a folder cannot be a cache, as the end of a sentence, or undefined if it can. */
function findCacheRefusal(path: string): string | undefined {
  const probe = join(path, `.octavo-${randomUUID()}`);
  try {
    makeFolder(path);
    writeFileSync(probe, Buffer.alloc(minCacheBytes), { flag: "wx" });
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isOccupied = code === "EEXIST" || code === "ENOTDIR";
    return isOccupied ? "it is not a folder" : describeFolderRefusal(error);
  } finally {
    if (existsSync(probe)) rmSync(probe, { force: true });
  }
}

/** Reports whether a folder has its own site configuration. */
export function hasConfiguration(folder: string): boolean {
  return configNames.some((name) => existsSync(join(folder, name)));
}

/**
 * Returns the folders up to two levels below this one that contain a site configuration, sorted by depth and then by
 * path.
 */
async function findNestedSites(folder: string): Promise<string[]> {
  const found: string[] = [];
  let level = [""];
  for (let depth = 0; depth < maxDepth; depth++) {
    const below = await Promise.all(level.map((path) => listFolders(folder, path)));
    level = below.flat();
    const isSite = await Promise.all(level.map((path) => isSiteFolder(join(folder, path))));
    found.push(...level.filter((_, at) => isSite[at]));
  }
  return found;
}

async function listFolders(root: string, below: string): Promise<string[]> {
  const entries = await readdir(join(root, below), { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name))
    .map(({ name }) => join(below, name))
    .toSorted();
}

/**
 * Reports whether the folder has a `docs.json` with navigation, because other programs also use files with this name.
 */
async function isSiteFolder(folder: string): Promise<boolean> {
  for (const name of configNames) {
    const file = join(folder, name);
    // Checking for a file takes a tenth of the time of an attempt to open it, and most folders have neither file.
    const text = existsSync(file) ? await readFile(file, "utf8").catch(() => "") : "";
    if (text.includes('"navigation"')) return true;
  }
  return false;
}
