import { cleanRelativePath } from "../core/index.ts";
import { hasWildcard, matchPatterns, readPattern } from "./redirect-pattern.ts";
import type { SiteRedirect } from "./site.ts";

/**
 * Creates a function from a path (without leading slash) to the destination of its redirect: an exact match, otherwise
 * the first redirect whose wildcards (`:name`, `:name*`, `*`) match. Sources with a query or fragment never match.
 */
export function createRedirectMatcher(
  redirects: readonly SiteRedirect[],
): (path: string) => string | undefined {
  const exact = collectExactRedirects(redirects);
  const patterns = redirects
    .filter(({ source }) => hasWildcard(source) && !/[?#]/.test(source))
    .map(({ source, destination }) => readPattern(source, destination));
  return (path) => exact.get(path)?.destination ?? matchPatterns(path, patterns);
}

/**
 * Returns the redirects without wildcards by their source path, decoded and without outer slashes; the first redirect
 * for each path.
 */
export function collectExactRedirects(
  redirects: readonly SiteRedirect[],
): ReadonlyMap<string, SiteRedirect> {
  const exact = new Map<string, SiteRedirect>();
  for (const redirect of redirects) {
    const path = hasWildcard(redirect.source) ? undefined : exactPath(redirect.source);
    if (path !== undefined && !exact.has(path)) exact.set(path, redirect);
  }
  return exact;
}

/** Returns the path of a source; undefined if it is not a path of a site. */
function exactPath(source: string): string | undefined {
  if (/[?#]/.test(source)) return undefined;
  try {
    return cleanRelativePath(decodeURIComponent(source));
  } catch {
    // Not percent-encoded: the text is the path.
    return cleanRelativePath(source);
  }
}
