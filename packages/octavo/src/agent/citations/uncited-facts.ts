import type { ChangedFile } from "../changes/file-change.ts";
import { ignoreRefusal, readChangedTexts } from "../changes/read-changes.ts";
import type { TextChange } from "../changes/text-changes.ts";
import { diffLines, splitLines } from "../changes/text-changes.ts";
import type { OpenedSource } from "../sources/turn-source.ts";
import type { ToolOutput } from "../tools/tool.ts";
import type { TranscriptEntry } from "../transcript.ts";
import type { Workspace } from "../workspace.ts";
import type { Citation } from "./citation.ts";

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
/** The number of different words that are looked up. */
const maxWords = 500;
/** Names and values that are the same in a program and on a page about it; prose is not. */
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
 * Finds names and values that a turn added to pages, that are new in the site, and that a source contains in lines that
 * the model read, although none of its citations covers them. Each has the first such line.
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
  const found = new Map<string, readonly SourceLine[]>();
  for (const words of listNewFacts([...texts.values()])) {
    const places = lines.filter(({ text }) => hasWords(text, words));
    if (places.length > 0 && !places.some((at) => isCited(words, at, citations))) {
      found.set(words, places);
    }
  }
  for (const file of await workspace.files()) {
    signal.throwIfAborted();
    if (found.size === 0) break;
    const text = texts.has(file) ? "" : await workspace.readText(file).catch(ignoreRefusal);
    for (const words of found.keys()) if (hasWords(text ?? "", words)) found.delete(words);
  }
  return [...found]
    .slice(0, maxFacts)
    .flatMap(([words, [first]]) => (first ? toCitation(words, first, sources) : []));
}

function isCited(
  words: string,
  { path, line }: SourceLine,
  citations: readonly Citation[],
): boolean {
  return citations.some(
    (one) =>
      hasWords(one.words, words) || (one.path === path && one.line <= line && line <= one.endLine),
  );
}

function listNewFacts(changes: readonly TextChange[]): readonly string[] {
  const added = changes.flatMap(({ before, after }) =>
    diffLines(splitLines(before), splitLines(after)).flatMap(({ lines }) => lines),
  );
  const words = added.flatMap((line) => [
    ...Array.from(line.matchAll(codeSpan), ([, span = ""]) => span.trim()),
    ...(line.match(factPattern) ?? []),
  ]);
  const facts = [...new Set(words)].filter((one) => /[\p{L}\p{N}]/u.test(one)).slice(0, maxWords);
  return facts.filter((one) => !changes.some(({ before }) => hasWords(before, one)));
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
  const shown = output["commit"];
  if (!source || typeof shown !== "string") return [];
  const commit = source.commit?.startsWith(shown) === true ? source.commit : shown;
  const { name, repository } = source;
  return [{ source: name, repository, commit, path, line, endLine: line, words }];
}

/** Reports whether a text contains the words and does not continue them. */
export function hasWords(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    const [before, after] = [text.charAt(at - 1), text.charAt(at + words.length)];
    if (!/[\p{L}\p{N}_]/u.test(before) && !/[\p{L}\p{N}_]/u.test(after)) return true;
  }
  return false;
}
