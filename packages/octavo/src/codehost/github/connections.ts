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

/** A repository that was asked for: by the names that it has now, which may not be those in its address. */
interface Opened {
  readonly client: GitHubClient;
  readonly names: { readonly owner: string; readonly repo: string };
}

/** One call to the API: where it goes, and what ends it. */
export interface Call extends Opened {
  readonly common: {
    readonly owner: string;
    readonly repo: string;
    readonly headers: typeof versionHeader;
    readonly request: { readonly signal?: AbortSignal };
  };
}

/** Connections that are kept open, the longest unused of which goes first. */
const keptClients = 100;
const maxResponseBytes = 8 * 1024 * 1024;

/** The way to the repositories of all projects: each is opened once, and its connection kept for a while. */
export interface Connections {
  /** Whether there is a token of the project's, or an App that may have one; asks nobody. */
  hasLogin(project: CodeHostProject): boolean;
  /** Runs `work` on the project's repository; whatever it throws is translated. */
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
    maximumWaitSeconds: options.maximumWaitSeconds ?? 60,
    waitUnitMs: options.waitUnitMs ?? 1_000,
    isPaced: options.isPaced ?? true,
  };
  const kept = new Map<string, Promise<Opened>>();

  function keep(key: string, open: () => Promise<Opened>): Promise<Opened> {
    const opened = kept.get(key) ?? open();
    // Last in the map is the one that was used last.
    kept.delete(key);
    kept.set(key, opened);
    const [oldest] = kept.keys();
    if (kept.size > keptClients && oldest !== undefined) kept.delete(oldest);
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
        const opened = await keep(key, () => open(repository, login, clientOptions));
        const request = signal ? { signal } : {};
        return await work({
          ...opened,
          common: { ...opened.names, headers: versionHeader, request },
        });
      });
    } catch (error) {
      const shown = `${repository.owner}/${repository.name}`;
      const translated = translateFailure(error, { shown, login: login.kind, secrets: [secret] });
      // Whatever was known of it, such as its name, may be no longer so.
      if (translated.code !== "rate_limited" && translated.code !== "conflict") kept.delete(key);
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
  // Whoever is shown a request that the app signed can act as the app at the server that knows it.
  return app?.host === host ? { kind: "app", app } : undefined;
}

function noLogin({ owner, name }: GitHubRepository): OctavoError {
  return new OctavoError(
    "forbidden",
    `There is no token for ${owner}/${name}: give one in the project's credentials, with the right to write contents and pull requests.`,
  );
}

async function open(
  repository: GitHubRepository,
  login: GitHubLogin,
  options: ClientOptions,
): Promise<Opened> {
  const client = await openClient(repository, login, options);
  const { data } = await client.octokit.rest.repos.get({
    owner: repository.owner,
    repo: repository.name,
    headers: versionHeader,
  });
  // Branches are looked for by the owner's name, and an old name that still leads here finds none.
  const reply = readReply(repositoryReply, data);
  const repo = reply.full_name.slice(reply.full_name.indexOf("/") + 1);
  return { client, names: { owner: reply.owner.login, repo } };
}

/** Octavo's `cancelled` as soon as the signal says so: Octokit's own waits do not end by it. */
async function abortable<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  if (!signal) return await work();
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void =>
    reject(new OctavoError("cancelled", "Cancelled while asking GitHub."));
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([promise, work()]);
  } catch (error) {
    if (signal.aborted && !isOctavoError(error)) {
      throw new OctavoError("cancelled", "Cancelled while asking GitHub.");
    }
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
