import { parseRepositoryAddress } from "./repository-address.ts";
import type { NetworkAddress } from "./repository-address.ts";
import { encodePath } from "@octavo/site/core";
import type { SourceLinks } from "@octavo/site";

/** Where the files of a site lie on a code host. */
export interface SourcePlace {
  /** The repository's address as git has it. */
  readonly repository: string;
  readonly branch: string;
  /** The site's folder in the repository; `.` is its root. */
  readonly directory: string;
  /** What the host is known to be, where its name does not tell: GitHub Enterprise. */
  readonly codeHost?: "github" | undefined;
}

interface HostForm {
  /** Parts of a repository's path on the host. */
  readonly depth: { readonly least: number; readonly most: number };
  edit(repository: string, branch: string, path: string): string;
  issue(repository: string): string | undefined;
}

const ownerAndName = { least: 2, most: 2 };

const github: HostForm = {
  depth: ownerAndName,
  edit: (repository, branch, path) => `${repository}/edit/${branch}/${path}`,
  issue: (repository) => `${repository}/issues/new?title={title}`,
};
const gitlab: HostForm = {
  // Groups hold groups, up to twenty.
  depth: { least: 2, most: 22 },
  edit: (repository, branch, path) => `${repository}/-/edit/${branch}/${path}`,
  issue: (repository) => `${repository}/-/issues/new?issue%5Btitle%5D={title}`,
};
const bitbucket: HostForm = {
  depth: ownerAndName,
  edit: (repository, branch, path) => `${repository}/src/${branch}/${path}?mode=edit`,
  issue: () => undefined,
};
const codeberg: HostForm = {
  depth: ownerAndName,
  edit: (repository, branch, path) => `${repository}/_edit/${branch}/${path}`,
  issue: (repository) => `${repository}/issues/new?title={title}`,
};

interface Host {
  /** Where people find it. */
  readonly origin: string;
  readonly form: HostForm;
}

/** By the names under which git reaches them; the second of some is for networks that close the port of ssh. */
const hosts: ReadonlyMap<string, Host> = new Map([
  ["github.com", { origin: "https://github.com", form: github }],
  ["ssh.github.com", { origin: "https://github.com", form: github }],
  ["gitlab.com", { origin: "https://gitlab.com", form: gitlab }],
  ["altssh.gitlab.com", { origin: "https://gitlab.com", form: gitlab }],
  ["bitbucket.org", { origin: "https://bitbucket.org", form: bitbucket }],
  ["altssh.bitbucket.org", { origin: "https://bitbucket.org", form: bitbucket }],
  ["codeberg.org", { origin: "https://codeberg.org", form: codeberg }],
]);

/** Undefined where the host is not one whose addresses are known, or the address is none of a repository there. */
export function sourceLinks(place: SourcePlace): SourceLinks | undefined {
  const address = networkAddress(place.repository);
  const host = address && (hosts.get(address.host) ?? ownHost(address, place));
  if (!host) return undefined;
  const { origin, form } = host;
  const parts = address.path
    .replace(/\.git\/*$/, "")
    .split("/")
    .filter((part) => part !== "");
  if (parts.length < form.depth.least || parts.length > form.depth.most) return undefined;
  const repository = [origin, ...parts].join("/");
  const folder = place.directory === "." ? "" : `${encodePath(place.directory)}/`;
  const edit = form.edit(repository, encodePath(place.branch), `${folder}{path}`);
  const issue = form.issue(repository);
  return { edit, ...(issue === undefined ? {} : { issue }) };
}

function ownHost(
  { protocol, host, url }: NetworkAddress,
  { codeHost }: SourcePlace,
): Host | undefined {
  if (codeHost !== "github") return undefined;
  // The port of ssh is not that of its pages.
  const origin = protocol === "ssh" ? `https://${host}` : new URL(url).origin;
  return { origin, form: github };
}

/** Undefined for what is no address, and for folders of this machine. */
function networkAddress(repository: string): NetworkAddress | undefined {
  try {
    const address = parseRepositoryAddress(repository);
    return address.protocol === "file" ? undefined : address;
  } catch {
    // Also an address that holds a password, which must be shown nowhere.
    return undefined;
  }
}
