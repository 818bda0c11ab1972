import type { ConfigInput } from "../config/index.ts";
import type { Terminal } from "./terminal.ts";

/** What a command is run with. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** The command line, the program's own name left out. */
  readonly args: readonly string[];
  /** How the person starts the program, as shell words; `commandLine` makes whole commands of it. */
  readonly invocation: string;
  readonly env: ConfigInput["env"];
  /** The process's working directory. */
  readonly cwd: string;
  /** The folder in which the person ran the command, also through npm; relative paths are resolved against it. */
  readonly invocationDir: string;
  /** Aborted when the person or the system asks the process to end; asked for only by commands that then end. */
  interrupted(): AbortSignal;
  /** How the process ends when the command is done; 0 unless it says otherwise. */
  exitWith(code: number): void;
}
