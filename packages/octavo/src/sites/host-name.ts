import { domainToASCII } from "node:url";

/** The maximum length of a host name, with a port. */
const maxLength = 260;

/**
 * Returns the host name of a Host header in lower case, without port and final dot, in punycode. Returns undefined if
 * it is not a host name.
 */
export function parseHostName(header: string): string | undefined {
  if (header.length > maxLength) return undefined;
  const name = /^([^:/?#@\\\s[\]]+?)\.?(?::\d*)?$/.exec(header)?.[1] ?? "";
  // Names that are plain already, such as most, need no library.
  if (/^[a-z0-9.-]+$/.test(name)) return name;
  const ascii = domainToASCII(name);
  return ascii === "" ? undefined : ascii;
}
