import { sha256 } from "../core/index.ts";
import type { BundleFile } from "../core/index.ts";
import { relativeAddress, breadcrumbs } from "../site/index.ts";
import type { FindPageFile, Site } from "../site/index.ts";
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
  for (const [number, page] of pages.entries()) {
    if (bytes >= minDocChunkBytes) {
      chunks.push([]);
      bytes = 0;
    }
    chunks.at(-1)?.push(page);
    bytes += shownBytes[number] ?? 0;
  }
  return chunks;
}

interface DocPart {
  /** Of the index. */
  readonly name: string;
  readonly number: number;
  readonly fileOf: FindPageFile;
}

/** The documents of pages as JSON: `[href, title, breadcrumb, sections]` for each. */
export function docFile(
  site: Site,
  pages: readonly IndexedPage[],
  { name, number, fileOf }: DocPart,
): BundleFile {
  const part = `docs-${number}`;
  const json = () => `[${pages.map((page) => docJson(site, page, fileOf)).join(",")}]`;
  const fingerprints = pages.flatMap(({ fingerprint = [] }) => fingerprint);
  const isKnown = fingerprints.length === pages.length;
  const about = JSON.stringify([name, part, fingerprints.join(" ")]);
  const fingerprint = isKnown ? sha256(about).slice(0, 32) : undefined;
  return lazyPartFile(name, part, { fingerprint, json });
}

function docJson(site: Site, { page, terms }: IndexedPage, fileOf: FindPageFile): string {
  const labels = breadcrumbs(site, page).map((crumb) => crumb.label);
  const about = [relativeAddress("", fileOf(page.path)), page.title, labels.join(" › ")];
  const shown = Buffer.from(terms.shown).toString();
  return `[${about.map(scriptJson).join(",")},${shown}]`;
}
