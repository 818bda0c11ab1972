import { createPageFiles } from "../../site/index.ts";
import type { SitePage } from "../../site/index.ts";
import type { ExportRun } from "../export-run.ts";
import { locateInDescription } from "./locate-in-description.ts";
import type { ProducedPage } from "./page-producer.ts";
import { markdownFile, pageFingerprint } from "./place-documents.ts";
import type { BundlePage } from "./place-documents.ts";
import { withoutDocument } from "./without-document.ts";

/** Writes pages as they are produced, and reports the progress. */
export interface PageWriter {
  /** `isRendered`: the page was rendered for this export, now or in an earlier round. */
  write(page: SitePage, produced: ProducedPage, isRendered: boolean): BundlePage;
  /** How many pages were rendered for this export. */
  readonly rendered: number;
}

export function createPageWriter({
  settings,
  source,
  bundle,
  shared,
}: Pick<ExportRun, "settings" | "source" | "bundle" | "shared">): PageWriter {
  const fileOf = createPageFiles(source.site);
  const progress = { done: 0, total: source.site.pages.length, rendered: 0 };
  settings.onProgress?.({ ...progress });
  return {
    get rendered() {
      return progress.rendered;
    },
    write(page, { rendered: produced, stored, isCached, key }, isRendered) {
      const material = source.materials.get(page.path);
      const rendered = locateInDescription(page, produced, material);
      const fingerprint = key === undefined ? undefined : pageFingerprint(key, rendered);
      progress.done += 1;
      if (isRendered) progress.rendered += 1;
      settings.onProgress?.({ ...progress });
      if (isCached) return { page, rendered, fingerprint, isWritten: false };
      bundle.write({ path: fileOf(page.path), content: rendered.html }, fingerprint);
      const markdown = Buffer.concat([rendered.markdown, shared.instructions]);
      bundle.write({ path: markdownFile(page), content: markdown }, fingerprint);
      // Without a cache its texts stay in memory until the files made of all pages are written.
      const kept = stored ? locateInDescription(page, stored, material) : withoutDocument(rendered);
      return { page, rendered: kept, fingerprint, isWritten: true };
    },
  };
}
