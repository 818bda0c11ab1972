import { z } from "zod";
import { linearPattern, literalPattern } from "../search/linear-pattern.ts";
import type { LinearPattern } from "../search/linear-pattern.ts";
import { pathPattern } from "../search/path-pattern.ts";
import type { Workspace } from "../workspace.ts";
import { defineTool } from "./tool.ts";
import type { AgentTool } from "./tool.ts";

const Input = z.strictObject({
  query: z
    .string()
    .min(1)
    .max(1_000)
    .describe("Plain text within one line, or a regular expression if `isRegex` is set."),
  isRegex: z
    .boolean()
    .default(false)
    .describe(
      String.raw`RE2 syntax: no look-around, no back references; \b \w \d \s match ASCII only, \p{L} any letter.`,
    ),
  ignoreCase: z.boolean().default(false),
  pattern: z
    .string()
    .max(500)
    .optional()
    .describe('Only in files that match this glob, e.g. "guides/**".'),
  limit: z.int().min(1).max(500).default(100).describe("The most matches to return."),
});

/** What is looked at of a line; minified JSON has lines of megabytes. */
const lineLength = 20_000;
const shownLength = 300;

interface Match {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

export function createSearchTool(workspace: Workspace, outputLength: number): AgentTool {
  return defineTool({
    name: "search",
    description:
      "Finds text in the site's files, line by line. A match has its file, line, column and the line's text; `total` counts all matching lines, also beyond `limit`.",
    input: Input,
    isChanging: false,
    async run({ query, isRegex, ignoreCase, pattern, limit }, signal) {
      const wanted = (isRegex ? linearPattern : literalPattern)(query, { ignoreCase });
      const isWanted = pattern === undefined ? () => true : pathPattern(pattern);
      const matches: Match[] = [];
      let [total, length] = [0, 0];
      for (const file of (await workspace.files()).filter(isWanted)) {
        signal.throwIfAborted();
        const text = await readSearchable(workspace, file);
        for (const match of text === undefined ? [] : matchesIn(file, text, wanted)) {
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
  if ((await workspace.kindOf(file)) === "media") return undefined;
  // One file that is no text must not keep the others from being found.
  return await workspace.readText(file).catch(() => undefined);
}

function* matchesIn(file: string, text: string, wanted: LinearPattern): Generator<Match> {
  let number = 0;
  for (const whole of text.split("\n")) {
    number += 1;
    const line = whole.replace(/\r$/, "").slice(0, lineLength);
    const at = wanted.find(line);
    if (at === -1) continue;
    const from = line.length <= shownLength ? 0 : Math.max(0, at - 80);
    yield { file, line: number, column: at + 1, text: line.slice(from, from + shownLength) };
  }
}
