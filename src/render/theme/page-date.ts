import { escapeHtml } from "../components/html.ts";
import type { SitePage } from "../site/site.ts";
import type { Frame } from "./frame.ts";

/** “Last modified”, by language. */
const labels: ReadonlyMap<string, string> = new Map(
  Object.entries({
    en: "Last modified",
    es: "Última modificación",
    fr: "Dernière modification",
    de: "Zuletzt geändert",
    it: "Ultima modifica",
    pt: "Última modificação",
    nl: "Laatst gewijzigd",
    pl: "Ostatnia zmiana",
    ru: "Последнее изменение",
    uk: "Остання зміна",
    tr: "Son değişiklik",
    zh: "最后修改",
    "zh-hant": "最後修改",
    ja: "最終更新",
    ko: "마지막 수정",
    ar: "آخر تعديل",
    he: "שונה לאחרונה",
    hi: "अंतिम संशोधन",
    id: "Terakhir diubah",
    vi: "Sửa đổi lần cuối",
  }),
);

const dateForm = /^\d{4}-\d{2}-\d{2}(?:[T ].{0,40})?$/;

/** The day on which a page was last modified, as its frontmatter says it; undefined where it does not. */
export function modifiedDay({ frontmatter }: SitePage): string | undefined {
  const value = frontmatter.extra["lastUpdatedDate"];
  const text = value instanceof Date ? isoText(value) : value;
  if (typeof text !== "string" || !dateForm.test(text.trim())) return undefined;
  const day = text.trim().slice(0, 10);
  // A day that no month has would roll over into the next.
  return isoText(new Date(`${day}T00:00:00Z`))?.slice(0, 10) === day ? day : undefined;
}

function isoText(date: Date): string | undefined {
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** The line below an article, where the site or the page wants it and the date is known. */
export function pageDate({ config, languageTag }: Frame, page: SitePage): string {
  const own = page.frontmatter.extra["timestamp"];
  const isWanted = typeof own === "boolean" ? own : config.showTimestamps;
  const day = isWanted ? modifiedDay(page) : undefined;
  if (day === undefined) return "";
  const lower = languageTag.toLowerCase();
  const label = labels.get(lower) ?? labels.get(lower.split("-")[0] ?? "") ?? "Last modified";
  const format = new Intl.DateTimeFormat(languageTag, { dateStyle: "long", timeZone: "UTC" });
  const shown = format.format(new Date(`${day}T00:00:00Z`));
  return `<p class="page-date">${escapeHtml(label)}: <time datetime="${day}">${escapeHtml(shown)}</time></p>`;
}
