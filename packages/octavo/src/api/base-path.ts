/** Returns the path prefix of the service's external address, e.g. `/octavo`; usually empty. */
export function parseBasePath(baseUrl: string): string {
  return (URL.parse(baseUrl)?.pathname ?? "").replace(/\/+$/, "");
}
