import type { ConfigInput } from "../config/index.ts";
import type { Terminal } from "./terminal.ts";

/** The environment in which a command runs. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** The command line, without the program's own name. */
  readonly args: readonly string[];
  /** The shell words with which the user starts the program; `commandLine` builds whole commands from them. */
  readonly invocation: string;
  readonly env: ConfigInput["env"];
  /** The process's working directory. */
  readonly cwd: string;
  /** The folder in which the user ran the command, also through npm; relative paths are resolved against it. */
  readonly invocationDir: string;
  /**
   * Returns a signal that aborts when the user or the system asks the process to end. Call it only in commands that
   * then end.
   */
  interrupted(): AbortSignal;
  /** Sets the exit code of the process; 0 by default. */
  exitWith(code: number): void;
}
