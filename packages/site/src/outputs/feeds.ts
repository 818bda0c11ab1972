import type { BundleFile } from "../core/index.ts";
import { limits } from "../core/index.ts";
import type { ChangelogEntry, News } from "../page/index.ts";
import type { Site, SitePage } from "../site/index.ts";
import { element, escapeXml, html, joinHtml, languageTag, type Html } from "../markup/index.ts";
import {
  createPageFiles,
  feedFile,
  fileAddress,
  pageAddress,
  relativeAddress,
} from "../site/index.ts";
import { createDateFinder } from "./entry-date.ts";
import { plainDescription } from "../theme/index.ts";
import type { OutputOptions, PageOutput } from "./output.ts";
import { renderXmlDocument } from "./xml-document.ts";

/**
 * `<page>/rss.xml` for each page with a changelog. Entries have the dates that authors wrote, or none: the date of the
 * export would make old entries look new.
 */
export function feedFiles(
  site: Site,
  pages: readonly PageOutput[],
  { baseUrl }: OutputOptions,
): BundleFile[] {
  return pages.flatMap(({ page, rendered }) => {
    if (rendered.changes === undefined) return [];
    const items = itemsOf(page, rendered.changes);
    return [{ path: feedFile(page.path), content: renderFeed(site, page, { items, baseUrl }) }];
  });
}

interface Item extends News {
  readonly guid: string;
  readonly date: Date | undefined;
  readonly tags: readonly string[];
}

function itemsOf(page: SitePage, changes: readonly ChangelogEntry[]): readonly Item[] {
  const [language = "en"] = languageTag(page.language).split("-");
  const findDate = createDateFinder(language);
  const items = changes.flatMap(({ label, news, tags, when }) => {
    const date = findDate(when);
    return news.map((item) => ({ ...item, date, tags, guid: guidOf(label, item) }));
  });
  return withUniqueGuids(items).slice(0, limits.feedItems);
}

/**
 * Identifies an entry. Not by its anchor: changelogs grow at the top, and each new "Bug fixes" there would change the
 * anchors of those below, which feed readers would then show as new.
 */
function guidOf(label: string, { title }: News): string {
  return encodeURIComponent((title === label ? label : `${label}/${title}`).toWellFormed());
}

function withUniqueGuids(items: readonly Item[]): readonly Item[] {
  const counts = new Map<string, number>();
  const numbered = items.toReversed().map((item) => {
    const count = (counts.get(item.guid) ?? 0) + 1;
    counts.set(item.guid, count);
    return count === 1 ? item : { ...item, guid: `${item.guid}-${count}` };
  });
  return numbered.toReversed();
}

function renderFeed(
  site: Site,
  page: SitePage,
  { items, baseUrl }: { readonly items: readonly Item[]; readonly baseUrl: string | undefined },
): Html {
  const file = feedFile(page.path);
  const ownFile = createPageFiles(site)(page.path);
  const link =
    baseUrl === undefined ? relativeAddress(file, ownFile) : pageAddress(site, ownFile, baseUrl);
  const own = page.frontmatter.description;
  const description =
    own === undefined ? (site.config.description ?? site.config.name) : plainDescription(own);
  const latest = Math.max(0, ...items.map(({ date }) => date?.getTime() ?? 0));
  const self = escapeXml(fileAddress(file, baseUrl));
  const name = baseUrl === undefined ? page.path : link;
  const lines = [
    html`<rss xmlns:atom="http://www.w3.org/2005/Atom" version="2.0">`,
    html`<channel>`,
    renderText("title", page.title),
    renderText("description", description),
    renderText("link", link),
    ...(baseUrl === undefined
      ? []
      : [html`<atom:link href="${self}" rel="self" type="application/rss+xml"/>`]),
    ...(latest === 0 ? [] : [renderText("lastBuildDate", new Date(latest).toUTCString())]),
    ...items.map((item) => renderItem(item, page, { link, name })),
    html`</channel>`,
    html`</rss>`,
  ];
  return renderXmlDocument(lines, baseUrl);
}

function renderItem(
  item: Item,
  page: SitePage,
  { link, name }: { readonly link: string; readonly name: string },
): Html {
  const { title, id, text, date, tags, guid } = item;
  const fragment = id === "" ? "" : `#${encodeURIComponent(id.toWellFormed())}`;
  const lines = [
    html`<item>`,
    renderText("title", title || page.title),
    renderText("link", link + fragment),
    html`<guid isPermaLink="false">${escapeText(`${name}#${guid}`)}</guid>`,
    ...(date === undefined ? [] : [renderText("pubDate", date.toUTCString())]),
    ...tags.map((tag) => renderText("category", tag)),
    ...(text === "" ? [] : [renderText("description", text)]),
    html`</item>`,
  ];
  return joinHtml(lines, html`\n`);
}

function renderText(name: string, text: string): Html {
  return element(name, "", escapeText(text));
}

/** Characters that XML 1.0 does not allow, even escaped. */
// eslint-disable-next-line no-control-regex
const invalidCharacters = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

function escapeText(text: string): Html {
  return escapeXml(text.toWellFormed().replace(invalidCharacters, ""));
}
