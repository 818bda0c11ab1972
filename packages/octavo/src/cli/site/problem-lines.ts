import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Problem, ProblemCounts, ProblemGroup } from "@octavo/site/core";
import { formatCount } from "../../core/index.ts";
import type { Terminal } from "../terminal.ts";

/** Formats counts, e.g. `2 errors and 1 warning`. */
export function formatProblemCounts({ errors, warnings }: ProblemCounts): string {
  const parts = [
    ...(errors > 0 ? [formatCount(errors, "error")] : []),
    ...(warnings > 0 ? [formatCount(warnings, "warning")] : []),
  ];
  return parts.length === 0 ? "no problems" : parts.join(" and ");
}

/**
 * Formats a problem as `guides/start.mdx:14:8 error There is no page /guides/stop. [link_broken]`. Editors can open the
 * location.
 */
export function formatProblemLine(terminal: Terminal, problem: Problem): string {
  const { severity, code } = problem;
  const color = severity === "error" ? "red" : "yellow";
  // A problem takes one line, even if a name on the site contains line breaks.
  const message = stripControls(problem.message);
  return `${terminal.paint("bold", formatLocation(problem))}  ${terminal.paint(color, severity)}  ${message}  ${terminal.paint("dim", `[${code}]`)}`;
}

const maxShownLocations = 8;

/**
 * Formats groups of problems of the site in `siteDir`: the first problem of each group with its line in the source, and
 * the locations of the other problems.
 */
export function formatGroups(
  terminal: Terminal,
  groups: readonly ProblemGroup[],
  siteDir: string,
): readonly string[] {
  const readExcerpt = createExcerptReader(siteDir);
  return groups.flatMap((group) => formatGroup(terminal, group, readExcerpt));
}

function formatGroup(
  terminal: Terminal,
  { problems }: ProblemGroup,
  readExcerpt: (problem: Problem) => readonly string[],
): readonly string[] {
  const [first, ...others] = problems;
  if (first === undefined) return [];
  const excerpt = readExcerpt(first).map((line) => terminal.paint("dim", line));
  const shownFirst = [formatProblemLine(terminal, first), ...excerpt];
  if (others.length === 0) return shownFirst;
  const shown = others.slice(0, maxShownLocations).map(formatLocation).join(", ");
  const ellipsis = others.length > maxShownLocations ? ", …" : "";
  const line = `    and in ${formatCount(others.length, "more location")}: ${shown}${ellipsis}`;
  return [...shownFirst, terminal.paint("dim", line)];
}

function formatLocation({ file, line, column }: Problem): string {
  return stripControls([file, line, column].filter((part) => part !== undefined).join(":"));
}

/** Replaces control characters with spaces, because they could move the terminal's cursor or worse. */
export function stripControls(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ");
}

/** Replaces control characters like `stripControls`, but keeps line breaks. */
export function stripControlsFromLines(text: string): string {
  return text.split("\n").map(stripControls).join("\n");
}

const indent = "    ";
/** The maximum number of characters of a line that are shown. */
const maxExcerptLength = 100;
/** The maximum number of those characters that are before the position. */
const maxLengthBefore = 60;
/** Matches characters that take two columns of a terminal. */
const wideCharacters =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/gu;

/**
 * Creates a function that returns the line of a problem with a caret below its position, or no lines if the file does
 * not have that position. The function caches the file that it last read.
 */
export function createExcerptReader(siteDir: string): (problem: Problem) => readonly string[] {
  let lastFile: { readonly file: string; readonly lines: readonly string[] } | undefined;
  return ({ file, line, column }) => {
    if (line === undefined || column === undefined) return [];
    if (lastFile?.file !== file) lastFile = { file, lines: readLines(join(siteDir, file)) };
    const text = lastFile.lines[line - 1];
    return text === undefined || text.trim() === "" ? [] : formatExcerpt(text, column - 1);
  };
}

function readLines(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8").split(/\r\n?|\n/);
  } catch {
    // The problem may be that this very file cannot be read.
    return [];
  }
}

function formatExcerpt(line: string, position: number): readonly string[] {
  const start = position > maxLengthBefore ? position - maxLengthBefore : 0;
  const head = start > 0 ? "…" : "";
  const before = head + flatten(line.slice(start, position));
  const rest = line.slice(position, start + maxExcerptLength);
  const tail = start + maxExcerptLength < line.length ? "…" : "";
  const trimmed = before.trimStart();
  const columns = trimmed.length + (trimmed.match(wideCharacters)?.length ?? 0);
  return [
    `${indent}${trimmed}${flatten(rest).trimEnd()}${tail}`,
    `${indent}${" ".repeat(columns)}^`,
  ];
}

/** Replaces each control character, including tabs, with one space, so that the columns stay aligned. */
function flatten(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, " ");
}
