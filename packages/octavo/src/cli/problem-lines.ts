import type { Problem, ProblemCounts } from "@octavo/site/core";
import { pluralize } from "./figures.ts";
import type { Terminal } from "./terminal.ts";

/** `2 errors and 1 warning` */
export function countsText({ errors, warnings }: ProblemCounts): string {
  const parts = [
    ...(errors > 0 ? [pluralize(errors, "error")] : []),
    ...(warnings > 0 ? [pluralize(warnings, "warning")] : []),
  ];
  return parts.length === 0 ? "no problems" : parts.join(" and ");
}

/** `guides/start.mdx:14:8  error  There is no page /guides/stop.  [link_broken]`, which editors can open. */
export function problemLine(terminal: Terminal, problem: Problem): string {
  const { file, line, column, severity, code } = problem;
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  const color = severity === "error" ? "red" : "yellow";
  // A problem is one line, whatever a site's author wrote in a name.
  const message = printable(problem.message);
  return `${terminal.paint("bold", printable(place))}  ${terminal.paint(color, severity)}  ${message}  ${terminal.paint("dim", `[${code}]`)}`;
}

/** The text without control characters, which could move the cursor of the terminal, or worse. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ");
}

/** The same for a text of several lines, such as a list. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}
