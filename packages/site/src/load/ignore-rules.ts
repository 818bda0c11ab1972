import ignore, { type Ignore } from "ignore";
import { OctavoError, cleanRelativePath, limits } from "../core/index.ts";
import type { ProblemLog } from "../core/index.ts";
import { walkJson, findJsonText, findJsonMembers, type JsonNode } from "../text/index.ts";
import type { TextReader } from "./read-text.ts";

/** The name of the ignore file in the site's folder. */
export const ignoreFile = ".mintignore";
/** The maximum size of the ignore file, which is ample: a thousand patterns of typical length take 30 KB. */
const maxIgnoreFileBytes = 1024 * 1024;

/**
 * Folders that programs create or install. Like a pattern without a slash in `.gitignore`, these names are ignored at
 * any depth.
 */
const builtFolders: ReadonlySet<string> = new Set("build dist coverage tmp temp".split(" "));
const ignoredFolders: ReadonlySet<string> = new Set(["node_modules", ...builtFolders]);
/**
 * Files that describe the repository and are not pages. A folder without configuration often contains only files of
 * this kind.
 */
const repositoryFiles: ReadonlySet<string> = new Set(
  "README.md LICENSE.md CHANGELOG.md CONTRIBUTING.md".split(" "),
);

/** The rules that decide which files of a site are ignored. */
export interface IgnoreRules {
  /** Reports whether a path relative to the site's folder is ignored. The path of a folder ends with a slash. */
  isIgnored(path: string): boolean;
  /** Reports whether a path is ignored only because it is in a folder of build output. Pages may show media from it. */
  isSpare(path: string): boolean;
}

/**
 * Reads the rules of `.mintignore` and adds the defaults. `.mintignore` may negate a default. The configuration also
 * negates defaults: a file that it names is published together with the other files of its folder.
 */
export async function readIgnoreRules(
  read: TextReader,
  options: { readonly config: JsonNode | undefined; readonly problems: ProblemLog },
): Promise<IgnoreRules> {
  const { config, problems } = options;
  const siteRules = ignore({ ignorecase: false });
  await addIgnoreFile(read, siteRules, problems);
  const isDefault = (name: string) =>
    ignoredFolders.has(name) || (config !== undefined && repositoryFiles.has(name));
  const namedPaths = listNamedPaths(config, isDefault);
  return {
    isIgnored(path) {
      if (siteRules.ignores(path)) return true;
      return listDefaultMatches(path, isDefault).some(
        (match) => !namedPaths.has(stripPathEnd(match)) && !siteRules.test(match).unignored,
      );
    },
    isSpare(path) {
      const matches = listDefaultMatches(path, isDefault).length;
      return !siteRules.ignores(path) && listDefaultMatches(path, isBuilt).length === matches;
    },
  };
}

function isBuilt(name: string): boolean {
  return builtFolders.has(name);
}

/** Returns the paths, among the path and its parent folders, whose names match a default, outermost first. */
function listDefaultMatches(path: string, isDefault: (name: string) => boolean): readonly string[] {
  const parts = path.split("/");
  return parts.flatMap((name, index) => {
    if (!isDefault(name)) return [];
    const isLast = index === parts.length - 1;
    return [parts.slice(0, index + 1).join("/") + (isLast ? "" : "/")];
  });
}

/** Configuration keys whose values name pages even without a slash. */
const pageKeys: ReadonlySet<string | undefined> = new Set(["pages", "root"]);

/** Returns the configured paths that would be ignored by default, without `.md` and `.mdx`. */
function listNamedPaths(
  config: JsonNode | undefined,
  isDefault: (name: string) => boolean,
): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const [setting, value] of findJsonMembers(config) ?? []) {
    // The sources of redirects are former paths of pages.
    if (setting === "redirects") continue;
    for (const { key, node } of walkJson(value, [], setting)) {
      const text = findJsonText(node)?.trim() ?? "";
      if (!text.includes("/") && !pageKeys.has(key)) continue;
      const path = cleanRelativePath(text)?.replace(/\.mdx?$/, "") ?? "";
      for (const match of listDefaultMatches(`${path}.md`, isDefault))
        paths.add(stripPathEnd(match));
      for (const match of listDefaultMatches(`${path}/`, isDefault)) paths.add(stripPathEnd(match));
    }
  }
  return paths;
}

function stripPathEnd(path: string): string {
  return path.replace(/\/$|\.md$/, "");
}

async function addIgnoreFile(read: TextReader, rules: Ignore, problems: ProblemLog): Promise<void> {
  const text = await readIgnoreFile(read, problems);
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  let count = 0;
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    count += 1;
    const position = { file: ignoreFile, line: index + 1, column: 1 };
    if (count > limits.ignorePatterns) {
      const message = `Only the first ${limits.ignorePatterns} patterns are used.`;
      problems.fail("ignore_pattern_unused", message, position);
      return;
    }
    const exceededLimit = describeExceededLimit(line);
    if (exceededLimit !== undefined) {
      const message = `A pattern may have at most ${exceededLimit}; this one is ignored.`;
      problems.fail("ignore_pattern_unused", message, position);
      continue;
    }
    rules.add(line);
  }
}

async function readIgnoreFile(read: TextReader, problems: ProblemLog): Promise<string> {
  try {
    return await read(ignoreFile, maxIgnoreFileBytes);
  } catch (error) {
    if (!(error instanceof OctavoError)) throw error;
    if (error.code !== "not_found") {
      problems.fail("ignore_file_unreadable", error.message, { file: ignoreFile });
    }
    return "";
  }
}

/** Describes the limit that a pattern exceeds, as part of a sentence. Returns undefined for a usable pattern. */
function describeExceededLimit(pattern: string): string | undefined {
  // The library searches for the end of a run of spaces from each space in the run, so 50,000 spaces would take a
  // second.
  if (pattern.length > limits.ignorePatternLength) {
    return `${limits.ignorePatternLength.toLocaleString("en")} characters`;
  }
  return isCostly(pattern) ? "two * in one part of a path and three **" : undefined;
}

/**
 * Reports whether a pattern could take too long. Patterns become regular expressions, in which each additional `*`
 * multiplies the number of steps for a name of 255 characters. `**` costs less, because it matches whole segments, and
 * a path has few segments.
 */
function isCostly(pattern: string): boolean {
  const parts = pattern.split("/");
  return parts.filter(isDoubleStar).length > 3 || parts.some(isCostlyPart);
}

function isDoubleStar(part: string): boolean {
  return /^\*\*+$/.test(part);
}

function isCostlyPart(part: string): boolean {
  return !isDoubleStar(part) && part.split("*").length > 3;
}
