import ignore, { type Ignore } from "ignore";
import { OctavoError, limits } from "../core/index.ts";
import type { ProblemLog } from "../core/index.ts";
import { readTextInside } from "./read-text.ts";

const ignoreFile = ".mintignore";
/** A thousand patterns of usual length take 30 KB. */
const maxIgnoreFileBytes = 1024 * 1024;

const ignoredFolders = ["node_modules", "build", "dist", "coverage", "tmp", "temp"];
/** Files about the repository, not pages; a folder without configuration often has nothing else. */
const repositoryFiles = ["README.md", "LICENSE.md", "CHANGELOG.md", "CONTRIBUTING.md"];

/** Which files of a site are ignored. */
export interface IgnoreRules {
  /** `path` is relative to the site's folder; that of a folder ends with a slash. */
  isIgnored(path: string): boolean;
}

/** The default rules and those of `.mintignore`, which may negate the defaults. */
export async function readIgnoreRules(
  root: string,
  options: { readonly isConfigured: boolean; readonly problems: ProblemLog },
): Promise<IgnoreRules> {
  const rules = ignore({ ignorecase: false }).add(ignoredFolders);
  if (options.isConfigured) rules.add(repositoryFiles);
  await addIgnoreFile(root, rules, options.problems);
  return { isIgnored: (path) => rules.ignores(path) };
}

async function addIgnoreFile(root: string, rules: Ignore, problems: ProblemLog): Promise<void> {
  const text = await readIgnoreFile(root, problems);
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  let count = 0;
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    count += 1;
    const place = { file: ignoreFile, line: index + 1, column: 1 };
    if (count > limits.ignorePatterns) {
      const message = `Only the first ${limits.ignorePatterns} patterns are used.`;
      problems.fail("ignore_pattern_unused", message, place);
      return;
    }
    const excess = excessOf(line);
    if (excess !== undefined) {
      const message = `A pattern may have at most ${excess}; this one is ignored.`;
      problems.fail("ignore_pattern_unused", message, place);
      continue;
    }
    rules.add(line);
  }
}

async function readIgnoreFile(root: string, problems: ProblemLog): Promise<string> {
  try {
    return await readTextInside(root, ignoreFile, maxIgnoreFileBytes);
  } catch (error) {
    if (!(error instanceof OctavoError)) throw error;
    if (error.code !== "not_found") {
      problems.fail("ignore_file_unreadable", error.message, { file: ignoreFile });
    }
    return "";
  }
}

/** What a pattern has too much of, as in a sentence; undefined for one that can be used. */
function excessOf(pattern: string): string | undefined {
  // Spaces are searched for their end from each of them: 50,000 would take a second.
  if (pattern.length > limits.ignorePatternLength) {
    return `${limits.ignorePatternLength.toLocaleString("en")} characters`;
  }
  return isCostly(pattern) ? "two * in one part of a path and three **" : undefined;
}

/**
 * Patterns become regular expressions, and each additional `*` multiplies the steps for a name of 255
 * characters; `**` matches whole parts, of which a path has few.
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
