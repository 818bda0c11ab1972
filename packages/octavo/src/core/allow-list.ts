import { BlockList, isIP } from "node:net";
import { posix } from "node:path";
import { isHostName } from "./hosts.ts";
import { createInputError } from "@octavo/site/core";

/**
 * Private and local hosts and folders that the service may access (`OCTAVO_ALLOW`). Public addresses need no entry.
 * `destination.ts` uses the list to decide whether an address is allowed.
 */
export interface AllowList {
  /**
   * Reports whether an absolute path is a listed folder or inside one. Symbolic links must be resolved first, because
   * only text is compared.
   */
  allowsFile(path: string): boolean;
  allowsAddress(ip: string, port: number): boolean;
  /** Compares names, or addresses if `host` is an address. A listed name allows every address to which it resolves. */
  allowsHost(host: string, port: number): boolean;
}

interface NetworkEntry {
  readonly addresses: BlockList;
  /** The allowed port; undefined means every port. */
  readonly port: number | undefined;
}
interface HostEntry {
  readonly host: string;
  readonly port: number | undefined;
}
interface Entries {
  readonly folders: string[];
  readonly networks: NetworkEntry[];
  readonly names: HostEntry[];
}

/**
 * Parses a comma-separated list of entries such as `file:///srv/git`, `gitlab.corp.example`, `10.0.0.0/8`,
 * `127.0.0.1:11434` and `[::1]:8080`. Throws an `invalid_input` error that names the first invalid entry.
 */
export function parseAllowList(text: string): AllowList {
  const entries: Entries = { folders: [], networks: [], names: [] };
  for (const part of text.split(",")) {
    const entry = part.trim();
    if (entry !== "" && !addEntry(entries, entry)) {
      throw createInputError(
        `${JSON.stringify(entry)} is not a folder, host or address. Write a folder (file:///srv/git), a host name, ` +
          "an address or a range (10.0.0.0/8). To allow only one port of a host or an address, append :port.",
      );
    }
  }
  return createAllowList(entries);
}

function createAllowList({ folders, networks, names }: Entries): AllowList {
  function allowsAddress(ip: string, port: number): boolean {
    const family = findAddressFamily(ip);
    return networks.some(
      (network) =>
        family !== undefined &&
        matchesPort(network.port, port) &&
        network.addresses.check(ip, family),
    );
  }
  return {
    allowsFile(path) {
      const normalizedPath = posix.normalize(path);
      return folders.some(
        (folder) => normalizedPath === folder || normalizedPath.startsWith(`${folder}/`),
      );
    },
    allowsAddress,
    allowsHost(host, port) {
      const name = normalizeHost(host);
      if (findAddressFamily(name)) return allowsAddress(name, port);
      return names.some((entry) => entry.host === name && matchesPort(entry.port, port));
    },
  };
}

function addEntry(entries: Entries, entry: string): boolean {
  if (entry.startsWith("file:")) return addFolder(entries, entry);
  if (entry.includes("/")) return addRange(entries, entry);
  const { host, port } = splitPort(entry);
  if (host === undefined) return false;
  const family = findAddressFamily(host);
  if (family) {
    const addresses = new BlockList();
    addresses.addAddress(host, family);
    entries.networks.push({ addresses, port });
    return true;
  }
  const name = normalizeHost(host);
  if (!isHostName(name)) return false;
  entries.names.push({ host: name, port });
  return true;
}

function addFolder(entries: Entries, entry: string): boolean {
  const url = URL.parse(entry);
  if (!url || url.host !== "" || url.search !== "" || url.hash !== "") return false;
  const path = decodePath(url.pathname);
  if (path === undefined) return false;
  // The trailing slash is removed, so that `/` becomes an empty string and allows every folder.
  entries.folders.push(posix.normalize(path).replace(/\/$/, ""));
  return true;
}

function addRange(entries: Entries, entry: string): boolean {
  const [address = "", bits = "", ...rest] = entry.split("/");
  const family = findAddressFamily(address);
  const maxBits = family === "ipv4" ? 32 : 128;
  if (!family || rest.length > 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > maxBits) return false;
  const addresses = new BlockList();
  addresses.addSubnet(address, Number(bits), family);
  entries.networks.push({ addresses, port: undefined });
  return true;
}

/**
 * Splits `host`, `host:port`, `[v6]`, `[v6]:port` or a bare IPv6 address. The host is undefined if the port is invalid.
 */
function splitPort(entry: string): { host: string | undefined; port: number | undefined } {
  if (isIP(entry) === 6) return { host: entry, port: undefined };
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(entry);
  const port = match?.[3] === undefined ? undefined : Number(match[3]);
  if (!match || port === 0 || (port ?? 0) > 65_535) return { host: undefined, port };
  return { host: match[1] ?? match[2], port };
}

function matchesPort(allowedPort: number | undefined, port: number): boolean {
  return allowedPort === undefined || allowedPort === port;
}

/** Returns the host in lower case, without brackets and without the trailing dot of a fully qualified name. */
function normalizeHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
}

/**
 * Returns the family of an IP address. Returns undefined for other text and for an address with a zone, because
 * `BlockList` would report them as listed.
 */
function findAddressFamily(ip: string): "ipv4" | "ipv6" | undefined {
  const version = isIP(ip);
  if (version === 0 || ip.includes("%")) return undefined;
  return version === 4 ? "ipv4" : "ipv6";
}

function decodePath(path: string): string | undefined {
  try {
    const decoded = decodeURIComponent(path);
    return decoded.includes("\0") ? undefined : decoded;
  } catch {
    return undefined;
  }
}
