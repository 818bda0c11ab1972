import type { PageTask } from "../pool/protocol.ts";
import type { PageMaterial } from "../../load/index.ts";
import type { SitePage } from "../../site/index.ts";
import type { FileStat } from "../source/file-stat.ts";
import type { SiteFiles } from "../source/site-files.ts";

/** Reads what a child needs to render a page from its current file; `refused` says why it cannot be read. */
export async function readPageTask(
  page: SitePage,
  material: PageMaterial | undefined,
  files: Pick<SiteFiles, "readPage">,
): Promise<ReadTask | { readonly refused: string }> {
  const own = material?.source;
  const source = own === undefined ? await files.readPage(page.file) : { text: own };
  if ("refused" in source) return source;
  const task = {
    page,
    source: source.text + (material?.notice ?? ""),
    ...(material?.subject ? { subject: material.subject } : {}),
  };
  return material === undefined && "stat" in source ? { task, stat: source.stat } : { task };
}

export interface ReadTask {
  readonly task: PageTask;
  /** The file's, if the page is made of its text alone. */
  readonly stat?: FileStat;
}
