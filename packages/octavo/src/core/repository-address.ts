import { isIP } from "node:net";
import { OctavoError, createInputError } from "@octavo/site/core";
import { isHostName } from "./hosts.ts";

/** A parsed and normalized repository address, whose `url` is passed to git. */
type RepositoryAddress = NetworkAddress | FileAddress;

export interface NetworkAddress {
  readonly protocol: "https" | "http" | "ssh";
  /** The host in lower case. An IPv6 address has no brackets. */
  readonly host: string;
  readonly port: number;
  /** The path on the host, with a leading slash and percent-encoded as in the address. */
  readonly path: string;
  readonly url: string;
}

export interface FileAddress {
  readonly protocol: "file";
  /** An absolute path. */
  readonly path: string;
  readonly url: string;
}

const defaultPorts = { https: 443, http: 80, ssh: 22 } as const;
const maxAddressLength = 2_000;

/**
 * Matches the ssh form `git@host:path` that code hosts show. Digits after the colon are part of the path, not a port.
 */
const scpPattern = /^(\w[\w.-]{0,63})@([A-Za-z0-9.-]{1,255}):(?!\/\/)\/?(.+)$/;
const userNamePattern = /^\w[\w.-]{0,63}$/;

/** A source repository, which people write as `repository[@ref][:directory]`. */
export interface SourceSpec {
  readonly repository: string;
  readonly ref: string | null;
  readonly directory: string;
}

/** Matches the part of an address before the path, e.g. `https://host:8443/` or `git@host:`. */
const addressStartPattern = /^(?:[a-z][a-z\d+.-]*:\/\/[^/]*\/|[\w.-]+@[\w.-]+:)/i;
const pathPattern = /^([^@:]+)(?:@([^:]+))?(?::([^:]+))?$/;

/**
 * Parses a repository's address in one of the forms `https://host/path`, `ssh://user@host/path`, `git@host:path`, or an
 * `http:` or `file:` address, which only the operator can allow. Does not check whether the service may connect to the
 * address. git, ssh and curl cannot mistake any part of the result for an option. Throws an `invalid_input` error whose
 * message does not repeat the address, because malformed input may contain a token.
 */
export function parseRepositoryAddress(text: string): RepositoryAddress {
  if (text.length > maxAddressLength || /[\s\p{Cc}]/u.test(text)) {
    throw createInvalidAddressError(
      "The repository's address is longer than 2,000 characters or contains spaces or control characters.",
    );
  }
  const scp = scpPattern.exec(text);
  const url = URL.parse(scp ? `ssh://${scp[1]}@${scp[2]}/${scp[3]}` : text);
  if (!url) {
    throw createInvalidAddressError(
      "This is not a repository address. Write it as https://host/path, ssh://git@host/path or git@host:path.",
    );
  }
  if (url.password !== "" || (url.username !== "" && url.protocol !== "ssh:")) {
    throw createInvalidAddressError(
      "The repository's address contains a user name or password. Remove it, and enter the token as credentials.",
    );
  }
  if (url.search !== "" || url.hash !== "") {
    throw createInvalidAddressError(
      "The repository's address must not contain a query or a fragment (? or #).",
    );
  }
  switch (url.protocol) {
    case "https:":
      return readNetworkAddress("https", url);
    case "http:":
      return readNetworkAddress("http", url);
    case "ssh:":
      return readNetworkAddress("ssh", url);
    case "file:":
      return readFileAddress(url);
    default:
      throw createInvalidAddressError(
        "Repositories are read over https or ssh, but this address has a different scheme.",
      );
  }
}

function readNetworkAddress(protocol: NetworkAddress["protocol"], url: URL): NetworkAddress {
  const host = url.hostname.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  if (isIP(host) === 0 && !isHostName(host)) {
    throw createInvalidAddressError("The repository's address has no valid host name.");
  }
  if (url.username !== "" && !userNamePattern.test(url.username)) {
    throw createInvalidAddressError("The user name in the repository's address is not valid.");
  }
  const path = url.pathname;
  if (path.length < 2 || path.startsWith("/-")) {
    throw createInvalidAddressError(
      "The repository's address has no path, or its path begins with a hyphen.",
    );
  }
  const port = url.port === "" ? defaultPorts[protocol] : Number(url.port);
  return { protocol, host, port, path, url: url.href };
}

function readFileAddress(url: URL): FileAddress {
  if (url.host !== "")
    throw createInvalidAddressError(
      "A file: address must name a folder on this machine, without a host.",
    );
  let path: string;
  try {
    path = decodeURIComponent(url.pathname);
  } catch {
    throw createInvalidAddressError(
      "The repository's address contains an invalid percent-encoding (%).",
    );
  }
  if (/\p{Cc}/u.test(path))
    throw createInvalidAddressError("The repository's address contains control characters.");
  return { protocol: "file", path, url: url.href };
}

/** Creates the error for an invalid address, which forms show next to its field. */
function createInvalidAddressError(message: string): OctavoError {
  return new OctavoError("invalid_input", message, { details: { field: "repository" } });
}

/**
 * Parses a source. Text such as `engine@v2:src` could also be an ssh address, so `isFolder` reports whether `engine` is
 * a folder. Throws an `invalid_input` error that does not repeat the text, because an invalid address may contain a
 * secret.
 */
export function parseSourceSpec(
  text: string,
  isFolder: (name: string) => boolean = () => false,
): SourceSpec {
  const [first = ""] = /^[^@:]*/.exec(text) ?? [];
  const [start = ""] = isFolder(first) ? [] : (addressStartPattern.exec(text) ?? []);
  const [, path, ref, directory] = pathPattern.exec(text.slice(start.length)) ?? [];
  if (path === undefined) {
    throw createInputError(
      "A source consists of a repository and, optionally, a ref and a folder: https://host/path@v2.1:src.",
    );
  }
  return { repository: start + path, ref: ref ?? null, directory: directory ?? "." };
}

/**
 * Formats a source. `parseSourceSpec` can parse the result unless the path of the address contains an `@` or a colon.
 */
export function formatSourceSpec({ repository, ref, directory }: SourceSpec): string {
  return `${repository}${ref === null ? "" : `@${ref}`}${directory === "." ? "" : `:${directory}`}`;
}
