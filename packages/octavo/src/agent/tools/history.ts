import { createInputError, isOctavoError, OctavoError } from "@octavo/site/core";
import { z } from "zod";
import type { ContentHistory, FileChange, LostFile, PastCommit } from "../../git/index.ts";
import { formatUnifiedDiff, type ChangedFile } from "../changes/text-changes.ts";
import { checkPath, classifyPath, stripLeadingSlash } from "../content.ts";
import { truncate } from "../pull-request/sanitize-markdown.ts";
import type { Workspace } from "../workspace.ts";
import { chooseFile, defineTool, findNamedFile, Path } from "./tool.ts";
import type { AgentTool, ToolOutput } from "./tool.ts";

export function createHistoryTools(
  workspace: Workspace,
  history: ContentHistory | undefined,
  outputLength: number,
) {
  return {
    diff: createDiffTool(workspace, outputLength),
    history: createHistoryTool(workspace, history, outputLength),
    blame: createBlameTool(workspace, history),
  };
}

const HistoryInput = z.strictObject({
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
 * A commit as shown to the model, without people's names and addresses, and without characters in the subject that hide
 * other characters.
 */
interface ShownCommit {
  readonly commit: string;
  readonly date: string;
  readonly subject: string;
}

const commitDigits = 12;
const maxSubjectLength = 200;
const mailAddress = /[^\s@<>()]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b/gi;

/** Creates the tool that shows a file's history. `history` is undefined if the site is not in a repository. */
function createHistoryTool(
  workspace: Workspace,
  history: ContentHistory | undefined,
  outputLength: number,
): AgentTool {
  return defineTool({
    name: "history",
    description:
      "Shows the Git history of a file before your work. Of an existing file: the last commits that changed it, newest first, with the old path if a commit renamed it. Of a removed file: the commit that removed it (`gone`), and where its text is now: the new path if it was renamed (`renamedTo`, with the share of the text that stayed the same as `similarity`, 0 to 1), or another page (`mergedInto`).",
    input: HistoryInput,
    isChanging: false,
    async run({ path: named, limit, lines: searchText }, signal) {
      if (history === undefined) throw createNoHistoryError();
      const path = stripLeadingSlash(await findNamedFile(workspace, named));
      const { file, exists } = await findFile(workspace, history, { path, signal });
      if (!exists) return describeRemoval(file, await history.findLost(file, signal));
      const changes = await history.listChanges(file, { limit, searchText, signal });
      const commits = fitCommits(changes.commits.map(formatFileChange), outputLength);
      const isWhole = changes.isWhole && commits.length === changes.commits.length;
      return { path: file, commits, isWhole };
    },
  });
}

interface FileQuery {
  readonly path: string;
  readonly signal: AbortSignal;
}

/**
 * Finds the file to which a path refers: an existing file, or else a former file. Throws in the same cases as
 * `Workspace.getKind`.
 */
async function findFile(
  workspace: Workspace,
  history: ContentHistory,
  { path, signal }: FileQuery,
): Promise<{ readonly file: string; readonly exists: boolean }> {
  const files = listPossibleFiles(path);
  for (const file of files) {
    if (await isPresent(workspace, file, file === path && files.length === 1)) {
      return { file, exists: true };
    }
  }
  for (const file of files.filter(isContentName)) {
    const kind = classifyPath(file);
    // The use of a deleted JSON or YAML file can no longer be determined.
    if (kind === "data") continue;
    if (await history.findLost(file, signal)) return { file, exists: false };
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
    await workspace.getKind(file);
    return true;
  } catch (error) {
    if (isOctavoError(error, "not_found")) return false;
    if (isOctavoError(error, "invalid_input") && !isGiven) return false;
    throw error;
  }
}

function describeRemoval(path: string, lost: LostFile | undefined): ToolOutput {
  if (lost === undefined) return { path, commits: [] };
  const { removal, renamedTo, similarity, mergedInto } = lost;
  const canShowRename = renamedTo !== undefined && isContentName(renamedTo);
  const canShowMerge = mergedInto !== undefined && isContentName(mergedInto);
  return {
    path,
    gone: formatPastCommit(removal),
    ...(canShowRename && { renamedTo, similarity }),
    ...(canShowMerge && { mergedInto }),
  };
}

function formatFileChange({ from, hunks, ...commit }: FileChange): ToolOutput {
  return {
    ...formatPastCommit(commit),
    ...(from !== undefined && isContentName(from) && { renamedFrom: from }),
    ...(hunks && { changes: hunks }),
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
function fitCommits(commits: readonly ToolOutput[], outputLength: number): readonly ToolOutput[] {
  let length = 0;
  const end = commits.findIndex((commit) => {
    length += JSON.stringify(commit).length;
    return length > outputLength;
  });
  return end === -1 ? commits : commits.slice(0, end);
}

function formatPastCommit({ commit, date, subject }: PastCommit): ShownCommit {
  const cleanSubject = subject.replaceAll(/[\p{C}\p{Z}]+/gu, " ").replaceAll(mailAddress, "…");
  const shownSubject = truncate(cleanSubject.trim(), maxSubjectLength);
  return { commit: commit.slice(0, commitDigits), date, subject: shownSubject };
}

function createNoHistoryError(): OctavoError {
  return new OctavoError("not_found", "The site is not in a Git repository, so it has no history.");
}

const maxFiles = 500;
/**
 * The maximum number of characters per file if several files are shown, so that a large rewrite does not hide the small
 * edits after it.
 */
const maxSharedLength = 8_000;

const DiffInput = z.strictObject({
  path: Path.optional().describe("Show only this file. Defaults to all changed files."),
});

function createDiffTool(workspace: Workspace, outputLength: number): AgentTool {
  return defineTool({
    name: "diff",
    description:
      "Shows, by file, how the site differs from its state at the start of this turn. A long diff is truncated; name its file to see more.",
    input: DiffInput,
    isChanging: false,
    async run({ path: named }) {
      const changes = await workspace.listChanges();
      const files = changes.flatMap((file) => [file.path, ...(file.from ? [file.from] : [])]);
      const path =
        named === undefined ? undefined : chooseFile(named, { files, folder: workspace.folder });
      const selected = changes.filter(
        (file) => path === undefined || file.path === path || file.from === path,
      );
      if (path !== undefined && selected.length === 0) {
        throw new OctavoError("not_found", `${path} has no changes in this turn.`);
      }
      const maxLength = selected.length > 1 ? maxSharedLength : outputLength;
      const shownFiles: ShownFile[] = [];
      let remainingLength = outputLength;
      for (const file of selected.slice(0, maxFiles)) {
        if (remainingLength <= 0) break;
        const described = await describeFile(workspace, file, Math.min(remainingLength, maxLength));
        remainingLength -= (described.diff?.length ?? 0) + file.path.length + 100;
        shownFiles.push(described);
      }
      return { files: shownFiles, total: selected.length };
    },
  });
}

interface ShownFile extends ChangedFile {
  /** The diff; undefined for a file without text. */
  readonly diff?: string;
  /** The number of characters of the diff that were omitted. */
  readonly cut?: number;
}

async function describeFile(
  workspace: Workspace,
  { path, kind, from }: ChangedFile,
  maxLength: number,
): Promise<ShownFile> {
  const origin = from === undefined ? {} : { from };
  const before = kind === "added" ? "" : workspace.getOriginalText(from ?? path);
  const after = kind === "deleted" ? "" : await workspace.readText(path).catch(() => undefined);
  if (before === undefined || after === undefined) return { path, kind, ...origin };
  const diff = formatUnifiedDiff(before, after);
  if (diff.length <= maxLength) return { path, kind, ...origin, diff };
  const end = diff.lastIndexOf("\n", maxLength) + 1;
  return { path, kind, ...origin, diff: diff.slice(0, end), cut: diff.length - end };
}

const maxLines = 500;

const BlameInput = z.strictObject({
  path: Path,
  fromLine: z.int().min(1).describe("The first line, counted from 1."),
  toLine: z.int().min(1).describe(`The last line. A range has at most ${maxLines} lines.`),
});

/** Creates the tool that shows each line's last change. `history` is undefined if the site is not in a repository. */
function createBlameTool(workspace: Workspace, history: ContentHistory | undefined): AgentTool {
  return defineTool({
    name: "blame",
    description:
      "Shows which commit last changed each line of a file before your work: runs of lines with commit, day and subject. Lines whose commit is missing from a shallow clone have none.",
    input: BlameInput,
    isChanging: false,
    async run({ path: named, fromLine, toLine }, signal) {
      const path = await findNamedFile(workspace, named);
      await workspace.getKind(path);
      if (history === undefined) throw createNoHistoryError();
      if (toLine < fromLine || toLine - fromLine >= maxLines) {
        throw createInputError(`Ask for 1 to ${maxLines} lines.`);
      }
      const runs = await history.blame(path, { from: fromLine, to: toLine }, signal);
      if (runs.length === 0) {
        throw new OctavoError("not_found", `The history does not contain these lines of ${path}.`);
      }
      const lines = runs.map(({ from, to, by }) => ({
        fromLine: from,
        toLine: to,
        ...(by && formatPastCommit(by)),
      }));
      return { path, lines };
    },
  });
}
