import { call, errorOf } from "./plan.ts";
import type { Plan, ToolAnswer, ToolCall } from "./plan.ts";
import { toReplacements } from "./text/replacements.ts";
import type { TextEdit } from "./text/replacements.ts";

/** The tools of the contract as plans: bounded batches of calls, and answers read with care. */

/** The most that `list` and `search` give. */
const listLimit = 2_000;
const searchLimit = 500;
const editLimit = 200;
/** Files asked for in one answer of the model. */
const batchSize = 32;

export interface Problem {
  readonly severity: string;
  readonly code: string;
  readonly message: string;
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

export interface CheckResult {
  readonly problems: readonly Problem[];
  /** Problems that the answer does not list; it holds some 200, errors first. */
  readonly unlisted: number;
}

export interface Listing {
  readonly files: readonly string[];
  readonly total: number;
}

export interface SearchQuery {
  readonly query: string;
  readonly isRegex?: boolean;
  readonly ignoreCase?: boolean;
}

/** All pages and snippets, or as many as the tool lists. */
export function* listPages(): Plan<Listing> {
  const answers = yield ["**/*.mdx", "**/*.md"].map((pattern) => ({
    tool: "list",
    input: { pattern, limit: listLimit },
  }));
  const files = answers.flatMap((answer) => stringsOf(answer.files)).toSorted();
  const total = answers.reduce((sum, answer) => sum + numberOf(answer.total), 0);
  return { files: [...new Set(files)], total };
}

/**
 * The files that any of the queries finds; undefined where the answers do not hold all of them, or the tool
 * refused a query.
 */
export function* findFiles(queries: readonly SearchQuery[]): Plan<ReadonlySet<string> | undefined> {
  const answers = yield queries.map((query) => ({
    tool: "search",
    input: { ...query, limit: searchLimit },
  }));
  const isWhole = answers.every(
    (answer) => errorOf(answer) === undefined && matchesOf(answer).length >= numberOf(answer.total),
  );
  return isWhole ? new Set(answers.flatMap((answer) => matchesOf(answer).map(fileOf))) : undefined;
}

export interface SearchMatch {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

export function matchesOf(answer: ToolAnswer): SearchMatch[] {
  return objectsOf(answer.matches).map(({ file, line, text }) => ({
    file: textOf(file),
    line: numberOf(line),
    text: textOf(text),
  }));
}

function fileOf({ file }: SearchMatch): string {
  return file;
}

interface Reading {
  readonly path: string;
  readonly fromLine: number;
}

/** The whole texts of the files that can be read; long ones come in parts. */
export function* readFiles(paths: Iterable<string>): Plan<ReadonlyMap<string, string>> {
  const parts = new Map<string, string[]>();
  const broken = new Set<string>();
  let open: Reading[] = [...new Set(paths)].map((path) => ({ path, fromLine: 1 }));
  while (open.length > 0) {
    const batch = open.slice(0, batchSize);
    const answers = yield batch.map(readCall);
    const next: Reading[] = [];
    for (const [index, reading] of batch.entries()) {
      const { path } = reading;
      const part = partOf(answers[index] ?? {}, reading);
      if (part === undefined) broken.add(path);
      else parts.set(path, [...(parts.get(path) ?? []), part.text]);
      if (part?.nextLine !== undefined) next.push({ path, fromLine: part.nextLine });
    }
    open = [...next, ...open.slice(batchSize)];
  }
  const whole = [...parts].filter(([path]) => !broken.has(path));
  return new Map(whole.map(([path, texts]) => [path, texts.join("")]));
}

function readCall({ path, fromLine }: Reading): ToolCall {
  return { tool: "read", input: fromLine === 1 ? { path } : { path, fromLine } };
}

function partOf(
  answer: ToolAnswer,
  { fromLine }: Reading,
): { readonly text: string; readonly nextLine?: number } | undefined {
  if (errorOf(answer) !== undefined || typeof answer.text !== "string") return undefined;
  const { text } = answer;
  const ends = text.split("\n").length - 1;
  const nextLine = fromLine + ends;
  const total = numberOf(answer.totalLines);
  if (nextLine > total || (nextLine === total && !text.endsWith("\n"))) return { text };
  // A line longer than an answer cannot be read whole.
  return ends > 0 && text.endsWith("\n") ? { text, nextLine } : undefined;
}

export interface FileEdits {
  readonly path: string;
  readonly text: string;
  readonly edits: readonly TextEdit[];
}

/** Makes the edits, a call for each file; gives back why files could not be edited. */
export function* editFiles(files: readonly FileEdits[]): Plan<ReadonlyMap<string, string>> {
  const failures = new Map<string, string>();
  const calls: ToolCall[] = [];
  for (const { path, text, edits } of files) {
    const replacements = toReplacements(text, edits);
    if (replacements === undefined) {
      failures.set(path, "its lines are so alike that the places cannot be told apart");
      continue;
    }
    for (let at = 0; at < replacements.length; at += editLimit) {
      const some = replacements.slice(at, at + editLimit);
      calls.push({ tool: "edit", input: { path, replacements: some } });
    }
  }
  for (let at = 0; at < calls.length; at += batchSize) {
    const batch = calls.slice(at, at + batchSize);
    const answers = yield batch;
    answers.forEach((answer, index) => {
      const error = errorOf(answer);
      if (error !== undefined) failures.set(String(batch[index]?.input.path), error);
    });
  }
  return failures;
}

export function* check(): Plan<CheckResult> {
  const answer = yield* call("check");
  const problems = objectsOf(answer.problems).map(problemOf);
  return { problems, unlisted: Math.max(0, numberOf(answer.total) - problems.length) };
}

function problemOf({ severity, code, message, file, line, column }: ToolAnswer): Problem {
  return {
    severity: textOf(severity),
    code: textOf(code),
    message: textOf(message),
    file: textOf(file),
    ...(typeof line === "number" ? { line } : {}),
    ...(typeof column === "number" ? { column } : {}),
  };
}

export function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

export function objectsOf(value: unknown): ToolAnswer[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item) => typeof item === "object" && item !== null) as ToolAnswer[];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
