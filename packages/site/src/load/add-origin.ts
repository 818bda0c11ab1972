import { findAuthoredDay, shouldShowModifiedDay, type Site, type SitePage } from "../site/index.ts";
import type { SiteSettings } from "./site-settings.ts";

type OriginSettings = Pick<SiteSettings, "origin" | "editUrl" | "baseUrl" | "signal">;

/**
 * Adds the data about the origin of files that pages show: last changes, edit links and issue links. With a base URL,
 * also adds the last changes that the sitemap shows.
 */
export async function addOrigin(site: Site, settings: OriginSettings): Promise<Site> {
  const [pages, links] = await Promise.all([
    addLastChanges(site, settings),
    readSourceLinks(site, settings),
  ]);
  return { ...site, pages, ...links };
}

async function addLastChanges(
  { config, pages }: Site,
  { origin, baseUrl, signal }: OriginSettings,
): Promise<readonly SitePage[]> {
  if (!origin) return pages;
  const needsLastChange = (page: SitePage): boolean =>
    !page.isGenerated &&
    (shouldShowModifiedDay(config, page) || (baseUrl !== undefined && page.indexed)) &&
    findAuthoredDay(page) === undefined;
  const files = new Set(pages.filter(needsLastChange).map(({ file }) => file));
  if (files.size === 0) return pages;
  const days = await origin.lastChanges(files, signal);
  return pages.map((page) => {
    const changedOn = needsLastChange(page) ? days.get(page.file) : undefined;
    return changedOn === undefined ? page : { ...page, changedOn };
  });
}

async function readSourceLinks(
  { config }: Site,
  { origin, editUrl, signal }: OriginSettings,
): Promise<Pick<Site, "editUrl" | "issueUrl">> {
  const { suggestEdit, raiseIssue } = config.feedback;
  const needsEditLink = suggestEdit && editUrl === undefined;
  const links = needsEditLink || raiseIssue ? await origin?.links(signal) : undefined;
  const edit = editUrl ?? (needsEditLink ? links?.edit : undefined);
  const issue = raiseIssue ? links?.issue : undefined;
  return {
    ...(edit === undefined ? {} : { editUrl: edit }),
    ...(issue === undefined ? {} : { issueUrl: issue }),
  };
}
