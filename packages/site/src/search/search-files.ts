import { siblingModule } from "../core/index.ts";
import type { BundleFile } from "../core/index.ts";
import { readBrowserFile } from "../theme/index.ts";
import type { Site } from "../site/index.ts";
import { chunkDocs, docFile, shownBytesOf } from "./doc-chunks.ts";
import { searchIndexName } from "../site/index.ts";
import { indexedPages } from "./indexed-page.ts";
import type { IndexedPage, SearchedPage } from "./indexed-page.ts";
import { invertTerms, termsOf } from "./inverted-index.ts";
import type { InvertedIndex, Terms } from "./inverted-index.ts";
import type { SearchIndexCache } from "./cached-index.ts";
import { partFile } from "./part-file.ts";
import { scriptJson } from "./script-json.ts";
import { patchTerms, findPatch } from "./patched-index.ts";
import type { Patch } from "./patched-index.ts";
import { chunkTerms } from "./term-chunks.ts";
import { termLines } from "./term-lines.ts";
import { toCachedIndex } from "./to-cached-index.ts";

/**
 * The search of a bundle, as classic scripts, because `file://` allows neither `fetch` nor modules.
 * For each language and version there is one index in `_octavo/search/<name>/`:
 *
 * - `index.js`: how many sections each page has, the first term of each `terms-N.js`, the first section of
 *   each `docs-N.js`, and the prefixes that have a summary
 * - `terms-N.js`: sorted lines `term:postings` (`term-lines.ts`)
 * - `words.js`: the words that typing errors are corrected to
 * - `docs-N.js`: what results show: `[href, title, breadcrumb, [[id, heading, excerpt], ...]]` for each page
 *
 * A search loads `index.js`, the chunks with terms that begin with its words, and the documents of its best results:
 * it does not get slower as the site grows.
 *
 * An index that differs in few pages from the one in `cache` is patched; the files are the same.
 */
export async function searchFiles(
  site: Site,
  pages: readonly SearchedPage[],
  cache?: SearchIndexCache,
): Promise<BundleFile[]> {
  const groups = Map.groupBy(
    pages.filter((entry) => entry.page.searchable),
    (entry) => searchIndexName(entry.page),
  );
  const files = [...groups].flatMap(([name, group]) => indexFiles(site, { name, cache }, group));
  const script = await readBrowserFile(siblingModule(import.meta.url, "client/engine"));
  return [{ path: "_octavo/search/search.js", content: script }, ...files];
}

function indexFiles(
  site: Site,
  { name, cache }: { readonly name: string; readonly cache: SearchIndexCache | undefined },
  entries: readonly SearchedPage[],
): BundleFile[] {
  const pages = indexedPages(entries);
  const cached = cache?.read(name);
  const patch = cached && findPatch(pages, cached);
  const { terms, inverted } = termsOfPages(pages, patch);
  const { lines, summaries, vocabulary, groups } = termLines(terms, patch?.index);
  const termChunks = chunkTerms(name, lines, patch?.index);
  const shownBytes = shownBytesOf(pages, patch);
  if (inverted && cache) {
    cache.write(name, toCachedIndex({ pages, shownBytes, inverted, lines, groups, termChunks }));
  }
  const docChunks = chunkDocs(pages, shownBytes);
  const index = {
    pages: pages.map((page) => page.terms.sectionCount),
    terms: termChunks.map(({ firstKey }) => firstKey),
    docs: docChunks.map((chunk) => chunk[0]?.firstSection),
    summaries: summaries.join(" "),
  };
  return [
    partFile(name, "index", scriptJson(index)),
    partFile(name, "words", scriptJson(vocabulary.join(" "))),
    ...termChunks.map(({ file }) => file),
    ...docChunks.map((chunk, number) => docFile(site, chunk, { name, number })),
  ];
}

/** Includes the inverted index if it was made anew, not patched. */
function termsOfPages(
  pages: readonly IndexedPage[],
  patch: Patch | undefined,
): { readonly terms: Terms; readonly inverted?: InvertedIndex } {
  if (patch) return { terms: patchTerms(pages, patch) };
  const inverted = invertTerms(pages);
  return { terms: termsOf(inverted), inverted };
}
