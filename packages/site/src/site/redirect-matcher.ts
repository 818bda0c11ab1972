import { cleanRelativePath } from "../core/index.ts";
import { hasWildcard, matchPatterns, readPattern } from "./redirect-pattern.ts";
import type { SiteRedirect } from "./site.ts";

/**
 * Gives for a path (without leading slash) the destination of the redirect that takes it: an exact one
 * first, then the first whose `:name`, `:name*` or `*` fit. Sources with a query or fragment never match.
 */
export function createRedirectMatcher(
  redirects: readonly SiteRedirect[],
): (path: string) => string | undefined {
  const exact = exactRedirects(redirects);
  const patterns = redirects
    .filter(({ source }) => hasWildcard(source) && !/[?#]/.test(source))
    .map(({ source, destination }) => readPattern(source, destination));
  return (path) => exact.get(path)?.destination ?? matchPatterns(path, patterns);
}

/** The redirects that stand for one address, the first of each, by its path: decoded, without slashes around. */
export function exactRedirects(
  redirects: readonly SiteRedirect[],
): ReadonlyMap<string, SiteRedirect> {
  const exact = new Map<string, SiteRedirect>();
  for (const redirect of redirects) {
    const path = hasWildcard(redirect.source) ? undefined : exactPath(redirect.source);
    if (path !== undefined && !exact.has(path)) exact.set(path, redirect);
  }
  return exact;
}

/** Undefined for a source that is no path of a site. */
function exactPath(source: string): string | undefined {
  if (/[?#]/.test(source)) return undefined;
  try {
    return cleanRelativePath(decodeURIComponent(source));
  } catch {
    // Not percent-encoded after all: the text is the path.
    return cleanRelativePath(source);
  }
}
