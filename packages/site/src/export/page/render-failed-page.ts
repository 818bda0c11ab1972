import type { RenderedPage } from "./rendered-page.ts";
import { escapeHtml } from "../../markup/index.ts";
import type { PageContent } from "../../page/index.ts";
import { titledMarkdown } from "../../article/index.ts";
import type { SitePage } from "../../site/index.ts";
import { noTerms } from "../../search/index.ts";
import type { Layout } from "../../theme/index.ts";

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
