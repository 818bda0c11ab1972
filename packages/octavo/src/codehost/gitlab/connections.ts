import { OctavoError, createInputError, hashParts, isOctavoError } from "@octavo/site/core";
import { z } from "zod";
import { createGuardedFetch } from "../../net/index.ts";
import type { AllowList } from "../../core/index.ts";
import type { CodeHostProject } from "../code-host.ts";
import { createConnectionCache, runAbortable } from "../connection-cache.ts";
import { createRestClient, readReply, type RestClient } from "../rest-client.ts";
import { parseGitLabRepository, type GitLabRepository } from "./repository-address.ts";

export interface GitLabCodeHostOptions {
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

interface OpenProject {
  readonly client: RestClient;
  /** The path of the project in the API. Its number stays when the project moves. */
  readonly path: string;
}

/** A call with its project and its signal. */
export interface GitLabCall extends OpenProject {
  readonly signal: AbortSignal | undefined;
}

/** The connections to the projects on all servers. */
export interface GitLabConnections {
  /** Runs `work` on the project's repository. */
  call<T>(
    project: CodeHostProject,
    signal: AbortSignal | undefined,
    work: (call: GitLabCall) => Promise<T>,
  ): Promise<T>;
}

export const hostLabel = "GitLab";

const maxResponseBytes = 16 * 1024 * 1024;
const minMajor = 16;

const versionReply = z.object({ version: z.string() });
const projectReply = z.object({ id: z.int().positive() });

export function createGitLabConnections(options: GitLabCodeHostOptions): GitLabConnections {
  const { allow, timeoutMs = 20_000 } = options;
  const fetch = createGuardedFetch({ allow, timeoutMs, maxResponseBytes });
  const cache = createConnectionCache<OpenProject>();

  async function open(repository: GitLabRepository, token: string): Promise<OpenProject> {
    const { projectPath, serverUrl } = repository;
    const client = createRestClient({
      fetch,
      apiUrl: `${serverUrl}/api/v4`,
      headers: { "private-token": token, "user-agent": options.userAgent ?? "octavo" },
      hostLabel,
      shown: projectPath,
      neededRights: "the scope api and at least the role Developer",
      secrets: [token],
      maxWaitSeconds: options.maxWaitSeconds ?? 60,
      waitUnitMs: options.waitUnitMs ?? 1_000,
    });
    await checkVersion(client, serverUrl);
    const { data } = await client({ path: `/projects/${encodeURIComponent(projectPath)}` });
    const { id } = readReply(projectReply, data, hostLabel);
    return { client, path: `/projects/${id}` };
  }

  return {
    async call(project, signal, work) {
      const repository = parseGitLabRepository(project.repository, options.serverUrls);
      const token = project.credentials?.password;
      if (token === undefined || token === "") throw createMissingTokenError(repository);
      const key = hashParts([repository.webUrl, token]);
      try {
        return await runAbortable(signal, hostLabel, async () => {
          const opened = await cache.open(key, () => open(repository, token));
          return await work({ ...opened, signal });
        });
      } catch (error) {
        const isPassing = isOctavoError(error, "rate_limited") || isOctavoError(error, "conflict");
        if (!isPassing) cache.remove(key);
        throw error;
      }
    },
  };
}

export function createMissingTokenError({ projectPath }: GitLabRepository): OctavoError {
  return new OctavoError(
    "forbidden",
    `There is no token for ${projectPath}. Set one in the project's credentials, with the scope api and at least the role Developer.`,
  );
}

async function checkVersion(client: RestClient, serverUrl: string): Promise<void> {
  const { version } = await readVersion(client, serverUrl);
  if (Number.parseInt(version, 10) >= minMajor) return;
  throw createInputError(
    `${serverUrl} runs GitLab ${version}, which is too old. GitLab ${minMajor} or later is supported.`,
  );
}

async function readVersion(client: RestClient, serverUrl: string) {
  try {
    const { data } = await client({ path: "/version" });
    return readReply(versionReply, data, hostLabel);
  } catch (error) {
    if (!isOctavoError(error, "not_found")) throw error;
    throw createInputError(
      `There is no GitLab at ${serverUrl}. Check the project's repository and codeHost.`,
    );
  }
}
