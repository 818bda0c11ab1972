import { OctavoError } from "@octavo/site/core";
import { parseRepositoryAddress } from "../../core/index.ts";
import type { NetworkAddress } from "../../core/index.ts";

/** A repository on github.com or on a GitHub Enterprise server. */
export interface GitHubRepository {
  readonly owner: string;
  readonly name: string;
  /** `github.com` for each of its names. */
  readonly host: string;
  /** Where its API is, without a slash at the end. */
  readonly apiUrl: string;
  /** Where people read it and git fetches it over https, without a slash or `.git` at the end. */
  readonly webUrl: string;
}

/** The names of github.com for people, git and ssh. */
export const publicGitHubHosts = ["github.com", "www.github.com", "ssh.github.com"] as const;
/** What GitHub allows in names of accounts and repositories. */
const nameForm = /^[A-Za-z0-9_.-]{1,100}$/;

/**
 * Throws `invalid_input` for an address that names no owner and repository. `apiUrls` holds the API's
 * address for hosts where it is not at `https://<host>/api/v3`.
 */
export function parseGitHubRepository(
  address: string,
  apiUrls: ReadonlyMap<string, string> = new Map(),
): GitHubRepository {
  const place = parseRepositoryAddress(address);
  if (place.protocol === "file") throw invalid(address);
  const [owner = "", last = "", ...rest] = place.path.split("/").filter(Boolean);
  const name = last.replace(/\.git$/, "");
  const isNamed = [owner, name].every((part) => nameForm.test(part) && !/^\.+$/.test(part));
  if (!isNamed || rest.length > 0) throw invalid(address);
  if (publicGitHubHosts.some((host) => host === place.host)) {
    const webUrl = `https://github.com/${owner}/${name}`;
    return { owner, name, host: "github.com", apiUrl: "https://api.github.com", webUrl };
  }
  const origin = originOf(place);
  const apiUrl = apiUrls.get(place.host) ?? `${origin}/api/v3`;
  return { owner, name, host: place.host, apiUrl, webUrl: `${origin}/${owner}/${name}` };
}

/** Where the web pages of a server are. ssh tells nothing of it but the host's name. */
function originOf({ protocol, host, port }: NetworkAddress): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return protocol === "ssh" ? `https://${name}` : new URL(`${protocol}://${name}:${port}`).origin;
}

function invalid(address: string): OctavoError {
  return new OctavoError(
    "invalid_input",
    `${address} is no repository on GitHub: give it as https://github.com/owner/name.`,
  );
}
