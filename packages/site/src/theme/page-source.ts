import { fillLink, modifiedDay, showsModifiedDay } from "../site/index.ts";
import { escapeHtml } from "../markup/index.ts";
import type { Site, SitePage } from "../site/index.ts";
import type { Frame } from "./frame.ts";

/** “Last modified”, “Edit this page” and “Report an issue”, by language, parted by `|`. */
const lines: ReadonlyMap<string, string> = new Map(
  Object.entries({
    en: "Last modified|Edit this page|Report an issue",
    es: "Última modificación|Editar esta página|Informar de un problema",
    fr: "Dernière modification|Modifier cette page|Signaler un problème",
    de: "Zuletzt geändert|Diese Seite bearbeiten|Problem melden",
    it: "Ultima modifica|Modifica questa pagina|Segnala un problema",
    pt: "Última modificação|Editar esta página|Relatar um problema",
    nl: "Laatst gewijzigd|Deze pagina bewerken|Probleem melden",
    pl: "Ostatnia zmiana|Edytuj tę stronę|Zgłoś problem",
    ru: "Последнее изменение|Редактировать эту страницу|Сообщить о проблеме",
    uk: "Остання зміна|Редагувати цю сторінку|Повідомити про проблему",
    tr: "Son değişiklik|Bu sayfayı düzenle|Sorun bildir",
    zh: "最后修改|编辑此页|报告问题",
    "zh-hant": "最後修改|編輯此頁|回報問題",
    ja: "最終更新|このページを編集|問題を報告",
    ko: "마지막 수정|이 페이지 편집|문제 신고",
    ar: "آخر تعديل|تعديل هذه الصفحة|الإبلاغ عن مشكلة",
    he: "שונה לאחרונה|עריכת עמוד זה|דיווח על בעיה",
    hi: "अंतिम संशोधन|यह पृष्ठ संपादित करें|समस्या की सूचना दें",
    id: "Terakhir diubah|Sunting halaman ini|Laporkan masalah",
    vi: "Sửa đổi lần cuối|Sửa trang này|Báo lỗi",
  }),
);

interface SourceWords {
  readonly modified: string;
  readonly edit: string;
  readonly issue: string;
}

function sourceWordsOf(tag: string): SourceWords {
  const lower = tag.toLowerCase();
  const line = lines.get(lower) ?? lines.get(lower.split("-")[0] ?? "") ?? lines.get("en") ?? "";
  const [modified = "", edit = "", issue = ""] = line.split("|");
  return { modified, edit, issue };
}

/** The line below an article: when it was last modified, and where its readers edit it or say what is wrong. */
export function pageSource(
  { config, languageTag }: Frame,
  page: SitePage,
  { editUrl, issueUrl }: Pick<Site, "editUrl" | "issueUrl">,
): string {
  const words = sourceWordsOf(languageTag);
  const day = showsModifiedDay(config, page) ? modifiedDay(page) : undefined;
  // What is made of a description of an API is not the text of a file.
  const hasFile = !page.isGenerated;
  const parts =
    (day === undefined ? "" : dateLine(day, words.modified, languageTag)) +
    (editUrl !== undefined && hasFile
      ? sourceLink(fillLink(editUrl, "path", page.file), words.edit)
      : "") +
    (issueUrl !== undefined && hasFile
      ? sourceLink(fillLink(issueUrl, "title", page.title), words.issue)
      : "");
  return parts === "" ? "" : `<div id="page-source">${parts}</div>`;
}

function dateLine(day: string, label: string, languageTag: string): string {
  const format = new Intl.DateTimeFormat(languageTag, { dateStyle: "long", timeZone: "UTC" });
  const shown = format.format(new Date(`${day}T00:00:00Z`));
  return `<p class="page-date">${escapeHtml(label)}: <time datetime="${day}">${escapeHtml(shown)}</time></p>`;
}

/** Search engines have nothing to find there but a form to sign in. */
function sourceLink(address: string, label: string): string {
  return `<a href="${escapeHtml(address)}" target="_blank" rel="nofollow noreferrer">${escapeHtml(label)}</a>`;
}
