import type { CodeHostName } from "./code-host.ts";
import { parseRepositoryAddress } from "./repository-address.ts";
import type { NetworkAddress } from "./repository-address.ts";
import { encodePath } from "@octavo/site/core";
import type { SourceLinks } from "@octavo/site";

/** The location of a site's files on a code host. */
interface SourceLocation {
  /** The repository address that git uses. */
  readonly repository: string;
  readonly branch: string;
  /** The site's folder in the repository; `.` means the root. */
  readonly directory: string;
  /** The kind of the code host, for servers whose name does not show it, such as GitHub Enterprise. */
  readonly codeHost?: CodeHostName | undefined;
}

interface UrlScheme {
  /** The number of segments in a repository's path on the host. */
  readonly depth: { readonly min: number; readonly max: number };
  formatEditUrl(repository: string, branch: string, path: string): string;
  formatIssueUrl(repository: string): string | undefined;
  /** The path in `lines` is percent-encoded. */
  formatLinesUrl(repository: string, lines: EncodedLines): string;
}

interface EncodedLines {
  readonly commit: string;
  readonly path: string;
  readonly line: number;
  readonly endLine: number;
}

const ownerAndNameDepth = { min: 2, max: 2 };

const github: UrlScheme = {
  depth: ownerAndNameDepth,
  formatEditUrl: (repository, branch, path) => `${repository}/edit/${branch}/${path}`,
  formatIssueUrl: (repository) => `${repository}/issues/new?title={title}`,
  formatLinesUrl: (repository, { commit, path, line, endLine }) =>
    `${repository}/blob/${commit}/${path}#L${line}${endLine === line ? "" : `-L${endLine}`}`,
};
const gitlab: UrlScheme = {
  // Groups can be nested up to twenty levels deep.
  depth: { min: 2, max: 22 },
  formatEditUrl: (repository, branch, path) => `${repository}/-/edit/${branch}/${path}`,
  formatIssueUrl: (repository) => `${repository}/-/issues/new?issue%5Btitle%5D={title}`,
  formatLinesUrl: (repository, { commit, path, line, endLine }) =>
    `${repository}/-/blob/${commit}/${path}#L${line}${endLine === line ? "" : `-${endLine}`}`,
};
const bitbucket: UrlScheme = {
  depth: ownerAndNameDepth,
  formatEditUrl: (repository, branch, path) => `${repository}/src/${branch}/${path}?mode=edit`,
  formatIssueUrl: () => undefined,
  formatLinesUrl: (repository, { commit, path, line, endLine }) =>
    `${repository}/src/${commit}/${path}#lines-${line}${endLine === line ? "" : `:${endLine}`}`,
};
const gitea: UrlScheme = {
  depth: ownerAndNameDepth,
  formatEditUrl: (repository, branch, path) => `${repository}/_edit/${branch}/${path}`,
  formatIssueUrl: (repository) => `${repository}/issues/new?title={title}`,
  formatLinesUrl: (repository, { commit, path, line, endLine }) =>
    `${repository}/src/commit/${commit}/${path}#L${line}${endLine === line ? "" : `-L${endLine}`}`,
};

interface Host {
  /** The origin of the host's web pages. */
  readonly origin: string;
  readonly urls: UrlScheme;
}

/**
 * Hosts, keyed by the host names to which git connects. Some hosts have a second name for networks that block the ssh
 * port.
 */
const hosts: ReadonlyMap<string, Host> = new Map([
  ["github.com", { origin: "https://github.com", urls: github }],
  ["ssh.github.com", { origin: "https://github.com", urls: github }],
  ["gitlab.com", { origin: "https://gitlab.com", urls: gitlab }],
  ["altssh.gitlab.com", { origin: "https://gitlab.com", urls: gitlab }],
  ["bitbucket.org", { origin: "https://bitbucket.org", urls: bitbucket }],
  ["altssh.bitbucket.org", { origin: "https://bitbucket.org", urls: bitbucket }],
  ["codeberg.org", { origin: "https://codeberg.org", urls: gitea }],
]);

/**
 * Returns the links for editing a site's files and reporting issues. Returns undefined if the host's URL scheme is
 * unknown or the address does not name a repository on the host.
 */
export function findSourceLinks(location: SourceLocation): SourceLinks | undefined {
  const source = findHostedSource(location);
  if (!source) return undefined;
  const { repository, urls } = source;
  const folder = location.directory === "." ? "" : `${encodePath(location.directory)}/`;
  const edit = urls.formatEditUrl(repository, encodePath(location.branch), `${folder}{path}`);
  const issue = urls.formatIssueUrl(repository);
  return { edit, ...(issue === undefined ? {} : { issue }) };
}

/** Lines of a file at a commit. */
interface SourceLines extends EncodedLines, Pick<SourceLocation, "repository" | "codeHost"> {}

/**
 * Returns the URL of the lines, in which spaces and parentheses are percent-encoded. Returns undefined in the same
 * cases as `findSourceLinks`.
 */
export function findLinesUrl(lines: SourceLines): string | undefined {
  const source = findHostedSource(lines);
  const path = encodePath(lines.path).replaceAll("(", "%28").replaceAll(")", "%29");
  return source?.urls.formatLinesUrl(source.repository, { ...lines, path });
}

interface HostedSource {
  /** The URL of the repository's web page. */
  readonly repository: string;
  readonly urls: UrlScheme;
}

function findHostedSource(
  location: Pick<SourceLocation, "repository" | "codeHost">,
): HostedSource | undefined {
  const address = findNetworkAddress(location.repository);
  const host = address && (hosts.get(address.host) ?? findSelfHostedHost(address, location));
  if (!host) return undefined;
  const { origin, urls } = host;
  const parts = address.path
    .replace(/\.git\/*$/, "")
    .split("/")
    .filter((part) => part !== "");
  if (parts.length < urls.depth.min || parts.length > urls.depth.max) return undefined;
  return { repository: [origin, ...parts].join("/"), urls };
}

/** The URL schemes of self-hosted servers, by kind of code host. */
const selfHostedUrls: Readonly<Partial<Record<CodeHostName, UrlScheme>>> = {
  github,
  gitlab,
  // A server's address may have a path.
  gitea: { ...gitea, depth: { min: 2, max: 22 } },
};

function findSelfHostedHost(
  { protocol, host, url }: NetworkAddress,
  { codeHost }: Pick<SourceLocation, "codeHost">,
): Host | undefined {
  const urls = codeHost && selfHostedUrls[codeHost];
  if (!urls) return undefined;
  // The ssh port is not the port of the web pages, so it is omitted.
  const origin = protocol === "ssh" ? `https://${host}` : new URL(url).origin;
  return { origin, urls };
}

/** Parses a repository's address. Returns undefined for an invalid address and for a folder on this machine. */
function findNetworkAddress(repository: string): NetworkAddress | undefined {
  try {
    const address = parseRepositoryAddress(repository);
    return address.protocol === "file" ? undefined : address;
  } catch {
    // An address with a password is also rejected, because it must never be shown.
    return undefined;
  }
}
