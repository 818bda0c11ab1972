import type { BundleFile, RenderedPage } from "../bundle.ts";
import { readBrowserScript } from "../browser-script.ts";
import { relativeAddress } from "../page/markdown/links.ts";
import { breadcrumbs } from "../site/index.ts";
import type { Site, SitePage } from "../site/site.ts";
import { searchIndexName } from "./index-name.ts";
import { scriptJson } from "./script-json.ts";
import { termLines } from "./term-lines.ts";

/**
 * The search of a bundle, as classic scripts, because `file://` allows neither `fetch` nor modules.
 * For each language and version there is one index in `_octavo/search/<name>/`:
 *
 * - `index.js`: how many sections each page has, the first term of each `terms-N.js`, the first section of
 *   each `docs-N.js`, and the beginnings of words that have a line of their own
 * - `terms-N.js`: sorted lines `term:postings` (`term-lines.ts`)
 * - `words.js`: the words that typing errors are led to
 * - `docs-N.js`: what results show: `[href, title, breadcrumb, [[id, heading, excerpt], ...]]` for each page
 *
 * A search loads `index.js`, the chunks in which its words begin, and the documents of its best
 * results: what a reader waits for does not grow with the site.
 */
export async function searchFiles(
  site: Site,
  pages: readonly { readonly page: SitePage; readonly rendered: RenderedPage }[],
): Promise<BundleFile[]> {
  const groups = Map.groupBy(
    pages.filter((entry) => entry.page.searchable),
    (entry) => searchIndexName(entry.page),
  );
  const files = [...groups].flatMap(([name, group]) => indexFiles(site, name, group));
  const script = await readBrowserScript(scriptModules);
  return [{ path: "_octavo/search/search.js", content: script }, ...files];
}

/** Each stands after those that it imports. */
const scriptModules = [
  "tokenize.ts",
  "postings.ts",
  "client/index-parts.ts",
  "client/similar-words.ts",
  "client/find-terms.ts",
  "client/rank.ts",
  "client/highlight.ts",
  "client/engine.ts",
].map((path) => new URL(path, import.meta.url));

type Entry = { readonly page: SitePage; readonly rendered: RenderedPage };

/** Characters of a chunk of terms: about 2 ms of a browser's time to load. */
const termChunkLength = 48 * 1024;
/** Characters of a chunk of documents: a search shows those of a dozen. */
const docChunkLength = 20 * 1024;

function indexFiles(site: Site, name: string, entries: readonly Entry[]): BundleFile[] {
  const { lines, summaries, vocabulary } = termLines(entries.map((entry) => entry.rendered.terms));
  const termChunks = chunkTerms(lines);
  const docChunks = chunkDocs(site, entries);
  const folder = `_octavo/search/${name}`;
  const index = {
    pages: entries.map((entry) => entry.rendered.terms.sectionCount),
    terms: termChunks.map((chunk) => chunk.first),
    docs: docChunks.map((chunk) => chunk.first),
    summaries: summaries.join(" "),
  };
  const file = (part: string, json: string): BundleFile => ({
    path: `${folder}/${part}.js`,
    content: `octavoSearch.put(${JSON.stringify(name)},${JSON.stringify(part)},${json})\n`,
  });
  return [
    file("index", scriptJson(index)),
    file("words", scriptJson(vocabulary.join(" "))),
    ...termChunks.map((chunk, number) =>
      file(`terms-${number}`, scriptJson(chunk.lines.join("\n"))),
    ),
    ...docChunks.map((chunk, number) => file(`docs-${number}`, `[${chunk.pages.join(",")}]`)),
  ];
}

function chunkTerms(lines: readonly string[]): { first: string; lines: string[] }[] {
  const chunks: { first: string; lines: string[] }[] = [];
  let length = Infinity;
  for (const line of lines) {
    if (length > termChunkLength) {
      chunks.push({ first: line.slice(0, line.lastIndexOf(":")), lines: [] });
      length = 0;
    }
    chunks.at(-1)?.lines.push(line);
    length += line.length;
  }
  return chunks;
}

/** Texts of pages as JSON: `[href, title, breadcrumb, sections]`. */
function chunkDocs(site: Site, entries: readonly Entry[]): { first: number; pages: string[] }[] {
  const chunks: { first: number; pages: string[] }[] = [];
  const decoder = new TextDecoder();
  let section = 0;
  let length = Infinity;
  for (const { page, rendered } of entries) {
    const { sectionCount, shown } = rendered.terms;
    if (length >= docChunkLength) {
      chunks.push({ first: section, pages: [] });
      length = 0;
    }
    const place = breadcrumbs(site, page).map((crumb) => crumb.label);
    const about = [relativeAddress("", `${page.path}.html`), page.title, place.join(" › ")];
    chunks.at(-1)?.pages.push(`[${about.map(scriptJson).join(",")},${decoder.decode(shown)}]`);
    section += sectionCount;
    length += shown.length;
  }
  return chunks;
}
