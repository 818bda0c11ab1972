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

/** The flag that makes these commands treat a folder as plain Markdown. */
export const asFolderFlag = [
  "--as-folder",
  "treat the folder as plain Markdown, even if a subfolder has a docs.json",
] as const;

const configNames = ["docs.json", "mint.json"];
/**
 * The depth to which a folder is searched for sites, such as `docs/` and `packages/docs/`. Deeper sites are more likely
 * to be examples.
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
  const stats = await stat(path).catch(() => undefined);
  if (!stats?.isDirectory()) {
    const reason = stats ? "is a file" : "does not exist";
    const message = `${JSON.stringify(named)} ${reason}; name the folder that contains the site's docs.json.`;
    throw new OctavoError("invalid_input", message);
  }
  if (!asFolder && !hasConfiguration(path)) await refuseNestedSite(context, named, path);
  return await realpath(path);
}

async function refuseNestedSite(
  context: CommandContext,
  named: string,
  path: string,
): Promise<void> {
  const nested = await findNestedSites(path);
  const [first] = nested;
  if (first === undefined) return;
  const listed = nested.slice(0, 3).map((folder) => JSON.stringify(join(named, folder)));
  const subject = listed.length === 1 ? `${listed.join()} has one` : `${listed.join(", ")} have`;
  const nestedPath = join(path, first);
  const index = context.args.indexOf(named);
  const correctedArgs =
    index === -1 ? [...context.args, nestedPath] : context.args.with(index, nestedPath);
  const message =
    `${JSON.stringify(named)} has no docs.json, but ${subject}. Run \`${formatCommandLine(context, correctedArgs)}\`, or ` +
    `add --as-folder to treat ${JSON.stringify(named)} as a folder of Markdown.`;
  throw new OctavoError("invalid_input", message);
}

/**
 * Resolves a path that the user named. Throws for an empty path, such as the value of an unset shell variable, which
 * would resolve to the invocation directory.
 */
function resolveNamedPath(flag: string, invocationDir: string, named: string): string {
  if (named !== "" && !named.includes("\0")) return resolve(invocationDir, named);
  const problem = named === "" ? "is empty" : "contains a NUL character";
  throw new OctavoError("invalid_input", `${flag} ${problem}; pass a path.`);
}

/** The path and format of a bundle. */
export type Destination =
  | { readonly format: "folder"; readonly path: string }
  | { readonly format: "tar.gz" | "zip"; readonly path: string };

/** Matches extensions of archives that cannot be written. */
const unsupportedArchivePattern = /\.(?:tar|tar\.\w{1,4}|rar|7z|gz|bz2|xz|zst|tbz2?|txz|jar)$/i;

/**
 * Parses a destination. A path with the extension `.tar.gz`, `.tgz` or `.zip` is an archive; any other path is a
 * folder. Throws `invalid_input` for an empty path and for the extension of an archive that cannot be written.
 */
export function readDestination({ invocationDir }: CommandContext, out: string): Destination {
  const path = resolveNamedPath("--out", invocationDir, out);
  if (/\.(?:tar\.gz|tgz)$/i.test(out)) return { format: "tar.gz", path };
  if (/\.zip$/i.test(out)) return { format: "zip", path };
  if (unsupportedArchivePattern.test(out)) {
    throw new OctavoError(
      "invalid_input",
      `${JSON.stringify(out)} has the extension of an archive that cannot be written; use .tar.gz, .tgz or .zip, or name a folder.`,
    );
  }
  return { format: "folder", path };
}

/**
 * Throws `invalid_input` if writing would replace the site itself, a folder that is neither empty nor an earlier
 * export, or a file or folder of the wrong kind, and if the system denies access.
 */
export async function protectDestination(
  { format, path }: Destination,
  siteDir?: string,
): Promise<void> {
  const stats = await findDestination(path);
  if (format !== "folder") {
    if (!stats?.isDirectory()) return;
    throw new OctavoError("invalid_input", `${path} is a folder; name a file for the archive.`);
  }
  if (stats && !stats.isDirectory()) {
    throw new OctavoError(
      "invalid_input",
      `${path} is a file; name a folder, or a file with the extension .zip.`,
    );
  }
  const realDestination = stats ? await realpath(path) : path;
  if (siteDir !== undefined && isInside(realDestination, siteDir)) {
    throw new OctavoError(
      "invalid_input",
      `An export to ${path} would replace the site itself; name another folder.`,
    );
  }
  const { isEmptyOrExport } = await import("@octavo/site");
  if (stats && !isEmptyOrExport(path)) {
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
 * Returns the cache folder for a site's rendered pages: the folder that the user named, or else a separate folder for
 * each site. Returns undefined if the user disabled the cache or the folder cannot be used.
 */
export function findCacheFolder(
  { env, invocationDir, terminal }: CommandContext,
  siteDir: string,
  named: string | false | undefined,
): string | undefined {
  if (named === false) return undefined;
  if (named !== undefined) {
    const path = resolveNamedPath("--cache", invocationDir, named);
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

/** Returns why a folder cannot be used as a cache, as the end of a sentence, or undefined if it can be used. */
function findCacheRefusal(path: string): string | undefined {
  const probe = join(path, `.octavo-${randomUUID()}`);
  try {
    makeFolder(path);
    writeFileSync(probe, Buffer.alloc(minCacheBytes), { flag: "wx" });
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isFile = code === "EEXIST" || code === "ENOTDIR";
    return isFile ? "it is not a folder" : describeFolderRefusal(error);
  } finally {
    if (existsSync(probe)) rmSync(probe, { force: true });
  }
}

/** Reports whether a folder has its own site configuration. */
export function hasConfiguration(folder: string): boolean {
  return configNames.some((name) => existsSync(join(folder, name)));
}

/**
 * Returns the subfolders, up to two levels deep, that contain a site configuration, sorted by depth and then by path.
 */
async function findNestedSites(folder: string): Promise<string[]> {
  const sites: string[] = [];
  let level = [""];
  for (let depth = 0; depth < maxDepth; depth++) {
    const subfolders = await Promise.all(level.map((path) => listFolders(folder, path)));
    level = subfolders.flat();
    const areSites = await Promise.all(level.map((path) => isSiteFolder(join(folder, path))));
    sites.push(...level.filter((_, index) => areSites[index]));
  }
  return sites;
}

async function listFolders(root: string, path: string): Promise<string[]> {
  const entries = await readdir(join(root, path), { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name))
    .map(({ name }) => join(path, name))
    .toSorted();
}

/**
 * Reports whether the folder has a `docs.json` with navigation, because other programs also use files with this name.
 */
async function isSiteFolder(folder: string): Promise<boolean> {
  for (const name of configNames) {
    const file = join(folder, name);
    // `existsSync` takes a tenth of the time of a failed read, and most folders have neither file.
    const text = existsSync(file) ? await readFile(file, "utf8").catch(() => "") : "";
    if (text.includes('"navigation"')) return true;
  }
  return false;
}
