import type { BundleFile } from "../core/index.ts";
import type { Site } from "../site/index.ts";
import { feedFiles } from "./feeds.ts";
import { llmsFiles, llmsFullFiles } from "./llms.ts";
import type { Output, OutputOptions, PageOutput } from "./output.ts";
import { redirectFiles } from "./redirects.ts";
import { robotsFiles } from "./robots.ts";
import { sitemapFiles } from "./sitemap.ts";

export { agentInstructions, fullTextProblems, listFullTexts } from "./llms.ts";
export type { FullTexts, OutputOptions, PageOutput } from "./output.ts";
export { orderPages } from "./reading-order.ts";
export type { ReadingOrder } from "./reading-order.ts";
export { redirectFiles } from "./redirects.ts";
export { distinctProblems, reportFile } from "./report.ts";
export type { RemoteFile, RemoteRequest, ReportChecks } from "./report.ts";

const outputs: readonly Output[] = [
  sitemapFiles,
  robotsFiles,
  llmsFiles,
  llmsFullFiles,
  feedFiles,
  redirectFiles,
];

/**
 * Creates the files of a bundle that are built from the whole site: sitemap, robots.txt, llms.txt, llms-full.txt, feeds
 * of changelogs, redirects and the entry page. A file of the site at the same path takes precedence.
 */
export function siteOutputs(
  site: Site,
  pages: readonly PageOutput[],
  options: OutputOptions,
): BundleFile[] {
  const own = new Set([...site.assets, ...site.styles, ...site.scripts]);
  return outputs
    .flatMap((output) => output(site, pages, options))
    .filter(({ path }) => !own.has(path) && !own.has(path.replace(/^\.well-known\//, "")));
}
