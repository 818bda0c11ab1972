import type { SitePage } from "../site/index.ts";

/** How much of the frame a page shows. */
export type PageMode = "default" | "wide" | "center" | "custom" | "frame";

export function pageMode(page: SitePage | undefined): PageMode {
  const mode = page?.frontmatter.mode;
  return mode === undefined || mode === "assistant" ? "default" : mode;
}
