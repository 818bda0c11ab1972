import { z } from "zod";
import { createInputError, isOctavoError } from "@octavo/site/core";
import type { OctavoError } from "@octavo/site/core";
import { readReply } from "../replies.ts";
import { readRestReply, createRestHost } from "../rest-host.ts";
import type { RestCall, RestHostOptions, RestClient } from "../rest-host.ts";
import { parseRepositoryAddress } from "../../core/index.ts";
import { publicHosts } from "../code-host.ts";

/** A project's repository on a GitLab server. */
interface GitLabRepository {
  /** The path of the project with its groups, such as `group/subgroup/docs`. */
  readonly projectPath: string;
  /** The address of the server's start page, without a trailing slash. */
  readonly serverUrl: string;
  /** The address of the repository's web page, also used for git over https, without a trailing slash or `.git`. */
  readonly webUrl: string;
}

/** The characters that GitLab allows in the paths of groups and projects, which can be nested up to 20 levels deep. */
const segmentPattern = /^(?!\.{1,2}$)[\w.-]{1,255}$/;
const maxDepth = 22;

/**
 * Parses an address. Throws `invalid_input` for an address without a group and a project. A server whose address has a
 * path must be in `serverUrls`, because the path cannot be distinguished from a group.
 */
function parseGitLabRepository(
  address: string,
  serverUrls: ReadonlyMap<string, string> = new Map(),
): GitLabRepository {
  const parsed = parseRepositoryAddress(address);
  if (parsed.protocol === "file") throw createInvalidAddressError(address);
  const isPublic = publicHosts.gitlab.some((host) => host === parsed.host);
  const host = parsed.host.includes(":") ? `[${parsed.host}]` : parsed.host;
  // An ssh port is not the port of the web pages, so it is omitted.
  const origin = parsed.protocol === "ssh" ? `https://${host}` : new URL(parsed.url).origin;
  const serverUrl = isPublic ? "https://gitlab.com" : (serverUrls.get(parsed.host) ?? origin);
  const root = new URL(serverUrl).pathname.replace(/\/$/, "");
  const isBelowRoot = parsed.protocol !== "ssh" && parsed.path.startsWith(`${root}/`);
  const path = isBelowRoot ? parsed.path.slice(root.length) : parsed.path;
  const parts = path
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .split("/")
    .filter(Boolean);
  const isValid = parts.length >= 2 && parts.length <= maxDepth;
  if (!isValid || !parts.every((part) => segmentPattern.test(part)))
    throw createInvalidAddressError(address);
  const projectPath = parts.join("/");
  return { projectPath, serverUrl, webUrl: `${serverUrl}/${projectPath}` };
}

function createInvalidAddressError(address: string): OctavoError {
  return createInputError(
    `${address} is not the address of a GitLab project. Use the form https://gitlab.example.com/group/project.`,
  );
}

export const gitLabLabel = "GitLab";

const minMajorVersion = 16;

const versionReply = z.object({ version: z.string() });
const projectReply = z.object({ id: z.int().positive() });

const neededRights = "the scope api and at least the Developer role";

/** Creates the members of the code host that run calls and return the repository's addresses. */
export function createGitLabConnections(options: RestHostOptions) {
  return createRestHost(
    {
      label: gitLabLabel,
      tokenRights: neededRights,
      parse: ({ repository }) => parseGitLabRepository(repository, options.serverUrls),
      getPullRequestPath: (number) => `/-/merge_requests/${number}`,
      getName: ({ projectPath }) => projectPath,
      async open({ projectPath, serverUrl }, token, openClient) {
        const client = openClient({
          apiUrl: `${serverUrl}/api/v4`,
          headers: { "private-token": token },
          hostLabel: gitLabLabel,
          repositoryName: projectPath,
          neededRights,
        });
        await checkVersion(client, serverUrl);
        const { data } = await client({ path: `/projects/${encodeURIComponent(projectPath)}` });
        const { id } = readReply(projectReply, data, gitLabLabel);
        // A project's ID does not change when the project moves.
        return { client, program: gitLabLabel, path: `/projects/${id}` };
      },
    },
    options,
  );
}

async function checkVersion(client: RestClient, serverUrl: string): Promise<void> {
  const { version } = await readVersion(client, serverUrl);
  if (Number.parseInt(version, 10) >= minMajorVersion) return;
  throw createInputError(
    `${serverUrl} runs GitLab ${version}, which is too old. GitLab ${minMajorVersion} or later is supported.`,
  );
}

async function readVersion(client: RestClient, serverUrl: string) {
  try {
    const { data } = await client({ path: "/version" });
    return readReply(versionReply, data, gitLabLabel);
  } catch (error) {
    if (!isOctavoError(error, "not_found")) throw error;
    throw createInputError(
      `There is no GitLab server at ${serverUrl}. Check the project's repository and codeHost.`,
    );
  }
}

export const accountReply = z.object({ id: z.int(), username: z.string() });

/** The maximum number of entries per page. */
export const gitLabPageSize = 100;
const memberListReply = z.array(z.object({ id: z.int(), access_level: z.int() }));
/** The lowest access level that allows writing: the Developer role. */
export const developerAccessLevel = 30;

/** Returns the IDs of the people who may write to the repository, directly or as members of a group. */
export async function readGitLabMembers(
  call: RestCall,
  people: readonly { readonly id: number }[],
): Promise<ReadonlySet<number>> {
  const ids = [...new Set(people.map(({ id }) => id))];
  const members = new Set<number>();
  for (let start = 0; start < ids.length; start += gitLabPageSize) {
    const query = {
      "user_ids[]": ids.slice(start, start + gitLabPageSize),
      per_page: gitLabPageSize,
    };
    const path = "/members/all";
    for (const { id, access_level } of await readRestReply(call, memberListReply, {
      path,
      query,
    })) {
      if (access_level >= developerAccessLevel) members.add(id);
    }
  }
  return members;
}
