import { domainToASCII } from "node:url";

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
