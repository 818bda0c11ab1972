/** The path that stands before the service's own ones, seen from outside: `/octavo`, mostly nothing. */
export function basePathOf(baseUrl: string): string {
  return (URL.parse(baseUrl)?.pathname ?? "").replace(/\/+$/, "");
}
