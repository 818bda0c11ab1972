import { OctavoError } from "../../core/index.ts";
import { parseRepositoryAddress } from "../../git/index.ts";

/** A repository on github.com or on a GitHub Enterprise server. */
export interface GitHubRepository {
  readonly owner: string;
  readonly name: string;
  /** Where its API is, without a slash at the end. */
  readonly apiUrl: string;
  /** Where people read it and git fetches it over https, without a slash or `.git` at the end. */
  readonly webUrl: string;
}

const publicHosts = new Set(["github.com", "www.github.com", "ssh.github.com"]);
/** What GitHub allows in names of accounts and repositories. */
const nameForm = /^[A-Za-z0-9_.-]{1,100}$/;

/** Throws `invalid_input` for an address that names no owner and repository. `apiUrl` as of the options. */
export function parseGitHubRepository(address: string, apiUrl?: string): GitHubRepository {
  const place = parseRepositoryAddress(address);
  if (place.protocol === "file") throw invalid(address);
  const [owner = "", last = "", ...rest] = new URL(place.url).pathname.split("/").filter(Boolean);
  const name = last.replace(/\.git$/, "");
  const isNamed = [owner, name].every((part) => nameForm.test(part) && !/^\.+$/.test(part));
  if (!isNamed || rest.length > 0) throw invalid(address);
  const { origin, api } = originsOf(place);
  return { owner, name, apiUrl: apiUrl ?? api, webUrl: `${origin}/${owner}/${name}` };
}

function originsOf(place: { protocol: string; host: string; port: number }) {
  if (publicHosts.has(place.host)) {
    return { origin: "https://github.com", api: "https://api.github.com" };
  }
  const isWeb = place.protocol !== "ssh";
  const host = place.host.includes(":") ? `[${place.host}]` : place.host;
  // ssh tells nothing of where the web pages are but the host's name.
  const origin = isWeb
    ? new URL(`${place.protocol}://${host}:${place.port}`).origin
    : `https://${host}`;
  return { origin, api: `${origin}/api/v3` };
}

function invalid(address: string): OctavoError {
  return new OctavoError(
    "invalid_input",
    `${address} is no repository on GitHub: give it as https://github.com/owner/name.`,
  );
}
