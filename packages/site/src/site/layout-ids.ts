/**
 * Ids of the layout around an article and of what the reader's script adds. Styles and scripts of sites rely
 * on them, so a heading `Footer` gets another: otherwise it would get the styles of the layout's footer, and
 * links to it would be ambiguous.
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

/** The id of a heading or component instead of `id`, which the layout uses. */
export function idBesideLayout(id: string): string {
  return `${id}-section`;
}
