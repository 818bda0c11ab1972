import type { ProcessCommand, ProcessEnd } from "./processes.ts";

/** To the launcher. */
export interface LaunchRequest extends ProcessCommand {
  /** A random UUID: who connects with the asking process knows it from the launcher alone. */
  readonly id: string;
  /** Where the asking process takes connections. */
  readonly path: string;
}

/** From the launcher: `failed`, or `started` and then `ended`. */
export type LaunchReport = { readonly id: string } & (
  | { readonly type: "failed"; readonly code: string }
  | { readonly type: "started"; readonly pid: number }
  | { readonly type: "ended"; readonly end: ProcessEnd }
);

/** What a connection is for: follows the id at its beginning. */
export const marks = { stdin: "<", stdout: ">" } as const;
