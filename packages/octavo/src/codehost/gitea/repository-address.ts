import { type OctavoError, createInputError } from "@octavo/site/core";
import { parseRepositoryAddress } from "../../core/index.ts";

/** A repository on a Gitea or Forgejo server. */
export interface GiteaRepository {
  readonly owner: string;
  readonly name: string;
  /** The address of the server's start page, without a trailing slash. */
  readonly serverUrl: string;
  /** The address for people and for git over https, without a trailing slash or `.git`. */
  readonly webUrl: string;
}

/** The public server that is known to run Forgejo, for people and git. */
export const publicGiteaHosts = ["codeberg.org"] as const;

/** The characters that Gitea and Forgejo allow in the names of accounts and repositories. */
const nameForm = /^(?!\.{1,2}$)[\w.-]{1,100}$/;

/**
 * Parses an address. Throws `invalid_input` for an address without an owner and a repository. A path before the owner
 * belongs to the server's address; `serverUrls` contains the addresses of hosts that an ssh address does not show.
 */
export function parseGiteaRepository(
  address: string,
  serverUrls: ReadonlyMap<string, string> = new Map(),
): GiteaRepository {
  const place = parseRepositoryAddress(address);
  if (place.protocol === "file") throw invalid(address);
  const parts = place.path.split("/").filter(Boolean);
  const name = parts.pop()?.replace(/\.git$/, "") ?? "";
  const owner = parts.pop() ?? "";
  const isSsh = place.protocol === "ssh";
  if (!nameForm.test(owner) || !nameForm.test(name) || (isSsh && parts.length > 0)) {
    throw invalid(address);
  }
  const host = place.host.includes(":") ? `[${place.host}]` : place.host;
  // An ssh port is not the port of the web pages, so it is omitted.
  const origin = isSsh ? `https://${host}` : new URL(place.url).origin;
  const serverUrl = serverUrls.get(place.host) ?? [origin, ...parts].join("/");
  return { owner, name, serverUrl, webUrl: `${serverUrl}/${owner}/${name}` };
}

function invalid(address: string): OctavoError {
  return createInputError(
    `${address} is not the address of a repository on Gitea or Forgejo. Use the form https://git.example.com/owner/name.`,
  );
}
