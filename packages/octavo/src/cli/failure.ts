import { CommanderError } from "commander";
import { OctavoError } from "@octavo/site/core";
import type { ErrorCode } from "@octavo/site/core";

/** What the process exits with. The manual's table (docs/export/command-line.mdx) lists the same. */
export const exitCodes = {
  success: 0,
  /** The command failed, or a check found something. */
  failed: 1,
  /** Wrong use: the command was not begun. */
  wrongUse: 2,
  /** As shells give it for a process that ended by SIGINT. */
  interrupted: 130,
} as const;

/** What a person, or a program, is told of an error. */
export interface Failure {
  /** One sentence. */
  readonly message: string;
  readonly code: ErrorCode;
  readonly exitCode: number;
  /** Where it happened, of a fault of Octavo itself. */
  readonly trace?: string;
}

export function describeFailure(error: unknown): Failure {
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

/** A sentence for what the system does not let anybody do with a file; undefined for other errors. */
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
