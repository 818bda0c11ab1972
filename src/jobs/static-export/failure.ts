import { isOctavoError } from "../../core/index.ts";
import type { ErrorCode } from "../../core/index.ts";

/** An export is tried this often before it fails for a fault that may pass. */
export const mostStrikes = 3;

/** Trying again cannot help: the person has to change something first. */
const lastingCodes: ReadonlySet<ErrorCode> = new Set([
  "invalid_input",
  "unauthorized",
  "forbidden",
  "not_found",
  "gone",
  "too_large",
  "repository_unreachable",
  "ref_not_found",
  "site_invalid",
]);

/**
 * The sentence that the job fails with after an attempt threw `error`, or undefined where it is to
 * be tried again. Only an OctavoError's message is shown: others may hold paths and worse.
 */
export function failureSentence(
  error: unknown,
  job: { id: string; strikes: number },
): string | undefined {
  if (isOctavoError(error) && lastingCodes.has(error.code)) return error.message;
  if (job.strikes < mostStrikes) return undefined;
  if (isOctavoError(error, "unavailable")) return error.message;
  return (
    `The export failed ${mostStrikes} times for a fault of the service, not of the site. ` +
    `Its log tells more under ${job.id}; start the export again when that is mended.`
  );
}

/** For a job whose workers died so often that they may have died of it. */
export const workersDiedSentence =
  `The export was given up: ${mostStrikes} times the worker that ran it died. ` +
  "If the site is very large, give the workers more memory, then start the export again.";
