import { createInputError } from "@octavo/site/core";
import type { OctavoError } from "@octavo/site/core";
import { parseRepositoryAddress } from "../../core/index.ts";
import type { NetworkAddress } from "../../core/index.ts";
import { publicHosts } from "../code-host.ts";

/** A repository on github.com or on a GitHub Enterprise server. */
export interface GitHubRepository {
  readonly owner: string;
  readonly name: string;
  /** The server's host name; always `github.com` for the public server. */
  readonly host: string;
  /** The API's address, without a trailing slash. */
  readonly apiUrl: string;
  /** The address of the repository's web page, also used for git over https, without a trailing slash or `.git`. */
  readonly webUrl: string;
}

/** The characters that GitHub allows in the names of accounts and repositories. */
const namePattern = /^[A-Za-z0-9_.-]{1,100}$/;

/**
 * Parses an address. Throws `invalid_input` for an address without an owner and a repository. `apiUrls` contains the
 * API's address for hosts whose API is not at `https://<host>/api/v3`.
 */
export function parseGitHubRepository(
  address: string,
  apiUrls: ReadonlyMap<string, string> = new Map(),
): GitHubRepository {
  const parsed = parseRepositoryAddress(address);
  if (parsed.protocol === "file") throw createInvalidAddressError(address);
  const [owner = "", last = "", ...rest] = parsed.path.split("/").filter(Boolean);
  const name = last.replace(/\.git$/, "");
  const isValid = [owner, name].every((part) => namePattern.test(part) && !/^\.+$/.test(part));
  if (!isValid || rest.length > 0) throw createInvalidAddressError(address);
  if (publicHosts.github.some((host) => host === parsed.host)) {
    const webUrl = `https://github.com/${owner}/${name}`;
    return { owner, name, host: "github.com", apiUrl: "https://api.github.com", webUrl };
  }
  const origin = getOrigin(parsed);
  const apiUrl = apiUrls.get(parsed.host) ?? `${origin}/api/v3`;
  return { owner, name, host: parsed.host, apiUrl, webUrl: `${origin}/${owner}/${name}` };
}

/** Returns the origin of a server's web pages. An ssh address contains only the server's host name. */
function getOrigin({ protocol, host, port }: NetworkAddress): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return protocol === "ssh" ? `https://${name}` : new URL(`${protocol}://${name}:${port}`).origin;
}

function createInvalidAddressError(address: string): OctavoError {
  return createInputError(
    `${address} is not the address of a GitHub repository. Use the form https://github.com/owner/name.`,
  );
}
