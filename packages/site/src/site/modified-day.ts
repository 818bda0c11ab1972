import type { SiteConfig } from "./config.ts";
import type { SitePage } from "./site.ts";

const dateForm = /^\d{4}-\d{2}-\d{2}(?:[T ].{0,40})?$/;

/** The day on which a page was last modified: as its frontmatter says it, else its file's last change; undefined where neither is known. */
export function modifiedDay(page: Pick<SitePage, "frontmatter" | "changedOn">): string | undefined {
  return authoredDay(page) ?? page.changedOn;
}

/** As its frontmatter says it. */
export function authoredDay({ frontmatter }: Pick<SitePage, "frontmatter">): string | undefined {
  const value = frontmatter.extra["lastUpdatedDate"];
  const text = value instanceof Date ? isoText(value) : value;
  if (typeof text !== "string" || !dateForm.test(text.trim())) return undefined;
  const day = text.trim().slice(0, 10);
  // A day that no month has would roll over into the next.
  return isoText(new Date(`${day}T00:00:00Z`))?.slice(0, 10) === day ? day : undefined;
}

function isoText(date: Date): string | undefined {
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** Whether a page shows when it was last modified, as it says itself, or else as the site does. */
export function showsModifiedDay(
  { showTimestamps }: Pick<SiteConfig, "showTimestamps">,
  { frontmatter }: Pick<SitePage, "frontmatter">,
): boolean {
  const own = frontmatter.extra["timestamp"];
  return typeof own === "boolean" ? own : showTimestamps;
}
