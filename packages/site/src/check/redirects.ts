import { resolveLink } from "../site/index.ts";
import { siteRoot } from "./configured-links.ts";
import type { Problem } from "../core/index.ts";
import type { SiteRedirect, Site, SiteLinks } from "../site/index.ts";

/** Browsers give up after 20. */
const maxHops = 20;

/** Redirects that lead in a circle, to no page of the site, or to another redirect. */
export function checkRedirects(site: Site, links: SiteLinks): Problem[] {
  return site.redirects.flatMap((redirect) => {
    const found = problemOf(redirect, links);
    const place = site.configPlaces?.redirects.get(redirect.source);
    return found === undefined ? [] : [{ ...found, ...(place ?? { file: site.configFile }) }];
  });
}

function problemOf(
  { source, destination }: SiteRedirect,
  links: SiteLinks,
): Omit<Problem, "file"> | undefined {
  const redirect = `The redirect from ${JSON.stringify(source)} to ${JSON.stringify(destination)}`;
  const end = endOf(source.replaceAll(wildcard, "x"), links);
  if (end === "circle" || (end === "endless" && !hasWildcard(source))) {
    const message = `${redirect} leads back to where it began.`;
    // What a wildcard matches is known only at a request; some of it may be pages.
    return { severity: hasWildcard(source) ? "warning" : "error", code: "redirect_loop", message };
  }
  if (hasWildcard(destination)) return undefined;
  const { kind } = resolveLink(destination, siteRoot, links);
  if (kind === "external") return undefined;
  if (kind === "unknown") {
    const message = `${redirect} leads to no page or file of this site.`;
    return { severity: "error", code: "redirect_broken", message };
  }
  const target = pathOf(destination);
  const next = links.hasPage(target) ? undefined : links.redirectOf(target);
  if (next === undefined) return undefined;
  const message = `${redirect} leads to another redirect; let it lead to ${JSON.stringify(next)}.`;
  return { severity: "warning", code: "redirect_chain", message };
}

const wildcard = /:[A-Za-z_]\w*\*?|\*/g;

function hasWildcard(path: string): boolean {
  return path.search(wildcard) !== -1;
}

/** Follows redirects from `source` to a page or another host, back to the start, or beyond the limit. */
function endOf(source: string, links: SiteLinks): "end" | "circle" | "endless" {
  const visited = new Set<string>();
  let path: string | undefined = pathOf(source);
  while (path !== undefined && !links.hasPage(path)) {
    if (visited.has(path)) return "circle";
    visited.add(path);
    // Wildcards can make paths grow without end.
    if (visited.size > maxHops) return "endless";
    const next = links.redirectOf(path);
    path = next?.startsWith("/") ? pathOf(next) : undefined;
  }
  return "end";
}

function pathOf(address: string): string {
  return address
    .replace(/[?#].*$/s, "")
    .replace(/^\/+/, "")
    .replace(/\/$/, "");
}
