import { resolveLink } from "../render/index.ts";
import { siteRoot } from "./configured-links.ts";
import type { Problem, Redirect, Site, SiteLinks } from "../render/index.ts";

/** Browsers give up after 20. */
const mostHops = 20;

/** Redirects that lead in a circle, or to no page of the site. */
export function checkRedirects(site: Site, links: SiteLinks): Problem[] {
  return site.redirects.flatMap((redirect) => {
    const message = problemOf(redirect, links);
    if (message === undefined) return [];
    return [{ severity: "error", file: site.configFile, ...message }];
  });
}

function problemOf(
  { source, destination }: Redirect,
  links: SiteLinks,
): Pick<Problem, "code" | "message"> | undefined {
  // What a wildcard stands for is known when a reader comes, not before.
  if (hasWildcard(destination)) return undefined;
  const redirect = `The redirect from ${JSON.stringify(source)} to ${JSON.stringify(destination)}`;
  if (!hasWildcard(source) && isCircle(source, links)) {
    return { code: "redirect_loop", message: `${redirect} leads back to where it began.` };
  }
  if (resolveLink(destination, siteRoot, links).kind !== "unknown") return undefined;
  return { code: "redirect_broken", message: `${redirect} leads to no page or file of this site.` };
}

function hasWildcard(path: string): boolean {
  return /\*|(?:^|\/):/.test(path);
}

/** Follows redirects from `source` until they leave for a page or another host, or come back. */
function isCircle(source: string, links: SiteLinks): boolean {
  const seen = new Set<string>();
  let path: string | undefined = pathOf(source);
  while (path !== undefined && !links.hasPage(path)) {
    if (seen.has(path)) return true;
    seen.add(path);
    // Wildcards can make paths that grow for ever.
    if (seen.size > mostHops) return true;
    const next = links.redirectOf(path);
    path = next?.startsWith("/") ? pathOf(next) : undefined;
  }
  return false;
}

function pathOf(address: string): string {
  return address
    .replace(/[?#].*$/s, "")
    .replace(/^\/+/, "")
    .replace(/\/$/, "");
}
