import type { ContextualMenu, SiteConfig } from "./config.ts";
import { Contextual } from "./schemas/contextual.ts";
import type { SitePage } from "./site.ts";

/** The menu of a page: its own where its frontmatter has a valid one, else the site's. */
export function contextualMenu(config: SiteConfig, page: SitePage): ContextualMenu {
  const own = page.frontmatter.extra["contextual"];
  if (own === undefined) return config.contextual;
  const result = Contextual.safeParse(own);
  return result.success ? result.data : config.contextual;
}
