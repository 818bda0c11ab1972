import { limits, type BundleFile } from "../core/index.ts";
import type { ChangelogEntry, News } from "../page/index.ts";
import {
  createPageFiles,
  getFeedPath,
  getFileAddress,
  getPageAddress,
  getRelativePageAddress,
  type Site,
  type SitePage,
} from "../site/index.ts";
import {
  buildElement,
  escapeXml,
  html,
  joinHtml,
  toLanguageTag,
  type Html,
} from "../markup/index.ts";
import { getPlainDescription } from "../theme/index.ts";
import type { OutputOptions, PageOutput } from "./output.ts";
import { renderXmlDocument } from "./output.ts";

/** Returns the first date in the given strings, at midnight UTC, or undefined if the strings contain no date. */
type DateFinder = (texts: readonly string[]) => Date | undefined;

/**
 * Creates `<page>/rss.xml` for each page with a changelog. Entries have the dates that authors wrote. Entries without a
 * date remain undated, because the date of the export would make old entries look new.
 */
export function createFeedFiles(
  site: Site,
  pages: readonly PageOutput[],
  { baseUrl }: OutputOptions,
): BundleFile[] {
  return pages.flatMap(({ page, rendered }) => {
    if (rendered.changes === undefined) return [];
    const items = listItems(page, rendered.changes);
    return [{ path: getFeedPath(page.path), content: renderFeed(site, page, { items, baseUrl }) }];
  });
}

interface FeedItem extends News {
  readonly guid: string;
  readonly date: Date | undefined;
  readonly tags: readonly string[];
}

function listItems(page: SitePage, changes: readonly ChangelogEntry[]): readonly FeedItem[] {
  const [language = "en"] = toLanguageTag(page.language).split("-");
  const findDate = createDateFinder(language);
  const items = changes.flatMap(({ label, news, tags, when }) => {
    const date = findDate(when);
    return news.map((item) => ({ ...item, date, tags, guid: createGuid(label, item) }));
  });
  return makeGuidsUnique(items).slice(0, limits.feedItems);
}

/**
 * Returns an entry's identifier. It is not based on the anchor: changelogs grow at the top, so each new entry titled
 * "Bug fixes" would change the anchors of older entries with that title, and feed readers would show them as new.
 */
function createGuid(label: string, { title }: News): string {
  return encodeURIComponent((title === label ? label : `${label}/${title}`).toWellFormed());
}

function makeGuidsUnique(items: readonly FeedItem[]): readonly FeedItem[] {
  const counts = new Map<string, number>();
  const numberedItems = items.toReversed().map((item) => {
    const count = (counts.get(item.guid) ?? 0) + 1;
    counts.set(item.guid, count);
    return count === 1 ? item : { ...item, guid: `${item.guid}-${count}` };
  });
  return numberedItems.toReversed();
}

function renderFeed(
  site: Site,
  page: SitePage,
  { items, baseUrl }: { readonly items: readonly FeedItem[]; readonly baseUrl: string | undefined },
): Html {
  const file = getFeedPath(page.path);
  const ownFile = createPageFiles(site)(page.path);
  const link =
    baseUrl === undefined
      ? getRelativePageAddress(site, file, ownFile)
      : getPageAddress(site, ownFile, baseUrl);
  const pageDescription = page.frontmatter.description;
  const description =
    pageDescription === undefined
      ? (site.config.description ?? site.config.name)
      : getPlainDescription(pageDescription);
  const latest = Math.max(0, ...items.map(({ date }) => date?.getTime() ?? 0));
  const self = escapeXml(getFileAddress(file, baseUrl));
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
  item: FeedItem,
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
  return buildElement(name, "", escapeText(text));
}

/** Matches characters that XML 1.0 does not allow, even if they are escaped. */
// eslint-disable-next-line no-control-regex
const invalidCharacters = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

function escapeText(text: string): Html {
  return escapeXml(text.toWellFormed().replace(invalidCharacters, ""));
}

/**
 * Creates a function that recognizes dates such as `2025-03-05`, `March 5, 2025`, `5 mars 2025` and `2025年3月5日`. A
 * month without a day is read as its first day. Names of months are recognized in English and in `language` (a primary
 * subtag such as `fr`). Ambiguous numbers (`03/05/2025`) and texts that are too long for a label are not recognized as
 * dates.
 */
function createDateFinder(language: string): DateFinder {
  const names = [...listMonthNames("en"), ...(language === "en" ? [] : listMonthNames(language))];
  return (texts) => {
    for (const text of texts) {
      if (text.length > maxLabelLength) continue;
      const date = parseNumericDate(text) ?? parseNamedDate(text, names);
      if (date !== undefined) return date;
    }
    return undefined;
  };
}

const maxLabelLength = 80;
const yearFirstPattern = /(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/;
const eastAsianPattern = /(?<!\d)(\d{4}) ?[年년] ?(\d{1,2}) ?[月월](?: ?(\d{1,2}) ?[日일])?/;

function parseNumericDate(text: string): Date | undefined {
  const [, year, month, day = "1"] =
    yearFirstPattern.exec(text) ?? eastAsianPattern.exec(text) ?? [];
  return year === undefined ? undefined : createDay(Number(year), Number(month), Number(day));
}

const yearPattern = /(?<!\d)(?:19|20)\d{2}(?!\d)/;
const wordPattern = /[\p{L}\p{M}]{3,20}/gu;
const dayBeforePattern = /(?<![\d.])(\d{1,2})(?:st|nd|rd|th|er|º|\.)?(?: of| de)? $/;
const dayAfterPattern = /^\.? (\d{1,2})(?:st|nd|rd|th)?(?![\d.])/;

function parseNamedDate(text: string, names: readonly string[]): Date | undefined {
  const [found] = yearPattern.exec(text) ?? [];
  if (found === undefined) return undefined;
  for (const { 0: word, index } of text.matchAll(wordPattern)) {
    const monthIndex = names.findIndex((name) => isMonth(word.toLowerCase(), name));
    if (monthIndex === -1) continue;
    const after = dayAfterPattern.exec(text.slice(index + word.length));
    const day = (after ?? dayBeforePattern.exec(text.slice(0, index)))?.[1] ?? 1;
    return createDay(Number(found), (monthIndex % 12) + 1, Number(day));
  }
  return undefined;
}

/** Reports whether a word names a month, in full or by its first three or four letters. */
function isMonth(word: string, name: string): boolean {
  return word === name || (word.length <= 4 && name.startsWith(word));
}

function listMonthNames(language: string): readonly string[] {
  const format = new Intl.DateTimeFormat(language, {
    day: "numeric",
    month: "long",
    timeZone: "UTC",
  });
  return Array.from({ length: 12 }, (_, month) => {
    const parts = format.formatToParts(new Date(Date.UTC(2024, month, 1)));
    return (parts.find(({ type }) => type === "month")?.value ?? "").toLowerCase();
  });
}

function createDay(year: number, month: number, day: number): Date | undefined {
  const date = new Date(Date.UTC(year, month - 1, day));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal ? date : undefined;
}
