import { sha256 } from "../core/index.ts";
import type { RenderedPage } from "./rendered-page.ts";
import type { Site, SitePage } from "../site/index.ts";
import type { BundleFolder } from "./bundle-folder.ts";
import { findMendedLinks, mendLinks } from "./mend-anchors.ts";
import type { MendedLinks } from "./mend-anchors.ts";
import type { ExportedPage } from "./render-options.ts";

/** A page on its way into the bundle. */
export interface MadePage extends ExportedPage {
  /** What its files are made of; undefined where that cannot be told. */
  readonly identity: string | undefined;
  /** Its files stand in the bundle; those of a page that was kept are written when its links are known to be right. */
  readonly isWritten: boolean;
}

/** Of the same key come the same files, but for the snippets in them. */
export function identityOf(key: string, { dependencies }: RenderedPage): string {
  const snippets = Object.entries(dependencies);
  return (snippets.length === 0 ? key : sha256(JSON.stringify([key, snippets]))).slice(0, 32);
}

export function htmlFile({ path }: SitePage): string {
  return `${path}.html`;
}

export function markdownFile({ path }: SitePage): string {
  return `${path}.md`;
}

/**
 * Brings the files of all pages into the bundle: what was written gets its links mended, and of kept pages what
 * the folder does not have yet is written. `instructions` end each page's Markdown.
 */
export function placeDocuments(
  site: Site,
  pages: readonly MadePage[],
  { bundle, instructions }: { readonly bundle: BundleFolder; readonly instructions: Uint8Array },
): void {
  const mended = findMendedLinks(site, pages);
  for (const entry of pages) {
    const changes = mended.get(entry);
    const { page, rendered, identity, isWritten } = entry;
    const path = htmlFile(page);
    const htmlIdentity = identity && identityWith(identity, changes);
    if (isWritten) {
      if (changes) bundle.rewrite(path, (html) => mendLinks(html, changes), htmlIdentity);
      continue;
    }
    const document = {
      path,
      get content() {
        const { html } = rendered;
        return changes ? mendLinks(new TextDecoder().decode(html), changes) : html;
      },
    };
    bundle.place(document, htmlIdentity);
    const twin = {
      path: markdownFile(page),
      get content() {
        return Buffer.concat([rendered.markdown, instructions]);
      },
    };
    bundle.place(twin, identity);
  }
}

function identityWith(identity: string, changes: MendedLinks | undefined): string {
  return changes ? sha256(JSON.stringify([identity, ...changes])).slice(0, 32) : identity;
}
