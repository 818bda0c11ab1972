import { hashParts, OctavoError } from "@octavo/site/core";
import type { GuardedFetch } from "../../net/index.ts";
import type { Octokit } from "./octokit.bundled.ts";
import type { GitHubRepository } from "./repository-address.ts";

/** The operator's GitHub App, which is used for projects without a token if it is installed there. */
export interface GitHubApp {
  /** The server on which the App is registered, such as `github.com`. Signed requests are sent only to this server. */
  readonly host: string;
  readonly appId: string;
  /** The private key in PEM format. */
  readonly privateKey: string;
  /** By default, the ID is looked up for each repository. */
  readonly installationId?: number;
}

export type GitHubLogin =
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "app"; readonly app: GitHubApp };

export interface ClientOptions {
  readonly fetch: GuardedFetch;
  readonly userAgent: string;
  /** The maximum time that a call waits for a rate limit. */
  readonly maxWaitSeconds: number;
  /** The unit of waits between attempts. In production, it is a second. */
  readonly waitUnitMs: number;
  /** Whether writes are paced as GitHub requires of integrations. Enterprise servers may not need it. */
  readonly isPaced: boolean;
}

/** A connection to one repository with one login. */
export interface GitHubClient {
  readonly octokit: Octokit;
  /** Returns the login for git, which is the token itself or an installation token that is valid for an hour. */
  gitLogin(): Promise<GitLogin>;
}

export interface GitLogin {
  readonly password: string;
  /** The same as in `RemoteRepository`. Set for an installation, whose token changes. */
  readonly reader?: string;
}

/** The number of attempts after the first, with waits of 1 and 4 units before them. */
const retries = 2;
/** Statuses that a retry does not change. Rate limits have separate rules. */
const doNotRetry = [400, 401, 403, 404, 405, 409, 410, 422, 429, 451];
const apiVersion = "2022-11-28";
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {}

/**
 * Creates a client. Loads Octokit, which is not needed before the first call. Sends a request only to look up an App's
 * installation.
 */
export async function openClient(
  repository: GitHubRepository,
  login: GitHubLogin,
  options: ClientOptions,
): Promise<GitHubClient> {
  const make = await loadOctokit(repository, options);
  if (login.kind === "token") {
    const octokit = make({ auth: login.token });
    const gitLogin = { password: login.token };
    return { octokit, gitLogin: () => Promise.resolve(gitLogin) };
  }
  const { createAppAuth } = await import("./octokit.bundled.ts");
  const { appId, privateKey } = login.app;
  const app = make({ authStrategy: createAppAuth, auth: { appId, privateKey } });
  const { owner, name: repo } = repository;
  const installationId =
    login.app.installationId ?? (await app.rest.apps.getRepoInstallation({ owner, repo })).data.id;
  const octokit = make({
    authStrategy: createAppAuth,
    auth: { appId, privateKey, installationId },
  });
  return {
    octokit,
    async gitLogin() {
      const authentication = (await octokit.auth({
        type: "installation",
        repositoryNames: [repo],
        permissions: { contents: "write", pull_requests: "write" },
      })) as { readonly token?: unknown };
      const reader = `GitHub App ${appId}, installation ${installationId}`;
      if (typeof authentication.token === "string")
        return { password: authentication.token, reader };
      throw new OctavoError("unavailable", "GitHub returned no token for the App's installation.");
    },
  };
}

async function loadOctokit(repository: GitHubRepository, options: ClientOptions) {
  const { Octokit, throttling, retry } = await import("./octokit.bundled.ts");
  const Client = Octokit.plugin(throttling, retry);
  const mayWait = (seconds: number, _request: unknown, _octokit: unknown, tries: number): boolean =>
    seconds <= options.maxWaitSeconds && tries < retries;
  return (login: Readonly<Record<string, unknown>>): Octokit =>
    new Client({
      ...login,
      baseUrl: repository.apiUrl,
      userAgent: options.userAgent,
      log: silent,
      request: { fetch: withoutRetry(options.fetch) },
      retry: { retries, doNotRetry, retryAfterBaseValue: options.waitUnitMs },
      throttle: {
        enabled: options.isPaced,
        // Rate limits apply per login and host, so projects with different logins do not slow each other down.
        id: hashParts([repository.apiUrl, JSON.stringify(login)]),
        onRateLimit: mayWait,
        onSecondaryRateLimit: mayWait,
        retryAfterBaseValue: options.waitUnitMs,
      },
    });
}

export const versionHeader = { "x-github-api-version": apiVersion } as const;

/**
 * Prevents retries that do not help, such as those of a call that is forbidden, cancelled or too large. Octokit retries
 * after any error that its `fetch` throws, unless the error's name is `AbortError`.
 */
function withoutRetry(fetch: GuardedFetch): GuardedFetch {
  return async (url, init) => {
    try {
      return await fetch(url, init);
    } catch (cause) {
      if (cause instanceof OctavoError && cause.code === "unavailable") throw cause;
      throw Object.assign(new Error("The call must not be retried.", { cause }), {
        name: "AbortError",
      });
    }
  };
}
