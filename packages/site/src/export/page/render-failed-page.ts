import { formatTitledMarkdown } from "../../site/index.ts";
import type { RenderedPage } from "./rendered-page.ts";
import { escapeHtml, html, wrapInElement } from "../../markup/index.ts";
import type { PageContent } from "../../page/index.ts";
import type { SitePage } from "../../site/index.ts";
import { emptyTerms } from "../../search/index.ts";
import type { Layout } from "../../theme/index.ts";

/** Renders the notice that replaces a page that could not be rendered; `reason` is a sentence. */
export function renderFailedPage(layout: Layout, page: SitePage, reason: string): RenderedPage {
  const text = `This page could not be shown. ${reason}`;
  const body = wrapInElement("div", "callout-body", html`<p>${escapeHtml(text)}</p>`);
  const facts = {
    outline: [],
    anchors: [],
    references: [],
    icons: [],
    scripts: [],
    problems: [{ severity: "error", code: "page_not_rendered", message: reason, file: page.file }],
    barriers: [],
    dependencies: {},
  } satisfies Partial<PageContent>;
  const content: PageContent = {
    ...facts,
    html: html`<div class="callout callout-danger" role="note">${body}</div>`,
    markdown: formatTitledMarkdown(page, text),
    sections: [],
  };
  return {
    ...facts,
    html: Buffer.from(layout.renderPage(page, content)),
    markdown: Buffer.from(content.markdown),
    schemaScript: new Uint8Array(),
    terms: emptyTerms,
    remoteFiles: [],
    classNames: [],
  };
}
