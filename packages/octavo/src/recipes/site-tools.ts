import type { OctavoError } from "@octavo/site/core";
import { applyEdits, LineIndex, type TextEdit } from "@octavo/site/text";
import { createRefusedError } from "./instruction/refusal.ts";
import { callTools, findAnswerError, type Plan, type ToolAnswer, type ToolCall } from "./plan.ts";

/** The site tools as plans, which split calls into batches and validate answers. */

/** The maximum number of results of `list` and `search`, and of replacements in one `edit`. */
const listLimit = 2_000;
const searchLimit = 500;
const editLimit = 200;

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
  const first = yield ["**/*.mdx", "**/*.md"].map((pattern) => listCall(pattern, 0));
  const [mdx = {}, md = {}] = first;
  const files = [...(yield* listRest("**/*.mdx", mdx)), ...(yield* listRest("**/*.md", md))];
  const maxChangedFiles = toNumber(mdx.maxChangedFiles);
  return {
    files: [...new Set(files)].toSorted(),
    total: toNumber(mdx.total) + toNumber(md.total),
    folder: toText(mdx.folder),
    maxChangedFiles: maxChangedFiles === 0 ? Infinity : maxChangedFiles,
  };
}

function listCall(pattern: string, skip: number): ToolCall {
  const input = { pattern, limit: listLimit };
  return { tool: "list", input: skip === 0 ? input : { ...input, skip } };
}

/** Returns the files of a first answer and of the following pages of results. */
function* listRest(pattern: string, first: ToolAnswer): Plan<string[]> {
  const files = toStrings(first.files);
  let count = files.length;
  while (count > 0 && files.length < toNumber(first.total)) {
    const [answer = {}] = yield [listCall(pattern, files.length)];
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

/** The maximum folder depth to which a search that has too many results, or takes too long, is split and repeated. */
const maxSearchDepth = 4;
const maxGroups = 60;

/** The matches, and the files that could not be searched completely and must be read. */
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
      queries.map((query) => searchCall(query, folder)),
    );
    const next: SearchGroup[] = [];
    for (const [index, group] of groups.entries()) {
      const own = answers.slice(index * queries.length, (index + 1) * queries.length);
      if (own.every(isWhole)) matches.push(...own.flatMap(readMatches));
      else next.push(group);
    }
    groups = next.flatMap((group) => splitGroup(group, depth, unsearched));
    if (depth < maxSearchDepth && groups.length <= maxGroups) continue;
    unsearched.push(...groups.flatMap((group) => group.files));
    break;
  }
  return { matches, unsearched };
}

function searchCall(query: SearchQuery, folder: string): ToolCall {
  const pattern = folder === "" ? {} : { pattern: `${folder}/**` };
  return { tool: "search", input: { ...query, ...pattern, limit: searchLimit } };
}

function isWhole(answer: ToolAnswer): boolean {
  return (
    findAnswerError(answer) === undefined && readMatches(answer).length >= toNumber(answer.total)
  );
}

/** Splits a group into folders that are one level deeper. The few files outside these folders are read instead. */
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

export function readMatches(answer: ToolAnswer): SearchMatch[] {
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
interface Reading {
  readonly path: string;
  readonly fromLine: number;
  readonly lines: number;
}

/** The maximum number of lines in one `read` call. */
const readLines = 5_000;

/** Reads the complete text of each readable file. Long files are read in parts. */
export function* readFiles(paths: Iterable<string>): Plan<ReadonlyMap<string, string>> {
  const parts = new Map<string, Map<number, string>>();
  const broken = new Set<string>();
  let open: Reading[] = [...new Set(paths)].map((path) => ({
    path,
    fromLine: 1,
    lines: readLines,
  }));
  while (open.length > 0) {
    const answers = yield* callTools(open.map(readCall));
    const next: Reading[] = [];
    for (const [index, reading] of open.entries()) {
      const part = readPart(answers[index] ?? {}, reading);
      const own = parts.get(reading.path) ?? new Map<number, string>();
      if (part === undefined) broken.add(reading.path);
      else parts.set(reading.path, own.set(reading.fromLine, part.text));
      next.push(...(part?.rest ?? []));
    }
    open = next;
  }
  const whole = [...parts].filter(([path]) => !broken.has(path));
  return new Map(
    whole.map(([path, own]) => {
      const parts = [...own].toSorted(([a], [b]) => a - b);
      return [path, parts.map(([, text]) => text).join("")];
    }),
  );
}

function readCall({ path, fromLine, lines }: Reading): ToolCall {
  const input = fromLine === 1 ? { path, lines } : { path, fromLine, lines };
  return { tool: "read", input: { ...input, numbers: false } };
}

/**
 * Returns the text that was read and the ranges that are still missing. Undefined if a line is longer than an answer.
 */
function readPart(
  answer: ToolAnswer,
  { path, fromLine, lines }: Reading,
): { readonly text: string; readonly rest: readonly Reading[] } | undefined {
  const { text } = answer;
  if (findAnswerError(answer) !== undefined || typeof text !== "string") return undefined;
  const total = toNumber(answer.totalLines);
  const last = fromLine === 1 ? total : Math.min(total, fromLine + lines - 1);
  const ends = text.split("\n").length - 1;
  const next = fromLine + (text === "" || text.endsWith("\n") ? ends : ends + 1);
  if (next > last) return { text, rest: [] };
  if (!text.endsWith("\n")) return undefined;
  // The rest is requested in one batch, in parts that are likely to fit.
  const size = Math.max(1, Math.floor(ends * 0.8));
  const rest: Reading[] = [];
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

/** Edits the files with one call each, or with more calls if there are many edits. Returns the errors by file. */
export function* editFiles(files: readonly FileEdits[]): Plan<ReadonlyMap<string, string>> {
  const failures = new Map<string, string>();
  const calls: ToolCall[] = [];
  for (const { path, text, edits } of files) {
    const replacements = toReplacements(text, edits);
    // Lines may be so similar that no surrounding text identifies the position.
    if (replacements === undefined) {
      calls.push({
        tool: "write",
        input: { path, content: applyEdits(text, edits) },
        before: text,
      });
      continue;
    }
    for (let at = 0; at < replacements.length; at += editLimit) {
      const some = replacements.slice(at, at + editLimit);
      calls.push({ tool: "edit", input: { path, replacements: some }, before: text });
    }
  }
  for (const [index, answer] of (yield* callTools(calls)).entries()) {
    const error = findAnswerError(answer);
    if (error !== undefined) failures.set(String(calls[index]?.input.path), error);
  }
  return failures;
}

/**
 * Makes all of the edits. Throws `invalid_input` before the first edit if too many files would change. Also throws if
 * an edit fails, because a partial change is not wanted.
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

/** A range of whole lines, and its text after the edits. */
interface Passage {
  first: number;
  last: number;
  readonly edits: TextEdit[];
}

/** The maximum number of lines that are added around a position to make it unique. */
const maxContext = 24;

/**
 * Converts edits by position into replacements of text, as the tool `edit` expects them. Each consists of whole lines
 * with their line breaks, and of as many surrounding lines as are needed to make it unique. Undefined if the lines
 * cannot be made unique.
 */
export function toReplacements(
  text: string,
  edits: readonly TextEdit[],
): readonly Replacement[] | undefined {
  const lines = new Lines(text);
  const passages: Passage[] = [];
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    const first = lines.at(edit.start);
    const last = lines.at(Math.max(edit.start, edit.end - 1));
    const passage = widen({ first, last, edits: [edit] }, lines);
    if (passage === undefined) return undefined;
    join(passages, passage);
  }
  return passages.map(({ first, last, edits: inside }) => {
    const [start, end] = lines.range(first, last);
    return { old: text.slice(start, end), new: applyEdits(text, inside, { start, end }) };
  });
}

/** Joins adjacent passages, because a replacement must not depend on text that another replacement has changed. */
function join(passages: Passage[], passage: Passage): void {
  const before = passages.at(-1);
  if (before === undefined || passage.first > before.last + 1) {
    passages.push(passage);
    return;
  }
  before.last = Math.max(before.last, passage.last);
  before.edits.push(...passage.edits);
}

function widen(passage: Passage, lines: Lines): Passage | undefined {
  for (let step = 0; step <= maxContext; step++) {
    if (lines.isUnique(passage.first, passage.last)) return passage;
    const isUpwards = step % 2 === 0 ? passage.first > 0 : passage.last >= lines.count - 1;
    if (isUpwards) passage.first = Math.max(0, passage.first - 1);
    else passage.last = Math.min(lines.count - 1, passage.last + 1);
  }
  return undefined;
}

/** A text's lines, with the number of occurrences of each line and of each pair of adjacent lines. */
class Lines {
  readonly #text: string;
  readonly #lines: LineIndex;
  readonly #ids: readonly number[];
  readonly #counts = new Map<string, number>();

  constructor(text: string) {
    this.#text = text;
    this.#lines = new LineIndex(text);
    const known = new Map<string, number>();
    this.#ids = Array.from({ length: this.count }, (_, line) => {
      const content = text.slice(this.#lines.startOf(line), this.#lines.startOf(line + 1));
      const id = known.get(content) ?? known.size;
      known.set(content, id);
      return id;
    });
    for (let line = 0; line < this.count; line++) {
      for (const key of [this.#single(line), this.#pair(line)]) {
        this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
      }
    }
  }

  get count(): number {
    return this.#lines.count;
  }

  /** Returns the index of the line that contains the offset, starting at 0. */
  at(offset: number): number {
    return this.#lines.lineAt(offset);
  }

  /**
   * Returns the range of lines. It includes the preceding line break, so that the end of a longer line does not match.
   */
  range(first: number, last: number): [start: number, end: number] {
    const start = Math.max(0, this.#lines.startOf(first) - 1);
    return [start, this.#lines.startOf(last + 1)];
  }

  /**
   * Reports whether these lines occur only once in the text, because one of the lines or an adjacent pair occurs only
   * once.
   */
  isUnique(first: number, last: number): boolean {
    const isInner = (line: number) => line > 0 && line < this.count - 1;
    for (let line = first; line <= last; line++) {
      if (!isInner(line)) continue;
      if (this.#counts.get(this.#single(line)) === 1) return true;
      const hasNext = line < last && isInner(line + 1);
      if (hasNext && this.#counts.get(this.#pair(line)) === 1) return true;
    }
    // The first line has no line break before it and the last line has none after it, so other lines may contain them.
    if (isInner(first) && isInner(last)) return false;
    const old = this.#text.slice(...this.range(first, last));
    return this.#text.indexOf(old) === this.#text.lastIndexOf(old);
  }

  #single(line: number): string {
    return String(this.#ids[line]);
  }

  #pair(line: number): string {
    return `${this.#ids[line]} ${this.#ids[line + 1]}`;
  }
}
