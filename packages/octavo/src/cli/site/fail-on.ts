import { OctavoError } from "@octavo/site/core";
import type { CommandContext } from "../context.ts";
import { readChoice } from "../flags.ts";

export interface FailOnFlags {
  readonly failOn?: string;
  readonly strict?: true;
}

/** The least severe problem for which a command fails. */
const failures = ["error", "warning", "never"] as const;
export type Failure = (typeof failures)[number];

export const failOnFlag = [
  "--fail-on <severity>",
  "exit with 1 on an error, on a warning too, or never (default: error if CI is set, otherwise never)",
] as const;

/** Continuous integration must not publish errors unless it is told to, and sets `CI`. */
export function readFailOn({ env }: CommandContext, { failOn, strict }: FailOnFlags): Failure {
  if (failOn === undefined) {
    if (strict) return "warning";
    return ["", "false", "0"].includes(env["CI"] ?? "") ? "never" : "error";
  }
  const failure = readChoice("--fail-on", failures, failOn);
  if (!strict || failure === "warning") return failure;
  const message = `--strict is the same as --fail-on warning; use either --strict or --fail-on ${failure}.`;
  throw new OctavoError("invalid_input", message);
}

/** Returns the number of problems for which a command fails. */
export function countDecisive(
  { errors, warnings }: { readonly errors: number; readonly warnings: number },
  failOn: Failure,
): number {
  return failOn === "never" ? 0 : errors + (failOn === "warning" ? warnings : 0);
}
