import { type OctavoError, createInputError } from "@octavo/site/core";
import { parseRepositoryAddress } from "../../core/index.ts";

/** A project's repository on a GitLab server. */
export interface GitLabRepository {
  /** The path of the project with its groups, such as `group/subgroup/docs`. */
  readonly projectPath: string;
  /** The address of the server's start page, without a trailing slash. */
  readonly serverUrl: string;
  /** The address for people and for git over https, without a trailing slash or `.git`. */
  readonly webUrl: string;
}

/** The host names of gitlab.com for people, git and ssh. */
export const publicGitLabHosts = ["gitlab.com", "altssh.gitlab.com"] as const;

/** The characters that GitLab allows in the paths of groups and projects, which can be nested up to 20 levels deep. */
const segmentForm = /^(?!\.{1,2}$)[\w.-]{1,255}$/;
const maxDepth = 22;

/**
 * Parses an address. Throws `invalid_input` for an address without a group and a project. A server below a path must be
 * in `serverUrls`, because its path looks like a group.
 */
export function parseGitLabRepository(
  address: string,
  serverUrls: ReadonlyMap<string, string> = new Map(),
): GitLabRepository {
  const place = parseRepositoryAddress(address);
  if (place.protocol === "file") throw invalid(address);
  const isPublic = publicGitLabHosts.some((host) => host === place.host);
  const host = place.host.includes(":") ? `[${place.host}]` : place.host;
  // An ssh port is not the port of the web pages, so it is omitted.
  const origin = place.protocol === "ssh" ? `https://${host}` : new URL(place.url).origin;
  const serverUrl = isPublic ? "https://gitlab.com" : (serverUrls.get(place.host) ?? origin);
  const root = new URL(serverUrl).pathname.replace(/\/$/, "");
  const isBelow = place.protocol !== "ssh" && place.path.startsWith(`${root}/`);
  const path = isBelow ? place.path.slice(root.length) : place.path;
  const parts = path
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .split("/")
    .filter(Boolean);
  const isValid = parts.length >= 2 && parts.length <= maxDepth;
  if (!isValid || !parts.every((part) => segmentForm.test(part))) throw invalid(address);
  const projectPath = parts.join("/");
  return { projectPath, serverUrl, webUrl: `${serverUrl}/${projectPath}` };
}

function invalid(address: string): OctavoError {
  return createInputError(
    `${address} is not the address of a GitLab project. Use the form https://gitlab.example.com/group/project.`,
  );
}
