/**
 * `npm run bench:links -- [site]`: of the links within each site below the folder in OCTAVO_SITES, how many
 * lead to a page, and how many of those that name a place on it arrive there: as authors wrote them, and in
 * the exported bundle. A place counts as existing where an id of its page has the same letters and digits;
 * without one the link is dead wherever the site is shown. The misses follow, each with its kind.
 */
import { readFile, readdir } from "node:fs/promises";
import { join, posix } from "node:path";
import {
  createAnchorIndex,
  createSiteLinks,
  resolveLink,
} from "../packages/site/src/site/index.ts";
import { renderSite } from "../packages/site/src/export/index.ts";
import type { AnchorIndex, Site } from "../packages/site/src/site/index.ts";
import type { ExportedPage } from "../packages/site/src/export/index.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { table } from "./table.ts";

const head = [
  "site",
  "page links",
  "lead to a page",
  "with a place",
  "dead",
  "arrive as written",
  "arrive in the bundle",
];

/** Links by what becomes of them; each is told as its place and target. */
interface Count {
  total: number;
  /** Lead to no page or file. */
  readonly lost: string[];
  anchored: number;
  /** Their place is not on the page, in no spelling. */
  readonly dead: string[];
  /** Their place is there under another id. */
  readonly misspelt: string[];
}

/** Links with a place in the HTML of a bundle, apart from the dead ones. */
interface Arrivals {
  total: number;
  readonly missed: string[];
}

const ids = / id="([^"]*)"/g;
/** Links of authors: what parts of a page link to themselves with has a class. */
const authoredLinks = /<a href="([^"#?]*)(?:\?[^"#]*)?#([^"]+)"/g;
const contentStart = '<div id="content"';

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
};

const sites = process.env["OCTAVO_SITES"];
const report =
  sites === undefined
    ? "Set OCTAVO_SITES to a folder that holds documentation sites."
    : await measureSites(sites, process.argv[2]);
process.stdout.write(`${report}\n`);

async function measureSites(folder: string, only: string | undefined): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const rows: string[][] = [];
  const misses: string[] = [];
  for (const name of names.toSorted()) {
    if (only !== undefined && name !== only) continue;
    const { count, arrivals } = await measureSite(join(folder, name));
    rows.push(row(name, count, arrivals));
    const kinds = { ...count, missed: arrivals.missed };
    for (const kind of ["lost", "dead", "misspelt", "missed"] as const) {
      misses.push(...kinds[kind].map((miss) => `${kind}: ${name}/${miss}`));
    }
  }
  return [table(head, rows), "", ...misses].join("\n");
}

async function measureSite(siteDir: string): Promise<{ count: Count; arrivals: Arrivals }> {
  await using out = await temporaryFolder();
  const count: Count = { total: 0, lost: [], anchored: 0, dead: [], misspelt: [] };
  const { site } = await renderSite({
    siteDir,
    outDir: out.path,
    check(rendered, pages) {
      countAuthored(rendered, pages, count);
      return [];
    },
  });
  return { count, arrivals: await countArrivals(site, out.path) };
}

function countAuthored(site: Site, pages: readonly ExportedPage[], count: Count): void {
  const links = createSiteLinks(site);
  const anchors = new Map(
    pages.map(({ page, rendered }) => [page.path, createAnchorIndex(rendered.anchors)]),
  );
  for (const { page, rendered } of pages) {
    for (const { kind, target, file, line } of rendered.references) {
      if (kind !== "link") continue;
      const found = resolveLink(target, { page: page.path, file }, links);
      if (found.kind === "external" || found.kind === "unsafe") continue;
      const place = `${file}:${line} ${target}`;
      count.total++;
      if (found.kind === "unknown") count.lost.push(place);
      if (found.kind !== "page" || found.anchor === "") continue;
      count.anchored++;
      const known = anchors.get(found.path);
      if (known?.findId(found.anchor) !== undefined) continue;
      (known?.suggest(found.anchor) === undefined ? count.dead : count.misspelt).push(place);
    }
  }
}

async function countArrivals(site: Site, folder: string): Promise<Arrivals> {
  const arrivals: Arrivals = { total: 0, missed: [] };
  const documents = new Map<string, { html: string; anchors: AnchorIndex }>();
  for (const { path } of site.pages) {
    const html = await readFile(join(folder, `${path}.html`), "utf8");
    const found = [...html.matchAll(ids)].map(([, id = ""]) => decodeEntities(id));
    documents.set(`${path}.html`, { html, anchors: createAnchorIndex(found) });
  }
  for (const [file, { html }] of documents) {
    const content = html.slice(html.indexOf(contentStart), html.indexOf("</article>"));
    for (const [, address = "", fragment = ""] of content.matchAll(authoredLinks)) {
      const target = address === "" ? file : posix.join(posix.dirname(file), decode(address));
      const anchors = documents.get(target)?.anchors;
      const anchor = decode(fragment);
      if (anchors === undefined || anchors.suggest(anchor) === undefined) continue;
      arrivals.total++;
      if (anchors.findId(anchor) !== anchor) arrivals.missed.push(`${file} ${address}#${fragment}`);
    }
  }
  return arrivals;
}

function decode(address: string): string {
  return decodeURIComponent(decodeEntities(address));
}

function decodeEntities(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (whole, name) => entities[name] ?? whole);
}

function row(name: string, count: Count, arrivals: Arrivals): string[] {
  const { total, lost, anchored, dead, misspelt } = count;
  const alive = anchored - dead.length;
  return [
    name,
    String(total),
    percent(total - lost.length, total),
    String(anchored),
    String(dead.length),
    percent(alive - misspelt.length, alive),
    percent(arrivals.total - arrivals.missed.length, arrivals.total),
  ];
}

function percent(part: number, whole: number): string {
  return whole === 0 ? "none" : `${((100 * part) / whole).toFixed(2)} %`;
}
