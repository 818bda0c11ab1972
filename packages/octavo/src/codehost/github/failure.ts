import { redactSecrets } from "../../core/index.ts";
import { OctavoError } from "@octavo/site/core";
import type { ErrorCode } from "@octavo/site/core";
import type { GitHubLogin } from "./client.ts";

/** The fields that are read from an Octokit error, which may contain far more. */
interface Failure {
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

const maxMessageLength = 300;

/** GitHub's advice for a rate limit without a time to wait: one minute. */
const fallbackSeconds = 60;

export interface GitHubCallContext {
  /** The repository, by its owner and name. */
  readonly shown: string;
  readonly login: GitHubLogin["kind"];
  readonly secrets: readonly string[];
}

/**
 * Translates a failed call to an OctavoError. It takes only the status and the message, without secrets, from
 * Octokit's error, which contains the request with its headers.
 */
export function translateFailure(error: unknown, call: GitHubCallContext): OctavoError {
  const known = innerError(error);
  if (known) return known;
  const failure = readFailure(error);
  const words = clean(failure.message, call.secrets);
  const cause = new Error(`GitHub answered ${failure.status}: ${words}`);
  const retryAfterSeconds = readLimit(failure);
  if (retryAfterSeconds !== undefined) {
    return new OctavoError(
      "rate_limited",
      `GitHub's rate limit for ${call.shown} is reached; try again in ${retryAfterSeconds} seconds.`,
      { cause, details: { retryAfterSeconds } },
    );
  }
  const [code, sentence] = describeFailure(failure, call, words);
  return new OctavoError(code, sentence, { cause });
}

/** The OctavoError inside an Octokit error, which wraps what its `fetch` throws. */
function innerError(error: unknown): OctavoError | undefined {
  for (let at = error, depth = 0; depth < 5 && at instanceof Error; depth++, at = at.cause) {
    if (at instanceof OctavoError) return at;
  }
  return undefined;
}

function readFailure(error: unknown): Failure {
  const { status, message, response } = (error ?? {}) as Record<string, unknown>;
  const { headers } = (response ?? {}) as Record<string, unknown>;
  return {
    status: typeof status === "number" ? status : 0,
    message: typeof message === "string" ? message : "no words",
    headers: (headers ?? {}) as Record<string, unknown>,
  };
}

function readLimit({ status, message, headers }: Failure): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const after = Number(headers["retry-after"]);
  if (after > 0) return Math.ceil(after);
  if (String(headers["x-ratelimit-remaining"]) === "0") {
    const reset = Number(headers["x-ratelimit-reset"]);
    return reset > 0 ? Math.max(1, Math.ceil(reset - Date.now() / 1000)) : fallbackSeconds;
  }
  return status === 429 || /rate limit/i.test(message) ? fallbackSeconds : undefined;
}

const logins = {
  token: { name: "the project's token", advice: "Set a new token in the project." },
  app: {
    name: "this service's GitHub App",
    advice:
      "The operator sets its ID and key in OCTAVO_GITHUB_APP_ID and OCTAVO_GITHUB_APP_KEY_FILE.",
  },
} as const satisfies Record<GitHubLogin["kind"], unknown>;

function describeFailure(
  { status, headers }: Failure,
  { shown, login }: GitHubCallContext,
  words: string,
): [code: ErrorCode, sentence: string] {
  const { name, advice } = logins[login];
  if (status === 401) {
    return [
      "forbidden",
      `GitHub does not accept ${name} for ${shown}: it is wrong, expired or revoked. ${advice}`,
    ];
  }
  if (status === 403 && headers["x-github-sso"] !== undefined) {
    return [
      "forbidden",
      `The organization of ${shown} requires the token to be authorized for its single sign-on.`,
    ];
  }
  if (status === 403 || status === 451) {
    return [
      "forbidden",
      `GitHub does not let ${name} do this on ${shown}. It needs write access to contents and pull requests. (${words})`,
    ];
  }
  if (status === 404 || status === 410) {
    return [
      "not_found",
      `GitHub found nothing on ${shown}: it does not exist, or ${name} has no access.`,
    ];
  }
  if (status === 422) return ["invalid_input", `GitHub refuses this on ${shown}: ${words}`];
  if (status === 409) return ["conflict", `GitHub refuses this on ${shown} now: ${words}`];
  return ["unavailable", `GitHub returned an unexpected response for ${shown}. Try again later.`];
}

/** The formats of tokens: only Octokit knows the App's installation tokens. */
const tokenForms = /\b(?:gh[opsur]_|github_pat_)\w+/g;

/** A server's message as one short line without secrets. */
function clean(words: string, secrets: readonly string[]): string {
  const text = redactSecrets(words, secrets).replaceAll(tokenForms, "[redacted]");
  return text.replaceAll(/\p{Cc}+/gu, " ").slice(0, maxMessageLength);
}
