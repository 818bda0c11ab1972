import type { BundleFile } from "../core/index.ts";
import { limits } from "../core/index.ts";
import type { ChangelogEntry, News } from "../page/index.ts";
import type { Site, SitePage } from "../site/index.ts";
import { languageTag, escapeXml } from "../markup/index.ts";
import { feedFile, fileAddress, pageFile, relativeAddress } from "../site/index.ts";
import { createEntryDates } from "./entry-date.ts";
import type { OutputOptions, PageOutput } from "./output.ts";

/**
 * `<page>/rss.xml` for each page with a changelog. Entries have the dates that authors wrote, or none: the date of the
 * export would make old entries look new.
 */
export function feeds(
  site: Site,
  pages: readonly PageOutput[],
  { baseUrl }: OutputOptions,
): BundleFile[] {
  return pages.flatMap(({ page, rendered }) => {
    if (rendered.changes === undefined) return [];
    const items = itemsOf(page, rendered.changes);
    return [{ path: feedFile(page.path), content: feed(site, page, { items, baseUrl }) }];
  });
}

interface Item extends News {
  readonly guid: string;
  readonly date: Date | undefined;
  readonly tags: readonly string[];
}

function itemsOf(page: SitePage, changes: readonly ChangelogEntry[]): readonly Item[] {
  const [language = "en"] = languageTag(page.language).split("-");
  const dateOf = createEntryDates(language);
  const items = changes.flatMap(({ label, news, tags, when }) => {
    const date = dateOf(when);
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

function feed(
  site: Site,
  page: SitePage,
  { items, baseUrl }: { readonly items: readonly Item[]; readonly baseUrl: string | undefined },
): string {
  const file = feedFile(page.path);
  const link = addressFrom(file, pageFile(page.path), baseUrl);
  const description = page.frontmatter.description ?? site.config.description ?? site.config.name;
  const latest = items.reduce<number>(
    (latest, { date }) => Math.max(latest, date?.getTime() ?? 0),
    0,
  );
  const self = `<atom:link href="${escapeXml(fileAddress(file, baseUrl))}" rel="self" type="application/rss+xml"/>`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    ...(baseUrl === undefined
      ? ["<!-- Exported without a base URL: addresses are relative to this file. -->"]
      : []),
    '<rss xmlns:atom="http://www.w3.org/2005/Atom" version="2.0">',
    "<channel>",
    element("title", page.title),
    element("description", description),
    element("link", link),
    ...(baseUrl === undefined ? [] : [self]),
    ...(latest === 0 ? [] : [element("lastBuildDate", new Date(latest).toUTCString())]),
    ...items.map((item) =>
      itemElement(item, page, { link, name: baseUrl === undefined ? page.path : link }),
    ),
    "</channel>",
    "</rss>",
    "",
  ].join("\n");
}

function itemElement(
  item: Item,
  page: SitePage,
  { link, name }: { readonly link: string; readonly name: string },
): string {
  const { title, id, text, date, tags, guid } = item;
  const fragment = id === "" ? "" : `#${encodeURIComponent(id.toWellFormed())}`;
  return [
    "<item>",
    element("title", title || page.title),
    element("link", link + fragment),
    `<guid isPermaLink="false">${xmlText(`${name}#${guid}`)}</guid>`,
    ...(date === undefined ? [] : [element("pubDate", date.toUTCString())]),
    ...tags.map((tag) => element("category", tag)),
    ...(text === "" ? [] : [element("description", text)]),
    "</item>",
  ].join("\n");
}

function addressFrom(from: string, to: string, baseUrl: string | undefined): string {
  return baseUrl === undefined ? relativeAddress(from, to) : fileAddress(to, baseUrl);
}

function element(name: string, text: string): string {
  return `<${name}>${xmlText(text)}</${name}>`;
}

/** Characters that XML 1.0 does not allow, even escaped. */
// eslint-disable-next-line no-control-regex
const notXml = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

function xmlText(text: string): string {
  return escapeXml(text.toWellFormed().replace(notXml, ""));
}
