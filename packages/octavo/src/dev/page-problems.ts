import { checkSite } from "@octavo/site";
import type { Problem } from "@octavo/site/core";
import type { RenderedPage, Site, SitePage } from "@octavo/site";

/**
 * What is wrong with one page, as the check of the whole site says it: in its own file, in snippets that
 * it shows, and with its links and files. Whether another page has an anchor is known only to that check.
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
