import { CommanderError } from "commander";
import { OctavoError, describeSystemRefusal } from "@octavo/site/core";
import type { ErrorCode } from "@octavo/site/core";

/** The exit codes of the process, as listed in the manual (docs/export/command-line.mdx). */
export const exitCodes = {
  success: 0,
  /** The command failed, or a check found problems. */
  failed: 1,
  /** The command was used incorrectly and did not start. */
  usageError: 2,
  /** The code that shells report for a process that SIGINT ended. */
  interrupted: 130,
} as const;

/** An error in the form in which it is reported to a person or program. */
export interface CommandFailure {
  /** A single sentence. */
  readonly message: string;
  readonly code: ErrorCode;
  readonly exitCode: number;
  /** The stack trace, if Octavo itself is at fault. */
  readonly trace?: string;
}

export function describeCommandFailure(error: unknown): CommandFailure {
  // Reports the first failure, not the failure to close a resource after it.
  if (error instanceof SuppressedError) return describeCommandFailure(error.suppressed);
  if (error instanceof CommanderError) {
    const message = `${inOneLine(error.message)}; see --help`;
    return { message, code: "invalid_input", exitCode: exitCodes.usageError };
  }
  if (error instanceof OctavoError) {
    const { message, code } = error;
    return { message, code, exitCode: getExitCode(code) };
  }
  const refusal = describeSystemRefusal(error);
  if (refusal !== undefined) {
    const { dest, path } = error as { readonly dest?: string; readonly path?: string };
    const message = `The system refuses access to ${dest ?? path ?? "a file"}: ${refusal}.`;
    return { message, code: "unavailable", exitCode: exitCodes.failed };
  }
  const message = "This should not have happened; please report it.";
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { message, code: "internal", exitCode: exitCodes.failed, trace };
}

function getExitCode(code: ErrorCode): number {
  if (code === "cancelled") return exitCodes.interrupted;
  return code === "invalid_input" ? exitCodes.usageError : exitCodes.failed;
}

/** Joins the lines of a parser error, whose suggestion is on a separate line. */
function inOneLine(text: string): string {
  return text
    .replace(/^error: /, "")
    .trim()
    .replace(/\.$/, "")
    .replaceAll(/\s*\n\s*/g, " ");
}
