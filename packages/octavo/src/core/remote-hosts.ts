import { OctavoError } from "@octavo/site/core";
import { toHostName } from "./hosts.ts";

/** The hosts whose files the service fetches because a site names them (`OCTAVO_REMOTE_HOSTS`). */
export interface RemoteHosts {
  /** `host` as addresses have it. */
  allows(host: string): boolean;
}

/** For those who fetch what their own site names. */
export const allRemoteHosts: RemoteHosts = { allows: () => true };

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
