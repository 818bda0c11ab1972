/**
 * A path as it stands in an address, its slashes kept; also within a query, as addresses for editing have it. A broken
 * half of a character becomes U+FFFD.
 */
export function encodePath(path: string): string {
  return path.toWellFormed().split("/").map(encodeURIComponent).join("/");
}
