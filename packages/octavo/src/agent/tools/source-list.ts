import { z } from "zod";
import { createPathMatcher } from "../patterns.ts";
import {
  CommitName,
  chooseSource,
  resolveCommit,
  shortenCommit,
  SourceName,
} from "../sources/choose-source.ts";
import type { OpenedSource } from "../sources/turn-source.ts";
import { takeFittingNames } from "./list.ts";
import { defineTool } from "./tool.ts";
import type { AgentTool } from "./tool.ts";

const Input = z.strictObject({
  source: SourceName,
  at: CommitName,
  pattern: z
    .string()
    .max(500)
    .optional()
    .describe('A glob: "src/**/*.ts". Without it, every file.'),
  limit: z.int().min(1).max(2_000).default(300).describe("The most files to list."),
});

export function createSourceListTool(
  sources: readonly OpenedSource[],
  outputLength: number,
): AgentTool {
  return defineTool({
    name: "source_list",
    description: "Lists the files of a source. `total` counts all that match.",
    input: Input,
    isChanging: false,
    async run({ source, at, pattern, limit }, signal) {
      const chosen = chooseSource(sources, source);
      const commit = await resolveCommit(chosen, at);
      const { files, isWhole } = await chosen.reader.files(commit, signal);
      const all = files.map(({ path }) => path);
      const found = pattern === undefined ? all : all.filter(createPathMatcher(pattern));
      return {
        source: chosen.name,
        commit: shortenCommit(commit),
        files: takeFittingNames(found.slice(0, limit), outputLength),
        total: found.length,
        ...(!isWhole && { note: "The source has more files than can be listed." }),
      };
    },
  });
}
