import { crc32 } from "node:zlib";
import { sha256 } from "../core/index.ts";
import type { BundleFile } from "../core/index.ts";
import { listBreadcrumbs, createPageFiles, getRelativeAddress } from "../site/index.ts";
import type { FindPageFile, Site } from "../site/index.ts";
import type { CachedDocs } from "./cached-index.ts";
import type { IndexedPage } from "./indexed-page.ts";
import { createLazyPartFile, formatScriptJson } from "./part-file.ts";
import type { Patch } from "./patched-index.ts";

/** Minimum size of a chunk in bytes: chunks average 22 KB; a search loads up to a dozen. */
const minChunkBytes = 14 * 1024;
const meanBytesBeyond = 8 * 1024;
const maxChunkBytes = 40 * 1024;

/**
 * Returns the size in bytes of the data that results show for each page; that of unchanged pages comes from the cached
 * index.
 */
export function measureShownBytes(
  pages: readonly IndexedPage[],
  patch: Patch | undefined,
): Uint32Array {
  if (!patch) return Uint32Array.from(pages, ({ terms }) => terms.shownBytes);
  const bytes = patch.index.shownBytes.slice();
  for (const number of patch.changed) bytes[number] = pages[number]?.terms.shownBytes ?? 0;
  return bytes;
}

/**
 * Splits pages into chunks. A chunk that is large enough ends at a page chosen by its path, as chunks of terms end at a
 * key: a page whose data grows usually changes only its own chunk.
 */
export function splitDocs(pages: readonly IndexedPage[], shownBytes: Uint32Array): IndexedPage[][] {
  const chunks: IndexedPage[][] = [];
  let chunk: IndexedPage[] = [];
  let bytes = 0;
  for (const [number, page] of pages.entries()) {
    const own = shownBytes[number] ?? 0;
    chunk.push(page);
    bytes += own;
    const isEnd = bytes >= minChunkBytes && (bytes >= maxChunkBytes || endsChunk(page, own));
    if (!isEnd && number + 1 < pages.length) continue;
    chunks.push(chunk);
    chunk = [];
    bytes = 0;
  }
  return chunks;
}

/** Reports whether a page ends a chunk, which is more likely for large pages. */
function endsChunk({ page }: IndexedPage, bytes: number): boolean {
  return crc32(page.path) / 2 ** 32 < bytes / meanBytesBeyond;
}

/**
 * Creates the files of documents, one at a time. Files without changed pages have the fingerprints of the cached index.
 */
export function createDocFiles(
  site: Site,
  chunks: readonly IndexedPage[][],
  { name, patch }: { readonly name: string; readonly patch: Patch | undefined },
): { readonly docs: CachedDocs; readonly files: Iterable<BundleFile> } {
  const firstPages = new Uint32Array(chunks.length);
  let pages = 0;
  for (const [number, chunk] of chunks.entries()) {
    firstPages[number] = pages;
    pages += chunk.length;
  }
  const known = patch && knownFingerprints(firstPages, patch);
  const fingerprints = chunks.map((chunk, number) => {
    const own = known?.[number] ?? "";
    return own === "" ? computeFingerprint(chunk, name, formatPartName(number)) : own;
  });
  const fileOf = createPageFiles(site);
  function* files(): Generator<BundleFile> {
    for (const [number, chunk] of chunks.entries()) {
      const json = () => `[${chunk.map((page) => docJson(site, page, fileOf)).join(",")}]`;
      const fingerprint = fingerprints[number] || undefined;
      yield createLazyPartFile(name, formatPartName(number), { fingerprint, json });
    }
  }
  return { docs: { firstPages, fingerprints }, files: files() };
}

function formatPartName(number: number): string {
  return `docs-${number}`;
}

/**
 * Returns the cached index's fingerprints of files with the same pages, none of which has changed; empty for other
 * files.
 */
function knownFingerprints(firstPages: Uint32Array, { index, changed }: Patch): readonly string[] {
  const { docs, pages } = index;
  const endOf = (starts: Uint32Array, number: number) => starts[number + 1] ?? pages.length;
  return Array.from(firstPages, (from, number) => {
    const to = endOf(firstPages, number);
    const isSame = docs.firstPages[number] === from && endOf(docs.firstPages, number) === to;
    const isChanged = changed.some((page) => page >= from && page < to);
    return isSame && !isChanged ? (docs.fingerprints[number] ?? "") : "";
  });
}

/** Returns an empty text if the fingerprint of a page is unknown. */
function computeFingerprint(pages: readonly IndexedPage[], name: string, part: string): string {
  const fingerprints = pages.flatMap(({ fingerprint = [] }) => fingerprint);
  const isKnown = fingerprints.length === pages.length;
  const about = JSON.stringify([name, part, fingerprints.join(" ")]);
  return isKnown ? sha256(about).slice(0, 32) : "";
}

/** Returns the document of a page as JSON: `[href, title, breadcrumb, sections]`. */
function docJson(site: Site, { page, terms }: IndexedPage, fileOf: FindPageFile): string {
  const labels = listBreadcrumbs(site, page).map((crumb) => crumb.label);
  const about = [getRelativeAddress("", fileOf(page.path)), page.title, labels.join(" › ")];
  const shown = Buffer.from(terms.shown).toString();
  return `[${about.map(formatScriptJson).join(",")},${shown}]`;
}
