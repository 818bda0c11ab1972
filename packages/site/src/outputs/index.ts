import type { BundleFile } from "../core/index.ts";
import type { Site } from "../site/index.ts";
import { feeds } from "./feeds.ts";
import { llms, llmsFull } from "./llms.ts";
import type { Output, OutputOptions, PageOutput } from "./output.ts";
import { redirects } from "./redirects.ts";
import { robots } from "./robots.ts";
import { sitemap } from "./sitemap.ts";

export { agentInstructions } from "./agent-instructions.ts";
export type { OutputOptions, PageOutput } from "./output.ts";
export { redirects } from "./redirects.ts";
export { distinctProblems, report, type RemoteFile, type ReportChecks } from "./report.ts";

const outputs: readonly Output[] = [sitemap, robots, llms, llmsFull, feeds, redirects];

/**
 * The files of a bundle made of the whole site: sitemap, robots.txt, llms.txt, llms-full.txt, feeds of changelogs,
 * redirects and the entry page. A file of the site at the same path wins.
 */
export function siteOutputs(
  site: Site,
  pages: readonly PageOutput[],
  options: OutputOptions = {},
): BundleFile[] {
  const own = new Set([...site.assets, ...site.styles, ...site.scripts]);
  return outputs
    .flatMap((output) => output(site, pages, options))
    .filter(({ path }) => !own.has(path) && !own.has(path.replace(/^\.well-known\//, "")));
}
