import type { OctavoError } from "@octavo/site/core";
import { applyEdits, LineIndex, type TextEdit, type TextRange } from "@octavo/site/text";
import { createRefusedError } from "./instruction/refusal.ts";
import { callTools, findAnswerError, type Plan, type ToolAnswer, type ToolCall } from "./plan.ts";

/** The site's tools as plans, which split calls into batches and validate answers. */

/** The maximum number of results of one `list` call. */
const maxListed = 2_000;
/** The maximum number of results of one `search` call. */
const maxMatches = 500;
/** The maximum number of replacements in one `edit` call. */
const maxReplacements = 200;

export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

export interface Listing {
  readonly files: readonly string[];
  readonly total: number;
  /** The site's folder in its repository; empty if the folder is the root or unknown. */
  readonly folder: string;
  /** The maximum number of files that may change in one turn. */
  readonly maxChangedFiles: number;
}

interface SearchQuery {
  readonly query: string;
  readonly isRegex?: boolean;
  readonly ignoreCase?: boolean;
}

/** Lists all pages and snippets. */
export function* listPages(): Plan<Listing> {
  const first = yield ["**/*.mdx", "**/*.md"].map((pattern) => createListCall(pattern, 0));
  const [mdx = {}, md = {}] = first;
  const files = [
    ...(yield* listRemaining("**/*.mdx", mdx)),
    ...(yield* listRemaining("**/*.md", md)),
  ];
  const maxChangedFiles = toNumber(mdx.maxChangedFiles);
  return {
    files: [...new Set(files)].toSorted(),
    total: toNumber(mdx.total) + toNumber(md.total),
    folder: toText(mdx.folder),
    maxChangedFiles: maxChangedFiles === 0 ? Infinity : maxChangedFiles,
  };
}

function createListCall(pattern: string, skip: number): ToolCall {
  const input = { pattern, limit: maxListed };
  return { tool: "list", input: skip === 0 ? input : { ...input, skip } };
}

/** Returns all files of a list, given the answer with its first files. */
function* listRemaining(pattern: string, first: ToolAnswer): Plan<string[]> {
  const files = toStrings(first.files);
  let count = files.length;
  while (count > 0 && files.length < toNumber(first.total)) {
    const [answer = {}] = yield [createListCall(pattern, files.length)];
    const next = toStrings(answer.files);
    files.push(...next);
    count = next.length;
  }
  return files;
}

/** Files in one folder that are searched together. An empty string means the whole site. */
interface SearchGroup {
  readonly folder: string;
  readonly files: readonly string[];
}

/** The folder depth from which incomplete searches are no longer split by folder and repeated. */
const maxSearchDepth = 4;
const maxGroups = 60;

/** The matches, and the files that must be read because they could not be searched completely. */
interface SearchFindings {
  readonly matches: readonly SearchMatch[];
  readonly unsearched: readonly string[];
}

/** Returns the files that match a query or could not be searched. */
export function* findFiles(
  queries: readonly SearchQuery[],
  files: readonly string[],
): Plan<readonly string[]> {
  const { matches, unsearched } = yield* searchFiles(queries, files);
  const found = new Set([...matches.map(({ file }) => file), ...unsearched]);
  return files.filter((file) => found.has(file));
}

/** Searches `files`, and possibly other files in their folders. Incomplete searches are repeated folder by folder. */
export function* searchFiles(
  queries: readonly SearchQuery[],
  files: readonly string[],
): Plan<SearchFindings> {
  const matches: SearchMatch[] = [];
  const unsearched: string[] = [];
  let groups: readonly SearchGroup[] = files.length === 0 ? [] : [{ folder: "", files }];
  for (let depth = 0; groups.length > 0; depth++) {
    const answers = yield groups.flatMap(({ folder }) =>
      queries.map((query) => createSearchCall(query, folder)),
    );
    const next: SearchGroup[] = [];
    for (const [index, group] of groups.entries()) {
      const groupAnswers = answers.slice(index * queries.length, (index + 1) * queries.length);
      if (groupAnswers.every(isComplete)) matches.push(...groupAnswers.flatMap(readMatches));
      else next.push(group);
    }
    groups = next.flatMap((group) => splitGroup(group, depth, unsearched));
    if (depth < maxSearchDepth && groups.length <= maxGroups) continue;
    unsearched.push(...groups.flatMap((group) => group.files));
    break;
  }
  return { matches, unsearched };
}

function createSearchCall(query: SearchQuery, folder: string): ToolCall {
  const pattern = folder === "" ? {} : { pattern: `${folder}/**` };
  return { tool: "search", input: { ...query, ...pattern, limit: maxMatches } };
}

function isComplete(answer: ToolAnswer): boolean {
  return (
    findAnswerError(answer) === undefined && readMatches(answer).length >= toNumber(answer.total)
  );
}

/** Splits a group into subfolders. Files outside these subfolders are added to `unsearched`; there are usually few. */
function splitGroup({ files }: SearchGroup, depth: number, unsearched: string[]): SearchGroup[] {
  const folders = Map.groupBy(files, (file) => {
    const parts = file.split("/");
    return parts.length > depth + 1 ? parts.slice(0, depth + 1).join("/") : "";
  });
  unsearched.push(...(folders.get("") ?? []));
  folders.delete("");
  return [...folders].map(([folder, inside]) => ({ folder, files: inside }));
}

interface SearchMatch {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

function readMatches(answer: ToolAnswer): SearchMatch[] {
  return toObjects(answer.matches).map(({ file, line, text }) => ({
    file: toText(file),
    line: toNumber(line),
    text: toText(text),
  }));
}

/** Reads the first lines of each readable file. */
export function* readStarts(
  paths: readonly string[],
  lines: number,
): Plan<ReadonlyMap<string, string>> {
  const answers = yield* callTools(
    paths.map((path) => ({ tool: "read", input: { path, lines, numbers: false } })),
  );
  return new Map(paths.map((path, index) => [path, toText(answers[index]?.text)]));
}

/** A range of lines that still has to be read. */
interface LineRange {
  readonly path: string;
  readonly fromLine: number;
  readonly lines: number;
}

/** The maximum number of lines in one `read` call. */
const maxReadLines = 5_000;

/** Reads the complete text of each readable file. Long files are read in parts. */
export function* readFiles(paths: Iterable<string>): Plan<ReadonlyMap<string, string>> {
  const parts: (LineRange & { readonly text: string })[] = [];
  const unreadable = new Set<string>();
  const whole = [...new Set(paths)].map((path) => ({ path, fromLine: 1, lines: maxReadLines }));
  for (let pending: LineRange[] = whole; pending.length > 0;) {
    const answers = yield* callTools(pending.map(createReadCall));
    const next: LineRange[] = [];
    for (const [index, reading] of pending.entries()) {
      const part = readPart(answers[index] ?? {}, reading);
      if (part === undefined) unreadable.add(reading.path);
      else parts.push({ ...reading, text: part.text });
      next.push(...(part?.rest ?? []));
    }
    pending = next;
  }
  const byFile = Map.groupBy(parts.toSorted((a, b) => a.fromLine - b.fromLine), ({ path }) => path); // prettier-ignore
  for (const path of unreadable) byFile.delete(path);
  return new Map([...byFile].map(([path, own]) => [path, own.map(({ text }) => text).join("")]));
}

function createReadCall({ path, fromLine, lines }: LineRange): ToolCall {
  const input = fromLine === 1 ? { path, lines } : { path, fromLine, lines };
  return { tool: "read", input: { ...input, numbers: false } };
}

/**
 * Returns the text that was read and the ranges that are still missing. Returns undefined if the call failed or if a
 * line is longer than an answer can be.
 */
function readPart(
  answer: ToolAnswer,
  { path, fromLine, lines }: LineRange,
): { readonly text: string; readonly rest: readonly LineRange[] } | undefined {
  const { text } = answer;
  if (findAnswerError(answer) !== undefined || typeof text !== "string") return undefined;
  const total = toNumber(answer.totalLines);
  const last = fromLine === 1 ? total : Math.min(total, fromLine + lines - 1);
  const lineBreaks = text.split("\n").length - 1;
  const next = fromLine + (text === "" || text.endsWith("\n") ? lineBreaks : lineBreaks + 1);
  if (next > last) return { text, rest: [] };
  if (!text.endsWith("\n")) return undefined;
  // The remaining lines are requested in one batch, in ranges that are likely to fit into an answer.
  const size = Math.max(1, Math.floor(lineBreaks * 0.8));
  const rest: LineRange[] = [];
  for (let line = next; line <= last; line += size) {
    rest.push({ path, fromLine: line, lines: Math.min(size, last - line + 1) });
  }
  return { text, rest };
}

export interface FileEdits {
  readonly path: string;
  readonly text: string;
  readonly edits: readonly TextEdit[];
}

/** Edits the files, with several calls for a file that has many edits. Returns error messages, keyed by path. */
export function* editFiles(files: readonly FileEdits[]): Plan<ReadonlyMap<string, string>> {
  const failures = new Map<string, string>();
  const calls: ToolCall[] = [];
  for (const { path, text, edits } of files) {
    const replacements = toReplacements(text, edits);
    // Surrounding lines may be so similar that they do not identify the position, or the edits too many.
    if (replacements === undefined) {
      calls.push({
        tool: "write",
        input: { path, content: applyEdits(text, edits) },
        before: text,
      });
      continue;
    }
    for (let start = 0; start < replacements.length; start += maxReplacements) {
      const batch = replacements.slice(start, start + maxReplacements);
      calls.push({ tool: "edit", input: { path, replacements: batch }, before: text });
    }
  }
  for (const [index, answer] of (yield* callTools(calls)).entries()) {
    const error = findAnswerError(answer);
    if (error !== undefined) failures.set(String(calls[index]?.input.path), error);
  }
  return failures;
}

/**
 * Makes all edits. Throws `invalid_input` if an edit fails. If too many files would change, the error is thrown before
 * the first edit.
 */
export function* editAll(files: readonly FileEdits[], { maxChangedFiles }: Listing): Plan<void> {
  if (files.length > maxChangedFiles) {
    throw createTooManyFilesError(
      files.map(({ path }) => path),
      maxChangedFiles,
    );
  }
  const [failure] = yield* editFiles(files);
  if (failure !== undefined)
    throw createRefusedError(`${failure[0]} could not be changed: ${failure[1]}`);
}

/** Creates the error for a change that affects too many files, with folders to which the work could be limited. */
export function createTooManyFilesError(paths: readonly string[], max: number): OctavoError {
  const reason = `${paths.length} files would change, and at most ${max} may change at once`;
  return createRefusedError(reason, { slot: "scope", choices: listFittingFolders(paths, max) });
}

function listFittingFolders(paths: readonly string[], max: number, depth = 1): string[] {
  const byFolder = Map.groupBy(
    paths.filter((path) => path.split("/").length > depth),
    (path) => path.split("/").slice(0, depth).join("/"),
  );
  return [...byFolder].flatMap(([folder, inside]) =>
    inside.length <= max ? [`${folder}/`] : listFittingFolders(inside, max, depth + 1),
  );
}

export function toStrings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

export function toObjects(value: unknown): ToolAnswer[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item) => typeof item === "object" && item !== null) as ToolAnswer[];
}

export function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function toNumber(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** A replacement of text. `old` occurs exactly once in the file. */
interface Replacement {
  readonly old: string;
  readonly new: string;
}

/** A range of whole lines, and the edits in it. */
interface Passage {
  first: number;
  last: number;
  readonly edits: TextEdit[];
}

/** The maximum number of lines that are added around an edit to make its text unique. */
const maxContextLines = 24;
/** The maximum number of edits that are converted, because each searches the whole text. */
const maxConvertedEdits = 1_000;

/**
 * Converts edits by position into replacements of text, as the tool `edit` expects them. Each consists of whole lines
 * with their line breaks, and of as many surrounding lines as are needed to make it unique. Undefined if the lines
 * cannot be made unique, or if there are too many edits.
 */
export function toReplacements(
  text: string,
  edits: readonly TextEdit[],
): readonly Replacement[] | undefined {
  if (edits.length > maxConvertedEdits) return undefined;
  const lines = new LineIndex(text);
  const passages: Passage[] = [];
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    const first = lines.lineAt(edit.start);
    const last = lines.lineAt(Math.max(edit.start, edit.end - 1));
    const passage = widen({ first, last, edits: [edit] }, text, lines);
    if (passage === undefined) return undefined;
    const before = passages.at(-1);
    // Adjacent passages are merged, so that replacements do not affect each other.
    if (before === undefined || passage.first > before.last + 1) passages.push(passage);
    else {
      before.last = Math.max(before.last, passage.last);
      before.edits.push(edit);
    }
  }
  return passages.map((passage) => {
    const range = getPassageRange(passage, lines);
    const old = text.slice(range.start, range.end);
    return { old, new: applyEdits(text, passage.edits, range) };
  });
}

function widen(passage: Passage, text: string, lines: LineIndex): Passage | undefined {
  const lastLine = lines.lineCount - 1;
  for (let step = 0; step <= maxContextLines; step++) {
    const { start, end } = getPassageRange(passage, lines);
    const old = text.slice(start, end);
    if (text.indexOf(old) === start && !text.includes(old, start + 1)) return passage;
    const isUpwards = step % 2 === 0 ? passage.first > 0 : passage.last >= lastLine;
    if (isUpwards) passage.first = Math.max(0, passage.first - 1);
    else passage.last = Math.min(lastLine, passage.last + 1);
  }
  return undefined;
}

/** Returns the offsets of a passage, including the preceding line break, so that the end of a longer line does not match. */
function getPassageRange({ first, last }: Passage, lines: LineIndex): TextRange {
  return { start: Math.max(0, lines.startOf(first) - 1), end: lines.startOf(last + 1) };
}
