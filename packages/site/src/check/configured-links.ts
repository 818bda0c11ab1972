import { resolveLink, resolveMedia } from "../site/index.ts";
import type { NavDivision, NavEntry, Site, SiteConfig, SiteLinks } from "../site/index.ts";
import type { Problem, ProblemPlace } from "../core/index.ts";

/** Where relative links of the configuration start from. */
export const siteRoot = { page: "index", file: "index.mdx" };

/** Links of the configuration (navigation bar, footer, navigation) that lead to no page of the site. */
export function checkConfiguredLinks(site: Site, links: SiteLinks): Problem[] {
  const hrefs = new Set([...configuredLinks(site.config), ...navigationLinks(site.navigation)]);
  return [...hrefs].flatMap((href) => {
    if (resolveLink(href, siteRoot, links).kind !== "unknown") return [];
    return [
      {
        severity: "error",
        code: "link_broken",
        message: `The link ${JSON.stringify(href)} in the configuration leads to no page or file of this site.`,
        ...placeInConfig(site, href),
      },
    ];
  });
}

/** Pictures that the configuration names and the site does not have. */
export function checkConfiguredPictures(site: Site, links: SiteLinks): Problem[] {
  const { favicon, logo } = site.config;
  const named = [favicon?.light, favicon?.dark, logo?.light, logo?.dark];
  const targets = new Set(named.filter((target) => target !== undefined));
  return [...targets].flatMap((target) => {
    if (target === "" || resolveMedia(target, siteRoot, links).kind !== "unknown") {
      return [];
    }
    return [
      {
        severity: "error",
        code: "media_missing",
        message: `The file ${JSON.stringify(target)} in the configuration is not in this site.`,
        ...placeInConfig(site, target),
      },
    ];
  });
}

function placeInConfig({ configFile, configPlaces }: Site, address: string): ProblemPlace {
  return configPlaces?.addresses.get(address) ?? { file: configFile };
}

function* configuredLinks({ navbar, footer, logo }: SiteConfig): Iterable<string> {
  if (logo?.href !== undefined) yield logo.href;
  if (navbar.primary) yield navbar.primary.href;
  for (const { href } of navbar.links) yield href;
  for (const { items } of footer.columns) for (const { href } of items) yield href;
}

function* navigationLinks(division: NavDivision): Iterable<string> {
  if (division.href !== undefined) yield division.href;
  for (const inner of division.divisions) yield* navigationLinks(inner);
  yield* entryLinks(division.entries);
}

function* entryLinks(entries: readonly NavEntry[]): Iterable<string> {
  for (const entry of entries) {
    if (entry.type === "link") yield entry.href;
    else if (entry.type === "group") yield* entryLinks(entry.entries);
  }
}
