import { z } from "zod";
import {
  CommitName,
  chooseSource,
  resolveCommit,
  shortenCommit,
  SourceName,
  SourcePath,
} from "../sources/choose-source.ts";
import { takeFittingItems } from "../text-part.ts";
import type { OpenedSource } from "../sources/turn-source.ts";
import { defineTool } from "./tool.ts";
import type { AgentTool } from "./tool.ts";

const Input = z.strictObject({
  source: SourceName,
  from: z.string().min(1).max(255).describe("A tag, branch or commit, e.g. v2.1."),
  to: CommitName,
  path: SourcePath.optional().describe("Only this file or folder."),
});

export function createSourceDiffTool(
  sources: readonly OpenedSource[],
  outputLength: number,
): AgentTool {
  return defineTool({
    name: "source_diff",
    description:
      "Shows what differs between two commits of a source: the files, and the unified diff if it is short enough. If it is cut, name a file or folder.",
    input: Input,
    isChanging: false,
    async run({ source, from, to, path }, signal) {
      const chosen = chooseSource(sources, source);
      const { reader } = chosen;
      const range = {
        from: await resolveCommit(chosen, from),
        to: await resolveCommit(chosen, to),
        path,
      };
      const { files, isWhole } = await reader.changes(range, signal);
      const listed = takeFittingItems(files, outputLength / 2);
      const left = outputLength - JSON.stringify(listed).length;
      const patch = await reader.patch(range, left, signal);
      return {
        source: chosen.name,
        from: shortenCommit(range.from),
        to: shortenCommit(range.to),
        files: listed,
        total: files.length,
        ...(!isWhole && { note: "More files differ than can be listed; name a folder." }),
        diff: patch.text,
        isCut: !patch.isWhole,
      };
    },
  });
}
