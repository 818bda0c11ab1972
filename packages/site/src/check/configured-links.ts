import {
  resolveLink,
  resolveMedia,
  type NavDivision,
  type NavEntry,
  type Site,
  type SiteConfig,
  type SiteLinks,
  type SiteRedirect,
} from "../site/index.ts";
import type { Problem, ProblemLocation } from "../core/index.ts";
import { describeMissingFile } from "../load/index.ts";
import { findConfiguredTexts, findInlineTargets } from "../theme/index.ts";

/** The location from which relative links of the configuration are resolved. */
const siteRoot = { page: "index", file: "index.mdx" };

/** The number of redirects after which browsers give up. */
const maxHops = 20;

/**
 * Finds links in the configuration (logo, navigation bar, footer, navigation) that do not lead to a page or file of the
 * site.
 */
export function checkConfiguredLinks(site: Site, links: SiteLinks): Problem[] {
  const texts = findConfiguredTexts(site).flatMap((text) => findInlineTargets(text).links);
  const hrefs = new Set([
    ...listConfiguredLinks(site.config),
    ...listNavigationLinks(site.navigation),
    ...texts,
  ]);
  return [...hrefs].flatMap((href) => {
    if (resolveLink(href, siteRoot, links).kind !== "unknown") return [];
    return [
      {
        severity: "error",
        code: "link_broken",
        message: `The link ${JSON.stringify(href)} in the configuration does not lead to a page or file of this site.`,
        ...locateInConfig(site, href),
      },
    ];
  });
}

/** Finds images in the configuration that the site does not have. */
export function checkConfiguredImages(site: Site, links: SiteLinks): Problem[] {
  const { favicon, logo } = site.config;
  const named = [favicon?.light, favicon?.dark, logo?.light, logo?.dark];
  const texts = findConfiguredTexts(site).flatMap((text) => findInlineTargets(text).pictures);
  const targets = new Set([...named, ...texts].filter((target) => target !== undefined));
  return [...targets].flatMap((target) => {
    const resolution = resolveMedia(target, siteRoot, links);
    if (target === "" || resolution.kind !== "unknown") return [];
    const reason = describeMissingFile(site, resolution.path);
    return [
      {
        severity: "error",
        code: "media_missing",
        message: `The file ${JSON.stringify(target)} in the configuration ${reason}.`,
        ...locateInConfig(site, target),
      },
    ];
  });
}

/** Finds redirects that form a loop, do not lead to a page or file, or lead to another redirect. */
export function checkRedirects(site: Site, links: SiteLinks): Problem[] {
  return site.redirects.flatMap((redirect) => {
    const found = findProblem(redirect, links);
    const { source } = redirect.authored ?? redirect;
    const place = site.configPlaces?.redirects.get(source);
    return found === undefined ? [] : [{ ...found, ...(place ?? { file: site.configFile }) }];
  });
}

function locateInConfig({ configFile, configPlaces }: Site, address: string): ProblemLocation {
  return configPlaces?.addresses.get(address) ?? { file: configFile };
}

function* listConfiguredLinks({ navbar, footer, logo }: SiteConfig): Iterable<string> {
  if (logo?.href !== undefined) yield logo.href;
  if (navbar.primary) yield navbar.primary.href;
  for (const { href } of navbar.links) yield href;
  for (const { items } of footer.columns) for (const { href } of items) yield href;
}

function* listNavigationLinks(division: NavDivision): Iterable<string> {
  if (division.href !== undefined) yield division.href;
  for (const inner of division.divisions) yield* listNavigationLinks(inner);
  yield* listEntryLinks(division.entries);
}

function* listEntryLinks(entries: readonly NavEntry[]): Iterable<string> {
  for (const entry of entries) {
    if (entry.type === "link") yield entry.href;
    else if (entry.type === "group") yield* listEntryLinks(entry.entries);
  }
}

function findProblem(
  { source, destination, authored = { source, destination } }: SiteRedirect,
  links: SiteLinks,
): Omit<Problem, "file"> | undefined {
  const redirect = `The redirect from ${JSON.stringify(authored.source)} to ${JSON.stringify(authored.destination)}`;
  const end = followRedirects(source.replaceAll(wildcard, "x"), links);
  if (end === "circle" || (end === "endless" && !hasWildcard(source))) {
    const message = `${redirect} is part of a redirect loop.`;
    // The paths that a wildcard matches are known only when they are requested; some of them may be pages.
    return { severity: hasWildcard(source) ? "warning" : "error", code: "redirect_loop", message };
  }
  if (hasWildcard(destination)) return undefined;
  const { kind } = resolveLink(destination, siteRoot, links);
  if (kind === "external") return undefined;
  if (kind === "unknown") {
    const message = `${redirect} does not lead to a page or file of this site.`;
    return { severity: "error", code: "redirect_broken", message };
  }
  const target = toPath(destination);
  const next = links.hasPage(target) ? undefined : links.redirectOf(target);
  if (next === undefined) return undefined;
  const message = `${redirect} leads to another redirect. Change its destination to ${JSON.stringify(next)}.`;
  return { severity: "warning", code: "redirect_chain", message };
}

const wildcard = /:[A-Za-z_]\w*\*?|\*/g;

function hasWildcard(path: string): boolean {
  return path.search(wildcard) !== -1;
}

/** Follows redirects from `source` until they end, form a loop or exceed the limit. */
function followRedirects(source: string, links: SiteLinks): "end" | "circle" | "endless" {
  const visited = new Set<string>();
  let path: string | undefined = toPath(source);
  while (path !== undefined && !links.hasPage(path)) {
    if (visited.has(path)) return "circle";
    visited.add(path);
    // Wildcards can make paths grow endlessly.
    if (visited.size > maxHops) return "endless";
    const next = links.redirectOf(path);
    path = next?.startsWith("/") ? toPath(next) : undefined;
  }
  return "end";
}

function toPath(address: string): string {
  return address
    .replace(/[?#].*$/s, "")
    .replace(/^\/+/, "")
    .replace(/\/$/, "");
}
