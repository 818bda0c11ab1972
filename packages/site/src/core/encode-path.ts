/** A path as it stands in an address, its slashes kept. A broken half of a character becomes U+FFFD. */
export function encodePath(path: string): string {
  return encodeURI(path.toWellFormed()).replaceAll("?", "%3F").replaceAll("#", "%23");
}
