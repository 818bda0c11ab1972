/**
 * A path percent-encoded for an address, except its slashes; also for a query, where edit addresses have it. A lone
 * surrogate becomes U+FFFD.
 */
export function encodePath(path: string): string {
  // Nearly every path is one of these, and some outputs have the paths of all pages.
  if (/^[\w\-./~]*$/.test(path)) return path;
  return path.toWellFormed().split("/").map(encodeURIComponent).join("/");
}
