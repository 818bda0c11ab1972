import { z } from "zod";
import { createInputError, isOctavoError } from "@octavo/site/core";
import type { OctavoError } from "@octavo/site/core";
import { readReply } from "../replies.ts";
import { readRestReply, createRestHost } from "../rest-host.ts";
import type { RestHostOptions, RestClient, OpenRestRepository, RestCall } from "../rest-host.ts";
import { parseRepositoryAddress } from "../../core/index.ts";

/** A repository on a Gitea or Forgejo server. */
interface GiteaRepository {
  readonly owner: string;
  readonly name: string;
  /** The address of the server's start page, without a trailing slash. */
  readonly serverUrl: string;
  /** The address of the repository's web page, also used for git over https, without a trailing slash or `.git`. */
  readonly webUrl: string;
}

/** The characters that Gitea and Forgejo allow in the names of accounts and repositories. */
const namePattern = /^(?!\.{1,2}$)[\w.-]{1,100}$/;

/**
 * Parses an address. Throws `invalid_input` for an address without an owner and a repository. A path before the owner
 * belongs to the server's address. An ssh address does not contain that path, so `serverUrls` maps its host to the
 * server's address.
 */
function parseGiteaRepository(
  address: string,
  serverUrls: ReadonlyMap<string, string> = new Map(),
): GiteaRepository {
  const parsed = parseRepositoryAddress(address);
  if (parsed.protocol === "file") throw createInvalidAddressError(address);
  const parts = parsed.path.split("/").filter(Boolean);
  const name = parts.pop()?.replace(/\.git$/, "") ?? "";
  const owner = parts.pop() ?? "";
  const isSsh = parsed.protocol === "ssh";
  if (!namePattern.test(owner) || !namePattern.test(name) || (isSsh && parts.length > 0)) {
    throw createInvalidAddressError(address);
  }
  const host = parsed.host.includes(":") ? `[${parsed.host}]` : parsed.host;
  // An ssh port is not the port of the web pages, so it is omitted.
  const origin = isSsh ? `https://${host}` : new URL(parsed.url).origin;
  const serverUrl = serverUrls.get(parsed.host) ?? [origin, ...parts].join("/");
  return { owner, name, serverUrl, webUrl: `${serverUrl}/${owner}/${name}` };
}

function createInvalidAddressError(address: string): OctavoError {
  return createInputError(
    `${address} is not the address of a repository on Gitea or Forgejo. Use the form https://git.example.com/owner/name.`,
  );
}

/** An opened repository with its current names, which may differ from those in its address. */
interface OpenGiteaRepository extends OpenRestRepository {
  readonly program: GiteaProgram;
  readonly owner: string;
}

type GiteaProgram = "Gitea" | "Forgejo";

/** A call with its repository and its signal. */
export type GiteaCall = RestCall<OpenGiteaRepository>;

/** The oldest supported versions. Earlier versions lack operations that this adapter uses. */
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

const neededScopes = "the scopes write:repository, write:issue and read:user";

/** Creates the members of the code host that run calls and return the repository's addresses. */
export function createGiteaConnections(options: RestHostOptions) {
  return createRestHost<GiteaRepository, OpenGiteaRepository>(
    {
      label: "Gitea or Forgejo",
      tokenRights: neededScopes,
      parse: ({ repository }) => parseGiteaRepository(repository, options.serverUrls),
      getPullRequestPath: (number) => `/pulls/${number}`,
      getName: ({ owner, name }) => `${owner}/${name}`,
      async open({ owner, name, serverUrl }, token, openClient) {
        const openAs = (hostLabel: string) =>
          openClient({
            apiUrl: `${serverUrl}/api/v1`,
            headers: { authorization: `token ${token}` },
            hostLabel,
            repositoryName: `${owner}/${name}`,
            neededRights: `${neededScopes}, and write access to the repository`,
          });
        const program = await readProgram(openAs("Gitea"), serverUrl);
        const client = openAs(program);
        const { data } = await client({ path: toRepositoryPath(owner, name) });
        const reply = readReply(giteaRepositoryReply, data, program);
        return {
          client,
          program,
          path: toRepositoryPath(reply.owner.login, reply.name),
          owner: reply.owner.login,
        };
      },
    },
    options,
  );
}

function toRepositoryPath(owner: string, name: string): string {
  return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
}

/**
 * Queries the name and version of the server software. Forgejo's version ends with the version of the compatible Gitea
 * release, such as `7.0.0+gitea-1.21.11`.
 */
async function readProgram(client: RestClient, serverUrl: string): Promise<GiteaProgram> {
  const { version } = await readVersion(client, serverUrl);
  const program = version.includes("+gitea-") ? "Forgejo" : "Gitea";
  const [major, minor] = /^v?(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number) ?? [];
  // A server that was built from a branch has no version number.
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
      `There is no Gitea or Forgejo server at ${serverUrl}. Check the project's repository and codeHost.`,
    );
  }
}

/** The default maximum number of entries per page on these servers, which their operators can change. */
export const giteaPageSize = 50;
const userReply = z.object({ login: z.string() });
const userListReply = z.array(userReply);

/** Returns the login names of the people who may write to the repository. */
export async function readGiteaMembers(call: GiteaCall): Promise<ReadonlySet<string>> {
  const users = await readRestReply(call, userListReply, { path: "/assignees" });
  return new Set(users.map(({ login }) => login));
}

/** Returns the login name of the account that the token belongs to. */
export async function readOwnLogin({ client, program, signal }: GiteaCall): Promise<string> {
  const { data } = await client({ path: "/user", signal });
  return readReply(userReply, data, program).login;
}

/** The response for a created label or comment. */
export const createdReply = z.object({ id: z.int() });
