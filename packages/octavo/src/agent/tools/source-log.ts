import { z } from "zod";
import {
  At,
  chooseSource,
  commitAt,
  shortCommit,
  SourceName,
  SourcePath,
} from "../sources/choose-source.ts";
import { fittingItems } from "../fitting-items.ts";
import { clean, shownSourceCommit } from "../sources/shown-source-commit.ts";
import type { OpenedSource } from "../sources/turn-source.ts";
import { defineTool } from "./tool.ts";
import type { AgentTool } from "./tool.ts";

const Input = z.strictObject({
  source: SourceName,
  from: At.describe("A tag, branch or commit, e.g. v2.1. Only commits since then."),
  to: At,
  path: SourcePath.optional().describe("Only commits that change this file or folder."),
  limit: z.int().min(1).max(500).default(50).describe("The most commits to return."),
});

export function createSourceLogTool(
  sources: readonly OpenedSource[],
  outputLength: number,
): AgentTool {
  return defineTool({
    name: "source_log",
    description:
      "The commits of a source, newest first, with their tags; `from` leaves out what is in an earlier one. `newestTags` names releases.",
    input: Input,
    isChanging: false,
    async run({ source, from, to, path, limit }, signal) {
      const chosen = chooseSource(sources, source);
      const { reader } = chosen;
      const end = await commitAt(chosen, to);
      const start = from === undefined ? undefined : await commitAt(chosen, from);
      // One more tells whether there are more.
      const query = { from: start, to: end, path, limit: limit + 1 };
      const found = (await reader.log(query, signal)).map(shownSourceCommit);
      const commits = fittingItems(found.slice(0, limit), outputLength);
      return {
        source: chosen.name,
        ...(start !== undefined && { from: shortCommit(start) }),
        to: shortCommit(end),
        commits,
        isWhole: commits.length === found.length,
        newestTags: (await reader.tags(signal)).map(clean),
      };
    },
  });
}
