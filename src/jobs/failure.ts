import { isOctavoError } from "../core/index.ts";
import type { ErrorCode } from "../core/index.ts";

/** A job is tried this often before it fails for a fault that may pass. */
export const mostStrikes = 3;

/** Trying again cannot help: the person has to change something first. */
const lastingCodes: ReadonlySet<ErrorCode> = new Set([
  "invalid_input",
  "unauthorized",
  "forbidden",
  "not_found",
  "conflict",
  "gone",
  "too_large",
  "repository_unreachable",
  "ref_not_found",
  "site_invalid",
]);

/** What a person knows the job as: `export`. */
export interface FailingJob {
  readonly id: string;
  readonly strikes: number;
  readonly name: string;
}

/**
 * The sentence that the job fails with after an attempt threw `error`, or undefined where it is to
 * be tried again. Only an OctavoError's message is shown: others may hold paths and worse.
 */
export function failureSentence(error: unknown, job: FailingJob): string | undefined {
  if (isOctavoError(error) && lastingCodes.has(error.code)) return error.message;
  if (job.strikes < mostStrikes) return undefined;
  if (isOctavoError(error, "unavailable") || isOctavoError(error, "rate_limited")) {
    return error.message;
  }
  return (
    `The ${job.name} failed ${mostStrikes} times for a fault of the service, not of the site. ` +
    `Its log tells more under ${job.id}; start it again when that is mended.`
  );
}

/** For a job whose workers died so often that they may have died of it. */
export function workersDiedSentence(name: string): string {
  return (
    `The ${name} was given up: ${mostStrikes} times the worker that ran it died. ` +
    "If the site is very large, give the workers more memory, then start it again."
  );
}
