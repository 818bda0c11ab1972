import type { IconRenderer } from "../markup/index.ts";
import type { Problem } from "../core/index.ts";
import { distinctProblems, fullTextProblems } from "../outputs/index.ts";
import type { Site } from "../site/index.ts";
import { findConfiguredMedia, findSiteIcons } from "../theme/index.ts";
import type { ExportRun } from "./export-run.ts";
import type { ExportedPage } from "./export-settings.ts";
import { configuredMediaProblems, fontProblems, mediaProblems } from "./media/page-media.ts";
import { siteRequestProblems } from "./media/site-requests.ts";

/** The problems found by reading and rendering, and `others`, of the steps before: each once, in order. */
export function findProblems(
  run: Pick<ExportRun, "settings" | "source" | "shared">,
  pages: readonly ExportedPage[],
  others: readonly Problem[],
): Problem[] {
  const { settings, source, shared } = run;
  const { site } = source;
  return distinctProblems([
    ...site.problems,
    ...navigationIconProblems(site, shared.icons),
    ...pages.flatMap(({ rendered }) => rendered.problems),
    ...unavailableMedia(run, pages),
    ...others,
    ...siteRequestProblems(shared.requests),
    ...fullTextProblems(site, pages, settings),
  ]);
}

function unavailableMedia(
  { source, shared }: Pick<ExportRun, "source" | "shared">,
  pages: readonly ExportedPage[],
): Problem[] {
  const { site } = source;
  const { media, icons, layoutMedia } = shared;
  const file = site.configFile;
  if (media === undefined) return fontProblems(findConfiguredMedia(site, icons).fonts, file);
  const { failures } = media;
  return [
    ...configuredMediaProblems(layoutMedia, { failures, file }),
    ...pages.flatMap(({ rendered }) => mediaProblems(rendered.references, failures)),
  ];
}

function navigationIconProblems(site: Site, icons: IconRenderer): Problem[] {
  return findSiteIcons(site, icons).problems.map((problem) => ({
    severity: "warning",
    code: "unknown_icon",
    message: `In the navigation: ${problem}`,
    file: site.configFile,
  }));
}
