import type { RenderedPage } from "../bundle.ts";
import { components, createIconRenderer } from "../components/index.ts";
import { createIconMarkup } from "../export/site-icons.ts";
import { createHighlighter } from "../page/code/highlighter.ts";
import { createContentRenderer } from "../page/render-page.ts";
import { pageTerms } from "../search/terms.ts";
import { createLayout } from "../theme/layout.ts";
import type { PageTask, RenderSetup } from "./protocol.ts";

export interface PageRenderer {
  render(task: PageTask): Promise<RenderedPage>;
}

/**
 * Renders pages of one site, from their text to the finished document. Holds what pages share:
 * grammars that were loaded, the layout's prepared navigation.
 */
export function createPageRenderer(
  setup: RenderSetup,
  readFile: (path: string) => Promise<string | undefined>,
): PageRenderer {
  const { site } = setup;
  const icons = createIconRenderer({ library: site.config.iconLibrary });
  const layout = createLayout(site, {
    generator: setup.generator,
    icon: createIconMarkup(icons),
    ...(setup.baseUrl === undefined ? {} : { baseUrl: setup.baseUrl }),
  });
  const highlighter = createHighlighter();
  const renderContent = createContentRenderer({ site, components, icons, highlighter, readFile });
  return {
    async render({ page, source }) {
      const content = await renderContent(page, source);
      return {
        html: layout.page(page, content),
        markdown: content.markdown,
        terms: pageTerms(content.sections),
        outline: content.outline,
        anchors: content.anchors,
        references: content.references,
        icons: content.icons,
        problems: content.problems,
        dependencies: content.dependencies,
      };
    },
  };
}
