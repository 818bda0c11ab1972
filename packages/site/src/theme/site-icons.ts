import { renderIconImage, type IconRenderer } from "../markup/index.ts";
import type { Html } from "../markup/index.ts";
import type { ContextualMenu, NavDivision, NavEntry, Site } from "../site/index.ts";
import { getContextualMenu } from "../site/index.ts";
import type { Links } from "./link.ts";

/**
 * Renders, with `rootMark`, an icon that an author specified by name, path or address in the configuration, the
 * navigation or frontmatter. Returns an empty string if there is no icon.
 */
export type SiteIconRenderer = (name: string | undefined, type?: string) => Html;

export function createSiteIconRenderer(
  icons: IconRenderer | undefined,
  links: Links,
): SiteIconRenderer {
  return function renderSiteIcon(name, type) {
    if (icons === undefined || name === undefined) return "";
    const { html, image } = icons(name, type === undefined ? {} : { type });
    const source = image === undefined ? undefined : links.toIcon(image);
    return source === undefined ? html : renderIconImage(source, {});
  };
}

/** The icons of the frame. Articles have their own icons. */
export interface SiteIcons {
  /** The sorted keys of the drawings that the bundle must contain. */
  readonly keys: readonly string[];
  /** The sorted icon names that do not exist, each with a message. */
  readonly problems: readonly UnknownIcon[];
  /** The sorted images that are used as icons, as authored. */
  readonly images: readonly string[];
}

interface UnknownIcon {
  readonly name: string;
  readonly message: string;
}

function sortNames(names: Iterable<string>): string[] {
  return [...names].toSorted();
}

/** The maximum number of unknown names that are reported. */
const maxProblems = 500;

/** Finds the icons of the navigation, its pages and the links around it. */
export function findSiteIcons(site: Site, icons: IconRenderer): SiteIcons {
  const keys = new Set<string>();
  const problems = new Map<string, () => string>();
  const images = new Set<string>();
  const add = (name: string | undefined, type?: string) => {
    if (name === undefined) return;
    const icon = icons(name, type === undefined ? {} : { type });
    if (icon.key !== undefined) keys.add(icon.key);
    if (icon.problem !== undefined) problems.set(name, icon.problem);
    if (icon.image !== undefined) images.add(icon.image);
  };
  const addNavbar = (navbar: Site["config"]["navbar"] | undefined) => {
    for (const link of navbar?.links ?? []) add(link.icon, link.iconType);
    add(navbar?.primary?.icon, navbar?.primary?.iconType);
  };
  const addEntries = (entries: readonly NavEntry[]) => {
    for (const entry of entries) {
      if (entry.type === "page") continue;
      add(entry.icon, entry.iconType);
      if (entry.type === "group") addEntries(entry.entries);
    }
  };
  const addOptions = ({ options }: ContextualMenu) => {
    for (const option of options) if (typeof option !== "string") add(option.icon);
  };
  const addDivision = (division: NavDivision) => {
    add(division.icon, division.iconType);
    addEntries(division.entries);
    addNavbar(division.overrides?.navbar);
    for (const inner of division.divisions) addDivision(inner);
  };
  addDivision(site.navigation);
  addNavbar(site.config.navbar);
  addOptions(site.config.contextual);
  for (const page of site.pages) {
    const { hidden, frontmatter } = page;
    if (!hidden) add(frontmatter.icon, frontmatter.iconType);
    if (frontmatter.extra["contextual"] !== undefined)
      addOptions(getContextualMenu(site.config, page));
  }
  const unknownNames = sortNames(problems.keys());
  const listedProblems = unknownNames
    .slice(0, maxProblems)
    .map((name) => ({ name, message: problems.get(name)?.() ?? "" }));
  const [firstOmitted] = unknownNames.slice(maxProblems);
  if (firstOmitted !== undefined) {
    const count = unknownNames.length - maxProblems;
    listedProblems.push({ name: firstOmitted, message: `${count} more icon names do not exist.` });
  }
  return {
    keys: sortNames(keys),
    problems: listedProblems,
    images: sortNames(images),
  };
}
