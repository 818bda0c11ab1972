/**
 * Ids of the layout around an article and of what the reader's script adds. Styles and scripts of sites count
 * on them, so that a heading `Footer` gets another: two elements of one id would look alike, and a link
 * would end at the first.
 */
export const layoutIds: ReadonlySet<string> = new Set([
  "banner",
  "body-content",
  "changelog-filters",
  "content",
  "content-area",
  "content-container",
  "footer",
  "header",
  "mdx-content",
  "multi-view",
  "navbar",
  "navigation-items",
  "page-context-menu",
  "page-directory",
  "page-source",
  "page-title",
  "pagination",
  "search",
  "search-bar-entry",
  "search-input",
  "search-results",
  "side-panel",
  "sidebar",
  "sidebar-column",
  "sidebar-content",
  "table-of-contents",
  "table-of-contents-content",
]);

/** The id that a heading or a component gets in place of the layout's `id`. */
export function idBesideLayout(id: string): string {
  return `${id}-section`;
}
