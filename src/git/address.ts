import { OctavoError } from "../core/index.ts";

/** Where a repository lies, taken apart and in one form. `url` is what git is given. */
export type RepositoryAddress = NetworkAddress | FileAddress;

export interface NetworkAddress {
  readonly protocol: "https" | "http" | "ssh";
  /** Lower case; an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
  readonly url: string;
}

export interface FileAddress {
  readonly protocol: "file";
  /** Absolute. */
  readonly path: string;
  readonly url: string;
}

const defaultPorts = { https: 443, http: 80, ssh: 22 } as const;
const maximumLength = 2_048;

/** `git@host:path`, as code hosts show it for ssh; a path that begins with a digit is no port here. */
const scpForm = /^([A-Za-z0-9_][A-Za-z0-9_.-]*)@([A-Za-z0-9][A-Za-z0-9.-]*):(?!\/\/)(.+)$/;
/** Nothing that git, ssh or curl could take for an option. */
const hostForm = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])\.?$/;
const userForm = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;

/**
 * Reads a repository's address: `https://host/path`, `ssh://user@host/path`, `git@host:path`, and
 * `http:` and `file:` (which only the operator can allow). Says nothing of whether it may be reached.
 * Throws `invalid_input` with a sentence; an address that holds a password is refused without
 * repeating it.
 */
export function parseRepositoryAddress(text: string): RepositoryAddress {
  if (text.length > maximumLength || !isPrintable(text)) {
    throw invalid("The repository's address is too long or holds control characters.");
  }
  const scp = scpForm.exec(text);
  const url = URL.parse(scp ? `ssh://${scp[1]}@${scp[2]}/${scp[3]?.replace(/^\//, "")}` : text);
  if (!url) {
    // Not repeated: what people paste here may be a token, or hold one.
    throw invalid(
      "This is not the address of a repository: give it as https://host/path or ssh://git@host/path.",
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
  const host = url.hostname.toLowerCase();
  if (!hostForm.test(host)) throw invalid("The repository's address has no valid host name.");
  if (url.username !== "" && !userForm.test(url.username)) {
    throw invalid("The user name in the repository's address is not valid.");
  }
  if (url.pathname.length < 2) throw invalid("The repository's address names no path on its host.");
  return {
    protocol,
    host: host.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? defaultPorts[protocol] : Number(url.port),
    url: url.href,
  };
}

function fileAddress(url: URL): FileAddress {
  if (url.host !== "") throw invalid("A file: address names a folder of this machine, no host.");
  let path: string;
  try {
    path = decodeURIComponent(url.pathname);
  } catch {
    throw invalid("The repository's address holds a broken escape (%).");
  }
  if (!isPrintable(path)) throw invalid("The repository's address holds control characters.");
  return { protocol: "file", path, url: url.href };
}

function isPrintable(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return !/[\u0000-\u001f\u007f]/.test(text);
}

function invalid(message: string): OctavoError {
  return new OctavoError("invalid_input", message);
}
