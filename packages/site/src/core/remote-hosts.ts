import { OctavoError } from "./error.ts";

/**
 * Hosts from which pages may load scripts, styles, fonts, frames and data, as sources of a content security policy:
 * `https://cdn.example.com`, with `*.` for every subdomain of a name, and with the port if it was specified.
 */
export type RemoteOrigins = readonly string[];

/** The only valid form of an entry, which becomes part of each page's policy. */
const hostPattern = /^(?:(https?):\/\/)?(\*\.)?([\p{L}\p{N}.-]+|\[[\da-f:.]+\])(:\d{1,5})?\/?$/iu;

/**
 * Parses hosts in the forms that people write: `cdn.example.com`, `*.example.com`, `example.com:8443`,
 * `http://localhost:8080`. The default scheme is `https`. Throws `invalid_input` for the first entry that is not a
 * host.
 */
export function readRemoteOrigins(entries: readonly string[]): RemoteOrigins {
  return [...new Set(entries.map(readOrigin))].toSorted();
}

function readOrigin(entry: string): string {
  const [, scheme = "https", star = "", host = "", port = ""] =
    hostPattern.exec(entry.trim()) ?? [];
  const url = host === "" ? null : URL.parse(`${scheme.toLowerCase()}://${host}${port}`);
  if (url === null) {
    throw new OctavoError(
      "invalid_input",
      `${JSON.stringify(entry)} is not a host: write a name such as cdn.example.com, or *.example.com for all subdomains of example.com.`,
    );
  }
  return `${url.protocol}//${star}${url.host}`;
}

/** Reports whether `address` is on one of the hosts, according to the matching rules of browsers. */
export function isAllowedAddress(address: string, origins: RemoteOrigins): boolean {
  const url = URL.parse(address, "https://localhost");
  if (url === null) return false;
  const protocol = url.protocol.replace(/^ws/, "http");
  return origins.some((origin) => {
    const wildcard = /^(https?:)\/\/\*(.*)$/.exec(origin);
    if (wildcard === null) return origin === `${protocol}//${url.host}`;
    return wildcard[1] === protocol && url.host.endsWith(wildcard[2] ?? "");
  });
}
