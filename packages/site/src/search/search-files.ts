import { crc32 } from "node:zlib";
import { resolveSiblingModule, sha256, type BundleFile } from "../core/index.ts";
import { readBrowserFile } from "../theme/index.ts";
import {
  createPageFiles,
  getRelativePageAddress,
  getSearchIndexName,
  listBreadcrumbs,
  type FindPageFile,
  type Site,
} from "../site/index.ts";
import type { SitePage } from "../site/index.ts";
import { createMemoryStore, type CreateStore } from "./byte-store.ts";
import { invertTerms, toTerms, type InvertedIndex, type Terms } from "./inverted-index.ts";
import type {
  CachedChunk,
  CachedDocs,
  CachedGroup,
  CachedIndex,
  CachedLines,
  CachedSummary,
  SearchIndexCache,
} from "./cached-index.ts";
import { findPatch, patchTerms, type Patch } from "./patched-index.ts";
import type { IndexedPage } from "./patched-index.ts";
import { createTermLines } from "./term-lines.ts";
import type { LineList, WrittenLines } from "./term-lines.ts";
import { computeReservedNumbers } from "./postings.ts";
import { formatScriptJson } from "./terms.ts";
import type { PageTerms } from "./terms.ts";

/**
 * Creates the files for a bundle's search. They are classic scripts, because `file://` supports neither `fetch` nor
 * modules. Each language and version has an index in `_octavo/search/<name>/`:
 *
 * - `index.js`: the number of sections of each page, from which section numbers are derived (`computeReservedNumbers`),
 *   the first term of each `terms-N.js`, the number of the first section of each `docs-N.js`, and the prefixes that
 *   have a summary
 * - `terms-N.js`: sorted lines `term:postings` (`term-lines.ts`)
 * - `words.js`: the words to which typos are corrected
 * - `docs-N.js`: the data that results show: `[href, title, breadcrumb, [[id, heading, excerpt], ...]]` for each page
 *
 * A search loads `index.js`, the chunks with terms that begin with its words, and the documents of its best results, so
 * it does not get slower as the site grows.
 *
 * If few pages differ from the pages of the index in `cache`, that index is patched, which produces the same files.
 * Write each file before requesting the next, so that few files are in memory at a time.
 */
export async function createSearchFiles(
  site: Site,
  pages: readonly SearchedPage[],
  cache?: SearchIndexCache,
): Promise<Iterable<BundleFile>> {
  const script = await readBrowserFile(resolveSiblingModule(import.meta.url, "client/engine"));
  return createAllFiles(site, pages, { script, cache });
}

function* createAllFiles(
  site: Site,
  pages: readonly SearchedPage[],
  { script, cache }: { readonly script: string; readonly cache: SearchIndexCache | undefined },
): Generator<BundleFile> {
  yield { path: "_octavo/search/search.js", content: script };
  const groups = Map.groupBy(
    pages.filter((entry) => entry.page.searchable),
    (entry) => getSearchIndexName(entry.page),
  );
  for (const [name, group] of groups) yield* createIndexFiles(site, { name, cache }, group);
}

function* createIndexFiles(
  site: Site,
  { name, cache }: { readonly name: string; readonly cache: SearchIndexCache | undefined },
  entries: readonly SearchedPage[],
): Generator<BundleFile> {
  const pages = toIndexedPages(entries);
  const cached = cache?.read(name);
  const patch = cached && findPatch(pages, cached);
  const createStore = cache?.createStore ?? createMemoryStore;
  const { terms, inverted } = computeTerms(pages, patch, createStore);
  const termLines = createTermLines(terms, { cached: patch?.index, store: createStore() });
  const { lines, summaries, vocabulary, ...others } = termLines;
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

/** Returns the terms and, if the index was built from scratch rather than patched, the inverted index. */
function computeTerms(
  pages: readonly IndexedPage[],
  patch: Patch | undefined,
  createStore: CreateStore,
): { readonly terms: Terms; readonly inverted?: InvertedIndex } {
  if (patch) return { terms: patchTerms(pages, patch) };
  const inverted = invertTerms(pages, createStore);
  return { terms: toTerms(inverted), inverted };
}

/** Converts a new index to the form that the cache stores. */
function toCachedIndex(built: {
  readonly pages: readonly IndexedPage[];
  readonly shownBytes: Uint32Array;
  readonly inverted: InvertedIndex;
  readonly lines: LineList;
  readonly written: WrittenLines;
  readonly groups: ReadonlyMap<string, CachedGroup>;
  readonly termChunks: readonly TermChunk[];
  readonly docs: CachedDocs;
}): CachedIndex {
  const { pages, shownBytes, inverted, lines, written, groups, termChunks, docs } = built;
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
    const term = lines.findTerm(number);
    if (term === undefined)
      summaries.set(lines.getKey(number), { number, text: lines.getText(number) });
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

/** Minimum size of a chunk in bytes. Chunks average 22 KB, and a search loads up to a dozen. */
const minChunkBytes = 14 * 1024;

const meanExcessBytes = 8 * 1024;
const maxChunkBytes = 40 * 1024;

/**
 * Returns the size in bytes of the data that results show for each page. The sizes of unchanged pages come from the
 * cached index.
 */
function measureShownBytes(pages: readonly IndexedPage[], patch: Patch | undefined): Uint32Array {
  if (!patch) return Uint32Array.from(pages, ({ terms }) => terms.shownBytes);
  const bytes = patch.index.shownBytes.slice();
  for (const number of patch.changedNumbers) bytes[number] = pages[number]?.terms.shownBytes ?? 0;
  return bytes;
}

/**
 * Splits pages into chunks. Just as chunks of terms end at a line chosen by its key, a chunk that is large enough ends
 * at a page chosen by its path. A page whose data grows therefore usually changes only its own chunk.
 */
function splitDocs(pages: readonly IndexedPage[], shownBytes: Uint32Array): IndexedPage[][] {
  const chunks: IndexedPage[][] = [];
  let chunk: IndexedPage[] = [];
  let bytes = 0;
  for (const [number, page] of pages.entries()) {
    const pageBytes = shownBytes[number] ?? 0;
    chunk.push(page);
    bytes += pageBytes;
    const isEnd =
      bytes >= minChunkBytes && (bytes >= maxChunkBytes || isDocChunkEnd(page, pageBytes));
    if (!isEnd && number + 1 < pages.length) continue;
    chunks.push(chunk);
    chunk = [];
    bytes = 0;
  }
  return chunks;
}

/** Reports whether a page ends a chunk. This is more likely for large pages. */
function isDocChunkEnd({ page }: IndexedPage, bytes: number): boolean {
  return crc32(page.path) / 2 ** 32 < bytes / meanExcessBytes;
}

/**
 * Creates the document files, one at a time. Files without changed pages get their fingerprints from the cached index.
 */
function createDocFiles(
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
  const cachedFingerprints = patch && listCachedFingerprints(firstPages, patch);
  const fingerprints = chunks.map((chunk, number) => {
    const cachedFingerprint = cachedFingerprints?.[number] ?? "";
    return cachedFingerprint === ""
      ? computeFingerprint(chunk, name, formatPartName(number))
      : cachedFingerprint;
  });
  const findPageFile = createPageFiles(site);
  function* files(): Generator<BundleFile> {
    for (const [number, chunk] of chunks.entries()) {
      const json = () =>
        `[${chunk.map((page) => formatDocJson(site, page, findPageFile)).join(",")}]`;
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
 * Returns the cached fingerprint of each file whose pages are the same as in the cached index and have not changed; an
 * empty string for each other file.
 */
function listCachedFingerprints(
  firstPages: Uint32Array,
  { index, changedNumbers }: Patch,
): readonly string[] {
  const { docs, pages } = index;
  const findEnd = (starts: Uint32Array, number: number) => starts[number + 1] ?? pages.length;
  return Array.from(firstPages, (from, number) => {
    const to = findEnd(firstPages, number);
    const isSame = docs.firstPages[number] === from && findEnd(docs.firstPages, number) === to;
    const isChanged = changedNumbers.some((page) => page >= from && page < to);
    return isSame && !isChanged ? (docs.fingerprints[number] ?? "") : "";
  });
}

/** Returns an empty string if the fingerprint of a page is unknown. */
function computeFingerprint(pages: readonly IndexedPage[], name: string, part: string): string {
  const fingerprints = pages.flatMap(({ fingerprint = [] }) => fingerprint);
  const isKnown = fingerprints.length === pages.length;
  const hashedText = JSON.stringify([name, part, fingerprints.join(" ")]);
  return isKnown ? sha256(hashedText).slice(0, 32) : "";
}

/** Returns the document of a page as JSON: `[href, title, breadcrumb, sections]`. */
function formatDocJson(site: Site, { page, terms }: IndexedPage, fileOf: FindPageFile): string {
  const labels = listBreadcrumbs(site, page).map((crumb) => crumb.label);
  const pageFields = [
    getRelativePageAddress(site, "", fileOf(page.path)),
    page.title,
    labels.join(" › "),
  ];
  const sectionsJson = Buffer.from(terms.shown).toString();
  return `[${pageFields.map(formatScriptJson).join(",")},${sectionsJson}]`;
}

/** Minimum length of a chunk in characters. Chunks average 48 K, which a browser loads in about 2 ms. */
const minChunkLength = 32 * 1024;

const meanExcessLength = 16 * 1024;
const maxChunkLength = 96 * 1024;

/** The lines from `from` up to, but not including, `to`. A search loads them together. */
interface TermChunk {
  readonly from: number;
  readonly to: number;
  readonly firstKey: string;
  /** The fingerprint of the chunk's file. */
  readonly fingerprint: string;
}

/**
 * Splits the lines into files, one at a time, so that each file can be written before the next is built. If a file has
 * the same lines as in the cached index, its content is built only when it is read. `add` receives the chunk of each
 * file.
 */
function* createTermFiles(
  name: string,
  lines: LineList,
  { cached, add }: { cached: CachedIndex | undefined; add: (chunk: TermChunk) => void },
): Generator<BundleFile> {
  for (const [number, { from, to }] of splitLines(lines).entries()) {
    const part = `terms-${number}`;
    const json = () => formatScriptJson(lines.getTexts(from, to).join("\n"));
    const chunk = cached?.chunks[number];
    const cachedFingerprint =
      chunk && hasSameLines(lines, { from, to }, chunk) ? chunk.fingerprint : undefined;
    const file = createLazyPartFile(name, part, { fingerprint: cachedFingerprint, json });
    add({ from, to, firstKey: lines.getKey(from), fingerprint: file.fingerprint });
    yield file;
    file.forget();
  }
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Splits lines into chunks by content-defined chunking: a chunk that is long enough ends at a line chosen by its key,
 * not at a fixed length. A line that was added or became longer changes its own chunk, while most later chunks stay the
 * same.
 */
function splitLines(lines: LineList): Range[] {
  const ranges: Range[] = [];
  let from = 0;
  let length = 0;
  for (let line = 0; line < lines.count; line += 1) {
    length += lines.getLength(line);
    const isEnd =
      length > minChunkLength && (length > maxChunkLength || isTermChunkEnd(lines, line));
    if (!isEnd && line + 1 < lines.count) continue;
    ranges.push({ from, to: line + 1 });
    from = line + 1;
    length = 0;
  }
  return ranges;
}

/**
 * Reports whether a line ends a chunk. This is more likely for longer lines, so that the length of chunks does not
 * depend on the length of lines.
 */
function isTermChunkEnd(lines: LineList, line: number): boolean {
  return crc32(lines.getKey(line)) / 2 ** 32 < lines.getLength(line) / meanExcessLength;
}

function hasSameLines(
  lines: LineList,
  { from, to }: Range,
  { firstLine, lineCount }: CachedChunk,
): boolean {
  if (to - from !== lineCount) return false;
  for (let line = from; line < to; line += 1) {
    if (lines.findCachedLine(line) !== firstLine + line - from) return false;
  }
  return true;
}

/** Creates a script that passes a part of an index to the search engine. */
function createPartFile(
  name: string,
  part: string,
  json: string,
): BundleFile & { readonly fingerprint: string } {
  const content = `octavoSearch.put(${JSON.stringify(name)},${JSON.stringify(part)},${json})\n`;
  return { path: getPartPath(name, part), content, fingerprint: sha256(content).slice(0, 32) };
}

/** A file whose content is not kept in memory. */
interface LazyPartFile extends BundleFile {
  readonly fingerprint: string;
  /** Drops the content that was generated for the fingerprint. If it is read later, it is generated again. */
  forget(): void;
}

/**
 * Creates a script whose content is generated on each access. If the fingerprint is unknown, the content is generated
 * once in advance to compute it.
 */
function createLazyPartFile(
  name: string,
  part: string,
  { fingerprint, json }: { readonly fingerprint: string | undefined; readonly json: () => string },
): LazyPartFile {
  let firstContent = fingerprint === undefined ? createPartFile(name, part, json()) : undefined;
  return {
    path: getPartPath(name, part),
    fingerprint: fingerprint ?? firstContent?.fingerprint ?? "",
    get content() {
      return (firstContent ?? createPartFile(name, part, json())).content;
    },
    forget() {
      firstContent = undefined;
    },
  };
}

function getPartPath(name: string, part: string): string {
  return `_octavo/search/${name}/${part}.js`;
}

/** A page to be indexed. */
export interface SearchedPage {
  readonly page: SitePage;
  readonly rendered: { readonly terms: PageTerms };
  /** Pages with equal fingerprints have the same terms and results. Undefined if unknown. */
  readonly fingerprint?: string | undefined;
}

function toIndexedPages(entries: readonly SearchedPage[]): IndexedPage[] {
  let firstSection = 0;
  return entries.map(({ page, rendered, fingerprint }) => {
    const { terms } = rendered;
    const indexed = { page, terms, fingerprint, firstSection };
    firstSection += computeReservedNumbers(terms.sectionCount);
    return indexed;
  });
}
