import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import type { ContentHistory } from "../../git/index.ts";
import type { Workspace } from "../workspace.ts";
import { createNoHistoryError, formatPastCommit } from "./history.ts";
import { defineTool, Path } from "./tool.ts";
import type { AgentTool } from "./tool.ts";

const maxLines = 500;

const Input = z.strictObject({
  path: Path,
  fromLine: z.int().min(1).describe("The first line; 1 is the file's first."),
  toLine: z.int().min(1).describe(`The last line, at most ${maxLines} lines in all.`),
});

/** `history` is undefined if the site is not in a repository. */
export function createBlameTool(
  workspace: Workspace,
  history: ContentHistory | undefined,
): AgentTool {
  return defineTool({
    name: "blame",
    description:
      "Shows which commit last changed each line of a file, in its state when the work began: runs of lines with commit, day and subject. Lines whose commit is missing from a shallow clone come without one.",
    input: Input,
    isChanging: false,
    async run({ path, fromLine, toLine }, signal) {
      await workspace.kindOf(path);
      if (history === undefined) throw createNoHistoryError();
      if (toLine < fromLine || toLine - fromLine >= maxLines) {
        throw new OctavoError("invalid_input", `Ask for 1 to ${maxLines} lines.`);
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
