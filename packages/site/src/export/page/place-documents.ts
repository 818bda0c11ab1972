import { sha256, createSortedLookup, type BundleFile } from "../../core/index.ts";
import { trustHtml, escapeHtml, html, replaceHtml, type Html } from "../../markup/index.ts";
import {
  createPageFiles,
  getHref,
  getSchemaScriptPath,
  createSiteLinks,
  resolveLink,
  replaceAnchor,
  createAnchorIndexes,
  type SitePage,
  type SiteLinks,
  type AnchorIndex,
  type Resolution,
  type Site,
} from "../../site/index.ts";
import type { ExportRun } from "../export-run.ts";
import type { ExportedPage } from "../export-settings.ts";
import { hasSchemaScript, type RenderedPage } from "./rendered-page.ts";

/** A page that is being added to the bundle. */
export interface BundlePage extends ExportedPage {
  /** The fingerprint of the page's files; undefined if unknown. */
  readonly fingerprint: string | undefined;
  /**
   * Whether the page's files are in the bundle. Files of a cached page are added once its links are known to be
   * correct.
   */
  readonly isWritten: boolean;
}

/** A map from link addresses whose anchors do not exist to the intended addresses. */
type LinkCorrections = ReadonlyMap<string, string>;

interface AnchorLinks<Page> {
  /** Corrections by page. Pages without corrections, which are most pages, are not included. */
  readonly corrections: ReadonlyMap<Page, LinkCorrections>;
  /**
   * For each inspected page, the numbers of the other pages to whose anchors it links. Pages without such links are not
   * included.
   */
  readonly targets: ReadonlyMap<Page, readonly number[]>;
}

/** Returns a fingerprint that also covers the page's snippets, which its key does not. */
export function computePageFingerprint(key: string, { dependencies }: RenderedPage): string {
  const snippets = Object.entries(dependencies);
  return (snippets.length === 0 ? key : sha256(JSON.stringify([key, snippets]))).slice(0, 32);
}

export function getMarkdownPath({ path }: SitePage): string {
  return `${path}.md`;
}

export interface CorrectedDocuments {
  /** Pages with corrected links. */
  readonly corrected: ReadonlySet<BundlePage>;
  /** See `AnchorLinks.targets`. */
  readonly targets: ReadonlyMap<BundlePage, readonly number[]>;
}

/** Corrects links in written pages, and adds the cached pages to the bundle. */
export function correctDocuments(
  { source, bundle, shared }: Pick<ExportRun, "source" | "bundle" | "shared">,
  pages: readonly BundlePage[],
): CorrectedDocuments {
  const fileOf = createPageFiles(source.site);
  const { corrections, targets } = findCorrections(source.site, pages);
  for (const entry of pages) {
    const changes = corrections.get(entry);
    const { page, rendered, fingerprint, isWritten } = entry;
    const path = fileOf(page.path);
    const htmlFingerprint = fingerprint && extendFingerprint(fingerprint, changes);
    if (isWritten) {
      if (changes) bundle.rewrite(path, (text) => correctText(text, changes), htmlFingerprint);
      continue;
    }
    if (!bundle.keep(path, htmlFingerprint)) {
      bundle.place(createLazyDocument(path, rendered, changes), htmlFingerprint);
    }
    const markdownPath = getMarkdownPath(page);
    if (!bundle.keep(markdownPath, fingerprint)) {
      bundle.place(createLazyMarkdown(markdownPath, rendered, shared.instructions), fingerprint);
    }
    if (!hasSchemaScript(rendered)) continue;
    const scriptPath = getSchemaScriptPath(page.path);
    if (!bundle.keep(scriptPath, fingerprint)) {
      bundle.place(createLazySchemaScript(scriptPath, rendered), fingerprint);
    }
  }
  return { corrected: new Set(corrections.keys()), targets };
}

function createLazyDocument(
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

function createLazyMarkdown(
  path: string,
  rendered: RenderedPage,
  instructions: Uint8Array,
): BundleFile {
  return {
    path,
    get content() {
      return Buffer.concat([rendered.markdown, instructions]);
    },
  };
}

function createLazySchemaScript(path: string, rendered: RenderedPage): BundleFile {
  return {
    path,
    get content() {
      return rendered.schemaScript;
    },
  };
}

function correctText(text: string, changes: LinkCorrections): Html {
  // The text is a document that the layout rendered, read back from its file.
  return correctLinks(trustHtml(text), changes);
}

function extendFingerprint(fingerprint: string, changes: LinkCorrections | undefined): string {
  return changes ? sha256(JSON.stringify([fingerprint, ...changes])).slice(0, 32) : fingerprint;
}

/**
 * Finds links whose anchor is spelled differently from the id on the target page. There are two causes: the anchor
 * follows the slug rules of other or older tools and no alias of a heading covers it, such as `#example%3A-start` for
 * `example-start`, or the heading has a different id because the layout uses the usual id. Ids are known only after all
 * pages are rendered.
 */
function findCorrections<Page extends ExportedPage>(
  site: Site,
  pages: readonly Page[],
): AnchorLinks<Page> {
  const links = createSiteLinks(site);
  const numberOf = createSortedLookup(pages.map(({ page }) => page.path));
  const anchorsOf = createAnchorIndexes(
    (path) => pages[numberOf(path) ?? -1]?.rendered.anchors ?? [],
  );
  const corrections = new Map<Page, LinkCorrections>();
  const targets = new Map<Page, readonly number[]>();
  for (const entry of pages) {
    if (entry.hasVerifiedLinks) continue;
    const found = findAnchorLinks(entry, links);
    const changes = collectCorrections(entry.page.path, found, { links, anchorsOf });
    if (changes.size > 0) corrections.set(entry, changes);
    const others = new Set(found.map(({ path }) => path));
    others.delete(entry.page.path);
    if (others.size > 0)
      targets.set(
        entry,
        [...others].flatMap((path) => numberOf(path) ?? []),
      );
  }
  return { corrections, targets };
}

/** Corrects the links of a page's document. */
function correctLinks(document: Html, corrections: LinkCorrections): Html {
  let corrected = document;
  for (const [from, to] of corrections)
    corrected = replaceHtml(corrected, renderHref(from), renderHref(to));
  return corrected;
}

type PageResolution = Extract<Resolution, { readonly kind: "page" }>;

function findAnchorLinks({ page, rendered }: ExportedPage, links: SiteLinks): PageResolution[] {
  return rendered.references.flatMap(({ kind, target, file }) => {
    // Redirects decode an escaped `#` in their destination.
    if (kind !== "link" || !/#|%23/.test(target)) return [];
    const found = resolveLink(target, { page: page.path, file }, links);
    return found.kind === "page" && found.anchor !== "" ? found : [];
  });
}

function collectCorrections(
  page: string,
  found: readonly PageResolution[],
  site: { readonly links: SiteLinks; readonly anchorsOf: (path: string) => AnchorIndex },
): LinkCorrections {
  const { links, anchorsOf } = site;
  const corrections = new Map<string, string>();
  for (const link of found) {
    const anchors = anchorsOf(link.path);
    const id = anchors.findId(link.anchor) ?? anchors.suggest(link.anchor);
    if (id === undefined || id === link.anchor) continue;
    corrections.set(getHref(link, page, links), getHref(replaceAnchor(link, id), page, links));
  }
  return corrections;
}

function renderHref(address: string): Html {
  return html` href="${escapeHtml(address)}"`;
}
