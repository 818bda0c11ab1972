import type { SiteConfig } from "./config.ts";
import type { SitePage } from "./site.ts";

const dateForm = /^\d{4}-\d{2}-\d{2}(?:[T ].{0,40})?$/;

/** The day of a page's last change, `2026-11-20`: from its frontmatter, else from its file; undefined if unknown. */
export function modifiedDay(page: Pick<SitePage, "frontmatter" | "changedOn">): string | undefined {
  return authoredDay(page) ?? page.changedOn;
}

/** The day of a page's last change in its frontmatter; undefined if it has no valid one. */
export function authoredDay({ frontmatter }: Pick<SitePage, "frontmatter">): string | undefined {
  const value = frontmatter.extra["lastUpdatedDate"];
  const text = value instanceof Date ? isoText(value) : value;
  if (typeof text !== "string" || !dateForm.test(text.trim())) return undefined;
  const day = text.trim().slice(0, 10);
  // An invalid day such as 31 June would become one of the next month.
  return isoText(new Date(`${day}T00:00:00Z`))?.slice(0, 10) === day ? day : undefined;
}

function isoText(date: Date): string | undefined {
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** Whether a page shows the day of its last change: its own setting, else the site's. */
export function showsModifiedDay(
  { showTimestamps }: Pick<SiteConfig, "showTimestamps">,
  { frontmatter }: Pick<SitePage, "frontmatter">,
): boolean {
  const own = frontmatter.extra["timestamp"];
  return typeof own === "boolean" ? own : showTimestamps;
}
