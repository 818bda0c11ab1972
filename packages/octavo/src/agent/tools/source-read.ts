import { z } from "zod";
import {
  CommitName,
  chooseSource,
  resolveCommit,
  shortenCommit,
  SourceName,
  SourcePath,
} from "../sources/choose-source.ts";
import type { OpenedSource } from "../sources/turn-source.ts";
import { takeLines } from "../text-part.ts";
import { defineTool } from "./tool.ts";
import type { AgentTool } from "./tool.ts";

const Input = z.strictObject({
  source: SourceName,
  at: CommitName,
  path: SourcePath,
  fromLine: z.int().min(1).max(10_000_000).default(1).describe("The first line to read."),
  lines: z.int().min(1).max(5_000).default(400).describe("The most lines to read."),
});
/** Average characters of a line's number and the separator after it. */
const numberLength = 6;
const lineLength = 40;

export function createSourceReadTool(
  sources: readonly OpenedSource[],
  outputLength: number,
): AgentTool {
  // The line numbers take up room, too.
  const maxLength = Math.floor((outputLength * lineLength) / (lineLength + numberLength));
  return defineTool({
    name: "source_read",
    description:
      "Reads a text file of a source. Each line begins with its number and |, which are not part of it. Of a long file it returns a part: go on with `fromLine` up to `totalLines`.",
    input: Input,
    isChanging: false,
    async run({ source, at, path, fromLine, lines }, signal) {
      const chosen = chooseSource(sources, source);
      const commit = await resolveCommit(chosen, at);
      const whole = await chosen.reader.readText(commit, path, signal);
      const { text, totalLines } = takeLines(path, whole, { fromLine, lines, maxLength });
      const numbered = text
        .split(/(?<=\n)/)
        .map((line, index) => `${fromLine + index}|${line}`)
        .join("");
      return {
        source: chosen.name,
        commit: shortenCommit(commit),
        path,
        text: numbered,
        totalLines,
      };
    },
  });
}
