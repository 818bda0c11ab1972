import { OctavoError, createInputError, hashParts, isOctavoError } from "@octavo/site/core";
import { z } from "zod";
import { createGuardedFetch } from "../../net/index.ts";
import type { AllowList } from "../../core/index.ts";
import type { CodeHostProject } from "../code-host.ts";
import { createConnectionCache, runAbortable } from "../connection-cache.ts";
import { createRestClient, readReply, type RestClient } from "../rest-client.ts";
import { parseGiteaRepository, type GiteaRepository } from "./repository-address.ts";

export interface GiteaCodeHostOptions {
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

/** An opened repository with its current names, which may differ from those in its address. */
interface OpenRepository {
  readonly client: RestClient;
  /** The server's program, which is also its name in messages. */
  readonly program: GiteaProgram;
  /** The path of the repository in the API. */
  readonly path: string;
  readonly owner: string;
}

export type GiteaProgram = "Gitea" | "Forgejo";

/** A call with its repository and its signal. */
export interface GiteaCall extends OpenRepository {
  readonly signal: AbortSignal | undefined;
}

/** The connections to the repositories of all projects. */
export interface GiteaConnections {
  /** Runs `work` on the project's repository. */
  call<T>(
    project: CodeHostProject,
    signal: AbortSignal | undefined,
    work: (call: GiteaCall) => Promise<T>,
  ): Promise<T>;
}

/** A server may serve a whole list of comments, which it does not divide into pages, in one response. */
const maxResponseBytes = 16 * 1024 * 1024;

/** The oldest versions whose API has every operation that is used here. */
const minVersions: Readonly<Record<GiteaProgram, readonly [major: number, minor: number]>> = {
  Gitea: [1, 21],
  Forgejo: [7, 0],
};

const versionReply = z.object({ version: z.string() });
export const giteaRepositoryReply = z.object({
  full_name: z.string(),
  name: z.string(),
  owner: z.object({ login: z.string() }),
  permissions: z.object({ push: z.boolean() }).nullish(),
});

export function createGiteaConnections(options: GiteaCodeHostOptions): GiteaConnections {
  const { allow, timeoutMs = 20_000 } = options;
  const fetch = createGuardedFetch({ allow, timeoutMs, maxResponseBytes });
  const cache = createConnectionCache<OpenRepository>();

  async function open(repository: GiteaRepository, token: string): Promise<OpenRepository> {
    const { owner, name, serverUrl } = repository;
    const openClient = (hostLabel: string) =>
      createRestClient({
        fetch,
        apiUrl: `${serverUrl}/api/v1`,
        headers: { authorization: `token ${token}`, "user-agent": options.userAgent ?? "octavo" },
        hostLabel,
        shown: `${owner}/${name}`,
        neededRights:
          "the scopes write:repository, write:issue and read:user, and write access to the repository",
        secrets: [token],
        maxWaitSeconds: options.maxWaitSeconds ?? 60,
        waitUnitMs: options.waitUnitMs ?? 1_000,
      });
    const program = await readProgram(openClient("Gitea"), serverUrl);
    const client = openClient(program);
    const { data } = await client({ path: toRepositoryPath(owner, name) });
    const reply = readReply(giteaRepositoryReply, data, program);
    return {
      client,
      program,
      path: toRepositoryPath(reply.owner.login, reply.name),
      owner: reply.owner.login,
    };
  }

  return {
    async call(project, signal, work) {
      const repository = parseGiteaRepository(project.repository, options.serverUrls);
      const token = project.credentials?.password;
      if (token === undefined || token === "") throw createNoTokenError(repository);
      const key = hashParts([repository.webUrl, token]);
      try {
        return await runAbortable(signal, "Gitea or Forgejo", async () => {
          const opened = await cache.open(key, () => open(repository, token));
          return await work({ ...opened, signal });
        });
      } catch (error) {
        // The cached data, such as the repository's name, may be outdated.
        const isPassing = isOctavoError(error, "rate_limited") || isOctavoError(error, "conflict");
        if (!isPassing) cache.remove(key);
        throw error;
      }
    },
  };
}

export function createNoTokenError({ owner, name }: GiteaRepository): OctavoError {
  return new OctavoError(
    "forbidden",
    `There is no token for ${owner}/${name}. Set one in the project's credentials, with the scopes write:repository, write:issue and read:user.`,
  );
}

function toRepositoryPath(owner: string, name: string): string {
  return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
}

/**
 * Asks the server what it is. Forgejo reports the version of Gitea whose API it has behind its own, as in
 * `7.0.0+gitea-1.21.11`.
 */
async function readProgram(client: RestClient, serverUrl: string): Promise<GiteaProgram> {
  const { version } = await readVersion(client, serverUrl);
  const program = version.includes("+gitea-") ? "Forgejo" : "Gitea";
  const [major, minor] = /^v?(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number) ?? [];
  // A server that was built from a branch has no number.
  if (major === undefined || minor === undefined) return program;
  const [minMajor, minMinor] = minVersions[program];
  if (major > minMajor || (major === minMajor && minor >= minMinor)) return program;
  throw createInputError(
    `${serverUrl} runs ${program} ${version}, which is too old. Gitea ${minVersions.Gitea.join(".")} or later and Forgejo ${minVersions.Forgejo[0]} or later are supported.`,
  );
}

async function readVersion(client: RestClient, serverUrl: string) {
  try {
    const { data } = await client({ path: "/version" });
    return readReply(versionReply, data, "Gitea or Forgejo");
  } catch (error) {
    if (!isOctavoError(error, "not_found")) throw error;
    throw createInputError(
      `There is no Gitea or Forgejo at ${serverUrl}. Check the project's repository and codeHost.`,
    );
  }
}
