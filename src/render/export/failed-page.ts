import type { RenderedPage } from "../bundle.ts";
import { escapeHtml } from "../html.ts";
import type { PageContent } from "../page/page.ts";
import type { Site, SitePage } from "../site/site.ts";
import { createLayout } from "../theme/layout.ts";
import type { LayoutOptions } from "../theme/layout.ts";

/** The readable notice that takes the place of a page that could not be rendered. */
export function failedPage(
  site: Site,
  page: SitePage,
  options: { readonly reason: string; readonly layout: LayoutOptions },
): RenderedPage {
  const text = `This page could not be shown. ${options.reason}`;
  const content: PageContent = {
    html: `<div class="callout callout-danger" role="note"><div class="callout-body"><p>${escapeHtml(text)}</p></div></div>`,
    markdown: `# ${page.title}\n\n${text}\n`,
    outline: [],
    anchors: [],
    references: [],
    icons: [],
    sections: [],
    problems: [
      { severity: "error", code: "page_not_rendered", message: options.reason, file: page.file },
    ],
    dependencies: {},
  };
  return {
    html: createLayout(site, options.layout).render(page, content),
    markdown: content.markdown,
    terms: { sections: [] },
    outline: [],
    anchors: [],
    references: [],
    icons: [],
    problems: content.problems,
    dependencies: {},
  };
}

