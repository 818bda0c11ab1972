import { OctavoError, limits } from "../core/index.ts";
import type { Component } from "../components/index.ts";
import {
  apiLanguages,
  renderApi,
  type ApiContext,
  type ApiSettings,
  type ManualPage,
} from "../reference/index.ts";
import { type ApiSubject } from "../openapi/index.ts";
import type { SitePage, SiteLinks } from "../site/index.ts";
import type { Highlighter } from "../highlight/index.ts";
import { isDiagramLanguage } from "../highlight/index.ts";
import { findBarriers } from "./barriers.ts";
import type { Diagrams } from "./diagram/draw-diagram.ts";
import type { Formulas } from "./formula/typeset-formula.ts";
import { PageRenderer } from "./page-renderer.ts";
import { surveyTree, type Survey } from "./survey.ts";
import type { PageContent, TreeNode } from "../page/index.ts";
import { html, type Words, type IconRenderer, searchSections } from "../markup/index.ts";
import { operationOf } from "../site/index.ts";
import type { Problem } from "../core/index.ts";

export interface RenderTreeInput {
  readonly site: SiteLinks;
  readonly page: SitePage;
  /** Footnote and link definitions may be anywhere in it. */
  readonly tree: readonly TreeNode[];
  /** By each of their names. */
  readonly components: ReadonlyMap<string, Component>;
  readonly icons: IconRenderer;
  readonly highlighter: Highlighter;
  readonly diagrams: Diagrams;
  readonly formulas: Formulas;
  readonly words: Words;
  readonly api?: PageApi;
}

/** What a page shows of an API in addition to its author's content. */
export interface PageApi {
  readonly settings: ApiSettings;
  /** Shown after the page's own content. */
  readonly subject?: ApiSubject;
}

export interface RenderedTree extends Omit<PageContent, "markdown" | "scripts" | "dependencies"> {
  /** The API content as Markdown; empty if the page shows none. */
  readonly apiMarkdown: string;
}

/**
 * Renders a page's tree and collects what it contains. Loads what its code, diagrams and formulas need first; the
 * rest is synchronous. Throws `too_large` if the page would exceed its limits.
 */
export async function renderTree(input: RenderTreeInput): Promise<RenderedTree> {
  const { site, page, tree, components, icons, highlighter, diagrams, formulas, words } = input;
  const survey = surveyTree(tree, page.file);
  await highlighter.load(survey.languages);
  if (survey.languages.values().some(isDiagramLanguage)) await diagrams.load();
  if (survey.hasFormulas) await formulas.load();
  const api = pageApi(input);
  if (api) await highlighter.load(apiLanguages(api.subject, api.settings));
  const titleHeading = findTitleHeading(page, survey);
  const renderer = new PageRenderer({
    links: site,
    path: page.path,
    survey,
    components,
    icons,
    highlighter,
    diagrams,
    formulas,
    words: words.content,
    titleHeading,
  });
  const renderPageContent = () => renderer.renderNodes(tree);
  const part = api
    ? renderApi(
        api.subject,
        apiContext({ page, survey, renderer, words, settings: api.settings, renderPageContent }),
      )
    : { html: renderPageContent(), markdown: "" };
  const content = html`${part.html}${renderer.renderFootnotes()}`;
  // A character takes at most three bytes, so that few pages have to be measured.
  if (content.length > limits.htmlBytes / 3 && Buffer.byteLength(content) > limits.htmlBytes) {
    throw new OctavoError(
      "too_large",
      `${page.file} becomes more HTML than a page may have; split the page.`,
    );
  }
  return {
    html: content,
    ...(renderer.titleHtml === undefined ? {} : { titleHtml: renderer.titleHtml }),
    outline: renderer.outline.entries,
    anchors: renderer.ids.shown,
    references: renderer.links.references,
    icons: [...renderer.icons].toSorted(),
    sections: searchSections(content),
    ...(renderer.changelog.entries.length === 0 ? {} : { changes: renderer.changelog.entries }),
    problems: [...feedProblems(page, renderer.changelog.entries.length), ...renderer.problems.list],
    barriers: findBarriers(survey),
    apiMarkdown: part.markdown,
  };
}

/** What the page shows of an API: from a description, or from its own fields. */
function pageApi({ api, page, tree }: RenderTreeInput): ResolvedApi | undefined {
  if (api?.subject) return { settings: api.settings, subject: api.subject };
  const { frontmatter, title } = page;
  const operation = frontmatter.api === undefined ? undefined : operationOf(frontmatter);
  if (api === undefined || operation === undefined) return undefined;
  const authMethod = frontmatter.extra["authMethod"];
  return {
    settings: api.settings,
    subject: { kind: "manual", operation, title, tree, authMethod },
  };
}

interface ResolvedApi {
  readonly settings: ApiSettings;
  readonly subject: ApiSubject | ManualPage;
}

function apiContext(
  parts: Pick<ApiContext, "settings" | "renderPageContent"> & {
    readonly page: SitePage;
    readonly renderer: PageRenderer;
    readonly survey: Survey;
    readonly words: Words;
  },
): ApiContext {
  const { page, renderer, survey, words, settings, renderPageContent } = parts;
  return {
    page: renderer,
    place: { file: page.file, line: 1, column: 1 },
    words: words.api,
    settings,
    authored: {
      request: survey.elementNames.has("RequestExample"),
      response: survey.elementNames.has("ResponseExample"),
    },
    hasDescription: page.frontmatter.description !== undefined,
    renderPageContent,
  };
}

/** The heading that is shown as the page's title; undefined for pages that show no title, which keep it. */
function findTitleHeading(page: SitePage, survey: Survey): TreeNode | undefined {
  const { mode } = page.frontmatter;
  if (page.titleLine === undefined || mode === "custom" || mode === "frame") return undefined;
  return survey.headings.find(
    ({ node }) => node.place.line === page.titleLine && node.place.file === page.file,
  )?.node;
}

function feedProblems({ file, frontmatter }: SitePage, changes: number): Problem[] {
  if (frontmatter.rss !== true || changes > 0) return [];
  const message = "The page has no feed: `rss: true` needs at least one <Update> on it.";
  return [{ severity: "warning", code: "feed_empty", message, file }];
}
