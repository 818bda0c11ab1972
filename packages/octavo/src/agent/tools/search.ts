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

/** The maximum number of queries whose matches are kept, and the maximum number of matches of each. */
const [maxKeptQueries, maxKeptMatches] = [8, 5_000];

/**
 * The matches of a query by file. A query with too many results is repeated for each folder, and after changes, when few
 * of the files differ.
 */
interface KnownQuery {
  readonly files: Map<string, { readonly text: string; readonly matches: readonly LineMatch[] }>;
  kept: number;
}

export function createSearchTool(workspace: Workspace, outputLength: number): AgentTool {
  const queries = new Map<string, KnownQuery>();
  return defineTool({
    name: "search",
    description:
      "Finds text in the site's files, line by line. `total` counts all matching lines, even those that are not shown.",
    input: SearchInput,
    isChanging: false,
    async run({ query, isRegex, ignoreCase, pattern, limit }, signal) {
      const wanted = (isRegex ? createLinearPattern : createLiteralPattern)(query, { ignoreCase });
      const last = findQuery(queries, JSON.stringify([query, isRegex, ignoreCase]));
      const isWanted = pattern === undefined ? () => true : createPathMatcher(pattern);
      const matches: LineMatch[] = [];
      let [total, length] = [0, 0];
      for (const file of (await workspace.files()).filter(isWanted)) {
        signal.throwIfAborted();
        // A picture, or a file that is not text, must not prevent results from other files.
        const text = await workspace.readText(file).catch(() => undefined);
        if (text === undefined) continue;
        const known = last.files.get(file);
        const found = known?.text === text ? known.matches : [...findMatches(file, text, wanted)];
        keepMatches(last, file, { text, matches: found });
        for (const match of found) {
          total += 1;
          length += match.text.length + file.length + 40;
          if (matches.length < limit && length < outputLength) matches.push(match);
        }
      }
      return { matches, total };
    },
  });
}

/** Returns the matches of a query, and forgets those of the query that was not used for the longest time. */
function findQuery(queries: Map<string, KnownQuery>, key: string): KnownQuery {
  const query = queries.get(key) ?? { files: new Map(), kept: 0 };
  queries.delete(key);
  queries.set(key, query);
  const [oldest = key] = queries.keys();
  if (queries.size > maxKeptQueries) queries.delete(oldest);
  return query;
}

function keepMatches(
  last: KnownQuery,
  file: string,
  found: { readonly text: string; readonly matches: readonly LineMatch[] },
): void {
  const kept = last.kept + found.matches.length - (last.files.get(file)?.matches.length ?? 0);
  if (kept > maxKeptMatches) return;
  last.kept = kept;
  last.files.set(file, found);
}
