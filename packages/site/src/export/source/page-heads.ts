import type { PageSource } from "../../load/index.ts";

/** Returns the data that comes from the page's own file. */
export function toPageSource(page: PageSource): PageSource {
  const { path, file, format, frontmatter, title, titleLine, navTitle, isGenerated, apiLine } =
    page;
  return {
    path,
    file,
    format,
    frontmatter,
    title,
    ...(titleLine !== undefined && { titleLine }),
    navTitle,
    ...(isGenerated && { isGenerated }),
    ...(apiLine !== undefined && { apiLine }),
  };
}
