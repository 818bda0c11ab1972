import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import type { Workspace } from "../workspace.ts";
import { defineTool, Path } from "./tool.ts";
import type { AgentTool } from "./tool.ts";

const Input = z.strictObject({
  path: Path,
  fromLine: z.int().min(1).default(1).describe("The first line to read; 1 is the file's first."),
  lines: z.int().min(1).max(5_000).default(1_000).describe("How many lines at most."),
});

export function createReadTool(workspace: Workspace, outputLength: number): AgentTool {
  return defineTool({
    name: "read",
    description:
      "Reads a text file of the site, exactly as it is and without line numbers. A long file comes in parts: go on with `fromLine` until `fromLine` plus the lines received exceeds `totalLines`.",
    input: Input,
    isChanging: false,
    async run({ path, fromLine, lines }) {
      const all = (await workspace.readText(path)).split(/(?<=\n)/);
      if (fromLine > Math.max(all.length, 1)) {
        throw new OctavoError("invalid_input", `${path} has only ${all.length} lines.`);
      }
      const text = firstLines(all.slice(fromLine - 1, fromLine - 1 + lines), outputLength);
      return { path, text, fromLine, totalLines: all.length };
    },
  });
}

/** As many whole lines as an answer holds; of a single longer line its beginning. */
function firstLines(lines: readonly string[], outputLength: number): string {
  const kept: string[] = [];
  let length = 0;
  for (const line of lines) {
    length += line.length;
    if (length > outputLength) break;
    kept.push(line);
  }
  if (kept.length > 0 || lines.length === 0) return kept.join("");
  return (lines[0] ?? "").slice(0, outputLength);
}
