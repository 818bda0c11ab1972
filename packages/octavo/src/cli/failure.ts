import { CommanderError } from "commander";
import { OctavoError } from "@octavo/site/core";
import type { ErrorCode } from "@octavo/site/core";

/** The exit codes of the process, as listed in the manual (docs/export/command-line.mdx). */
export const exitCodes = {
  success: 0,
  /** The command failed, or a check found something. */
  failed: 1,
  /** Wrong use: the command did not begin. */
  wrongUse: 2,
  /** As in shells for a process ended by SIGINT. */
  interrupted: 130,
} as const;

/** An error as a person or a program is told about it. */
export interface CommandFailure {
  /** One sentence. */
  readonly message: string;
  readonly code: ErrorCode;
  readonly exitCode: number;
  /** The stack trace, if Octavo itself is at fault. */
  readonly trace?: string;
}

export function describeCommandFailure(error: unknown): CommandFailure {
  if (error instanceof CommanderError) {
    const message = `${inOneLine(error.message)}; see --help`;
    return { message, code: "invalid_input", exitCode: exitCodes.wrongUse };
  }
  if (error instanceof OctavoError) {
    const { message, code } = error;
    return { message, code, exitCode: exitCodeOf(code) };
  }
  const refusal = systemRefusal(error);
  if (refusal !== undefined) {
    return { message: refusal, code: "unavailable", exitCode: exitCodes.failed };
  }
  const message = "This should not have happened; please report it.";
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { message, code: "internal", exitCode: exitCodes.failed, trace };
}

function exitCodeOf(code: ErrorCode): number {
  if (code === "cancelled") return exitCodes.interrupted;
  return code === "invalid_input" ? exitCodes.wrongUse : exitCodes.failed;
}

const refusals: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the device",
  EDQUOT: "the disk quota is used up",
  ENAMETOOLONG: "the name is too long for the file system",
  EMFILE: "too many open files",
  EIO: "the device failed to read or write",
};

/** A message for a refusal of the file system; undefined for other errors. */
function systemRefusal(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = "", path, dest } = error as NodeJS.ErrnoException & { readonly dest?: string };
  const reason = refusals[code];
  const file = dest ?? path;
  if (reason === undefined) return undefined;
  return `The system refuses access to ${file ?? "a file"}: ${reason}.`;
}

/** The parser writes its suggestion on a line of its own. */
function inOneLine(text: string): string {
  return text
    .replace(/^error: /, "")
    .trim()
    .replace(/\.$/, "")
    .replaceAll(/\s*\n\s*/g, " ");
}
