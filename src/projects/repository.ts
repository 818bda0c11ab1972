import { isIP } from "node:net";
import { OctavoError, cleanRelativePath, isPrivateAddress, toHostName } from "../core/index.ts";
import type { AllowList } from "../core/index.ts";

export const codeHosts = ["github", "local"] as const;
export type CodeHostName = (typeof codeHosts)[number];

/** The word that stands for an empty repository that the service hosts. */
export const hostedRepository = "local";

interface Place {
  readonly host: string;
  readonly port: number;
  readonly path: string;
}

const defaultPorts: Readonly<Record<string, number>> = { "https:": 443, "ssh:": 22 };

/** `git@host:path`, as code hosts show it for ssh. */
const scpForm = /^(\w[\w.-]{0,63})@([^\s:/@]{1,255}):(?!\/\/)(\S{1,1500})$/;

/**
 * Checks where a project's repository lies and gives the address to store. Throws `invalid_input`
 * with what to write instead; an address with credentials is refused without repeating it.
 */
export function checkRepository(text: string, allow: AllowList): string {
  if (text === hostedRepository) return text;
  if (text.length > 2_000 || /[\s\p{Cc}]/u.test(text)) {
    throw invalid("repository is longer than 2,000 characters or holds spaces.");
  }
  const scp = scpForm.exec(text);
  if (scp?.[2] !== undefined && scp[3] !== undefined) {
    checkPlace({ host: scp[2], port: 22, path: scp[3] }, allow);
    return text;
  }
  const url = parseUrl(text);
  if (url.protocol === "file:") return checkFile(url, allow);
  const port = url.port === "" ? defaultPorts[url.protocol] : Number(url.port);
  checkPlace({ host: url.hostname, port: port ?? 0, path: url.pathname.slice(1) }, allow);
  return url.href;
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw notAnAddress();
  const mayNameUser = url.protocol === "ssh:";
  if (url.password !== "" || (url.username !== "" && !mayNameUser)) {
    throw invalid(
      "repository holds a user name or password; give the address without them and the token in credentials.",
    );
  }
  const isKnown = url.protocol === "file:" || url.protocol in defaultPorts;
  if (!isKnown || url.search !== "" || url.hash !== "") throw notAnAddress();
  return url;
}

function checkPlace({ host, port, path }: Place, allow: AllowList): void {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  const isAddress = isIP(bare) !== 0;
  const name = isAddress ? bare : toHostName(host);
  if (name === undefined) throw invalid("repository has no valid host name.");
  if (path === "" || path.startsWith("-")) {
    throw invalid("repository names no path on its host, or one that begins with a hyphen.");
  }
  // Names are looked up again, and their addresses checked, whenever a connection is made.
  const isPrivate = isAddress ? isPrivateAddress(name) : /(^|\.)localhost$/.test(name);
  if (isPrivate && !allow.allowsHost(name, port)) {
    throw invalid(
      `repository lies on ${name}, a private address. If it is meant, the operator adds it to OCTAVO_ALLOW.`,
    );
  }
}

function checkFile(url: URL, allow: AllowList): string {
  let path: string | undefined;
  try {
    path = decodeURIComponent(url.pathname);
  } catch {
    path = undefined;
  }
  if (url.host !== "" || path === undefined || path.includes("\0") || !allow.allowsFile(path)) {
    throw invalid(
      "repository is a file: address that this service may not read. The operator adds its folder to " +
        "OCTAVO_ALLOW, e.g. file:///srv/git.",
    );
  }
  return url.href;
}

/** Who takes the pull requests of a repository, where a project does not say. */
export function guessCodeHost(repository: string): CodeHostName {
  const host = scpForm.exec(repository)?.[2] ?? URL.parse(repository)?.hostname ?? "";
  return /^(www\.|ssh\.)?github\.com$/i.test(host) ? "github" : "local";
}

/** Throws `invalid_input` where a code host cannot take pull requests for this repository. */
export function checkCodeHost(codeHost: CodeHostName, repository: string): void {
  if (codeHost === "local") return;
  const path = scpForm.exec(repository)?.[3] ?? URL.parse(repository)?.pathname ?? "";
  if (/^\/?[^/]+\/[^/]+?\/?$/.test(path) && !repository.startsWith("file:")) return;
  throw invalid(
    `codeHost github needs a repository such as https://github.com/owner/name; ${repository} is none.`,
  );
}

/**
 * Throws `invalid_input` where git would not take `ref` as the name of a branch, tag or commit, or
 * could take it for an option. Gives it back unchanged.
 */
export function checkRef(ref: string): string {
  const isRef =
    ref.length <= 255 &&
    /^[^-/.~^:?*[\]\\\s\p{Cc}][^~^:?*[\\\s\p{Cc}]*$/u.test(ref) &&
    !/\.\.|@\{|\/\/|\/\.|\.lock(\/|$)|[/.]$/.test(ref) &&
    ref !== "@";
  if (isRef) return ref;
  throw invalid(`ref ${JSON.stringify(ref.slice(0, 100))} is not a name that Git allows.`);
}

/** The site's folder below the repository's root in one form; `.` for the root itself. */
export function cleanDirectory(directory: string): string {
  const clean = cleanRelativePath(directory);
  if (clean !== undefined && clean.length <= 1_000) return clean === "" ? "." : clean;
  throw invalid("directory leads out of the repository; give a folder below its root, e.g. docs.");
}

/** Not repeated: what people paste here may be a token, or hold one. */
function notAnAddress(): OctavoError {
  return invalid(
    "repository is not an address that can be read: give " +
      "https://host/path, ssh://git@host/path, git@host:path, or local for an empty repository kept here.",
  );
}

function invalid(message: string): OctavoError {
  return new OctavoError("invalid_input", message);
}
