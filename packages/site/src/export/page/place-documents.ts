import { sha256 } from "../../core/index.ts";
import type { BundleFile } from "../../core/index.ts";
import type { RenderedPage } from "./rendered-page.ts";
import { trustedHtml, type Html } from "../../markup/index.ts";
import { createPageFiles } from "../../site/index.ts";
import type { SitePage } from "../../site/index.ts";
import { correctLinks, findCorrections } from "./correct-anchors.ts";
import type { LinkCorrections } from "./correct-anchors.ts";
import type { ExportRun } from "../export-run.ts";
import type { ExportedPage } from "../export-settings.ts";

/** A page on its way into the bundle. */
export interface BundlePage extends ExportedPage {
  /** Of its files; undefined if unknown. */
  readonly fingerprint: string | undefined;
  /** Whether its files are in the bundle. Those of a cached page are placed when its links are known to be correct. */
  readonly isWritten: boolean;
}

/** Covers the page's snippets too, which its key does not. */
export function pageFingerprint(key: string, { dependencies }: RenderedPage): string {
  const snippets = Object.entries(dependencies);
  return (snippets.length === 0 ? key : sha256(JSON.stringify([key, snippets]))).slice(0, 32);
}

export function markdownFile({ path }: SitePage): string {
  return `${path}.md`;
}

export interface PlacedDocuments {
  /** Pages with corrected links. */
  readonly corrected: ReadonlySet<BundlePage>;
  /** `AnchorLinks.targets` */
  readonly targets: ReadonlyMap<BundlePage, readonly number[]>;
}

/** Corrects links in pages that were written, and places those that come from the cache. */
export function placeDocuments(
  { source, bundle, shared }: Pick<ExportRun, "source" | "bundle" | "shared">,
  pages: readonly BundlePage[],
): PlacedDocuments {
  const fileOf = createPageFiles(source.site);
  const { corrections, targets } = findCorrections(source.site, pages);
  for (const entry of pages) {
    const changes = corrections.get(entry);
    const { page, rendered, fingerprint, isWritten } = entry;
    const path = fileOf(page.path);
    const htmlFingerprint = fingerprint && fingerprintWith(fingerprint, changes);
    if (isWritten) {
      if (changes) bundle.rewrite(path, (text) => correctText(text, changes), htmlFingerprint);
      continue;
    }
    if (!bundle.keep(path, htmlFingerprint)) {
      bundle.place(lazyDocument(path, rendered, changes), htmlFingerprint);
    }
    const twin = markdownFile(page);
    if (!bundle.keep(twin, fingerprint)) {
      bundle.place(lazyMarkdown(twin, rendered, shared.instructions), fingerprint);
    }
  }
  return { corrected: new Set(corrections.keys()), targets };
}

function lazyDocument(
  path: string,
  rendered: RenderedPage,
  changes: LinkCorrections | undefined,
): BundleFile {
  return {
    path,
    get content() {
      const { html } = rendered;
      return changes ? correctText(new TextDecoder().decode(html), changes) : html;
    },
  };
}

function lazyMarkdown(path: string, rendered: RenderedPage, instructions: Uint8Array): BundleFile {
  return {
    path,
    get content() {
      return Buffer.concat([rendered.markdown, instructions]);
    },
  };
}

function correctText(text: string, changes: LinkCorrections): Html {
  // The document as the layout rendered it, read again.
  return correctLinks(trustedHtml(text), changes);
}

function fingerprintWith(fingerprint: string, changes: LinkCorrections | undefined): string {
  return changes ? sha256(JSON.stringify([fingerprint, ...changes])).slice(0, 32) : fingerprint;
}
