/** The prefix of the service's external paths: `/octavo`, usually empty. */
export function parseBasePath(baseUrl: string): string {
  return (URL.parse(baseUrl)?.pathname ?? "").replace(/\/+$/, "");
}
