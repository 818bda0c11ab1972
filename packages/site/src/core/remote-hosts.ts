import { OctavoError } from "./error.ts";

/**
 * Hosts that pages may ask for scripts, styles, fonts, frames and data, as sources of a policy:
 * `https://cdn.example.com`, with `*.` for every host below a name, and with a port where one was given.
 */
export type RemoteOrigins = readonly string[];

/** Nothing else may be in an entry: it becomes a part of each page's policy. */
const hostPattern = /^(?:(https?):\/\/)?(\*\.)?([\p{L}\p{N}.-]+|\[[\da-f:.]+\])(:\d{1,5})?\/?$/iu;

/**
 * Reads hosts as a person lists them: `cdn.example.com`, `*.example.com`, `example.com:8443`, `http://localhost:8080`.
 * Without a scheme it is `https`. Throws `invalid_input` with the first entry that names no host.
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
      `${JSON.stringify(entry)} is not a host: write a name such as cdn.example.com, or *.example.com for every host below one.`,
    );
  }
  return `${url.protocol}//${star}${url.host}`;
}

/** Whether `address` is on one of the hosts, as browsers decide it. */
export function isAllowedAddress(address: string, origins: RemoteOrigins): boolean {
  const url = URL.parse(address, "https://localhost");
  if (url === null) return false;
  const protocol = url.protocol.replace(/^ws/, "http");
  return origins.some((origin) => {
    const below = /^(https?:)\/\/\*(.*)$/.exec(origin);
    if (below === null) return origin === `${protocol}//${url.host}`;
    return below[1] === protocol && url.host.endsWith(below[2] ?? "");
  });
}
