import type { ConfigInput } from "../config/index.ts";
import type { Terminal } from "./terminal.ts";

/** What a command is run with. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** The command line, the program's own name left out. */
  readonly args: readonly string[];
  /** How the person starts the program, as words for a shell; `commandLine` makes whole commands of it. */
  readonly invocation: string;
  readonly env: ConfigInput["env"];
  /** The process's working directory. */
  readonly cwd: string;
  /** Where the person stands: relative paths are taken from here. */
  readonly standing: string;
  /** Aborted when the person or the system asks the process to end; asked for only by commands that then end. */
  interrupted(): AbortSignal;
  /** How the process ends when the command is done; 0 unless it says otherwise. */
  exitWith(code: number): void;
}
