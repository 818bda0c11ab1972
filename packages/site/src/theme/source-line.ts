import { fillLink, modifiedDay, showsModifiedDay } from "../site/index.ts";
import { escapeHtml } from "../markup/index.ts";
import type { Site, SitePage } from "../site/index.ts";
import type { Frame } from "./frame.ts";

/** The line below an article: when it was last modified, and where its readers edit it or say what is wrong. */
export function pageSource(
  { config, words, languageTag }: Frame,
  page: SitePage,
  { editUrl, issueUrl }: Pick<Site, "editUrl" | "issueUrl">,
): string {
  const day = showsModifiedDay(config, page) ? modifiedDay(page) : undefined;
  // What is made of a description of an API is not the text of a file.
  const hasFile = !page.isGenerated;
  const parts =
    (day === undefined ? "" : dateLine(day, words.lastModified, languageTag)) +
    (editUrl !== undefined && hasFile
      ? sourceLink(fillLink(editUrl, "path", page.file), words.editPage)
      : "") +
    (issueUrl !== undefined && hasFile
      ? sourceLink(fillLink(issueUrl, "title", page.title), words.reportIssue)
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
