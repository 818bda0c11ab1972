import { z } from "zod";
import { OctavoError, hashParts } from "@octavo/site/core";
import type { ErrorCode } from "@octavo/site/core";
import { createGuardedFetch } from "../../net/index.ts";
import type { GuardedFetch } from "../../net/index.ts";
import type { CodeHostProject } from "../code-host.ts";
import type { AllowList } from "../../core/index.ts";
import { createConnectionCache, runAbortable } from "../connection-cache.ts";
import { formatServerMessage, readReply } from "../replies.ts";
import { parseGitHubRepository } from "./repository-address.ts";
import type { GitHubRepository } from "./repository-address.ts";
import type { Octokit } from "./octokit.bundled.ts";

/** The operator's GitHub App, which is used for projects without a token if it is installed there. */
export interface GitHubApp {
  /** The server on which the App is registered, such as `github.com`. Signed requests are sent only to this server. */
  readonly host: string;
  readonly appId: string;
  /** The private key in PEM format. */
  readonly privateKey: string;
  /** The ID of the App's installation. If omitted, it is looked up for each repository. */
  readonly installationId?: number;
}

export interface GitHubCodeHostOptions {
  readonly allow: AllowList;
  /** The App for projects without their own token. */
  readonly app?: GitHubApp | undefined;
  /** API addresses, keyed by host, for Enterprise servers whose API is not at `https://<host>/api/v3`. */
  readonly apiUrls?: ReadonlyMap<string, string> | undefined;
  readonly userAgent?: string;
  /**
   * The longest time that a call waits for a rate limit to end. If the wait would be longer, the call throws
   * `rate_limited`.
   */
  readonly maxWaitSeconds?: number;
  /** The time limit for one request. A call makes several requests. */
  readonly timeoutMs?: number;
  readonly waitUnitMs?: number;
  readonly isThrottled?: boolean;
}

/** An opened repository with its current names, which may differ from those in its address. */
interface OpenRepository {
  readonly client: GitHubClient;
  readonly names: { readonly owner: string; readonly repo: string };
}

/** An API call with its repository and its signal. */
export interface GitHubCall extends OpenRepository {
  readonly common: {
    readonly owner: string;
    readonly repo: string;
    readonly headers: typeof versionHeader;
    readonly request: { readonly signal?: AbortSignal };
  };
  /** The ID of the App if the login is one of its installations; undefined for a token. */
  readonly appId: string | undefined;
  /** Translates the error of a failed request to an OctavoError. Used by work that continues after the failure. */
  readonly translate: (error: unknown) => OctavoError;
}

/** The maximum number of entries per page. */
export const gitHubPageSize = 100;
/** The `author_association` values of people who may write to the repository. */
export const writerAssociations: ReadonlySet<string> = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);

export const repositoryReply = z.object({
  full_name: z.string(),
  permissions: z.object({ push: z.boolean() }).optional(),
  owner: z.object({ login: z.string() }),
});

const maxResponseBytes = 8 * 1024 * 1024;

/** The connections to the repositories of all projects. Each connection is opened once and cached. */
export interface Connections {
  /** Reports whether the project has a token or the App might have access to it. Does not send a request. */
  hasLogin(project: CodeHostProject): boolean;
  /** Runs `work` on the project's repository and translates its errors. */
  call<T>(
    project: CodeHostProject,
    signal: AbortSignal | undefined,
    work: (call: GitHubCall) => Promise<T>,
  ): Promise<T>;
}

export function createConnections(options: GitHubCodeHostOptions): Connections {
  const clientOptions: ClientOptions = {
    fetch: createGuardedFetch({
      allow: options.allow,
      timeoutMs: options.timeoutMs ?? 20_000,
      maxResponseBytes,
    }),
    userAgent: options.userAgent ?? "octavo",
    maxWaitSeconds: options.maxWaitSeconds ?? 60,
    waitUnitMs: options.waitUnitMs ?? 1_000,
    isPaced: options.isThrottled ?? true,
  };
  const connections = createConnectionCache<OpenRepository>();

  async function call<T>(
    project: CodeHostProject,
    signal: AbortSignal | undefined,
    work: (call: GitHubCall) => Promise<T>,
  ): Promise<T> {
    const repository = parseGitHubRepository(project.repository, options.apiUrls);
    const login = chooseLogin(project, options.app, repository);
    if (!login) throw createMissingLoginError(repository);
    const secret = login.kind === "token" ? login.token : login.app.privateKey;
    const key = hashParts([repository.apiUrl, repository.webUrl, login.kind, secret]);
    const shown = `${repository.owner}/${repository.name}`;
    const context = { shown, login: login.kind, secrets: [secret] };
    const translate = (error: unknown) => translateFailure(error, context);
    try {
      return await runAbortable(signal, "GitHub", async () => {
        const opened = await connections.open(key, () => open(repository, login, clientOptions));
        const request = signal ? { signal } : {};
        return await work({
          ...opened,
          common: { ...opened.names, headers: versionHeader, request },
          appId: login.kind === "app" ? login.app.appId : undefined,
          translate,
        });
      });
    } catch (error) {
      const translated = translate(error);
      // The cached data, such as the repository's name, may be outdated.
      if (translated.code !== "rate_limited" && translated.code !== "conflict")
        connections.remove(key);
      throw translated;
    }
  }

  return {
    call,
    hasLogin(project) {
      const repository = parseGitHubRepository(project.repository, options.apiUrls);
      return chooseLogin(project, options.app, repository) !== undefined;
    },
  };
}

function chooseLogin(
  { credentials }: CodeHostProject,
  app: GitHubApp | undefined,
  { host }: GitHubRepository,
): GitHubLogin | undefined {
  const token = credentials?.password;
  if (token !== undefined && token !== "") return { kind: "token", token };
  // A server that receives a request signed by the App could act as the App on the App's own server.
  return app?.host === host ? { kind: "app", app } : undefined;
}

function createMissingLoginError({ owner, name }: GitHubRepository): OctavoError {
  return new OctavoError(
    "forbidden",
    `There is no token for ${owner}/${name}. Set one in the project's credentials, with write access to contents and pull requests.`,
  );
}

async function open(
  repository: GitHubRepository,
  login: GitHubLogin,
  options: ClientOptions,
): Promise<OpenRepository> {
  const client = await openClient(repository, login, options);
  const { data } = await client.octokit.rest.repos.get({
    owner: repository.owner,
    repo: repository.name,
    headers: versionHeader,
  });
  // A search by branch needs the owner's current name, because GitHub finds nothing by a former name.
  const reply = readReply(repositoryReply, data, "GitHub");
  const repo = reply.full_name.slice(reply.full_name.indexOf("/") + 1);
  return { client, names: { owner: reply.owner.login, repo } };
}

/** The fields of an Octokit error that are used. */
interface Failure {
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** The time to wait if GitHub reports a rate limit but not when it ends. GitHub recommends one minute. */
const fallbackWaitSeconds = 60;

interface GitHubCallContext {
  /** The repository's owner and name. */
  readonly shown: string;
  readonly login: GitHubLogin["kind"];
  readonly secrets: readonly string[];
}

/**
 * Translates a failed call to an OctavoError. Octokit's error contains the request with its headers, so only its status
 * and its message, without secrets, are used.
 */
function translateFailure(error: unknown, call: GitHubCallContext): OctavoError {
  const inner = findInnerError(error);
  if (inner) return inner;
  const failure = readFailure(error);
  // `secrets` cannot contain an installation's token, because only Octokit knows it.
  const words = formatServerMessage(
    failure.message.replaceAll(tokenPattern, "[redacted]"),
    call.secrets,
  );
  const cause = new Error(`GitHub responded with ${failure.status}: ${words}`);
  const retryAfterSeconds = readRateLimitSeconds(failure);
  if (retryAfterSeconds !== undefined) {
    return new OctavoError(
      "rate_limited",
      `GitHub's rate limit for ${call.shown} has been reached; try again in ${retryAfterSeconds} seconds.`,
      { cause, details: { retryAfterSeconds } },
    );
  }
  const [code, sentence] = describeFailure(failure, call, words);
  return new OctavoError(code, sentence, { cause });
}

/** Returns the OctavoError inside an Octokit error, which wraps the error that its `fetch` throws. */
function findInnerError(error: unknown): OctavoError | undefined {
  for (
    let inner = error, depth = 0;
    depth < 5 && inner instanceof Error;
    depth++, inner = inner.cause
  ) {
    if (inner instanceof OctavoError) return inner;
  }
  return undefined;
}

function readFailure(error: unknown): Failure {
  const { status, message, response } = (error ?? {}) as Record<string, unknown>;
  const { headers } = (response ?? {}) as Record<string, unknown>;
  return {
    status: typeof status === "number" ? status : 0,
    message: typeof message === "string" ? message : "no message",
    headers: (headers ?? {}) as Record<string, unknown>,
  };
}

function readRateLimitSeconds({ status, message, headers }: Failure): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const after = Number(headers["retry-after"]);
  if (after > 0) return Math.ceil(after);
  if (String(headers["x-ratelimit-remaining"]) === "0") {
    const reset = Number(headers["x-ratelimit-reset"]);
    return reset > 0 ? Math.max(1, Math.ceil(reset - Date.now() / 1000)) : fallbackWaitSeconds;
  }
  return status === 429 || /rate limit/i.test(message) ? fallbackWaitSeconds : undefined;
}

const logins = {
  token: { name: "the project's token", advice: "Set a new token in the project." },
  app: {
    name: "this service's GitHub App",
    advice:
      "The operator must set its ID and key in OCTAVO_GITHUB_APP_ID and OCTAVO_GITHUB_APP_KEY_FILE.",
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
      `GitHub does not accept ${name} for ${shown}, because it is wrong, expired or revoked. ${advice}`,
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
      `GitHub does not allow ${name} to do this in ${shown}. It needs write access to contents and pull requests. (${words})`,
    ];
  }
  if (status === 404 || status === 410) {
    return [
      "not_found",
      `GitHub did not find this in ${shown}: it does not exist, or ${name} has no access.`,
    ];
  }
  if (status === 422)
    return ["invalid_input", `GitHub rejected this request for ${shown}: ${words}`];
  if (status === 409)
    return ["conflict", `GitHub temporarily rejected this request for ${shown}: ${words}`];
  return ["unavailable", `GitHub returned an unexpected response for ${shown}. Try again later.`];
}

/** Matches tokens in GitHub's formats. */
const tokenPattern = /\b(?:gh[opsur]_|github_pat_)\w+/g;

type GitHubLogin =
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "app"; readonly app: GitHubApp };

interface ClientOptions {
  readonly fetch: GuardedFetch;
  readonly userAgent: string;
  /** The longest time that a call waits for a rate limit to end. */
  readonly maxWaitSeconds: number;
  /** The duration of one unit of waiting between attempts: one second, except in tests. */
  readonly waitUnitMs: number;
  /** Whether requests are throttled as GitHub requires of integrations. Tests turn this off. */
  readonly isPaced: boolean;
}

/** A connection to one repository with one login. */
interface GitHubClient {
  readonly octokit: Octokit;
  /** Returns the login for git, which is the token itself or an installation token that is valid for an hour. */
  gitLogin(): Promise<GitLogin>;
}

interface GitLogin {
  readonly password: string;
  /** The value of `RemoteRepository.reader`. It is set only for an installation, whose token changes. */
  readonly reader?: string;
}

/** The number of attempts after the first, with waits of 1 and 4 units before them. */
const maxRetries = 2;
/** Statuses after which a retry does not help. Rate limits are handled separately. */
const doNotRetry = [400, 401, 403, 404, 405, 409, 410, 422, 429, 451];
const apiVersion = "2022-11-28";
const silentLog = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {}

/**
 * Creates a client. Loads Octokit here, because it is not needed before the first call. Sends no request except to look
 * up an App's installation.
 */
async function openClient(
  repository: GitHubRepository,
  login: GitHubLogin,
  options: ClientOptions,
): Promise<GitHubClient> {
  const createOctokit = await loadOctokit(repository, options);
  if (login.kind === "token") {
    const octokit = createOctokit({ auth: login.token });
    const gitLogin = { password: login.token };
    return { octokit, gitLogin: () => Promise.resolve(gitLogin) };
  }
  const { createAppAuth } = await import("./octokit.bundled.ts");
  const { appId, privateKey } = login.app;
  const app = createOctokit({ authStrategy: createAppAuth, auth: { appId, privateKey } });
  const { owner, name: repo } = repository;
  const installationId =
    login.app.installationId ?? (await app.rest.apps.getRepoInstallation({ owner, repo })).data.id;
  const octokit = createOctokit({
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
  const canWait = (seconds: number, _request: unknown, _octokit: unknown, tries: number): boolean =>
    seconds <= options.maxWaitSeconds && tries < maxRetries;
  return (login: Readonly<Record<string, unknown>>): Octokit =>
    new Client({
      ...login,
      baseUrl: repository.apiUrl,
      userAgent: options.userAgent,
      log: silentLog,
      request: { fetch: preventRetries(options.fetch) },
      retry: { retries: maxRetries, doNotRetry, retryAfterBaseValue: options.waitUnitMs },
      throttle: {
        enabled: options.isPaced,
        // Rate limits apply per login and host, so projects with different logins do not slow each other down.
        id: hashParts([repository.apiUrl, JSON.stringify(login)]),
        onRateLimit: canWait,
        onSecondaryRateLimit: canWait,
        retryAfterBaseValue: options.waitUnitMs,
      },
    });
}

const versionHeader = { "x-github-api-version": apiVersion } as const;

/**
 * Prevents retries that do not help, such as after a cancelled request or a response that is too large. Octokit retries
 * after any error that its `fetch` throws, unless the error's name is `AbortError`.
 */
function preventRetries(fetch: GuardedFetch): GuardedFetch {
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
