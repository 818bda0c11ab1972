import type { Component } from "../components/component.ts";
import type { IconRenderer } from "../components/index.ts";
import type { Site, SitePage } from "../site/site.ts";
import type { Highlighter } from "./code/highlighter.ts";
import { createSiteLinks } from "./markdown/links.ts";
import type { PageContent } from "./page.ts";
import { parsePage } from "./parse/parse-page.ts";
import { renderTree } from "./render-tree.ts";

export interface ContentRendererOptions {
  readonly site: Site;
  readonly components: readonly Component[];
  readonly icons: IconRenderer;
  readonly highlighter: Highlighter;
  /** Text of a file of the site by its clean path; undefined where there is none. Contained and bounded by the caller. */
  readonly readFile: (path: string) => Promise<string | undefined>;
}

/** Renders a page's text into its content; never throws for what an author can write, but `too_large`. */
export type ContentRenderer = (page: SitePage, source: string) => Promise<PageContent>;

/** Prepares what the pages of one site have in common: names of components, and where links can lead. */
export function createContentRenderer(options: ContentRendererOptions): ContentRenderer {
  const { site, icons, highlighter, readFile } = options;
  const components = new Map(
    options.components.flatMap((component) =>
      component.names.map((name) => [name, component] as const),
    ),
  );
  const links = createSiteLinks(site);
  const { variables } = site.config;
  const knownComponent = (name: string) => components.has(name);

  return async function renderContent(page, source) {
    const { file, format } = page;
    const parsed = await parsePage({ file, format, source, variables, readFile, knownComponent });
    const { tree, markdown, dependencies } = parsed;
    const rendered = await renderTree({ site: links, page, tree, components, icons, highlighter });
    const problems = [...parsed.problems, ...rendered.problems];
    return { ...rendered, markdown, dependencies, problems };
  };
}
