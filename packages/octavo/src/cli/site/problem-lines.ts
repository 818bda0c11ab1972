import { formatCount } from "../../core/index.ts";
import type { Problem, ProblemCounts, ProblemGroup } from "@octavo/site/core";
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

/** Formats the first problem of a group with its line in the source, and the locations of the others. */
export function formatGroupLines(
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
