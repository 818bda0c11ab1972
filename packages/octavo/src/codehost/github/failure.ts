import { hideSecrets } from "../../core/index.ts";
import { OctavoError } from "@octavo/site/core";
import type { ErrorCode } from "@octavo/site/core";
import type { GitHubLogin } from "./client.ts";

/** What is read of an error of Octokit's, which may hold far more. */
interface Failure {
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

const shownWords = 300;

/** A limit without a time to wait is over after a minute (GitHub's own advice). */
const fallbackSeconds = 60;

export interface FailedCall {
  /** The repository, by its owner and name. */
  readonly shown: string;
  readonly login: GitHubLogin["kind"];
  readonly secrets: readonly string[];
}

/**
 * The product's error for a failed call. Nothing of Octokit's error is kept but its status and words,
 * cleaned of every secret: it holds the request with its headers.
 */
export function translateFailure(error: unknown, call: FailedCall): OctavoError {
  const known = innerError(error);
  if (known) return known;
  const failure = readFailure(error);
  const words = clean(failure.message, call.secrets);
  const cause = new Error(`GitHub answered ${failure.status}: ${words}`);
  const retryAfterSeconds = readLimit(failure);
  if (retryAfterSeconds !== undefined) {
    return new OctavoError(
      "rate_limited",
      `GitHub takes no more calls for ${call.shown} now; it does again in ${retryAfterSeconds} seconds.`,
      { cause, details: { retryAfterSeconds } },
    );
  }
  const [code, sentence] = sentenceFor(failure, call, words);
  return new OctavoError(code, sentence, { cause });
}

/** An error of this product on the way through Octokit, which wraps what its `fetch` throws. */
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
  token: { name: "the project's token", mend: "Give the project another." },
  app: {
    name: "this service's GitHub App",
    mend: "The operator finds its ID and key in OCTAVO_GITHUB_APP_ID and OCTAVO_GITHUB_APP_KEY_FILE.",
  },
} as const satisfies Record<GitHubLogin["kind"], unknown>;

function sentenceFor(
  { status, headers }: Failure,
  { shown, login }: FailedCall,
  words: string,
): [code: ErrorCode, sentence: string] {
  const { name, mend } = logins[login];
  if (status === 401) {
    return [
      "forbidden",
      `GitHub does not accept ${name} for ${shown}: it is wrong, expired or revoked. ${mend}`,
    ];
  }
  if (status === 403 && headers["x-github-sso"] !== undefined) {
    return [
      "forbidden",
      `The organisation of ${shown} wants the token to be authorised for its single sign-on.`,
    ];
  }
  if (status === 403 || status === 451) {
    return [
      "forbidden",
      `GitHub does not let ${name} do this on ${shown}. It needs to write contents and pull requests. (${words})`,
    ];
  }
  if (status === 404 || status === 410) {
    return ["not_found", `There is no such thing on ${shown}, or ${name} may not see it.`];
  }
  if (status === 422) return ["invalid_input", `GitHub refuses this on ${shown}: ${words}`];
  if (status === 409) return ["conflict", `GitHub refuses this on ${shown} now: ${words}`];
  return [
    "unavailable",
    `GitHub does not answer as it should for ${shown}. Trying again later may help.`,
  ];
}

/** Tokens by their form: those of an app's installation are made on the way, and known to Octokit only. */
const tokenForms = /\b(?:gh[opsur]_|github_pat_)\w+/g;

/** Words of a server: one short line, in which no secret is repeated. */
function clean(words: string, secrets: readonly string[]): string {
  const text = hideSecrets(words, secrets).replaceAll(tokenForms, "[redacted]");
  return text.replaceAll(/\p{Cc}+/gu, " ").slice(0, shownWords);
}
