import { sha256 } from "../core/index.ts";
import type { BundleFile } from "../core/index.ts";
import { breadcrumbs, createPageFiles, relativeAddress } from "../site/index.ts";
import type { FindPageFile, Site } from "../site/index.ts";
import type { CachedDocs } from "./cached-index.ts";
import type { IndexedPage } from "./indexed-page.ts";
import { lazyPartFile } from "./part-file.ts";
import type { Patch } from "./patched-index.ts";
import { scriptJson } from "./script-json.ts";

/** A chunk ends after the page with which it reaches this size; a search loads up to a dozen chunks. */
const minDocChunkBytes = 20 * 1024;

/** The size in bytes of what results show of each page; that of unchanged pages comes from the cached index. */
export function shownBytesOf(pages: readonly IndexedPage[], patch: Patch | undefined): Uint32Array {
  if (!patch) return Uint32Array.from(pages, ({ terms }) => terms.shownBytes);
  const bytes = patch.index.shownBytes.slice();
  for (const number of patch.changed) bytes[number] = pages[number]?.terms.shownBytes ?? 0;
  return bytes;
}

export function chunkDocs(pages: readonly IndexedPage[], shownBytes: Uint32Array): IndexedPage[][] {
  const chunks: IndexedPage[][] = [];
  let bytes = Infinity;
  for (let number = 0; number < pages.length; number += 1) {
    if (bytes >= minDocChunkBytes) {
      chunks.push([]);
      bytes = 0;
    }
    chunks.at(-1)?.push(pages[number] as IndexedPage);
    bytes += shownBytes[number] ?? 0;
  }
  return chunks;
}

/** The files of documents, one after the other. Those without changed pages have the fingerprints of the cached index. */
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
    return own === "" ? fingerprintOf(chunk, name, partOf(number)) : own;
  });
  const fileOf = createPageFiles(site);
  function* files(): Generator<BundleFile> {
    for (const [number, chunk] of chunks.entries()) {
      const json = () => `[${chunk.map((page) => docJson(site, page, fileOf)).join(",")}]`;
      const fingerprint = fingerprints[number] || undefined;
      yield lazyPartFile(name, partOf(number), { fingerprint, json });
    }
  }
  return { docs: { firstPages, fingerprints }, files: files() };
}

function partOf(number: number): string {
  return `docs-${number}`;
}

/** Fingerprints in the cached index of files with the same pages, none of which has changed; empty for others. */
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

/** Empty if a page's is unknown. */
function fingerprintOf(pages: readonly IndexedPage[], name: string, part: string): string {
  const fingerprints = pages.flatMap(({ fingerprint = [] }) => fingerprint);
  const isKnown = fingerprints.length === pages.length;
  const about = JSON.stringify([name, part, fingerprints.join(" ")]);
  return isKnown ? sha256(about).slice(0, 32) : "";
}

/** The document of a page as JSON: `[href, title, breadcrumb, sections]`. */
function docJson(site: Site, { page, terms }: IndexedPage, fileOf: FindPageFile): string {
  const labels = breadcrumbs(site, page).map((crumb) => crumb.label);
  const about = [relativeAddress("", fileOf(page.path)), page.title, labels.join(" › ")];
  const shown = Buffer.from(terms.shown).toString();
  return `[${about.map(scriptJson).join(",")},${shown}]`;
}
