import { domainToASCII } from "node:url";
import { type OctavoError, createInputError } from "@octavo/site/core";

/** The hosts from which the service fetches files that a site references (`OCTAVO_REMOTE_HOSTS`). */
export interface RemoteHosts {
  /** Reports whether a host is allowed. `host` must have the form that it has in a parsed URL. */
  allows(host: string): boolean;
}

/** Allows all hosts, for commands that run on the user's own site. */
export const allRemoteHosts: RemoteHosts = { allows: () => true };

/**
 * Reports whether `text` is a host name in its stored form, i.e. in lower case and ASCII (punycode), without a trailing
 * dot, and not an IP address.
 */
export function isHostName(text: string): boolean {
  if (text.length === 0 || text.length > 253) return false;
  const labels = text.split(".");
  // URL parsers treat a host with a numeric last label (including 0x...) as an IPv4 address.
  if (/^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? "")) return false;
  return labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label));
}

/**
 * Returns the stored form of a host name that a person typed (`Docs.Example.com`, `bücher.example`), or undefined if it
 * is not a host name.
 */
export function toHostName(text: string): string | undefined {
  if (/[\s/:@?#\\%[\]]/.test(text)) return undefined;
  const name = domainToASCII(text);
  return isHostName(name) ? name : undefined;
}

/** Reports whether a host equals another or is a subdomain of it. Both must be in their stored form. */
export function isHostWithin(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}

/**
 * Parses a comma-separated list of host names. `*.example.com` matches every host below that name, and `*` matches
 * every host. Throws an `invalid_input` error that names the first invalid entry.
 */
export function parseRemoteHosts(text: string): RemoteHosts {
  const names = new Set<string>();
  const suffixes: string[] = [];
  for (const part of text.split(",")) {
    const entry = part.trim();
    if (entry === "*") return allRemoteHosts;
    if (entry === "") continue;
    const isWildcard = entry.startsWith("*.");
    const name = toHostName(isWildcard ? entry.slice(2) : entry);
    if (name === undefined) throw createInvalidHostError(entry);
    if (isWildcard) suffixes.push(`.${name}`);
    else names.add(name);
  }
  return {
    allows(host) {
      const name = toHostName(host.replace(/\.$/, ""));
      if (name === undefined) return false;
      return names.has(name) || suffixes.some((ending) => name.endsWith(ending));
    },
  };
}

function createInvalidHostError(entry: string): OctavoError {
  return createInputError(
    `${JSON.stringify(entry)} is not a host name. Write a name such as cdn.example.com, *.example.com for every ` +
      "host below a name, or * for every host.",
  );
}
