import { attributes, escapeHtml } from "../../markup/index.ts";

export interface TabPanel {
  readonly id?: string;
  /** Plain text. */
  readonly title: string;
  readonly html: string;
}

/** Sections that the reader's script makes tabs of; what is chosen here changes no other tabs. */
export function tabSet(panels: readonly TabPanel[]): string {
  const sections = panels.map((panel) =>
    section(panel, `<div class="tab-content">${panel.html}</div>`),
  );
  return `<div class="tabs" data-tabs data-sync="false">${sections.join("")}</div>`;
}

/** Blocks of code of which one is shown. With `isSynced` the choice holds on all pages: it is a language. */
export function codeTabs(panels: readonly TabPanel[], isSynced: boolean): string {
  const sections = panels.map((panel) => section(panel, panel.html));
  const sync = isSynced ? "" : ' data-sync="false"';
  return `<div class="tabs code-group" data-tabs${sync}>${sections.join("")}</div>`;
}

function section({ id, title }: TabPanel, content: string): string {
  const start = attributes({ class: "tab-panel", id, "data-title": title });
  return `<section${start}><div class="tab-title">${escapeHtml(title)}</div>${content}</section>`;
}
