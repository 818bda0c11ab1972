import { parseRepositoryAddress } from "./repository-address.ts";

/** Where the files of a site lie on a code host. */
export interface SourcePlace {
  /** The repository's address as git has it. */
  readonly repository: string;
  readonly branch: string;
  /** The site's folder in the repository; `.` is its root. */
  readonly directory: string;
}

/** Addresses with a gap: `{path}` stands for the path of a file below the site's folder, `{title}` for a page's title. */
export interface SourceLinks {
  /** Where a person edits a file. */
  readonly edit?: string;
  /** Where a person says what is wrong. */
  readonly issue?: string;
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

/** By the names that git and people reach them under; the second of some is for ssh where its port is closed. */
const hosts: ReadonlyMap<string, readonly [name: string, form: HostForm]> = new Map([
  ["github.com", ["github.com", github]],
  ["ssh.github.com", ["github.com", github]],
  ["gitlab.com", ["gitlab.com", gitlab]],
  ["altssh.gitlab.com", ["gitlab.com", gitlab]],
  ["bitbucket.org", ["bitbucket.org", bitbucket]],
  ["altssh.bitbucket.org", ["bitbucket.org", bitbucket]],
  ["codeberg.org", ["codeberg.org", codeberg]],
]);

/** Undefined where the host is not one of those whose addresses are known, or the address is none of a repository there. */
export function sourceLinks({
  repository,
  branch,
  directory,
}: SourcePlace): SourceLinks | undefined {
  const place = placeOf(repository);
  const [name, form] = hosts.get(place?.host ?? "") ?? [];
  if (!place || name === undefined || !form) return undefined;
  const parts = place.path
    .replace(/\.git\/*$/, "")
    .split("/")
    .filter((part) => part !== "");
  if (parts.length < form.depth.least || parts.length > form.depth.most) return undefined;
  const address = `https://${name}/${parts.join("/")}`;
  const folder = directory === "." ? "" : `${escapePath(directory)}/`;
  const edit = form.edit(address, escapePath(branch), `${folder}{path}`);
  const issue = form.issue(address);
  return { edit, ...(issue === undefined ? {} : { issue }) };
}

/** The address with its gap filled; braces that stand in a value are escaped like all else. */
export function fillLink(template: string, gap: "path" | "title", value: string): string {
  const text = gap === "path" ? escapePath(value) : encodeURIComponent(value.toWellFormed());
  return template.replaceAll(`{${gap}}`, () => text);
}

function escapePath(path: string): string {
  return path
    .split("/")
    .map((part) => encodeURIComponent(part.toWellFormed()))
    .join("/");
}

/** Path on the host, escaped; undefined for what is no address, and for folders of this machine. */
function placeOf(repository: string): { readonly host: string; readonly path: string } | undefined {
  try {
    const address = parseRepositoryAddress(repository);
    return address.protocol === "file" ? undefined : address;
  } catch {
    // Also an address that holds a password, which must be shown nowhere.
    return undefined;
  }
}
