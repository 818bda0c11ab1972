import { findLinesUrl } from "../../core/index.ts";
import { ignoreRefusal, readChangedTexts } from "../changes/read-changes.ts";
import { diffLines, splitLines } from "../changes/text-changes.ts";
import type { ChangedFile, TextChange } from "../changes/text-changes.ts";
import {
  formatBoundedList,
  formatInertCode,
  formatInertLink,
  sanitizeWords,
  truncate,
} from "../pull-request/sanitize-markdown.ts";
import type { Citation, FixedSource, OpenedSource } from "../sources/turn-source.ts";
import type { ToolOutput } from "../tools/tool.ts";
import { getCurrentTurn, type NoteEntry, type TranscriptEntry } from "../transcript.ts";
import type { Workspace } from "../workspace.ts";

const maxListed = 60;
const maxCitedLength = 7_000;
const maxUncitedLength = 3_000;
const maxUnreadLength = 2_500;
const maxWordsLength = 200;

/** The sources that a pull request cites. */
export interface CitedSources {
  /** The verified citations without duplicates, in the order in which the turns cited them. */
  readonly citations: readonly Citation[];
  /** Facts on changed pages that occur in source lines that the turns read but did not cite. */
  readonly uncited: readonly Citation[];
  /** Sources of the current turn that could not be read. */
  readonly unread: readonly FixedSource[];
}

/**
 * Formats the sources section of a pull request. It contains each cited location with the quoted words as code, and the
 * sources that could not be read. Returns undefined if there is nothing to report.
 */
export function formatCitationSection({
  citations,
  uncited,
  unread,
}: CitedSources): string | undefined {
  const parts: string[] = [];
  if (citations.length > 0) {
    const lines = citations.slice(0, maxListed).map(formatCitationLine);
    const list = formatBoundedList(lines, {
      maxLength: maxCitedLength,
      total: citations.length,
      restLabel: "more",
    });
    parts.push(`Each location was checked at its commit and contains the quoted words:\n\n${list}`);
  }
  if (uncited.length > 0) {
    const lines = uncited.slice(0, maxListed).map(formatCitationLine);
    const list = formatBoundedList(lines, {
      maxLength: maxUncitedLength,
      total: uncited.length,
      restLabel: "more",
    });
    parts.push(
      `New on the pages and not cited, although the model read them in the lines below. Compare the pages with these lines:\n\n${list}`,
    );
  }
  if (unread.length > 0) {
    const lines = unread.map(
      ({ name, error }) =>
        `${formatInertCode(name, 100)}: ${truncate(sanitizeWords(error ?? ""), 200)}`,
    );
    const list = formatBoundedList(lines, {
      maxLength: maxUnreadLength,
      total: unread.length,
      restLabel: "more",
    });
    parts.push(`Not read:\n\n${list}`);
  }
  return parts.length === 0
    ? undefined
    : `### What was taken from sources\n\n${parts.join("\n\n")}`;
}

function formatCitationLine(citation: Citation): string {
  const { repository, commit, path, line, endLine } = citation;
  const location = formatCitation(citation);
  const address = findLinesUrl({ repository, commit, path, line, endLine });
  const formattedLocation =
    address === undefined
      ? formatInertCode(location, 300)
      : formatInertLink(location, address, 300);
  return `${formattedLocation} ${formatInertCode(citation.words, maxWordsLength)}`;
}

/**
 * Collects the citations of a branch's turns, starting with the entry of its first turn. Omits earlier turns that did
 * not commit their changes.
 */
export function collectCitations(entries: readonly TranscriptEntry[]): CitedSources {
  const current = getCurrentTurn(entries);
  const earlier = splitTurns(entries.slice(0, entries.length - current.length)).filter(
    wasCommitted,
  );
  const cited = new Map<string, Citation>();
  const uncited = new Map<string, Citation>();
  for (const turn of [...earlier, current]) {
    // A change that was returned to the model was checked more than once. The last check applies.
    const check = turn.findLast((entry): entry is NoteEntry => entry.type === "check");
    for (const citation of check?.citations ?? []) {
      cited.set(JSON.stringify(citation), citation);
    }
    for (const fact of check?.uncited ?? []) uncited.set(fact.words, fact);
  }
  const sources = current.flatMap((entry) => (entry.type === "sources" ? entry.sources : []));
  const citations = [...cited.values()];
  return {
    citations,
    uncited: [...uncited.values()].filter(
      ({ words }) => !citations.some((citation) => hasWords(citation.words, words)),
    ),
    unread: sources.filter(({ error }) => error !== null),
  };
}

function splitTurns(entries: readonly TranscriptEntry[]): readonly (readonly TranscriptEntry[])[] {
  const turns: TranscriptEntry[][] = [];
  for (const entry of entries) {
    if (entry.type === "message" && entry.from === "person") turns.push([]);
    turns.at(-1)?.push(entry);
  }
  return turns;
}

/** Reports whether the turn's changes were committed. The service's message after a failed turn has no `reason`. */
function wasCommitted(turn: readonly TranscriptEntry[]): boolean {
  const hasFailed = turn.some(
    (entry) => entry.type === "message" && entry.from === "service" && entry.reason === undefined,
  );
  return !hasFailed && turn.some(({ type }) => type === "commit");
}

interface FactSearch {
  /** The entries of the turn. */
  readonly turn: readonly TranscriptEntry[];
  readonly sources: readonly OpenedSource[];
  readonly changes: readonly ChangedFile[];
  /** The verified citations of the turn. */
  readonly citations: readonly Citation[];
  readonly signal: AbortSignal;
}

const maxFacts = 20;
/** The maximum number of names and values that are looked up. */
const maxComparedWords = 500;
/** Matches names and values, which are the same in a program and on a page about it, unlike prose. */
const factPattern =
  /--[a-z][\w-]*\w|\b[A-Z][A-Z\d]*(?:_[A-Z\d]+)+\b|\b[a-z]+\d*(?:[A-Z][a-z\d]*)+\b|\b[a-z\d]+(?:_[a-z\d]+)+\b|\b\d+(?:\.\d+)+\b|\b\d{2,}\b|(?<![\w/])\/[\w{}.-]+(?:\/[\w{}.-]+)+/g;
const codeSpan = /`([^`\n]{2,80})`/g;

interface SourceLine {
  readonly output: ToolOutput;
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/**
 * Finds names and values that a turn added to pages, that are new to the site, and that occur in source lines that the
 * model read but that no citation of the turn covers. Each is returned with the first of these lines.
 */
export async function readUncitedFacts(
  workspace: Workspace,
  { turn, sources, changes, citations, signal }: FactSearch,
): Promise<readonly Citation[]> {
  const lines = turn.flatMap((entry) =>
    entry.type === "tool" && entry.status === "done"
      ? listSourceLines(entry.tool, entry.output)
      : [],
  );
  if (lines.length === 0 || changes.length === 0) return [];
  const texts = await readChangedTexts(workspace, changes);
  const occurrences = new Map<string, readonly SourceLine[]>();
  for (const words of listNewFacts([...texts.values()])) {
    const matches = lines.filter(({ text }) => hasWords(text, words));
    if (matches.length > 0 && !matches.some((line) => isCited(words, line, citations))) {
      occurrences.set(words, matches);
    }
  }
  for (const file of await workspace.listFiles()) {
    signal.throwIfAborted();
    if (occurrences.size === 0) break;
    const text = texts.has(file) ? "" : await workspace.readText(file).catch(ignoreRefusal);
    for (const words of occurrences.keys())
      if (hasWords(text ?? "", words)) occurrences.delete(words);
  }
  return [...occurrences]
    .slice(0, maxFacts)
    .flatMap(([words, [first]]) => (first ? toCitation(words, first, sources) : []));
}

function isCited(
  words: string,
  { path, line }: SourceLine,
  citations: readonly Citation[],
): boolean {
  return citations.some(
    (citation) =>
      hasWords(citation.words, words) ||
      (citation.path === path && citation.line <= line && line <= citation.endLine),
  );
}

function listNewFacts(changes: readonly TextChange[]): readonly string[] {
  const addedLines = changes.flatMap(({ before, after }) =>
    diffLines(splitLines(before), splitLines(after)).flatMap(({ lines }) => lines),
  );
  const words = addedLines.flatMap((line) => [
    ...Array.from(line.matchAll(codeSpan), ([, span = ""]) => span.trim()),
    ...(line.match(factPattern) ?? []),
  ]);
  const facts = [...new Set(words)]
    .filter((candidate) => /[\p{L}\p{N}]/u.test(candidate))
    .slice(0, maxComparedWords);
  return facts.filter((candidate) => !changes.some(({ before }) => hasWords(before, candidate)));
}

/** Returns the lines of a source that a tool showed. */
function listSourceLines(tool: string, output: ToolOutput): readonly SourceLine[] {
  const { path, text, matches } = output;
  if (tool === "source_read" && typeof path === "string" && typeof text === "string") {
    return text.split("\n").flatMap((numbered): SourceLine[] => {
      const [, line, words] = /^(\d+)\|(.*)$/.exec(numbered) ?? [];
      return words === undefined ? [] : [{ output, path, line: Number(line), text: words }];
    });
  }
  if (tool !== "source_search" || !Array.isArray(matches)) return [];
  return matches.flatMap(({ file, line, text: words }: Readonly<Record<string, unknown>>) =>
    typeof file === "string" && typeof line === "number" && typeof words === "string"
      ? [{ output, path: file, line, text: words }]
      : [],
  );
}

function toCitation(
  words: string,
  { output, path, line }: SourceLine,
  sources: readonly OpenedSource[],
): readonly Citation[] {
  const source = sources.find(({ name }) => name === output["source"]);
  const shownCommit = output["commit"];
  if (!source || typeof shownCommit !== "string") return [];
  const commit = source.commit?.startsWith(shownCommit) === true ? source.commit : shownCommit;
  const { name, repository } = source;
  return [{ source: name, repository, commit, path, line, endLine: line, words }];
}

/** Reports whether a text contains the words as whole words. */
function hasWords(text: string, words: string): boolean {
  for (let index = text.indexOf(words); index >= 0; index = text.indexOf(words, index + 1)) {
    const [before, after] = [text.charAt(index - 1), text.charAt(index + words.length)];
    if (!/[\p{L}\p{N}_]/u.test(before) && !/[\p{L}\p{N}_]/u.test(after)) return true;
  }
  return false;
}

/** Formats a citation: `engine@1a2b3c4d5e6f:src/cli.ts:12`. */
export function formatCitation({ source, commit, path, line, endLine }: Citation): string {
  const lines = endLine === line ? `${line}` : `${line}-${endLine}`;
  return `${source}@${commit.slice(0, 12)}:${path}:${lines}`;
}
