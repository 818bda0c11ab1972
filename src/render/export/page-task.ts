import type { PageTask } from "../pool/protocol.ts";
import type { PageMaterial } from "../site/api/index.ts";
import type { SitePage } from "../site/site.ts";
import type { SiteFiles } from "./site-files.ts";

/** What a child is given to render a page, read from its file as it is now; `refused` says why there is nothing. */
export async function readPageTask(
  page: SitePage,
  material: PageMaterial | undefined,
  files: Pick<SiteFiles, "readPage">,
): Promise<PageTask | { readonly refused: string }> {
  const own = material?.source;
  const source = own === undefined ? await files.readPage(page.file) : { text: own };
  if ("refused" in source) return source;
  return {
    page,
    source: source.text + (material?.notice ?? ""),
    ...(material?.subject ? { subject: material.subject } : {}),
  };
}
