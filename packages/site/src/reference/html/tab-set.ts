import { attributes, escapeHtml, html, joinHtml, type Html } from "../../markup/index.ts";

export interface TabPanel {
  readonly id?: string;
  /** Plain text. */
  readonly title: string;
  readonly html: Html;
}

/** Sections that the client script turns into tabs; a choice here changes no other tabs. */
export function tabSet(panels: readonly TabPanel[]): Html {
  const sections = panels.map((panel) =>
    section(panel, html`<div class="tab-content">${panel.html}</div>`),
  );
  return html`<div class="tabs" data-tabs data-sync="false">${joinHtml(sections)}</div>`;
}

/** Code blocks of which one is shown. With `isSynced` the choice, a language, applies to all pages. */
export function codeTabs(panels: readonly TabPanel[], isSynced: boolean): Html {
  const sections = panels.map((panel) => section(panel, panel.html));
  const sync = attributes({ "data-sync": isSynced ? undefined : "false" });
  return html`<div class="tabs code-group" data-tabs${sync}>${joinHtml(sections)}</div>`;
}

function section({ id, title }: TabPanel, content: Html): Html {
  const start = attributes({ class: "tab-panel", id, "data-title": title });
  return html`<section${start}><div class="tab-title">${escapeHtml(title)}</div>${content}</section>`;
}
