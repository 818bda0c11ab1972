import { iconImage } from "../components/index.ts";
import type { IconRenderer } from "../components/index.ts";
import type { NavDivision, NavEntry, Site } from "../site/site.ts";
import type { IconMarkup } from "../theme/layout-options.ts";
import { rootMark } from "../theme/markup.ts";

/** Icons of the layout: by name from the site's library, or a picture of the site by its path. */
export function createIconMarkup(render: IconRenderer): IconMarkup {
  return (name, type) => {
    const icon = render(name, type === undefined ? {} : { type });
    if (icon.image === undefined) return icon.html;
    if (/^(?:https?:|data:)/i.test(icon.image)) return iconImage(icon.image, {});
    const path = icon.image.replace(/^\.?\/+/, "");
    return iconImage(path, {}).replace('src="', `src="${rootMark}`);
  };
}

/** Keys of the icons that configuration, navigation and frontmatter name; pages tell their own. */
export function siteIconKeys(site: Site, render: IconRenderer): string[] {
  const keys = new Set<string>();
  const add = (name: string | undefined, type?: string) => {
    const { key } = render(name, type === undefined ? {} : { type });
    if (key !== undefined) keys.add(key);
  };
  function addEntries(entries: readonly NavEntry[]): void {
    for (const entry of entries) {
      if (entry.type !== "page") add(entry.icon);
      if (entry.type === "group") addEntries(entry.entries);
    }
  }
  function addDivision(division: NavDivision): void {
    add(division.icon);
    for (const link of division.overrides?.navbar?.links ?? []) add(link.icon);
    addEntries(division.entries);
    for (const child of division.divisions) addDivision(child);
  }
  addDivision(site.navigation);
  for (const link of site.config.navbar.links) add(link.icon);
  add(site.config.navbar.primary?.icon);
  for (const { frontmatter } of site.pages) add(frontmatter.icon, frontmatter.iconType);
  return [...keys];
}
