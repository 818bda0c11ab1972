import { z } from "zod";
import type { LineMatch } from "../patterns.ts";
import {
  createLinearPattern,
  createLiteralPattern,
  findMatches,
  createPathMatcher,
} from "../patterns.ts";
import type { Workspace } from "../workspace.ts";
import { defineTool } from "./tool.ts";
import type { AgentTool } from "./tool.ts";

export const SearchInput = z.strictObject({
  query: z
    .string()
    .min(1)
    .max(1_000)
    .describe("Plain text within one line, or a regular expression if `isRegex` is set."),
  isRegex: z
    .boolean()
    .default(false)
    .describe(
      String.raw`RE2 syntax: no lookaround, no backreferences; \b \w \d \s match ASCII only, \p{L} any letter.`,
    ),
  ignoreCase: z.boolean().default(false),
  pattern: z
    .string()
    .max(500)
    .optional()
    .describe('Only in files that match this glob, e.g. "guides/**".'),
  limit: z.int().min(1).max(500).default(100),
});

export function createSearchTool(workspace: Workspace, outputLength: number): AgentTool {
  return defineTool({
    name: "search",
    description:
      "Finds text in the site's files, line by line. `total` counts all matching lines, even those that are not shown.",
    input: SearchInput,
    isChanging: false,
    async run({ query, isRegex, ignoreCase, pattern, limit }, signal) {
      const wanted = (isRegex ? createLinearPattern : createLiteralPattern)(query, { ignoreCase });
      const isWanted = pattern === undefined ? () => true : createPathMatcher(pattern);
      const matches: LineMatch[] = [];
      let [total, length] = [0, 0];
      for (const file of (await workspace.files()).filter(isWanted)) {
        signal.throwIfAborted();
        const text = await readSearchable(workspace, file);
        for (const match of text === undefined ? [] : findMatches(file, text, wanted)) {
          total += 1;
          length += match.text.length + file.length + 40;
          if (matches.length < limit && length < outputLength) matches.push(match);
        }
      }
      return { matches, total };
    },
  });
}

async function readSearchable(workspace: Workspace, file: string): Promise<string | undefined> {
  // A picture, or a file that is not text, must not prevent results from other files.
  return await workspace.readText(file).catch(() => undefined);
}
