import { attributes, escapeHtml } from "../../components/html.ts";

export interface TabPanel {
  readonly id?: string;
  /** Plain text. */
  readonly title: string;
  readonly html: string;
}

/** Sections that the reader's script makes tabs of. They open and close without the other tabs of the page. */
export function tabSet(panels: readonly TabPanel[], className = ""): string {
  const sections = panels.map((panel) =>
    section(panel, `<div class="tab-content">${panel.html}</div>`),
  );
  return `<div class="tabs ${className}" data-tabs data-sync="false">${sections.join("")}</div>`;
}

/** Blocks of code, of which one is shown; the choice holds for all of the site's. */
export function codeTabs(panels: readonly TabPanel[]): string {
  const sections = panels.map((panel) => section(panel, panel.html));
  return `<div class="tabs code-group" data-tabs>${sections.join("")}</div>`;
}

function section({ id, title }: TabPanel, content: string): string {
  const start = attributes({ class: "tab-panel", id, "data-title": title });
  return `<section${start}><div class="tab-title">${escapeHtml(title)}</div>${content}</section>`;
}
