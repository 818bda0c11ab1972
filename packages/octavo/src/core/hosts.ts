import { domainToASCII } from "node:url";
import { OctavoError } from "@octavo/site/core";

/** The hosts whose files the service fetches because a site names them (`OCTAVO_REMOTE_HOSTS`). */
export interface RemoteHosts {
  /** `host` as addresses have it. */
  allows(host: string): boolean;
}

/** For those who fetch what their own site names. */
export const allRemoteHosts: RemoteHosts = { allows: () => true };

/** Whether `text` is a host name in its stored form: lower case, ASCII (punycode), no trailing dot, not an IP address. */
export function isHostName(text: string): boolean {
  if (text.length === 0 || text.length > 253) return false;
  const labels = text.split(".");
  // URLs read a last label of digits alone (also 0x...) as an IPv4 address.
  if (/^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? "")) return false;
  return labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label));
}

/** The stored form of a host name as people write it (`Docs.Example.com`, `bücher.example`); undefined for anything else. */
export function toHostName(text: string): string | undefined {
  if (/[\s/:@?#\\%[\]]/.test(text)) return undefined;
  const name = domainToASCII(text);
  return isHostName(name) ? name : undefined;
}

/**
 * Reads a comma-separated list of host names; `*.example.com` stands for every host below that name, and `*` for every
 * host. Throws `invalid_input` with the first entry that is none of these.
 */
export function parseRemoteHosts(text: string): RemoteHosts {
  const names = new Set<string>();
  const endings: string[] = [];
  for (const part of text.split(",")) {
    const entry = part.trim();
    if (entry === "*") return allRemoteHosts;
    if (entry === "") continue;
    const isBelow = entry.startsWith("*.");
    const name = toHostName(isBelow ? entry.slice(2) : entry);
    if (name === undefined) throw invalid(entry);
    if (isBelow) endings.push(`.${name}`);
    else names.add(name);
  }
  return {
    allows(host) {
      const name = host.toLowerCase().replace(/\.$/, "");
      return names.has(name) || endings.some((ending) => name.endsWith(ending));
    },
  };
}

function invalid(entry: string): OctavoError {
  return new OctavoError(
    "invalid_input",
    `${JSON.stringify(entry)} is not a host name: write a name such as cdn.example.com, *.example.com for every host below one, or * for every host.`,
  );
}
