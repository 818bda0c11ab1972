import { hashParts } from "../core/index.ts";
import type { BundleFile } from "../core/index.ts";
import { relativeAddress, breadcrumbs } from "../site/index.ts";
import type { Site } from "../site/index.ts";
import type { IndexedPage } from "./indexed-page.ts";
import { lazyPartFile, partFile } from "./part-file.ts";
import type { Patch } from "./patched-index.ts";
import { scriptJson } from "./script-json.ts";

/** Bytes of a chunk of documents: a search loads up to a dozen. */
const docChunkLength = 20 * 1024;

/** Bytes of what results show of each page. Of unchanged pages they are known without reading it. */
export function shownBytesOf(pages: readonly IndexedPage[], patch: Patch | undefined): Uint32Array {
  if (!patch) return Uint32Array.from(pages, ({ terms }) => terms.shown.length);
  const bytes = patch.index.shownBytes.slice();
  for (const number of patch.changed) bytes[number] = pages[number]?.terms.shown.length ?? 0;
  return bytes;
}

export function chunkDocs(pages: readonly IndexedPage[], shownBytes: Uint32Array): IndexedPage[][] {
  const chunks: IndexedPage[][] = [];
  let length = Infinity;
  for (const [number, page] of pages.entries()) {
    if (length >= docChunkLength) {
      chunks.push([]);
      length = 0;
    }
    chunks.at(-1)?.push(page);
    length += shownBytes[number] ?? 0;
  }
  return chunks;
}

/** Texts of pages as JSON: `[href, title, breadcrumb, sections]`. */
export function docFile(
  site: Site,
  pages: readonly IndexedPage[],
  { name, number }: { readonly name: string; readonly number: number },
): BundleFile {
  const part = `docs-${number}`;
  const json = () => `[${pages.map((page) => docJson(site, page)).join(",")}]`;
  const fingerprints = pages.flatMap(({ fingerprint = [] }) => fingerprint);
  if (fingerprints.length < pages.length) return partFile(name, part, json());
  const fingerprint = hashParts([name, part, ...fingerprints]).slice(0, 32);
  return lazyPartFile(name, part, { fingerprint, json });
}

function docJson(site: Site, { page, terms }: IndexedPage): string {
  const place = breadcrumbs(site, page).map((crumb) => crumb.label);
  const about = [relativeAddress("", `${page.path}.html`), page.title, place.join(" › ")];
  const shown = Buffer.from(terms.shown).toString();
  return `[${about.map(scriptJson).join(",")},${shown}]`;
}
