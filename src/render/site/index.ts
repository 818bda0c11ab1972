/** A site's folder as data: its configuration, pages and navigation, and what can be asked of them. */
export { loadSite, readSite, type LoadSiteOptions } from "./load-site.ts";
export {
  breadcrumbs,
  findPage,
  firstPage,
  neighbours,
  pageIndex,
  type Crumb,
} from "./navigation.ts";
export { counterpart } from "./counterpart.ts";
export { redirectMatcher } from "./redirect-matcher.ts";
export type { Site, SitePage } from "./site.ts";
export { frontmatterBlock, type FrontmatterBlock } from "./frontmatter-block.ts";
