import { z } from "zod";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import type { ContentHistory, FileChange, LostFile, PastCommit } from "../../git/index.ts";
import { checkPath, classifyPath, stripLeading } from "../content.ts";
import type { Workspace } from "../workspace.ts";
import { defineTool, findNamedFile, Path } from "./tool.ts";
import type { AgentTool, ToolOutput } from "./tool.ts";
import { truncate } from "../inert-text.ts";

const Input = z.strictObject({
  path: Path.describe(
    "A file of the site, or a page as in links, without extension. It may no longer exist.",
  ),
  limit: z.int().min(1).max(50).default(10),
  lines: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'Also shows the added and removed lines that contain this text, e.g. "# " for headings.',
    ),
});

/**
 * A commit as shown to the model, without names and addresses of people, and without characters in the subject that
 * hide other characters.
 */
interface ShownCommit {
  readonly commit: string;
  readonly date: string;
  readonly subject: string;
}

const shownDigits = 12;
const subjectLength = 200;
const mailAddress = /[^\s@<>()]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b/gi;

/** Creates the tool. `history` is undefined if the site is not in a repository. */
export function createHistoryTool(
  workspace: Workspace,
  history: ContentHistory | undefined,
  outputLength: number,
): AgentTool {
  return defineTool({
    name: "history",
    description:
      "Shows the Git history of a file before your work. Of an existing file: the last commits that changed it, newest first, with the old path if a commit renamed it. Of a removed file: the commit that removed it (`gone`), and where its text is now: the new path if it was renamed (`renamedTo`, with the share of the text that stayed the same as `similarity`, 0 to 1), or another page (`mergedInto`).",
    input: Input,
    isChanging: false,
    async run({ path: named, limit, lines }, signal) {
      if (history === undefined) throw createNoHistoryError();
      const path = stripLeading(await findNamedFile(workspace, named));
      const { file, isThere } = await findFile(workspace, history, { path, signal });
      if (!isThere) return describeRemoval(file, await history.findLost(file, signal));
      const changes = await history.changes(file, { limit, lines, signal });
      const commits = fitting(changes.commits.map(shownChange), outputLength);
      const isWhole = changes.isWhole && commits.length === changes.commits.length;
      return { path: file, commits, isWhole };
    },
  });
}

interface Wanted {
  readonly path: string;
  readonly signal: AbortSignal;
}

/**
 * Finds the file to which a path refers: an existing file or, if there is none, a former file. Throws like
 * `Workspace.kindOf`.
 */
async function findFile(
  workspace: Workspace,
  history: ContentHistory,
  { path, signal }: Wanted,
): Promise<{ readonly file: string; readonly isThere: boolean }> {
  const files = listPossibleFiles(path);
  for (const file of files) {
    if (await isPresent(workspace, file, file === path && files.length === 1)) {
      return { file, isThere: true };
    }
  }
  for (const file of files.filter(isContentName)) {
    const kind = classifyPath(file);
    // The use of a deleted JSON or YAML file can no longer be determined.
    if (kind === "data") continue;
    if (await history.findLost(file, signal)) return { file, isThere: false };
  }
  throw new OctavoError(
    "not_found",
    `There is no file ${JSON.stringify(path)}, and the history does not contain one.`,
  );
}

/**
 * Returns the files that a path may name. Links refer to a page without its extension, and to an index page by its
 * folder.
 */
function listPossibleFiles(path: string): string[] {
  if (/\.[a-z][a-z\d]{0,4}$/i.test(path)) return [path];
  return [path, `${path}.mdx`, `${path}.md`, `${path}/index.mdx`, `${path}/index.md`];
}

/**
 * Reports whether a file exists. Ignores an invalid name that was derived rather than given, because `guides` may be a
 * folder without a page.
 */
async function isPresent(workspace: Workspace, file: string, isGiven: boolean): Promise<boolean> {
  try {
    await workspace.kindOf(file);
    return true;
  } catch (error) {
    if (isOctavoError(error, "not_found")) return false;
    if (isOctavoError(error, "invalid_input") && !isGiven) return false;
    throw error;
  }
}

function describeRemoval(path: string, lost: LostFile | undefined): ToolOutput {
  if (lost === undefined) return { path, commits: [] };
  const { at, renamedTo, similarity, mergedInto } = lost;
  const isShown = renamedTo !== undefined && isContentName(renamedTo);
  const hasMerged = mergedInto !== undefined && isContentName(mergedInto);
  return {
    path,
    gone: formatPastCommit(at),
    ...(isShown && { renamedTo, similarity }),
    ...(hasMerged && { mergedInto }),
  };
}

function shownChange({ from, places, ...commit }: FileChange): ToolOutput {
  return {
    ...formatPastCommit(commit),
    ...(from !== undefined && isContentName(from) && { renamedFrom: from }),
    ...(places && { changes: places }),
  };
}

/** Reports whether a name can be shown. A file can have any name, but only names that the tools accept are shown. */
function isContentName(path: string): boolean {
  try {
    return classifyPath(checkPath(path)) !== undefined;
  } catch (error) {
    if (isOctavoError(error)) return false;
    throw error;
  }
}

/** Returns as many commits as fit in an answer. */
function fitting(commits: readonly ToolOutput[], outputLength: number): readonly ToolOutput[] {
  let length = 0;
  const end = commits.findIndex((commit) => {
    length += JSON.stringify(commit).length;
    return length > outputLength;
  });
  return end === -1 ? commits : commits.slice(0, end);
}

export function formatPastCommit({ commit, date, subject }: PastCommit): ShownCommit {
  const words = subject.replaceAll(/[\p{C}\p{Z}]+/gu, " ").replaceAll(mailAddress, "…");
  const shown = truncate(words.trim(), subjectLength);
  return { commit: commit.slice(0, shownDigits), date, subject: shown };
}

export function createNoHistoryError(): OctavoError {
  return new OctavoError("not_found", "The site is not in a Git repository, so it has no history.");
}
