import type { ThemeName } from "../site/index.ts";
import type { PageMode } from "./page-mode.ts";

/**
 * How the parts around an article are arranged on screens that have room; on phones all are alike.
 * `classic`: a bar over the whole width, tabs below it, navigation and article under both.
 * `sidebar`: no bar; logo, search, switches and tabs stand above the navigation, in a column as high as the window.
 * `card`: a light bar with the tabs in it, and the article on a raised sheet.
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

/** The layout of a theme's pages. */
export function layoutOfTheme(theme: ThemeName): ThemeLayout {
  return layouts[theme];
}

/** Pages that show no sidebar cannot hold there what a reader finds the way with. */
const modesWithoutSidebar: ReadonlySet<PageMode> = new Set(["center", "custom"]);

export function hasSidebar(mode: PageMode): boolean {
  return !modesWithoutSidebar.has(mode);
}

/** The layout of one page. */
export function layoutOfPage(theme: ThemeName, mode: PageMode): ThemeLayout {
  const layout = layoutOfTheme(theme);
  return layout === "sidebar" && !hasSidebar(mode) ? "classic" : layout;
}
