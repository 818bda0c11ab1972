import { OctavoError } from "@octavo/site/core";
import { z } from "zod";
import type { SourceCommit, SourceReader } from "../../git/index.ts";
import { stripLeadingSlash } from "../content.ts";
import {
  createLinearPattern,
  createLiteralPattern,
  createPathMatcher,
  findMatches,
} from "../patterns.ts";
import type { LineMatch } from "../patterns.ts";
import { truncate } from "../pull-request/sanitize-markdown.ts";
import { findRemovedNames, productNameKinds } from "../sources/find-removed.ts";
import { shortenCommit, type OpenedSource } from "../sources/turn-source.ts";
import { takeFittingItems, takeNumberedLines } from "../text-part.ts";
import { SearchInput, takeFittingNames } from "./read.ts";
import { defineTool, type AgentTool, type ToolOutput } from "./tool.ts";

/** Creates the model's read-only tools for the project's sources; empty if no source can be read. */
export function createSourceTools(
  sources: readonly OpenedSource[],
  outputLength: number,
): readonly AgentTool[] {
  if (sources.every(({ commit }) => commit === null)) return [];
  return [
    createSourceListTool(sources, outputLength),
    createSourceSearchTool(sources, outputLength),
    createSourceReadTool(sources, outputLength),
    createSourceLogTool(sources, outputLength),
    createSourceDiffTool(sources, outputLength),
    createSourceRemovedTool(sources, outputLength),
  ];
}

/** Input fields that all source tools share. */
const SourceName = z
  .string()
  .max(200)
  .optional()
  .describe("The source's name. May be omitted if there is only one source.");

const CommitName = z
  .string()
  .min(1)
  .max(255)
  .optional()
  .describe("A tag, branch or commit. Defaults to the commit that is fixed for this turn.");

const SourcePath = z
  .string()
  .min(1)
  .max(1_000)
  .transform(stripLeadingSlash)
  .describe("Path from the root of the source's repository, e.g. src/cli.ts");

interface ChosenSource {
  readonly name: string;
  readonly reader: SourceReader;
}

/** Throws `not_found` if no source has the name, and `repository_unreachable` if the source cannot be read. */
function chooseSource(sources: readonly OpenedSource[], name: string | undefined): ChosenSource {
  const source =
    name === undefined && sources.length === 1
      ? sources[0]
      : sources.find((candidate) => candidate.name === name);
  if (!source) {
    const names = sources.map((one) => one.name).join(", ");
    const reason =
      name === undefined ? "Name the source." : `There is no source ${JSON.stringify(name)}.`;
    throw new OctavoError("not_found", `${reason} The sources are: ${names}.`);
  }
  const { reader } = source;
  if (typeof reader !== "string") return { name: source.name, reader };
  throw new OctavoError("repository_unreachable", `${source.name} cannot be read: ${reader}`);
}

/** Returns the full commit hash of `ref`, or of the commit that is fixed for the turn. */
async function resolveCommit({ reader }: ChosenSource, ref: string | undefined): Promise<string> {
  return ref === undefined ? reader.at.commit : (await reader.resolveRef(ref)).commit;
}

const factTools: ReadonlySet<string> = new Set([
  "source_search",
  "source_read",
  "source_diff",
  "source_removed",
]);

/** Reports whether the tool's results can contain facts for a page. */
export function isSourceTool(tool: string): boolean {
  return factTools.has(tool);
}

const SourceListInput = z.strictObject({
  source: SourceName,
  at: CommitName,
  pattern: z
    .string()
    .max(500)
    .optional()
    .describe('A glob: "src/**/*.ts". Without it, every file.'),
  limit: z.int().min(1).max(2_000).default(300),
});

function createSourceListTool(sources: readonly OpenedSource[], outputLength: number): AgentTool {
  return defineTool({
    name: "source_list",
    description: "Lists the files of a source. `total` counts all matching files.",
    input: SourceListInput,
    isChanging: false,
    async run({ source, at, pattern, limit }, signal) {
      const chosen = chooseSource(sources, source);
      const commit = await resolveCommit(chosen, at);
      const { files, isWhole } = await chosen.reader.listFiles(commit, signal);
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

const SourceReadInput = z.strictObject({
  source: SourceName,
  at: CommitName,
  path: SourcePath,
  fromLine: z.int().min(1).max(10_000_000).default(1).describe("The first line to read."),
  lines: z.int().min(1).max(5_000).default(400).describe("The maximum number of lines."),
});

function createSourceReadTool(sources: readonly OpenedSource[], outputLength: number): AgentTool {
  return defineTool({
    name: "source_read",
    description:
      "Reads a text file of a source. Each line begins with its number and |, which are not part of the file. Returns part of a long file; continue with `fromLine`, up to `totalLines`.",
    input: SourceReadInput,
    isChanging: false,
    async run({ source, at, path, fromLine, lines }, signal) {
      const chosen = chooseSource(sources, source);
      const commit = await resolveCommit(chosen, at);
      const fileText = await chosen.reader.readText(commit, path, signal);
      const window = { fromLine, maxLines: lines, maxLength: outputLength };
      const { text, totalLines } = takeNumberedLines(path, fileText, window);
      return {
        source: chosen.name,
        commit: shortenCommit(commit),
        path,
        text,
        totalLines,
      };
    },
  });
}

const SourceSearchInput = SearchInput.extend({ source: SourceName, at: CommitName });

function createSourceSearchTool(sources: readonly OpenedSource[], outputLength: number): AgentTool {
  return defineTool({
    name: "source_search",
    description:
      "Finds text in the files of a source, line by line, as search does in the site. `isWhole` is false if files were omitted because they are too large or too many; use `pattern` to select fewer files.",
    input: SourceSearchInput,
    isChanging: false,
    async run({ source, at, pattern, ...query }, signal) {
      const chosen = chooseSource(sources, source);
      const commit = await resolveCommit(chosen, at);
      const listing = await chosen.reader.listFiles(commit, signal);
      const matchesPattern = pattern === undefined ? () => true : createPathMatcher(pattern);
      const files = listing.files.filter(({ path }) => matchesPattern(path));
      const found = collectMatches(query, outputLength);
      const isScanned = await chosen.reader.scan(files, found.visit, signal);
      const isWhole = isScanned && listing.isWhole;
      return { source: chosen.name, commit: shortenCommit(commit), ...found.result(), isWhole };
    },
  });
}

type SourceQuery = Omit<z.output<typeof SourceSearchInput>, "source" | "at" | "pattern">;

function collectMatches({ query, isRegex, ignoreCase, limit }: SourceQuery, outputLength: number) {
  const linePattern = (isRegex ? createLinearPattern : createLiteralPattern)(query, { ignoreCase });
  const matches: LineMatch[] = [];
  let [total, length] = [0, 0];
  return {
    visit: (path: string, text: string): boolean => {
      for (const match of findMatches(path, text, linePattern)) {
        total += 1;
        length += match.text.length + path.length + 40;
        if (matches.length < limit && length < outputLength) matches.push(match);
      }
      return true;
    },
    result: () => ({ matches, total }),
  };
}

const SourceLogInput = z.strictObject({
  source: SourceName,
  from: CommitName.describe(
    "A tag, branch or commit, e.g. v2.1. Leaves out the commits that it contains.",
  ),
  to: CommitName,
  path: SourcePath.optional().describe("List only commits that change this file or folder."),
  limit: z.int().min(1).max(500).default(50),
});

const maxSubjectLength = 200;
const maxBodyLength = 600;
const mailAddress = /[^\s@<>()]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b/gi;
/** Matches lines that name people: `Co-authored-by: Ada <ada@example.com>`. */
const personTrailer = /^[\w-]{1,40}-by:.*$/gim;

function createSourceLogTool(sources: readonly OpenedSource[], outputLength: number): AgentTool {
  return defineTool({
    name: "source_log",
    description:
      "Lists a source's commits, newest first, with their tags. `newestTags` names releases.",
    input: SourceLogInput,
    isChanging: false,
    async run({ source, from, to, path, limit }, signal) {
      const chosen = chooseSource(sources, source);
      const { reader } = chosen;
      const end = await resolveCommit(chosen, to);
      const start = from === undefined ? undefined : await resolveCommit(chosen, from);
      // One extra commit shows whether there are more.
      const query = { from: start, to: end, path, limit: limit + 1 };
      const found = (await reader.listCommits(query, signal)).map(formatSourceCommit);
      const commits = takeFittingItems(found.slice(0, limit), outputLength);
      return {
        source: chosen.name,
        ...(start !== undefined && { from: shortenCommit(start) }),
        to: shortenCommit(end),
        commits,
        isWhole: commits.length === found.length,
        newestTags: (await reader.listTags(signal)).map(stripControlCharacters),
      };
    },
  });
}

/**
 * Formats a commit for the model, without people's names and addresses, and without characters that hide other
 * characters.
 */
function formatSourceCommit({ commit, date, subject, body, tags }: SourceCommit): ToolOutput {
  const message = truncate(
    stripControlCharacters(body.replaceAll(personTrailer, "")),
    maxBodyLength,
  );
  return {
    commit: shortenCommit(commit),
    date,
    subject: truncate(stripControlCharacters(subject), maxSubjectLength),
    ...(message !== "" && { message }),
    ...(tags.length > 0 && { tags: tags.map(stripControlCharacters) }),
  };
}

function stripControlCharacters(text: string): string {
  return text
    .replaceAll(/[^\P{C}\n]|[^\S\n]/gu, " ")
    .replaceAll(/ +/g, " ")
    .replaceAll(mailAddress, "…")
    .trim();
}

const SourceDiffInput = z.strictObject({
  source: SourceName,
  from: z.string().min(1).max(255).describe("A tag, branch or commit, e.g. v2.1."),
  to: CommitName,
  path: SourcePath.optional().describe("Show only this file or folder."),
});

function createSourceDiffTool(sources: readonly OpenedSource[], outputLength: number): AgentTool {
  return defineTool({
    name: "source_diff",
    description:
      "Shows the differences between two commits of a source: the files, and the unified diff if it is short enough. If it is truncated, name a file or folder.",
    input: SourceDiffInput,
    isChanging: false,
    async run({ source, from, to, path }, signal) {
      const chosen = chooseSource(sources, source);
      const { reader } = chosen;
      const range = {
        from: await resolveCommit(chosen, from),
        to: await resolveCommit(chosen, to),
        path,
      };
      const { files, isWhole } = await reader.listChanges(range, signal);
      const listedFiles = takeFittingItems(files, outputLength / 2);
      const remainingLength = outputLength - JSON.stringify(listedFiles).length;
      const patch = await reader.readPatch(range, remainingLength, signal);
      return {
        source: chosen.name,
        from: shortenCommit(range.from),
        to: shortenCommit(range.to),
        files: listedFiles,
        total: files.length,
        ...(!isWhole && { note: "More files differ than can be listed; name a folder." }),
        diff: patch.text,
        isCut: !patch.isWhole,
      };
    },
  });
}

const maxNames = 2_000;

const SourceRemovedInput = z.strictObject({
  names: z
    .array(z.strictObject({ kind: z.enum(productNameKinds), name: z.string().min(1).max(200) }))
    .max(maxNames)
    .describe("As used on pages: --max-depth, ENGINE_TOKEN, /v1/lamps/{id}, createLamp."),
});

function createSourceRemovedTool(
  sources: readonly OpenedSource[],
  outputLength: number,
): AgentTool {
  return defineTool({
    name: "source_removed",
    description:
      "Finds the flags, settings, endpoints and exported names that a source defined at an earlier commit and that no source contains now, with the location of the earlier definition. A name that is not reported may never have existed. `ownNames` are the sources' own packages and programs. If `unread` names a source, nothing is reported.",
    input: SourceRemovedInput,
    isChanging: false,
    async run({ names }, signal) {
      const { removed, ownNames, unread } = await findRemovedNames(sources, names, signal);
      const shownNames = takeFittingItems(
        removed.map(({ commit, ...name }) => ({ ...name, commit: shortenCommit(commit) })),
        outputLength / 2,
      );
      return {
        sources: sources.map(({ name, commit }) => ({
          source: name,
          commit: commit === null ? null : shortenCommit(commit),
        })),
        removed: shownNames,
        total: removed.length,
        ownNames: takeFittingItems(ownNames, outputLength / 4),
        ...(unread.length > 0 && { unread: takeFittingItems(unread, outputLength / 8) }),
      };
    },
  });
}
