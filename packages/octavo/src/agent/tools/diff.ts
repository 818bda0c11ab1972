import { z } from "zod";
import { OctavoError, createInputError } from "@octavo/site/core";
import { formatUnifiedDiff } from "../changes/text-changes.ts";
import type { ChangedFile } from "../changes/file-change.ts";
import type { Workspace } from "../workspace.ts";
import type { ContentHistory } from "../../git/index.ts";
import { Path, chooseFile, defineTool, findNamedFile, type AgentTool } from "./tool.ts";
import { createNoHistoryError, formatPastCommit } from "./history.ts";

const maxFiles = 500;
/**
 * The maximum number of characters per file if several files are shown, so that a large rewrite does not hide the small
 * edits after it.
 */
const sharedLength = 8_000;

const DiffInput = z.strictObject({
  path: Path.optional().describe("Show only this file. Defaults to all changed files."),
});

export function createDiffTool(workspace: Workspace, outputLength: number): AgentTool {
  return defineTool({
    name: "diff",
    description:
      "Shows, by file, how the site differs from its state at the start of this turn. A long diff is truncated; name its file to see more.",
    input: DiffInput,
    isChanging: false,
    async run({ path: named }) {
      const changes = await workspace.changes();
      const files = changes.flatMap((file) => [file.path, ...(file.from ? [file.from] : [])]);
      const path =
        named === undefined ? undefined : chooseFile(named, { files, folder: workspace.folder });
      const wanted = changes.filter(
        (file) => path === undefined || file.path === path || file.from === path,
      );
      if (path !== undefined && wanted.length === 0) {
        throw new OctavoError("not_found", `${path} has no changes in this turn.`);
      }
      const maxLength = wanted.length > 1 ? sharedLength : outputLength;
      const shownFiles: ShownFile[] = [];
      let left = outputLength;
      for (const file of wanted.slice(0, maxFiles)) {
        if (left <= 0) break;
        const shown = await describe(workspace, file, Math.min(left, maxLength));
        left -= (shown.diff?.length ?? 0) + file.path.length + 100;
        shownFiles.push(shown);
      }
      return { files: shownFiles, total: wanted.length };
    },
  });
}

interface ShownFile extends ChangedFile {
  /** Undefined for a file without text. */
  readonly diff?: string;
  /** The number of characters of the diff that were omitted. */
  readonly cut?: number;
}

async function describe(
  workspace: Workspace,
  { path, kind, from }: ChangedFile,
  maxLength: number,
): Promise<ShownFile> {
  const origin = from === undefined ? {} : { from };
  const before = kind === "added" ? "" : workspace.originalText(from ?? path);
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

/** Creates the tool. `history` is undefined if the site is not in a repository. */
export function createBlameTool(
  workspace: Workspace,
  history: ContentHistory | undefined,
): AgentTool {
  return defineTool({
    name: "blame",
    description:
      "Shows which commit last changed each line of a file before your work: runs of lines with commit, day and subject. Lines whose commit is missing from a shallow clone have none.",
    input: BlameInput,
    isChanging: false,
    async run({ path: named, fromLine, toLine }, signal) {
      const path = await findNamedFile(workspace, named);
      await workspace.kindOf(path);
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
