import { createInputError, OctavoError } from "@octavo/site/core";
import { z } from "zod";
import { stripLeadingSlash } from "../content.ts";
import type { Guide } from "../guides/find-guides.ts";
import {
  createLinearPattern,
  createLiteralPattern,
  createPathMatcher,
  findMatches,
} from "../patterns.ts";
import type { LineMatch } from "../patterns.ts";
import type { PullRequestForm, PullRequestTemplate } from "../pull-request/description.ts";
import { stripComments } from "../pull-request/sanitize-markdown.ts";
import { followsConvention, maxTitleLength, sanitizeTitle } from "../pull-request/title.ts";
import { takeLines, takeNumberedLines } from "../text-part.ts";
import type { Workspace } from "../workspace.ts";
import { defineTool, findNamedFile, Path, type AgentTool } from "./tool.ts";

export function createReadTools(workspace: Workspace, outputLength: number) {
  return {
    list: createListTool(workspace, outputLength),
    search: createSearchTool(workspace, outputLength),
    read: createReadTool(workspace, outputLength),
  };
}

const ReadInput = z.strictObject({
  path: Path,
  fromLine: z.int().min(1).max(10_000_000).default(1).describe("The first line to read."),
  lines: z.int().min(1).max(5_000).default(1_000).describe("The maximum number of lines."),
  numbers: z.boolean().optional().describe("false: the exact text, without numbers."),
});

function createReadTool(workspace: Workspace, outputLength: number): AgentTool {
  return defineTool({
    name: "read",
    description:
      "Reads a text file of the site. Each line begins with its number and |, which are not part of the file. Returns part of a long file; continue with `fromLine`, up to `totalLines`.",
    input: ReadInput,
    isChanging: false,
    async run({ path: named, fromLine, lines, numbers = true }) {
      const path = await findNamedFile(workspace, named);
      const text = await workspace.readText(path);
      const takeText = numbers ? takeNumberedLines : takeLines;
      return {
        path,
        ...takeText(path, text, { fromLine, maxLines: lines, maxLength: outputLength }),
      };
    },
  });
}

const Title = z.string().min(1).max(500);

/** The fields of `ModelDescription`. */
const DescribeInput = z.strictObject({
  title: Title.describe(
    `What the change does for the reader of the pages, in the imperative. One line of at most ${maxTitleLength} characters, without a period.`,
  ),
  description: z
    .string()
    .min(1)
    .max(8_000)
    .describe("Markdown. Covers the whole pull request, including earlier messages."),
  commit: Title.optional().describe(
    "The subject of this message's commit, if it differs from the title.",
  ),
});

/** Creates the tool that writes the pull request's title and description in the form that the repository requires. */
export function createDescribeTool({ convention, template }: PullRequestForm): AgentTool {
  return defineTool({
    name: "describe",
    description:
      "Writes the title and the description of the pull request. A later call replaces an earlier one.",
    input: DescribeInput,
    isChanging: false,
    async run({ title, description, commit }) {
      for (const line of [title, ...(commit === undefined ? [] : [commit])]) {
        const sanitizedTitle = sanitizeTitle(line);
        if (sanitizedTitle === "")
          throw createInputError(`${JSON.stringify(line.slice(0, 100))} is not a valid title.`);
        if (sanitizedTitle.length > maxTitleLength) {
          throw createInputError(
            `A title may have at most ${maxTitleLength} characters; this one has ${sanitizedTitle.length}: ${sanitizedTitle}`,
          );
        }
        if (!followsConvention(sanitizedTitle, convention)) {
          throw createInputError(
            `This repository's titles begin with a type, e.g. "docs: explain how to rotate keys". ${JSON.stringify(sanitizedTitle)} does not.`,
          );
        }
      }
      const missing = template ? findMissingHeadings(template, description) : [];
      if (missing.length > 0) {
        throw createInputError(
          `The description omits headings of the repository's template: ${missing.slice(0, 20).join("; ").slice(0, 1_000)}. Keep every heading, and write what is true of this change below it.`,
        );
      }
      return { title: sanitizeTitle(title), described: true };
    },
  });
}

/** Returns the headings of the template that a description omits. */
export function findMissingHeadings({ text }: PullRequestTemplate, description: string): string[] {
  const givenHeadings = new Set(listHeadings(description).map(foldHeading));
  return listHeadings(stripComments(text)).filter(
    (heading) => !givenHeadings.has(foldHeading(heading)),
  );
}

const headingLine = /^ {0,3}#{1,6}[ \t]+(.+?)[ \t#]*$/gm;

function listHeadings(text: string): string[] {
  return [...text.matchAll(headingLine)].map(([, words = ""]) => words);
}

function foldHeading(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

const GuideInput = z.strictObject({
  path: z.string().min(1).max(1_000).describe("A path from the system prompt."),
  fromLine: z.int().min(1).max(10_000_000).default(1).describe("The first line to read."),
});

/**
 * Creates the tool for the guides that were read before the turn began. No path from the model reaches the file system.
 */
export function createGuideTool(guides: readonly Guide[], outputLength: number): AgentTool {
  return defineTool({
    name: "guide",
    description:
      "Reads one of the repository's guides that the system prompt names. Continue a long one with `fromLine`, up to `totalLines`.",
    input: GuideInput,
    isChanging: false,
    async run({ path: named, fromLine }) {
      const path = stripLeadingSlash(named);
      const guide = guides.find((known) => known.path === path);
      if (!guide) {
        const names = guides.map((known) => known.path).join(", ");
        throw new OctavoError(
          "not_found",
          `There is no guide ${JSON.stringify(path)}. Guides: ${names}.`,
        );
      }
      const part = takeLines(path, guide.text, {
        fromLine,
        maxLines: 2_000,
        maxLength: outputLength,
      });
      return Promise.resolve({ path, ...part });
    },
  });
}

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
 * The matches of a query by file. A query with too many results is often repeated for each folder, and queries are
 * repeated after changes, when few of the files differ.
 */
interface CachedQuery {
  readonly files: Map<string, { readonly text: string; readonly matches: readonly LineMatch[] }>;
  matchCount: number;
}

function createSearchTool(workspace: Workspace, outputLength: number): AgentTool {
  const queries = new Map<string, CachedQuery>();
  return defineTool({
    name: "search",
    description:
      "Finds text in the site's files, line by line. `total` counts all matching lines, even those that are not shown.",
    input: SearchInput,
    isChanging: false,
    async run({ query, isRegex, ignoreCase, pattern, limit }, signal) {
      const linePattern = (isRegex ? createLinearPattern : createLiteralPattern)(query, {
        ignoreCase,
      });
      const cached = findQuery(queries, JSON.stringify([query, isRegex, ignoreCase]));
      const matchesPattern = pattern === undefined ? () => true : createPathMatcher(pattern);
      const matches: LineMatch[] = [];
      let [total, length] = [0, 0];
      for (const file of (await workspace.listFiles()).filter(matchesPattern)) {
        signal.throwIfAborted();
        // A picture, or a file that is not text, must not prevent results from other files.
        const text = await workspace.readText(file).catch(() => undefined);
        if (text === undefined) continue;
        const cachedFile = cached.files.get(file);
        const found =
          cachedFile?.text === text
            ? cachedFile.matches
            : [...findMatches(file, text, linePattern)];
        keepMatches(cached, file, { text, matches: found });
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

/** Returns the cached matches of a query, and evicts the matches of the least recently used query. */
function findQuery(queries: Map<string, CachedQuery>, key: string): CachedQuery {
  const query = queries.get(key) ?? { files: new Map(), matchCount: 0 };
  queries.delete(key);
  queries.set(key, query);
  const [oldest = key] = queries.keys();
  if (queries.size > maxKeptQueries) queries.delete(oldest);
  return query;
}

function keepMatches(
  cached: CachedQuery,
  file: string,
  found: { readonly text: string; readonly matches: readonly LineMatch[] },
): void {
  const newCount =
    cached.matchCount + found.matches.length - (cached.files.get(file)?.matches.length ?? 0);
  if (newCount > maxKeptMatches) return;
  cached.matchCount = newCount;
  cached.files.set(file, found);
}

const ListInput = z.strictObject({
  pattern: z
    .string()
    .max(500)
    .optional()
    .describe('A glob, e.g. "guides/**"; without a slash, of names in any folder: "*.png".'),
  limit: z.int().min(1).max(2_000).default(500),
  skip: z.int().min(0).default(0).describe("The number of files already listed."),
});

function createListTool(workspace: Workspace, outputLength: number): AgentTool {
  return defineTool({
    name: "list",
    description:
      "Lists the site's files, sorted by path: pages, snippets, configuration, API descriptions, pictures. `total` counts all that match. `folder` is the site's folder in its repository: paths are relative to it. You may change at most `maxChangedFiles`.",
    input: ListInput,
    isChanging: false,
    async run({ pattern, limit, skip }) {
      const allFiles = await workspace.listFiles();
      const files = pattern === undefined ? allFiles : allFiles.filter(createPathMatcher(pattern));
      const { folder, maxChangedFiles } = workspace;
      const location = folder === "" ? {} : { folder };
      const shownFiles = takeFittingNames(files.slice(skip, skip + limit), outputLength);
      return { files: shownFiles, total: files.length, ...location, maxChangedFiles };
    },
  });
}

/** Returns as many names as fit in an answer. In the answer, each name is quoted and followed by a comma. */
export function takeFittingNames(
  files: readonly string[],
  outputLength: number,
): readonly string[] {
  let length = 0;
  const end = files.findIndex((file) => (length += file.length + 3) > outputLength);
  return end < 0 ? files : files.slice(0, end);
}
