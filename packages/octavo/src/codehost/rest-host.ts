import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { OctavoError, hashParts, isOctavoError } from "@octavo/site/core";
import type { ErrorCode } from "@octavo/site/core";
import { tryParseJson } from "../core/index.ts";
import type { AllowList } from "../core/index.ts";
import type { RemoteRepository } from "../git/index.ts";
import { toRemoteRepository } from "../hosting/index.ts";
import { createGuardedFetch } from "../net/index.ts";
import type { GuardedFetch } from "../net/index.ts";
import type {
  CodeHostProject,
  NewPullRequest,
  PullRequest,
  PullRequestQuery,
} from "./code-host.ts";
import { createConnectionCache, runAbortable } from "./connection-cache.ts";
import type { CodeHostParts } from "./create-code-host.ts";
import { readReply, formatServerMessage, describeForeignReply } from "./replies.ts";

/** Options of a code host whose REST API is called with the project's token. */
export interface RestHostOptions {
  readonly allow: AllowList;
  /** The addresses of servers whose address has a path, such as `https://example.com/git`, keyed by host. */
  readonly serverUrls?: ReadonlyMap<string, string> | undefined;
  readonly userAgent?: string;
  /**
   * The longest time that a call waits for a rate limit to end. If the wait would be longer, the call throws
   * `rate_limited`.
   */
  readonly maxWaitSeconds?: number;
  /** The time limit for one request. A call makes several requests. */
  readonly timeoutMs?: number;
  readonly waitUnitMs?: number;
}

/** An opened repository. */
export interface OpenRestRepository {
  readonly client: RestClient;
  /** The name of the server software in messages, such as `Forgejo`. */
  readonly program: string;
  /** The repository's path in the API, such as `/projects/12`. */
  readonly path: string;
}

/** A call with its repository and its signal. */
export type RestCall<Opened extends OpenRestRepository = OpenRestRepository> = Opened & {
  readonly signal: AbortSignal | undefined;
};

/** Opens a client that sends `headers`, which contain the project's token, with every request. */
type OpenRestClient = (
  settings: Pick<
    RestClientOptions,
    "apiUrl" | "headers" | "hostLabel" | "repositoryName" | "neededRights"
  >,
) => RestClient;

interface RestHost<
  Repository extends { readonly webUrl: string },
  Opened extends OpenRestRepository,
> {
  /** The host's name in the message about a cancelled call. */
  readonly label: string;
  /** The rights that a token needs, for the message about a missing token. */
  readonly tokenRights: string;
  readonly parse: (project: CodeHostProject) => Repository;
  /** Returns the path of a pull request's page relative to the repository's page. */
  readonly getPullRequestPath: (number: number) => string;
  /** Returns the repository's name in messages. */
  readonly getName: (repository: Repository) => string;
  readonly open: (
    repository: Repository,
    token: string,
    openClient: OpenRestClient,
  ) => Promise<Opened>;
}

/** The limit is generous, because some servers return all comments of a pull request in one response. */
const maxResponseBytes = 16 * 1024 * 1024;

/**
 * Creates the members of a code host that run calls and return the repository's addresses, using the project's token.
 */
export function createRestHost<
  Repository extends { readonly webUrl: string },
  Opened extends OpenRestRepository,
>(
  { label, tokenRights, parse, getPullRequestPath, getName, open }: RestHost<Repository, Opened>,
  options: RestHostOptions,
): Pick<
  CodeHostParts<RestCall<Opened>>,
  "call" | "formatPullRequestUrl" | "readSource" | "preparePushTarget"
> {
  const { allow, timeoutMs = 20_000, userAgent = "octavo" } = options;
  const { maxWaitSeconds = 60, waitUnitMs = 1_000 } = options;
  const fetch = createGuardedFetch({ allow, timeoutMs, maxResponseBytes });
  const cache = createConnectionCache<Opened>();

  const createMissingTokenError = (repository: Repository) =>
    new OctavoError(
      "forbidden",
      `There is no token for ${getName(repository)}. Set one in the project's credentials, with ${tokenRights}.`,
    );

  const createClientOpener =
    (token: string): OpenRestClient =>
    ({ headers, ...settings }) =>
      createRestClient({
        ...settings,
        fetch,
        headers: { ...headers, "user-agent": userAgent },
        secrets: [token],
        maxWaitSeconds,
        waitUnitMs,
      });

  return {
    async call(project, signal, work) {
      const repository = parse(project);
      const token = project.credentials?.password;
      if (token === undefined || token === "") throw createMissingTokenError(repository);
      const key = hashParts([repository.webUrl, token]);
      try {
        return await runAbortable(signal, label, async () => {
          const opened = await cache.open(key, () =>
            open(repository, token, createClientOpener(token)),
          );
          return await work({ ...opened, signal });
        });
      } catch (error) {
        // The cached data, such as the repository's name, may be outdated.
        const isCacheValid =
          isOctavoError(error, "rate_limited") || isOctavoError(error, "conflict");
        if (!isCacheValid) cache.remove(key);
        throw error;
      }
    },
    formatPullRequestUrl: (project, number) => parse(project).webUrl + getPullRequestPath(number),
    readSource: (project) => Promise.resolve(toTokenRemote(project, parse(project).webUrl)),
    async preparePushTarget(project) {
      const repository = parse(project);
      const { credentials } = project;
      if (!credentials?.password && !credentials?.privateKey) {
        throw createMissingTokenError(repository);
      }
      return toTokenRemote(project, repository.webUrl);
    },
  };
}

/** Returns the repository with the project's credentials. A token works only with the https address. */
function toTokenRemote(project: CodeHostProject, webUrl: string): RemoteRepository {
  const { repository, credentials } = project;
  const isHttp = /^https?:/.test(repository);
  if (isHttp || credentials?.password === undefined) return toRemoteRepository(project);
  return { url: `${webUrl}.git`, credentials };
}

/** Sends a request whose path is relative to the repository's path. */
export async function sendRestRequest(
  { client, path, signal }: RestCall,
  request: Omit<RestRequest, "signal">,
): Promise<RestReply> {
  return await client({ ...request, path: path + request.path, signal });
}

/** Sends a request whose path is relative to the repository's path, and parses the response. */
export async function readRestReply<T>(
  call: RestCall,
  schema: z.ZodType<T>,
  request: Omit<RestRequest, "signal">,
): Promise<T> {
  const { data } = await sendRestRequest(call, request);
  return readReply(schema, data, call.program);
}

/** A host's operations for proposing a branch. */
interface RestProposal {
  /** The host's word for a pull request. */
  readonly noun: string;
  /** The path of the list of branches, relative to the repository's path. */
  readonly branchesPath: string;
  readonly search: (query: PullRequestQuery) => Promise<PullRequest | undefined>;
  /** Reports whether the history of commit `head` has commits that are not in the history of `base`. */
  readonly hasCommits: (base: string, head: string) => Promise<boolean>;
  /** Throws `conflict` if the branches already have an open pull request. */
  readonly create: () => Promise<PullRequest>;
}

/**
 * Returns the open pull request for these branches, or creates one. Throws if a branch is missing or there is nothing
 * to propose, because these hosts would otherwise create an empty pull request.
 */
export async function findOrCreatePullRequest(
  call: RestCall,
  { head, base }: NewPullRequest,
  { noun, branchesPath, search, hasCommits, create }: RestProposal,
): Promise<PullRequest> {
  const query = { head, base, state: "open" } as const;
  const found = await search(query);
  if (found) return found;
  const baseCommit = await readBranchCommit(call, branchesPath, base);
  const headCommit = await readBranchCommit(call, branchesPath, head);
  if (!(await hasCommits(baseCommit, headCommit))) {
    throw new OctavoError(
      "conflict",
      `There is nothing to propose, because ${base} already contains all commits of ${head}.`,
    );
  }
  try {
    return await create();
  } catch (error) {
    if (!isOctavoError(error, "conflict")) throw error;
    // The pull request was created by another client at the same time, or by an earlier attempt whose response was
    // lost.
    const other = await search(query);
    if (other) return other;
    throw new OctavoError(
      "conflict",
      `There is already a ${noun} for ${head}, but it cannot be read.`,
      { cause: error },
    );
  }
}

const branchReply = z.object({ commit: z.object({ id: z.string() }) });

async function readBranchCommit(
  call: RestCall,
  branchesPath: string,
  branch: string,
): Promise<string> {
  try {
    const path = `${branchesPath}/${encodeURIComponent(branch)}`;
    return (await readRestReply(call, branchReply, { path })).commit.id;
  } catch (error) {
    if (!isOctavoError(error, "not_found")) throw error;
    throw new OctavoError(
      "ref_not_found",
      `The repository has no branch ${JSON.stringify(branch)}.`,
      { cause: error },
    );
  }
}

export async function removeRestHooks(call: RestCall, ids: readonly number[]): Promise<void> {
  for (const id of ids) await sendRestRequest(call, { method: "DELETE", path: `/hooks/${id}` });
}

interface RestClientOptions {
  readonly fetch: GuardedFetch;
  /** The API's address, without a trailing slash. */
  readonly apiUrl: string;
  /** The headers of every request, including the header with the token. */
  readonly headers: Readonly<Record<string, string>>;
  /** The host's name in messages, such as `GitLab`. */
  readonly hostLabel: string;
  /** The repository's name in messages. */
  readonly repositoryName: string;
  /** The rights that a token needs, as the host names them. */
  readonly neededRights: string;
  readonly secrets: readonly string[];
  /**
   * The longest time that a call waits for a rate limit to end. If the wait would be longer, the call throws
   * `rate_limited`.
   */
  readonly maxWaitSeconds: number;
  /** The duration of one unit of waiting between attempts: one second, except in tests. */
  readonly waitUnitMs: number;
}

type QueryValue = string | number | boolean;

export interface RestRequest {
  readonly method?: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** The path relative to the API's address, percent-encoded. */
  readonly path: string;
  /** A list becomes one parameter per value, all with the same name. */
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[]>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** Whether the request is never retried after a failure, because a retry could take effect twice. */
  readonly isSentOnce?: boolean;
}

/** A successful response. */
interface RestReply {
  readonly data: unknown;
  readonly headers: Headers;
}

/** Sends requests to the JSON API of a code host. Throws the errors of `CodeHost`. */
export type RestClient = (request: RestRequest) => Promise<RestReply>;

/** The number of attempts after the first, with waits of 1 and 4 units before them. */
const maxRetries = 2;
/** The time to wait if a host reports a rate limit but not when it ends. */
const fallbackWaitSeconds = 60;

function createRestClient(options: RestClientOptions): RestClient {
  return async (request) => {
    for (let attempt = 0; ; attempt++) {
      const canRetry = attempt < maxRetries;
      const outcome = await send(options, request);
      if (!("failure" in outcome)) return outcome;
      const { failure, waitSeconds, isTemporary } = outcome;
      const { signal, isSentOnce = false } = request;
      if (waitSeconds !== undefined) {
        // A host does not execute a request that exceeds a rate limit, so any such request can be sent again.
        if (!canRetry || waitSeconds > options.maxWaitSeconds) throw failure;
        await pause(waitSeconds * options.waitUnitMs, signal);
      } else {
        if (!canRetry || !isTemporary || isSentOnce) throw failure;
        await pause((attempt + 1) ** 2 * options.waitUnitMs, signal);
      }
    }
  };
}

/** Waits without keeping the process alive, because no signal ends the wait of a shared connection. */
async function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  await wait(delayMs, undefined, { ref: false, ...(signal && { signal }) });
}

interface FailedAttempt {
  readonly failure: OctavoError;
  /** The number of seconds until the host's rate limit ends. */
  readonly waitSeconds?: number;
  readonly isTemporary: boolean;
}

async function send(
  options: RestClientOptions,
  request: RestRequest,
): Promise<RestReply | FailedAttempt> {
  const { fetch, apiUrl, hostLabel, repositoryName } = options;
  const { method = "GET", path, body, signal } = request;
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${apiUrl}${path}${formatQuery(request)}`, {
      method,
      headers: {
        ...options.headers,
        accept: "application/json",
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      ...(signal && { signal }),
    });
    text = await response.text();
  } catch (error) {
    if (!isOctavoError(error, "unavailable")) throw error;
    return { failure: error, isTemporary: true };
  }
  const { status, headers } = response;
  const data = tryParseJson(text);
  if (status >= 200 && status < 300 && (data !== undefined || text === "")) {
    return { data, headers };
  }
  const waitSeconds = readRateLimitSeconds(status, headers);
  if (waitSeconds !== undefined) {
    const failure = new OctavoError(
      "rate_limited",
      `${hostLabel}'s rate limit for ${repositoryName} has been reached; try again in ${waitSeconds} seconds.`,
      { details: { retryAfterSeconds: waitSeconds } },
    );
    return { failure, waitSeconds, isTemporary: true };
  }
  const words = formatServerMessage(readMessage(data), options.secrets);
  const [code, sentence] = describeFailure(status, words, options);
  const cause = new Error(`${hostLabel} responded with ${status}: ${words}`);
  return { failure: new OctavoError(code, sentence, { cause }), isTemporary: status >= 500 };
}

function formatQuery({ query = {} }: RestRequest): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of [value].flat()) parameters.append(name, String(item));
  }
  return parameters.size === 0 ? "" : `?${parameters.toString()}`;
}

/** Returns the message of an error response, which hosts write as a string, a list, or lists keyed by field. */
function readMessage(data: unknown): string {
  const { message, error, error_description } = (data ?? {}) as Record<string, unknown>;
  const found = error_description ?? message ?? error ?? "no message";
  return typeof found === "string" ? found : JSON.stringify(found);
}

function readRateLimitSeconds(status: number, headers: Headers): number | undefined {
  if (status !== 429) return undefined;
  const after = Number(headers.get("retry-after"));
  if (after > 0) return Math.ceil(after);
  const reset = Number(headers.get("ratelimit-reset"));
  return reset > 0 ? Math.max(1, Math.ceil(reset - Date.now() / 1000)) : fallbackWaitSeconds;
}

function describeFailure(
  status: number,
  words: string,
  { hostLabel, repositoryName, neededRights }: RestClientOptions,
): [code: ErrorCode, sentence: string] {
  switch (status) {
    case 401:
      return [
        "forbidden",
        `${hostLabel} does not accept the project's token for ${repositoryName}, because it is wrong, expired or revoked. Set a new token in the project.`,
      ];
    case 403:
      return [
        "forbidden",
        `${hostLabel} does not allow the project's token to do this in ${repositoryName}. It needs ${neededRights}. (${words})`,
      ];
    case 404:
    case 410:
      return [
        "not_found",
        `${hostLabel} did not find this in ${repositoryName}: it does not exist, or the project's token has no access.`,
      ];
    case 400:
    case 422:
      return [
        "invalid_input",
        `${hostLabel} rejected this request for ${repositoryName}: ${words}`,
      ];
    case 405:
    case 409:
    case 412:
    case 423:
      return ["conflict", `${hostLabel} refused this request for ${repositoryName}: ${words}`];
    default:
      return [
        "unavailable",
        status < 300
          ? describeForeignReply(hostLabel)
          : `${hostLabel} returned an unexpected response for ${repositoryName} (${status}). Try again later.`,
      ];
  }
}
