import { OctavoError } from "@octavo/site/core";
import type { CommandContext } from "../context.ts";
import { readChoice } from "../flags.ts";

export interface FailOnFlags {
  readonly failOn?: string;
  readonly strict?: true;
}

/** The values of `--fail-on`: the least severe problem for which a command fails. */
const failures = ["error", "warning", "never"] as const;
type Failure = (typeof failures)[number];

export interface FailurePolicy {
  readonly failure: Failure;
  /** The option or environment variable that set `failure`, in a form that can follow "because of". */
  readonly cause: string;
}

export const failOnFlag = [
  "--fail-on <severity>",
  "exit with 1 on an error, on a warning too, or never (default: error if CI is set, otherwise never)",
] as const;

/**
 * Defaults to failing on errors in continuous integration, which sets `CI`, so that errors are not published unseen.
 */
export function readFailOn(
  { env }: CommandContext,
  { failOn, strict }: FailOnFlags,
): FailurePolicy {
  if (failOn === undefined) {
    if (strict) return { failure: "warning", cause: "--strict" };
    const isCi = !["", "false", "0"].includes(env["CI"] ?? "");
    return { failure: isCi ? "error" : "never", cause: "the environment variable CI" };
  }
  const failure = readChoice("--fail-on", failures, failOn);
  const cause = `--fail-on ${failure}`;
  if (!strict || failure === "warning") return { failure, cause };
  const message = `--strict is the same as --fail-on warning; use either --strict or ${cause}.`;
  throw new OctavoError("invalid_input", message);
}

/** Returns the number of problems for which a command fails. */
export function countFailingProblems(
  { errors, warnings }: { readonly errors: number; readonly warnings: number },
  { failure }: FailurePolicy,
): number {
  return failure === "never" ? 0 : errors + (failure === "warning" ? warnings : 0);
}
