import type { RenderedPage } from "../rendered-page.ts";
import { escapeHtml } from "../components/html.ts";
import type { PageContent } from "../page/page.ts";
import { titledMarkdown } from "../page/titled-markdown.ts";
import type { SitePage } from "../site/site.ts";
import { noTerms } from "../search/terms.ts";
import type { Layout } from "../theme/index.ts";

/** The readable notice that takes the place of a page that could not be rendered. */
export function failedPage(layout: Layout, page: SitePage, reason: string): RenderedPage {
  const text = `This page could not be shown. ${reason}`;
  const content: PageContent = {
    html: `<div class="callout callout-danger" role="note"><div class="callout-body"><p>${escapeHtml(text)}</p></div></div>`,
    markdown: titledMarkdown(page, text),
    outline: [],
    anchors: [],
    references: [],
    icons: [],
    sections: [],
    problems: [{ severity: "error", code: "page_not_rendered", message: reason, file: page.file }],
    dependencies: {},
  };
  const { outline, anchors, references, icons, problems, dependencies } = content;
  return {
    outline,
    anchors,
    references,
    icons,
    problems,
    dependencies,
    html: Buffer.from(layout.page(page, content)),
    markdown: Buffer.from(content.markdown),
    terms: noTerms,
    classNames: [],
  };
}
