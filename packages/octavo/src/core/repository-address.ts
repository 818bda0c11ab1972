import { isIP } from "node:net";
import { OctavoError } from "@octavo/site/core";
import { isHostName } from "./host-name.ts";

/** Where a repository lies, taken apart and in one form. `url` is what git is given. */
export type RepositoryAddress = NetworkAddress | FileAddress;

export interface NetworkAddress {
  readonly protocol: "https" | "http" | "ssh";
  /** Lower case; an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
  /** On the host, with a slash at the start and escaped as in the address. */
  readonly path: string;
  readonly url: string;
}

export interface FileAddress {
  readonly protocol: "file";
  /** Absolute. */
  readonly path: string;
  readonly url: string;
}

const defaultPorts = { https: 443, http: 80, ssh: 22 } as const;
const maximumLength = 2_000;

/** `git@host:path`, as code hosts show it for ssh; a path that begins with a digit is no port here. */
const scpForm = /^(\w[\w.-]{0,63})@([A-Za-z0-9.-]{1,255}):(?!\/\/)\/?(.+)$/;
const userForm = /^\w[\w.-]{0,63}$/;

/**
 * Reads a repository's address: `https://host/path`, `ssh://user@host/path`, `git@host:path`, and
 * `http:` and `file:` (which only the operator can allow). Says nothing of whether it may be reached.
 * Nothing in what it gives can be taken for an option by git, ssh or curl. Throws `invalid_input` with
 * a sentence that does not repeat the address: what cannot be read may be a token, or hold one.
 */
export function parseRepositoryAddress(text: string): RepositoryAddress {
  if (text.length > maximumLength || /[\s\p{Cc}]/u.test(text)) {
    throw invalid(
      "The repository's address is longer than 2,000 characters, or holds spaces or control characters.",
    );
  }
  const scp = scpForm.exec(text);
  const url = URL.parse(scp ? `ssh://${scp[1]}@${scp[2]}/${scp[3]}` : text);
  if (!url) {
    throw invalid(
      "This is not the address of a repository: give it as https://host/path, ssh://git@host/path or " +
        "git@host:path.",
    );
  }
  if (url.password !== "" || (url.username !== "" && url.protocol !== "ssh:")) {
    throw invalid(
      "The repository's address holds a user name or password; give it without, and the token as credentials.",
    );
  }
  if (url.search !== "" || url.hash !== "") {
    throw invalid("The repository's address may not hold a query or a fragment (? or #).");
  }
  switch (url.protocol) {
    case "https:":
      return networkAddress("https", url);
    case "http:":
      return networkAddress("http", url);
    case "ssh:":
      return networkAddress("ssh", url);
    case "file:":
      return fileAddress(url);
    default:
      throw invalid(
        "Repositories are read over https and ssh; this address begins with something else.",
      );
  }
}

function networkAddress(protocol: NetworkAddress["protocol"], url: URL): NetworkAddress {
  const host = url.hostname.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  if (isIP(host) === 0 && !isHostName(host)) {
    throw invalid("The repository's address has no valid host name.");
  }
  if (url.username !== "" && !userForm.test(url.username)) {
    throw invalid("The user name in the repository's address is not valid.");
  }
  const path = url.pathname;
  if (path.length < 2 || path.startsWith("/-")) {
    throw invalid(
      "The repository's address names no path on its host, or one that begins with a hyphen.",
    );
  }
  const port = url.port === "" ? defaultPorts[protocol] : Number(url.port);
  return { protocol, host, port, path, url: url.href };
}

function fileAddress(url: URL): FileAddress {
  if (url.host !== "") throw invalid("A file: address names a folder of this machine, no host.");
  let path: string;
  try {
    path = decodeURIComponent(url.pathname);
  } catch {
    throw invalid("The repository's address holds a broken escape (%).");
  }
  if (/\p{Cc}/u.test(path)) throw invalid("The repository's address holds control characters.");
  return { protocol: "file", path, url: url.href };
}

function invalid(message: string): OctavoError {
  return new OctavoError("invalid_input", message);
}
