import { resolveSiblingModule, type BundleFile } from "../core/index.ts";
import { readBrowserFile } from "../theme/index.ts";
import { getSearchIndexName, type Site } from "../site/index.ts";
import { createMemoryStore, type CreateStore } from "./byte-store.ts";
import { splitDocs, createDocFiles, measureShownBytes } from "./doc-chunks.ts";
import { toIndexedPages, type IndexedPage, type SearchedPage } from "./indexed-page.ts";
import { invertTerms, toTerms, type InvertedIndex, type Terms } from "./inverted-index.ts";
import type {
  SearchIndexCache,
  CachedChunk,
  CachedDocs,
  CachedGroup,
  CachedIndex,
  CachedLines,
  CachedSummary,
} from "./cached-index.ts";
import { createPartFile, formatScriptJson } from "./part-file.ts";
import { patchTerms, findPatch, type Patch } from "./patched-index.ts";
import { createTermFiles, type TermChunk } from "./term-chunks.ts";
import { createTermLines } from "./term-lines.ts";
import type { LineList, WrittenLines } from "./line-list.ts";

/**
 * Creates the files for a bundle's search, as classic scripts, because `file://` allows neither `fetch` nor modules.
 * For each language and version there is one index in `_octavo/search/<name>/`:
 *
 * - `index.js`: the number of sections of each page, from which `reservedNumbers` derives their section numbers, the
 *   first term of each `terms-N.js`, the number of the first section of each `docs-N.js`, and the prefixes that have a
 *   summary
 * - `terms-N.js`: sorted lines `term:postings` (`term-lines.ts`)
 * - `words.js`: the words that typos are corrected to
 * - `docs-N.js`: the data that results show: `[href, title, breadcrumb, [[id, heading, excerpt], ...]]` for each page
 *
 * A search loads `index.js`, the chunks with terms that begin with its words, and the documents of its best results: it
 * does not get slower as the site grows.
 *
 * An index in which few pages differ from the one in `cache` is patched; the files are the same. Write each file before
 * requesting the next, so that few of them are in memory at a time.
 */
export async function createSearchFiles(
  site: Site,
  pages: readonly SearchedPage[],
  cache?: SearchIndexCache,
): Promise<Iterable<BundleFile>> {
  const script = await readBrowserFile(resolveSiblingModule(import.meta.url, "client/engine"));
  return allFiles(site, pages, { script, cache });
}

function* allFiles(
  site: Site,
  pages: readonly SearchedPage[],
  { script, cache }: { readonly script: string; readonly cache: SearchIndexCache | undefined },
): Generator<BundleFile> {
  yield { path: "_octavo/search/search.js", content: script };
  const groups = Map.groupBy(
    pages.filter((entry) => entry.page.searchable),
    (entry) => getSearchIndexName(entry.page),
  );
  for (const [name, group] of groups) yield* indexFiles(site, { name, cache }, group);
}

function* indexFiles(
  site: Site,
  { name, cache }: { readonly name: string; readonly cache: SearchIndexCache | undefined },
  entries: readonly SearchedPage[],
): Generator<BundleFile> {
  const pages = toIndexedPages(entries);
  const cached = cache?.read(name);
  const patch = cached && findPatch(pages, cached);
  const createStore = cache?.createStore ?? createMemoryStore;
  const { terms, inverted } = termsOfPages(pages, patch, createStore);
  const made = createTermLines(terms, { cached: patch?.index, store: createStore() });
  const { lines, summaries, vocabulary, ...others } = made;
  const termChunks: TermChunk[] = [];
  yield* createTermFiles(name, lines, {
    cached: patch?.index,
    add: (chunk) => termChunks.push(chunk),
  });
  const shownBytes = measureShownBytes(pages, patch);
  const docChunks = splitDocs(pages, shownBytes);
  const { docs, files } = createDocFiles(site, docChunks, { name, patch });
  if (inverted && cache) {
    const index = { pages, shownBytes, inverted, lines, termChunks, docs, ...others };
    cache.write(name, toCachedIndex(index));
  }
  yield* files;
  const index = {
    pages: pages.map((page) => page.terms.sectionCount),
    terms: termChunks.map(({ firstKey }) => firstKey),
    docs: docChunks.map((chunk) => chunk[0]?.firstSection),
    summaries: summaries.join(" "),
  };
  yield createPartFile(name, "index", formatScriptJson(index));
  yield createPartFile(name, "words", formatScriptJson(vocabulary.join(" ")));
}

/** Returns the inverted index too if it was built from scratch, not patched. */
function termsOfPages(
  pages: readonly IndexedPage[],
  patch: Patch | undefined,
  createStore: CreateStore,
): { readonly terms: Terms; readonly inverted?: InvertedIndex } {
  if (patch) return { terms: patchTerms(pages, patch) };
  const inverted = invertTerms(pages, createStore);
  return { terms: toTerms(inverted), inverted };
}

/** Converts a new index to the form that the cache stores. */
function toCachedIndex(made: {
  readonly pages: readonly IndexedPage[];
  readonly shownBytes: Uint32Array;
  readonly inverted: InvertedIndex;
  readonly lines: LineList;
  readonly written: WrittenLines;
  readonly groups: ReadonlyMap<string, CachedGroup>;
  readonly termChunks: readonly TermChunk[];
  readonly docs: CachedDocs;
}): CachedIndex {
  const { pages, shownBytes, inverted, lines, written, groups, termChunks, docs } = made;
  const { texts, ...terms } = inverted;
  return {
    pages: pages.map(({ fingerprint = "" }) => fingerprint),
    sectionCounts: Uint32Array.from(pages, (page) => page.terms.sectionCount),
    shownBytes,
    ...terms,
    terms: texts.join("\n"),
    lines: toCachedLines(lines, written),
    groups,
    chunks: toCachedChunks(termChunks),
    docs,
  };
}

function toCachedLines(lines: LineList, written: WrittenLines): CachedLines {
  const numbers = new Uint32Array(written.ends.length);
  const summaries = new Map<string, CachedSummary>();
  for (let number = 0; number < lines.count; number += 1) {
    const term = lines.termOf(number);
    if (term === undefined)
      summaries.set(lines.keyOf(number), { number, text: lines.textOf(number) });
    else numbers[term] = number;
  }
  return { ...written, numbers, summaries };
}

function toCachedChunks(chunks: readonly TermChunk[]): CachedChunk[] {
  return chunks.map(({ from, to, fingerprint }) => ({
    firstLine: from,
    lineCount: to - from,
    fingerprint,
  }));
}
