import { cleanRelativePath } from "../core/index.ts";
import { hasWildcard, matchPatterns, readPattern } from "./redirect-pattern.ts";
import type { SiteRedirect } from "./site.ts";

/**
 * Creates a function that returns the destination of the redirect for a path without a leading slash. An exact match
 * takes precedence over the first redirect whose wildcards (`:name`, `:name*`, `*`) match. Sources with a query or
 * fragment never match.
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
 * Returns the redirects without wildcards, keyed by source path. The paths are decoded and have no leading and trailing
 * slashes. For each path, the first redirect applies.
 */
export function collectExactRedirects(
  redirects: readonly SiteRedirect[],
): ReadonlyMap<string, SiteRedirect> {
  const exact = new Map<string, SiteRedirect>();
  for (const redirect of redirects) {
    const path = hasWildcard(redirect.source) ? undefined : findExactPath(redirect.source);
    if (path !== undefined && !exact.has(path)) exact.set(path, redirect);
  }
  return exact;
}

/** Returns the path of a source, or undefined if it is not a path in the site. */
function findExactPath(source: string): string | undefined {
  if (/[?#]/.test(source)) return undefined;
  try {
    return cleanRelativePath(decodeURIComponent(source));
  } catch {
    // The text is the path itself, without percent-encoding.
    return cleanRelativePath(source);
  }
}
