import type { BundleFile } from "../core/index.ts";
import type { Site } from "../site/index.ts";
import { createFeedFiles } from "./feeds.ts";
import { createLlmsFiles, createLlmsFullFiles } from "./llms.ts";
import type { OutputBuilder, OutputOptions, PageOutput } from "./output.ts";
import { createRedirectFiles } from "./redirects.ts";
import { createSitemapFiles, createRobotsFiles } from "./sitemap.ts";

export { formatAgentInstructions, listFullTextProblems, listFullTexts } from "./llms.ts";
export type { FullTexts } from "./output.ts";
export { orderPages } from "./reading-order.ts";
export type { ReadingOrder } from "./reading-order.ts";
export { createRedirectFiles } from "./redirects.ts";
export { listDistinctProblems, createReportFile } from "./report.ts";
export type { RemoteFile, RemoteRequest, ReportChecks, UnstyledClass } from "./report.ts";

const outputs: readonly OutputBuilder[] = [
  createSitemapFiles,
  createRobotsFiles,
  createLlmsFiles,
  createLlmsFullFiles,
  createFeedFiles,
  createRedirectFiles,
];

/**
 * Creates the files of a bundle that are built from the whole site: the sitemap, robots.txt, llms.txt, llms-full.txt,
 * feeds of changelogs, redirects and the entry page. A file of the site with the same path takes precedence.
 */
export function createSiteOutputs(
  site: Site,
  pages: readonly PageOutput[],
  options: OutputOptions,
): BundleFile[] {
  const siteFiles = new Set([...site.assets, ...site.styles, ...site.scripts]);
  return outputs
    .flatMap((output) => output(site, pages, options))
    .filter(
      ({ path }) => !siteFiles.has(path) && !siteFiles.has(path.replace(/^\.well-known\//, "")),
    );
}
