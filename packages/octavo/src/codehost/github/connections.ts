import { hashParts, isOctavoError, OctavoError } from "@octavo/site/core";
import { createGuardedFetch } from "../../net/index.ts";
import type { CodeHostProject } from "../code-host.ts";
import { openClient, versionHeader } from "./client.ts";
import type { ClientOptions, GitHubApp, GitHubClient, GitHubLogin } from "./client.ts";
import { translateFailure } from "./failure.ts";
import type { GitHubCodeHostOptions } from "./options.ts";
import { readReply, repositoryReply } from "./pull-request-reply.ts";
import { parseGitHubRepository } from "./repository-address.ts";
import type { GitHubRepository } from "./repository-address.ts";

/** An opened repository, with its current names, which may differ from those in its address. */
interface OpenRepository {
  readonly client: GitHubClient;
  readonly names: { readonly owner: string; readonly repo: string };
}

/** One API call: its repository and its signal. */
export interface Call extends OpenRepository {
  readonly common: {
    readonly owner: string;
    readonly repo: string;
    readonly headers: typeof versionHeader;
    readonly request: { readonly signal?: AbortSignal };
  };
}

/** Open connections in the cache; the least recently used is removed first. */
const maxConnections = 100;
const maxResponseBytes = 8 * 1024 * 1024;

/** Connections to the repositories of all projects: each is opened once and cached. */
export interface Connections {
  /** Reports whether the project has a token or the App may have one for it; does not send a request. */
  hasLogin(project: CodeHostProject): boolean;
  /** Runs `work` on the project's repository and translates its errors. */
  call<T>(
    project: CodeHostProject,
    signal: AbortSignal | undefined,
    work: (call: Call) => Promise<T>,
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
    isPaced: options.isPaced ?? true,
  };
  const cached = new Map<string, Promise<OpenRepository>>();

  function openCached(key: string, open: () => Promise<OpenRepository>): Promise<OpenRepository> {
    const opened = cached.get(key) ?? open();
    // The map is ordered from least to most recently used.
    cached.delete(key);
    cached.set(key, opened);
    const [oldest] = cached.keys();
    if (cached.size > maxConnections && oldest !== undefined) cached.delete(oldest);
    return opened;
  }

  async function call<T>(
    project: CodeHostProject,
    signal: AbortSignal | undefined,
    work: (call: Call) => Promise<T>,
  ): Promise<T> {
    const repository = parseGitHubRepository(project.repository, options.apiUrls);
    const login = loginOf(project, options.app, repository);
    if (!login) throw noLogin(repository);
    const secret = login.kind === "token" ? login.token : login.app.privateKey;
    const key = hashParts([repository.apiUrl, repository.webUrl, login.kind, secret]);
    try {
      return await abortable(signal, async () => {
        const opened = await openCached(key, () => open(repository, login, clientOptions));
        const request = signal ? { signal } : {};
        return await work({
          ...opened,
          common: { ...opened.names, headers: versionHeader, request },
        });
      });
    } catch (error) {
      const shown = `${repository.owner}/${repository.name}`;
      const translated = translateFailure(error, { shown, login: login.kind, secrets: [secret] });
      // The cached data, such as the repository's name, may be outdated.
      if (translated.code !== "rate_limited" && translated.code !== "conflict") cached.delete(key);
      throw translated;
    }
  }

  return {
    call,
    hasLogin(project) {
      const repository = parseGitHubRepository(project.repository, options.apiUrls);
      return loginOf(project, options.app, repository) !== undefined;
    },
  };
}

function loginOf(
  { credentials }: CodeHostProject,
  app: GitHubApp | undefined,
  { host }: GitHubRepository,
): GitHubLogin | undefined {
  const token = credentials?.password;
  if (token !== undefined && token !== "") return { kind: "token", token };
  // A server that receives a request signed by the App could act as the App on the App's own server.
  return app?.host === host ? { kind: "app", app } : undefined;
}

function noLogin({ owner, name }: GitHubRepository): OctavoError {
  return new OctavoError(
    "forbidden",
    `There is no token for ${owner}/${name}: set one in the project's credentials, with write access to contents and pull requests.`,
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
  // Branches are searched by the owner's name: GitHub finds none by an old name that redirects here.
  const reply = readReply(repositoryReply, data);
  const repo = reply.full_name.slice(reply.full_name.indexOf("/") + 1);
  return { client, names: { owner: reply.owner.login, repo } };
}

/** Throws `cancelled` as soon as the signal aborts, because Octokit's own waits ignore it. */
async function abortable<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  if (!signal) return await work();
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void =>
    reject(new OctavoError("cancelled", "Cancelled while waiting for GitHub."));
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([promise, work()]);
  } catch (error) {
    if (signal.aborted && !isOctavoError(error)) {
      throw new OctavoError("cancelled", "Cancelled while waiting for GitHub.");
    }
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
