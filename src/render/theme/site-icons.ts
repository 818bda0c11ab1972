import { iconImage, type IconRenderer } from "../components/index.ts";
import type { ContextualMenu } from "../site/config.ts";
import { contextualMenu } from "../site/contextual.ts";
import type { NavDivision, NavEntry, Site } from "../site/site.ts";
import type { Links } from "./link.ts";

/**
 * Markup of the icon that an author named, or pointed to by a path or address, in the configuration, the
 * navigation or frontmatter; with `rootMark`. Empty where there is none.
 */
export type IconMarkup = (name: string | undefined, type?: string) => string;

export function createIconMarkup(icons: IconRenderer | undefined, links: Links): IconMarkup {
  return function iconMarkup(name, type) {
    if (icons === undefined || name === undefined) return "";
    const { html, image } = icons(name, type === undefined ? {} : { type });
    const source = image === undefined ? undefined : links.toPicture(image);
    // `iconImage` escapes the address that `toPicture` has escaped already; only `&` can be in it.
    return source === undefined ? html : iconImage(source.replaceAll("&amp;", "&"), {});
  };
}

/** What the layout draws beside the icons of the articles. */
export interface SiteIcons {
  /** Drawings that the bundle must carry, sorted. */
  readonly keys: readonly string[];
  /** Names that no library has, sorted. */
  readonly missing: readonly string[];
  /** Pictures that stand for icons, as authored, sorted. */
  readonly images: readonly string[];
}

function sorted(names: ReadonlySet<string>): string[] {
  return [...names].toSorted();
}

/** The icons of the navigation, of the pages it lists and of the links around it. */
export function siteIcons(site: Site, icons: IconRenderer): SiteIcons {
  const keys = new Set<string>();
  const missing = new Set<string>();
  const images = new Set<string>();
  const add = (name: string | undefined, type?: string) => {
    if (name === undefined) return;
    const found = icons(name, type === undefined ? {} : { type });
    if (found.key !== undefined) keys.add(found.key);
    if (found.missing !== undefined) missing.add(found.missing);
    if (found.image !== undefined) images.add(found.image);
  };
  const addEntries = (entries: readonly NavEntry[]) => {
    for (const entry of entries) {
      if (entry.type === "page") continue;
      add(entry.icon);
      if (entry.type === "group") addEntries(entry.entries);
    }
  };
  const addOptions = ({ options }: ContextualMenu) => {
    for (const option of options) if (typeof option !== "string") add(option.icon);
  };
  const addDivision = (division: NavDivision) => {
    add(division.icon);
    addEntries(division.entries);
    const { navbar } = division.overrides ?? {};
    for (const link of navbar?.links ?? []) add(link.icon);
    add(navbar?.primary?.icon);
    for (const inner of division.divisions) addDivision(inner);
  };
  addDivision(site.navigation);
  for (const link of site.config.navbar.links) add(link.icon);
  const { primary } = site.config.navbar;
  if (primary !== undefined) add(primary.icon);
  addOptions(site.config.contextual);
  for (const page of site.pages) {
    const { hidden, frontmatter } = page;
    if (!hidden) add(frontmatter.icon, frontmatter.iconType);
    if (frontmatter.extra["contextual"] !== undefined)
      addOptions(contextualMenu(site.config, page));
  }
  return { keys: sorted(keys), missing: sorted(missing), images: sorted(images) };
}
