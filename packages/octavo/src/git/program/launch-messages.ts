import type { ProcessCommand, ProcessExit } from "./processes.ts";

/** A message to the launcher. */
export interface LaunchRequest extends ProcessCommand {
  /**
   * A random UUID. It identifies a connection to the requesting process: only the launcher and that process know it.
   */
  readonly id: string;
  /** The path on which the requesting process accepts connections. */
  readonly path: string;
}

/** A message from the launcher: `failed`, or `started` and later `ended`. */
export type LaunchReport = { readonly id: string } & (
  | { readonly type: "failed"; readonly code: string }
  | { readonly type: "started"; readonly pid: number }
  | { readonly type: "ended"; readonly end: ProcessExit }
);

/** Marks that show the purpose of a connection. The mark follows the ID at the beginning of the stream. */
export const streamMarks = { stdin: "<", stdout: ">" } as const;
