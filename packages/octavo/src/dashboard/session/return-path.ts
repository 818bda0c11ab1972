const maxPathLength = 2000;

/**
 * Returns the page to open after signing in: `next` if it is a path of this service, otherwise `fallback`. Never
 * returns an address that a browser could resolve to another host (`//host`, `/\host`, `/.//host`).
 */
export function chooseReturnPath(next: string | undefined, fallback: string): string {
  if (next === undefined || next.length > maxPathLength || !next.startsWith("/")) return fallback;
  const url = URL.parse(next, "http://own.invalid");
  if (url?.origin !== "http://own.invalid") return fallback;
  const path = url.pathname + url.search;
  return path.startsWith("//") ? fallback : path;
}
