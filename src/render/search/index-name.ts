import type { SitePage } from "../site/site.ts";

/** The index that a page is found in and searches: one for each language and version of a site. */
export function searchIndexName(page: Pick<SitePage, "language" | "version">): string {
  const parts = [page.language, page.version].filter((part) => part !== undefined);
  const name = parts
    .join("-")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.]+/gu, "-");
  return name.replace(/^[-.]+|[-.]+$/g, "") || "all";
}
