import type { ConfigInput } from "../config/index.ts";
import type { Terminal } from "./terminal.ts";

/** The environment in which a command runs. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** The arguments on the command line, without the program's name. */
  readonly args: readonly string[];
  /** The shell words with which the user starts the program. `formatCommandLine` builds whole commands from them. */
  readonly invocation: string;
  readonly env: ConfigInput["env"];
  /** The process's working directory. */
  readonly cwd: string;
  /** The folder in which the user ran the command, even if npm started it. Relative paths are resolved against it. */
  readonly invocationDir: string;
  /**
   * Returns a signal that aborts when the user or the system asks the process to end. Only commands that end on this
   * signal may call it, because signals then no longer end the process.
   */
  listenForInterruption(): AbortSignal;
  /** Sets the exit code of the process, which defaults to 0. */
  setExitCode(code: number): void;
}
