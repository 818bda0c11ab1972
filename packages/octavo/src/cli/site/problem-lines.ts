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
  // A problem must take only one line, whatever the site's author wrote in a name.
  const message = stripControls(problem.message);
  return `${terminal.paint("bold", formatLocation(problem))}  ${terminal.paint(color, severity)}  ${message}  ${terminal.paint("dim", `[${code}]`)}`;
}

const maxLocations = 8;

/**
 * Formats groups of problems of the site in `siteDir`: the first problem of each with its line in the source, and the
 * locations of the others.
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
  const shown = others.slice(0, maxLocations).map(formatLocation).join(", ");
  const rest = others.length > maxLocations ? ", …" : "";
  const line = `    and in ${formatCount(others.length, "more location")}: ${shown}${rest}`;
  return [...shownFirst, terminal.paint("dim", line)];
}

function formatLocation({ file, line, column }: Problem): string {
  return stripControls([file, line, column].filter((part) => part !== undefined).join(":"));
}

/** Removes control characters, because they could move the terminal's cursor or worse. */
export function stripControls(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ");
}

/** Removes control characters from several lines, such as a list, and keeps the line breaks. */
export function stripControlsFromLines(text: string): string {
  return text.split("\n").map(stripControls).join("\n");
}

const indent = "    ";
/** The maximum number of characters shown of a line, and the number of those before the position. */
const maxLength = 100;
const maxBefore = 60;
/** Characters that take two columns of a terminal. */
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/gu;

/**
 * Creates a function that returns the line of a problem with a caret below its position, or no lines if the file has no
 * such position. It keeps the last file that it read.
 */
export function createExcerptReader(siteDir: string): (problem: Problem) => readonly string[] {
  let last: { readonly file: string; readonly lines: readonly string[] } | undefined;
  return ({ file, line, column }) => {
    if (line === undefined || column === undefined) return [];
    if (last?.file !== file) last = { file, lines: readLines(join(siteDir, file)) };
    const text = last.lines[line - 1];
    return text === undefined || text.trim() === "" ? [] : formatExcerpt(text, column - 1);
  };
}

function readLines(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8").split(/\r\n?|\n/);
  } catch {
    // The message names the file, which may be the very one that cannot be read.
    return [];
  }
}

function formatExcerpt(line: string, position: number): readonly string[] {
  const start = position > maxBefore ? position - maxBefore : 0;
  const head = start > 0 ? "…" : "";
  const before = head + flatten(line.slice(start, position));
  const rest = line.slice(position, start + maxLength);
  const tail = start + maxLength < line.length ? "…" : "";
  const trimmed = before.trimStart();
  const columns = trimmed.length + (trimmed.match(wide)?.length ?? 0);
  return [
    `${indent}${trimmed}${flatten(rest).trimEnd()}${tail}`,
    `${indent}${" ".repeat(columns)}^`,
  ];
}

/** Replaces each control character, including tabs, with one space, so that the columns stay aligned. */
function flatten(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, " ");
}
