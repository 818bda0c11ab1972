import { z } from "zod";
import { takeLines } from "../text-part.ts";
import type { Workspace } from "../workspace.ts";
import { defineTool, Path } from "./tool.ts";
import type { AgentTool } from "./tool.ts";

const Input = z.strictObject({
  path: Path,
  fromLine: z.int().min(1).max(10_000_000).default(1).describe("The first line to read."),
  lines: z.int().min(1).max(5_000).default(1_000).describe("The most lines to read."),
});

export function createReadTool(workspace: Workspace, outputLength: number): AgentTool {
  return defineTool({
    name: "read",
    description:
      "Reads a text file of the site, exactly as it is, without line numbers. Of a long file it returns a part: go on with `fromLine` up to `totalLines`.",
    input: Input,
    isChanging: false,
    async run({ path, fromLine, lines }) {
      const text = await workspace.readText(path);
      return { path, ...takeLines(path, text, { fromLine, lines, maxLength: outputLength }) };
    },
  });
}
