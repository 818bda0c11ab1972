/** Ends a command's help, for `addHelpText("after", ...)`. Each line leaves the program's name out. */
export function formatExamples(...lines: readonly string[]): string {
  const heading = lines.length === 1 ? "Example:" : "Examples:";
  return ["", heading, ...lines.map((line) => `  octavo ${line}`)].join("\n");
}
