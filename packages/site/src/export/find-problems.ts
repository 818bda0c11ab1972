import type { Problem, ProblemLocation } from "../core/index.ts";
import { listDistinctProblems, listFullTextProblems } from "../outputs/index.ts";
import type { FullTexts } from "../outputs/index.ts";
import { createSiteLinks, resolveMedia, type Site } from "../site/index.ts";
import type { SiteIcons } from "../theme/index.ts";
import type { ExportRun } from "./export-run.ts";
import type { ExportedPage } from "./export-settings.ts";
import {
  listConfiguredMediaProblems,
  listFontProblems,
  listMediaProblems,
} from "./media/page-media.ts";
import { listSiteRequestProblems } from "./media/site-requests.ts";

interface RenderedSite {
  readonly pages: readonly ExportedPage[];
  readonly fullTexts: FullTexts;
  readonly others: readonly Problem[];
}

/** Returns the problems found by reading and rendering, and `others` from other steps: each once, in order. */
export function findProblems(
  run: Pick<ExportRun, "settings" | "source" | "shared">,
  { pages, fullTexts, others }: RenderedSite,
): Problem[] {
  const { settings, source, shared } = run;
  const { site } = source;
  return listDistinctProblems([
    ...site.problems,
    ...navigationIconProblems(site, shared.siteIcons),
    ...pages.flatMap(({ rendered }) => rendered.problems),
    ...(settings.accessibility ? pages.flatMap(({ rendered }) => rendered.barriers) : []),
    ...unavailableMedia(run, pages),
    ...others,
    ...listSiteRequestProblems(shared.requests),
    ...listFullTextProblems(fullTexts),
  ]);
}

function unavailableMedia(
  { source, shared }: Pick<ExportRun, "source" | "shared">,
  pages: readonly ExportedPage[],
): Problem[] {
  const { site } = source;
  const { media, remoteFonts, layoutMedia } = shared;
  const file = site.configFile;
  if (media === undefined) return listFontProblems(remoteFonts, file);
  const { failures } = media;
  return [
    ...listConfiguredMediaProblems(layoutMedia, { failures, file }),
    ...pages.flatMap(({ rendered }) => listMediaProblems(rendered.references, failures)),
  ];
}

function navigationIconProblems(site: Site, { problems, images }: SiteIcons): Problem[] {
  return [
    ...problems.map(({ name, message: problem }) => {
      const message = `In the navigation: ${problem}`;
      return {
        severity: "warning",
        code: "unknown_icon",
        message,
        ...locateIcon(name, site),
      } as const;
    }),
    ...missingIcons(images, site).map((image) => {
      const message = `The icon ${JSON.stringify(image)} is not in this site, so no icon is shown.`;
      return {
        severity: "error",
        code: "media_missing",
        message,
        ...locateIcon(image, site),
      } as const;
    }),
  ];
}

/** Returns the position where the configuration first names an icon, otherwise the first page that names it. */
function locateIcon(icon: string, { configFile, configPlaces, pages }: Site): ProblemLocation {
  const configured = configPlaces?.icons.get(icon);
  if (configured !== undefined) return configured;
  const owner = pages.find(({ frontmatter }) => frontmatter.icon === icon);
  return { file: owner?.file ?? configFile };
}

/**
 * Finds missing images among the navigation's icons, which are named from the site's root regardless of the page's
 * location.
 */
function missingIcons(images: readonly string[], site: Site): readonly string[] {
  if (images.length === 0) return [];
  const links = createSiteLinks(site);
  const root = { page: "", file: "" };
  return images.filter((image) => resolveMedia(image, root, links).kind === "unknown");
}
