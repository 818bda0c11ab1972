import type { RenderedPage } from "../bundle.ts";
import { components, createIconRenderer } from "../components/index.ts";
import { createHighlighter } from "../page/code/highlighter.ts";
import { createSiteLinks } from "../page/markdown/links.ts";
import { renderPage } from "../page/render-page.ts";
import { pageTerms } from "../search/terms.ts";
import { collectClassNames, createLayout } from "../theme/index.ts";
import type { PageTask, RenderSetup } from "./protocol.ts";

export interface PageRenderer {
  /** Rejects with `too_large` where the page would outgrow its limits; never for anything else an author can write. */
  render(task: PageTask): Promise<RenderedPage>;
}

/**
 * Renders pages of one site, from their text to the finished document. Holds what pages share:
 * grammars that were loaded, the layout's prepared navigation, where links can lead.
 */
export function createPageRenderer(
  setup: RenderSetup,
  readFile: (path: string) => Promise<string | undefined>,
): PageRenderer {
  const { site, generator, baseUrl } = setup;
  const icons = createIconRenderer({ library: site.config.iconLibrary });
  const layout = createLayout(site, {
    generator,
    icons,
    ...(baseUrl === undefined ? {} : { baseUrl }),
  });
  const shared = {
    site: createSiteLinks(site),
    components: new Map(
      components.flatMap((component) => component.names.map((name) => [name, component] as const)),
    ),
    icons,
    highlighter: createHighlighter(),
    variables: site.config.variables,
    readFile,
  };
  return {
    async render({ page, source }) {
      const { html, sections, ...content } = await renderPage({ ...shared, page, source });
      const document = layout.page(page, { html, sections, ...content });
      const classNames = new Set<string>();
      collectClassNames(html, classNames);
      return {
        ...content,
        html: document,
        terms: pageTerms(sections),
        classNames: [...classNames],
      };
    },
  };
}
