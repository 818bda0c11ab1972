import type { BundleFile, RenderedPage } from "../bundle.ts";
import { readBrowserScript } from "../browser-script.ts";
import { relativeAddress } from "../page/markdown/links.ts";
import { breadcrumbs } from "../site/index.ts";
import type { Site, SitePage } from "../site/site.ts";
import { searchIndexName } from "./index-name.ts";
import { termLines, type TermSource } from "./term-lines.ts";

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
  const { lines, summaries, vocabulary } = termLines(sources(entries));
  const termChunks = chunkTerms(lines);
  const docChunks = chunkDocs(site, entries);
  const folder = `_octavo/search/${name}`;
  const index = {
    pages: entries.map((entry) => entry.rendered.terms.sections.length),
    terms: termChunks.map((chunk) => chunk.first),
    docs: docChunks.map((chunk) => chunk.first),
    summaries: summaries.join(" "),
  };
  const file = (part: string, value: unknown): BundleFile => ({
    path: `${folder}/${part}.js`,
    content: `octavoSearch.put(${JSON.stringify(name)},${JSON.stringify(part)},${scriptJson(value)})\n`,
  });
  return [
    file("index", index),
    file("words", vocabulary.join(" ")),
    ...termChunks.map((chunk, number) => file(`terms-${number}`, chunk.lines.join("\n"))),
    ...docChunks.map((chunk, number) => file(`docs-${number}`, chunk.pages)),
  ];
}

function* sources(entries: readonly Entry[]): Generator<TermSource> {
  for (const { page, rendered } of entries) {
    for (const { terms } of rendered.terms.sections) yield { terms, boost: page.boost };
  }
}

/** JSON that is also JavaScript, without anything that could end a script element. */
function scriptJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
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

type DocPage = readonly [
  href: string,
  title: string,
  breadcrumb: string,
  sections: readonly (readonly [id: string, heading: string, excerpt: string])[],
];

function chunkDocs(site: Site, entries: readonly Entry[]): { first: number; pages: DocPage[] }[] {
  const chunks: { first: number; pages: DocPage[] }[] = [];
  let section = 0;
  let length = Infinity;
  for (const { page, rendered } of entries) {
    const { sections } = rendered.terms;
    if (length >= docChunkLength) {
      chunks.push({ first: section, pages: [] });
      length = 0;
    }
    chunks.at(-1)?.pages.push([
      relativeAddress("", `${page.path}.html`),
      page.title,
      breadcrumbs(site, page)
        .map((crumb) => crumb.label)
        .join(" › "),
      sections.map((part) => [part.id, part.heading, part.excerpt] as const),
    ]);
    section += sections.length;
    for (const { heading, excerpt } of sections) length += heading.length + excerpt.length;
  }
  return chunks;
}
