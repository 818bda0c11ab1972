import { checkSite } from "@octavo/site";
import type { Problem } from "@octavo/site/core";
import type { RenderedPage, Site, SitePage } from "@octavo/site";

/**
 * The problems of one page, as the check of the whole site reports them: in its own file, in the snippets it
 * includes, and with its links and files. Only the full check knows whether another page has an anchor.
 */
export function pageProblems(
  site: Site,
  { page, rendered }: { readonly page: SitePage; readonly rendered: RenderedPage },
): readonly Problem[] {
  const files = new Set([page.file, ...Object.keys(rendered.dependencies)]);
  return checkSite(site, [{ page, rendered }]).filter(({ file }) => files.has(file));
}

/** `guides/start.mdx:14:8` */
export function problemPlace({ file, line, column }: Problem): string {
  return [file, line, column].filter((part) => part !== undefined).join(":");
}
