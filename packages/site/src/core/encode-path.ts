/**
 * A path percent-encoded for an address, except its slashes; also for a query, where edit addresses have it. A lone
 * surrogate becomes U+FFFD.
 */
export function encodePath(path: string): string {
  return path.toWellFormed().split("/").map(encodeURIComponent).join("/");
}
