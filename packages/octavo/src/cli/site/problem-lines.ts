import type { Problem, ProblemCounts, ProblemGroup } from "@octavo/site/core";
import { pluralize } from "../format.ts";
import type { Terminal } from "../terminal.ts";

/** Formats counts, e.g. `2 errors and 1 warning`. */
export function countsText({ errors, warnings }: ProblemCounts): string {
  const parts = [
    ...(errors > 0 ? [pluralize(errors, "error")] : []),
    ...(warnings > 0 ? [pluralize(warnings, "warning")] : []),
  ];
  return parts.length === 0 ? "no problems" : parts.join(" and ");
}

/**
 * Formats a problem as `guides/start.mdx:14:8  error  There is no page /guides/stop.  [link_broken]`; editors can open
 * the location.
 */
export function problemLine(terminal: Terminal, problem: Problem): string {
  const { severity, code } = problem;
  const color = severity === "error" ? "red" : "yellow";
  // A problem takes one line, whatever the site's author wrote in a name.
  const message = printable(problem.message);
  return `${terminal.paint("bold", placeOf(problem))}  ${terminal.paint(color, severity)}  ${message}  ${terminal.paint("dim", `[${code}]`)}`;
}

const maxPlaces = 8;

/** Formats the first problem of a group, and the locations of the others. */
export function groupLines(terminal: Terminal, { problems }: ProblemGroup): readonly string[] {
  const [first, ...others] = problems;
  if (first === undefined) return [];
  if (others.length === 0) return [problemLine(terminal, first)];
  const shown = others.slice(0, maxPlaces).map(placeOf).join(", ");
  const rest = others.length > maxPlaces ? ", …" : "";
  const line = `    and in ${pluralize(others.length, "more location")}: ${shown}${rest}`;
  return [problemLine(terminal, first), terminal.paint("dim", line)];
}

function placeOf({ file, line, column }: Problem): string {
  return printable([file, line, column].filter((part) => part !== undefined).join(":"));
}

/** Removes control characters, which could move the terminal's cursor or worse. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ");
}

/** Does the same for a text of several lines, such as a list. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}
