import { z } from "zod";
import { OctavoError, hashParts, isOctavoError } from "@octavo/site/core";
import type { AllowList } from "../core/index.ts";
import type { RemoteRepository } from "../git/index.ts";
import { toRemoteRepository } from "../hosting/index.ts";
import { createGuardedFetch } from "../net/index.ts";
import type {
  CodeHostProject,
  NewPullRequest,
  PullRequest,
  PullRequestQuery,
} from "./code-host.ts";
import { createConnectionCache, runAbortable } from "./connection-cache.ts";
import type { CodeHostParts } from "./create-code-host.ts";
import { createRestClient, readReply } from "./rest-client.ts";
import type { RestClient, RestClientOptions, RestReply, RestRequest } from "./rest-client.ts";

/** The options of a code host that a project's token opens over a REST API. */
export interface RestHostOptions {
  readonly allow: AllowList;
  /** The addresses of servers by host, for servers below a path. */
  readonly serverUrls?: ReadonlyMap<string, string> | undefined;
  readonly userAgent?: string;
  /** The maximum time that a call waits for a rate limit. After that, it throws `rate_limited`. */
  readonly maxWaitSeconds?: number;
  /** The time limit for one request. A call makes several requests. */
  readonly timeoutMs?: number;
  readonly waitUnitMs?: number;
}

/** An opened repository. */
export interface OpenRestRepository {
  readonly client: RestClient;
  /** The server's program, as messages name it. */
  readonly program: string;
  /** The path of the repository in the API, which stays valid while the connection is cached. */
  readonly path: string;
}

/** A call with its repository and its signal. */
export type RestCall<Opened extends OpenRestRepository = OpenRestRepository> = Opened & {
  readonly signal: AbortSignal | undefined;
};

/** Opens a client with the project's token, which the headers contain too. */
type OpenRestClient = (
  settings: Pick<RestClientOptions, "apiUrl" | "headers" | "hostLabel" | "shown" | "neededRights">,
) => RestClient;

interface RestHost<
  Repository extends { readonly webUrl: string },
  Opened extends OpenRestRepository,
> {
  /** The host's name in the message of a cancelled call. */
  readonly label: string;
  /** The rights of a token, in the message about a missing one. */
  readonly tokenRights: string;
  readonly parse: (project: CodeHostProject) => Repository;
  /** Returns the repository's name in messages. */
  readonly getName: (repository: Repository) => string;
  readonly open: (
    repository: Repository,
    token: string,
    openClient: OpenRestClient,
  ) => Promise<Opened>;
}

/** A server may serve a whole list of comments, which it does not divide into pages, in one response. */
const maxResponseBytes = 16 * 1024 * 1024;

/** Creates the parts of a code host that run calls and find the repository for git, with the project's token. */
export function createRestHost<
  Repository extends { readonly webUrl: string },
  Opened extends OpenRestRepository,
>(
  { label, tokenRights, parse, getName, open }: RestHost<Repository, Opened>,
  options: RestHostOptions,
): Pick<CodeHostParts<RestCall<Opened>>, "call" | "readSource" | "pushTarget"> {
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
        const isPassing = isOctavoError(error, "rate_limited") || isOctavoError(error, "conflict");
        if (!isPassing) cache.remove(key);
        throw error;
      }
    },
    readSource: (project) => Promise.resolve(findTokenRemote(project, parse(project).webUrl)),
    async pushTarget(project) {
      const repository = parse(project);
      const { credentials } = project;
      if (!credentials?.password && !credentials?.privateKey) {
        throw createMissingTokenError(repository);
      }
      return findTokenRemote(project, repository.webUrl);
    },
  };
}

/** Returns the repository with the project's credentials. A token opens it at its https address only. */
function findTokenRemote(project: CodeHostProject, webUrl: string): RemoteRepository {
  const { repository, credentials } = project;
  const isWeb = /^https?:/.test(repository);
  if (isWeb || credentials?.password === undefined) return toRemoteRepository(project);
  return { url: `${webUrl}.git`, credentials };
}

/** Sends a request whose path is below the repository's. */
export async function sendRestRequest(
  { client, path, signal }: RestCall,
  request: Omit<RestRequest, "signal">,
): Promise<RestReply> {
  return await client({ ...request, path: path + request.path, signal });
}

/** Sends a request whose path is below the repository's, and parses the response. */
export async function readRestReply<T>(
  call: RestCall,
  schema: z.ZodType<T>,
  request: Omit<RestRequest, "signal">,
): Promise<T> {
  const { data } = await sendRestRequest(call, request);
  return readReply(schema, data, call.program);
}

/** How a host proposes a branch. */
interface RestProposal {
  /** The host's word for a pull request. */
  readonly noun: string;
  /** The path of the branches below the repository's. */
  readonly branchesPath: string;
  readonly search: (query: PullRequestQuery) => Promise<PullRequest | undefined>;
  /** Reports whether the commit `head` has commits that `base` does not contain. */
  readonly hasCommits: (base: string, head: string) => Promise<boolean>;
  /** Throws `conflict` if the branches have an open pull request already. */
  readonly create: () => Promise<PullRequest>;
}

/**
 * Returns the open pull request of the wanted branches, or creates it. Throws if a branch is missing or has nothing to
 * propose, because these hosts open empty pull requests.
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

/** Removes the hooks of the repository that have these IDs. */
export async function removeRestHooks(call: RestCall, ids: readonly number[]): Promise<void> {
  for (const id of ids) await sendRestRequest(call, { method: "DELETE", path: `/hooks/${id}` });
}
