import { fillLink, modifiedDay, showsModifiedDay } from "../site/index.ts";
import { attributes, element, escapeHtml, html, joinHtml, type Html } from "../markup/index.ts";
import type { Site, SitePage } from "../site/index.ts";
import type { FrameContext } from "./frame-context.ts";

/** The line below an article: when it was last modified, and where to edit it or report an issue. */
export function renderSourceLine(
  { config, words, languageTag }: FrameContext,
  page: SitePage,
  { editUrl, issueUrl }: Pick<Site, "editUrl" | "issueUrl">,
): Html {
  const day = showsModifiedDay(config, page) ? modifiedDay(page) : undefined;
  // A page that an API's description makes has no file of its own.
  const hasFile = !page.isGenerated;
  const parts = joinHtml([
    day === undefined ? "" : renderDate(day, words.lastModified, languageTag),
    editUrl !== undefined && hasFile
      ? renderSourceLink(fillLink(editUrl, "path", page.file), words.editPage)
      : "",
    issueUrl !== undefined && hasFile
      ? renderSourceLink(fillLink(issueUrl, "title", page.title), words.reportIssue)
      : "",
  ]);
  return parts === "" ? "" : html`<div id="page-source">${parts}</div>`;
}

function renderDate(day: string, label: string, languageTag: string): Html {
  const format = new Intl.DateTimeFormat(languageTag, { dateStyle: "long", timeZone: "UTC" });
  const date = format.format(new Date(`${day}T00:00:00Z`));
  const time = element("time", attributes({ datetime: day }), escapeHtml(date));
  return html`<p class="page-date">${escapeHtml(label)}: ${time}</p>`;
}

/** Search engines would find only a sign-in form there. */
function renderSourceLink(address: string, label: string): Html {
  const start = attributes({ href: address, target: "_blank", rel: "nofollow noreferrer" });
  return element("a", start, escapeHtml(label));
}
