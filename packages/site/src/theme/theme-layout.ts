import type { ThemeName, SitePage } from "../site/index.ts";

/**
 * The arrangement of the frame on wide screens; on phones, all layouts are the same. `classic` has a bar over the whole
 * width, tabs below the bar, and the navigation and article below both. `sidebar` has no bar. The logo, search,
 * switches and tabs are above the navigation, in a column as high as the window. `card` has a light bar that contains
 * the tabs, and the article is on a raised sheet.
 */
export type ThemeLayout = "classic" | "sidebar" | "card";

const layouts: Readonly<Record<ThemeName, ThemeLayout>> = {
  mint: "classic",
  palm: "classic",
  linden: "classic",
  maple: "sidebar",
  willow: "sidebar",
  sequoia: "sidebar",
  luma: "sidebar",
  almond: "card",
  aspen: "card",
};

/** A page's mode, which determines how much of the frame is shown. */
export type PageMode = "default" | "wide" | "center" | "custom" | "frame";

/** Returns the layout of a theme's pages. */
export function getThemeLayout(theme: ThemeName): ThemeLayout {
  return layouts[theme];
}

/** The modes without a sidebar, which need their navigation in a bar. */
const modesWithoutSidebar: ReadonlySet<PageMode> = new Set(["center", "custom"]);

export function hasSidebar(mode: PageMode): boolean {
  return !modesWithoutSidebar.has(mode);
}

/** Returns the layout of a page with this mode. */
export function getPageLayout(theme: ThemeName, mode: PageMode): ThemeLayout {
  const layout = getThemeLayout(theme);
  return layout === "sidebar" && !hasSidebar(mode) ? "classic" : layout;
}

export function getPageMode(page: SitePage | undefined): PageMode {
  const mode = page?.frontmatter.mode;
  return mode === undefined || mode === "assistant" ? "default" : mode;
}
