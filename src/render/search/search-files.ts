import type { BundleFile, RenderedPage } from "../bundle.ts";
import { readBrowserScript } from "../browser-script.ts";
import { relativeAddress } from "../page/markdown/links.ts";
import { breadcrumbs } from "../site/index.ts";
import type { Site, SitePage } from "../site/site.ts";
import { searchIndexName } from "./index-name.ts";
import { invertTerms, type TermLine } from "./inverted-index.ts";

/**
 * The search of a bundle, as classic scripts, because `file://` allows neither `fetch` nor modules.
 * For each language and version there is one index in `_octavo/search/<name>/`:
 *
 * - `index.js`: how many sections there are, the first term of each `terms-N.js`, the first section of each `docs-N.js`
 * - `terms-N.js`: sorted lines `term:postings`; postings are the gaps between section numbers in base
 *   36, each followed by the letter of its weight
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
  const script = await readBrowserScript([
    new URL("client/tokenize.ts", import.meta.url),
    new URL("client/engine.ts", import.meta.url),
  ]);
  return [{ path: "_octavo/search/search.js", content: script }, ...files];
}

type Entry = { readonly page: SitePage; readonly rendered: RenderedPage };

/** Characters of a chunk of terms: about 10 ms to load. */
const termChunkLength = 96 * 1024;
/** Sections in a chunk of documents. */
const docChunkSections = 64;

function indexFiles(site: Site, name: string, entries: readonly Entry[]): BundleFile[] {
  const termChunks = chunkTerms(invertTerms(entries.map((entry) => entry.rendered.terms)));
  const docChunks = chunkDocs(site, entries);
  const folder = `_octavo/search/${name}`;
  const count = entries.reduce((sum, entry) => sum + entry.rendered.terms.sections.length, 0);
  const index = {
    count,
    terms: termChunks.map((chunk) => chunk.first),
    docs: docChunks.map((chunk) => chunk.first),
  };
  const call = (part: string, value: unknown) =>
    `octavoSearch.put(${JSON.stringify(name)},${JSON.stringify(part)},${scriptJson(value)})\n`;
  return [
    { path: `${folder}/index.js`, content: call("index", index) },
    ...termChunks.map((chunk, number) => ({
      path: `${folder}/terms-${number}.js`,
      content: call(`terms-${number}`, chunk.lines.join("\n")),
    })),
    ...docChunks.map((chunk, number) => ({
      path: `${folder}/docs-${number}.js`,
      content: call(`docs-${number}`, chunk.pages),
    })),
  ];
}

/** JSON that is also JavaScript, without anything that could end a script element. */
function scriptJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}

function chunkTerms(terms: readonly TermLine[]): { first: string; lines: string[] }[] {
  const chunks: { first: string; lines: string[] }[] = [];
  let length = Infinity;
  for (const { term, postings } of terms) {
    if (length > termChunkLength) {
      chunks.push({ first: term, lines: [] });
      length = 0;
    }
    const line = `${term}:${postings}`;
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
  let inChunk = Infinity;
  for (const { page, rendered } of entries) {
    const { sections } = rendered.terms;
    if (inChunk >= docChunkSections) {
      chunks.push({ first: section, pages: [] });
      inChunk = 0;
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
    inChunk += sections.length;
  }
  return chunks;
}
