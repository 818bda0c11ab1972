import {
  formatTitledMarkdown,
  findOperation,
  getRelativeAddress,
  getSchemaScriptPath,
  layoutIds,
  type SitePage,
  type SiteLinks,
} from "../site/index.ts";
import {
  parsePage,
  isElement,
  ProblemList,
  type ChangelogEntry,
  type PageContent,
  type MarkdownNode,
  type ParseInput,
  type TreeNode,
} from "../page/index.ts";
import { OctavoError, limits, type Problem } from "../core/index.ts";
import type { Component } from "../components/index.ts";
import {
  listApiLanguages,
  renderApi,
  type ApiContext,
  type ApiSettings,
  type ManualPage,
} from "../reference/index.ts";
import type { ApiSubject } from "../openapi/index.ts";
import { isDiagramLanguage, type Highlighter } from "../highlight/index.ts";
import {
  escapeHtml,
  html,
  splitSearchSections,
  type Html,
  type Words,
  type IconRenderer,
} from "../markup/index.ts";
import { locateField } from "../text/index.ts";
import type { Diagrams } from "./diagram/draw-diagram.ts";
import type { Formulas } from "./formula/typeset-formula.ts";
import { createSlug } from "../text/index.ts";
import { PageRenderer } from "./page-renderer.ts";
import { surveyTree, type Survey, type HeadingNode } from "./survey.ts";

interface RenderPageInput extends Omit<RenderTreeInput, "tree"> {
  /** The content of the file, including frontmatter. */
  readonly source: string;
  /** The declared variables. Placeholders (`{{name}}`) with other names are not replaced. */
  readonly variables: ParseInput["variables"];
  readonly hasFormulas?: ParseInput["hasFormulas"];
  /** Reads a file of the site by its path relative to the site's folder. Returns undefined if it does not exist. */
  readonly readFile: ParseInput["readFile"];
}

interface RenderTreeInput {
  readonly site: SiteLinks;
  readonly page: SitePage;
  /** The page's tree. Footnote and link definitions may be anywhere in it. */
  readonly tree: readonly TreeNode[];
  /** The components, keyed by each of their names. */
  readonly components: ReadonlyMap<string, Component>;
  readonly icons: IconRenderer;
  readonly highlighter: Highlighter;
  readonly diagrams: Diagrams;
  readonly formulas: Formulas;
  readonly words: Words;
  readonly api?: PageApi;
}

/** The API content that a page shows in addition to the author's content. */
interface PageApi {
  readonly settings: ApiSettings;
  /** The part of an API that is shown after the page's own content. */
  readonly subject?: ApiSubject;
}

interface RenderedTree extends Omit<PageContent, "markdown" | "scripts" | "dependencies"> {
  /** The API content as Markdown; empty if the page does not show any. */
  readonly apiMarkdown: string;
}

/**
 * Parses a page's source into a resolved tree and renders the tree. For any input that an author can write, throws only
 * `too_large`, and only if the HTML would exceed its limit.
 */
export async function renderPage(input: RenderPageInput): Promise<PageContent> {
  const { page, source, variables, hasFormulas, readFile, components } = input;
  const parsed = await parsePage({
    file: page.file,
    format: page.format,
    source,
    variables,
    hasFormulas,
    readFile,
    isKnownComponent: (name) => components.has(name),
  });
  const footnotes = parsed.footnotes.map((note): MarkdownNode => ({
    type: "footnoteDefinition",
    ...note,
  }));
  const { apiMarkdown, ...rendered } = await renderTree({
    ...input,
    tree: [...parsed.tree, ...footnotes],
  });
  const parts = [parsed.markdown.trim(), apiMarkdown].filter((part) => part !== "");
  return {
    ...rendered,
    markdown: formatTitledMarkdown(page, parts.join("\n\n")),
    scripts: parsed.scripts,
    problems: [
      ...parsed.problems,
      ...findChangelogProblems(page, source, rendered.changes),
      ...rendered.problems,
    ],
    dependencies: parsed.dependencies,
  };
}

/**
 * Renders a page's tree and collects its contents. Loads the libraries for code, diagrams and formulas first. After
 * that, rendering is synchronous. Throws `too_large` if the page would exceed its limits.
 */
export async function renderTree(input: RenderTreeInput): Promise<RenderedTree> {
  const { site, page, tree, components, icons, highlighter, diagrams, formulas, words } = input;
  const survey = surveyTree(tree, page.file);
  await highlighter.load(survey.languages);
  if (survey.languages.values().some(isDiagramLanguage)) await diagrams.load();
  if (survey.hasFormulas) await formulas.load();
  const api = resolvePageApi(input);
  if (api) await highlighter.load(listApiLanguages(api.subject, api.settings));
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
  const body = api
    ? renderApi(
        api.subject,
        createApiContext(input, {
          survey,
          renderer,
          settings: api.settings,
          renderPageContent,
        }),
      )
    : { html: renderPageContent(), markdown: "", parts: [] };
  const content = html`${body.html}${renderer.renderFootnotes()}`;
  // A UTF-16 code unit takes at most three bytes, so few pages have to be measured.
  if (content.length > limits.htmlBytes / 3 && Buffer.byteLength(content) > limits.htmlBytes) {
    throw new OctavoError(
      "too_large",
      `${page.file} produces more HTML than a page may have; split the page.`,
    );
  }
  const anchors = renderer.ids.shownIds;
  const titleAnchor = findTitleAnchor(page, renderer);
  return {
    html: content,
    ...(renderer.titleHtml === undefined ? {} : { titleHtml: renderer.titleHtml }),
    ...(titleAnchor === undefined ? {} : { titleAnchor }),
    outline: renderer.outline.entries,
    anchors,
    references: renderer.links.references,
    icons: [...renderer.icons].toSorted(),
    authoredClasses: [...new Set([...survey.classLists].flatMap((list) => list.split(/\s+/)))],
    ...(body.parts.length === 0 ? {} : { schemaParts: body.parts }),
    sections: splitSearchSections(insertParts(content, body.parts)),
    ...(renderer.changelog.entries.length === 0 ? {} : { changes: renderer.changelog.entries }),
    problems: renderer.problems.toArray(),
    barriers: findBarriers(survey),
    apiMarkdown: body.markdown,
  };
}

/**
 * Reserves the anchor of the page's title. Returns undefined if the title is not shown or another element has the id.
 */
function findTitleAnchor(page: SitePage, renderer: PageRenderer): string | undefined {
  const { mode } = page.frontmatter;
  if (renderer.titleHtml !== undefined || mode === "custom" || mode === "frame") return undefined;
  if (page.title.trim() === "") return undefined;
  const anchor = createSlug(page.title);
  const isFree = !layoutIds.has(anchor) && renderer.ids.show(anchor);
  return isFree ? anchor : undefined;
}

/** Resolves the API content of the page from a description or from the page's own fields. */
function resolvePageApi({ api, page, tree }: RenderTreeInput): ResolvedApi | undefined {
  if (api?.subject) return { settings: api.settings, subject: api.subject };
  const { frontmatter, title } = page;
  const operation = frontmatter.api === undefined ? undefined : findOperation(frontmatter);
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

/** Returns HTML for the search index, with each part inserted at the first position where readers can open it. */
function insertParts(content: Html, parts: readonly Html[]): string {
  if (parts.length === 0) return content;
  const remainingParts = new Map<number, string>(parts.entries());
  const insert = (text: string): string =>
    text.replaceAll(/<details [^>]*data-part="(\d+)"[^>]*>/g, (opener, number: string) => {
      const part = remainingParts.get(Number(number));
      remainingParts.delete(Number(number));
      return part === undefined ? opener : opener + insert(part);
    });
  return insert(content) + [...remainingParts.values()].join("");
}

function createApiContext(
  { site, page, words }: Pick<RenderTreeInput, "site" | "page" | "words">,
  parts: Pick<ApiContext, "settings" | "renderPageContent"> & {
    readonly renderer: PageRenderer;
    readonly survey: Survey;
  },
): ApiContext {
  const { renderer, survey, settings, renderPageContent } = parts;
  const markdown = getRelativeAddress(site.fileOf(page.path), `${page.path}.md`);
  return {
    page: renderer,
    position: { file: page.file, line: 1, column: 1 },
    words: words.api,
    settings,
    authored: {
      request: survey.elementNames.has("RequestExample"),
      response: survey.elementNames.has("ResponseExample"),
    },
    deferred: {
      script: getSchemaScriptPath(page.path),
      markdownHref: escapeHtml(markdown),
      words: words.frame,
    },
    hasDescription: page.frontmatter.description !== undefined,
    renderPageContent,
  };
}

/** Finds the heading that is shown as the page's title. Returns undefined if the page does not show a title. */
function findTitleHeading(page: SitePage, survey: Survey): TreeNode | undefined {
  const { mode } = page.frontmatter;
  if (page.titleLine === undefined || mode === "custom" || mode === "frame") return undefined;
  return survey.headings.find(
    ({ node }) => node.position.line === page.titleLine && node.position.file === page.file,
  )?.node;
}

function findChangelogProblems(
  { file, frontmatter }: SitePage,
  source: string,
  changes: readonly ChangelogEntry[] = [],
): Problem[] {
  const tagCount = new Set(changes.flatMap(({ tags }) => tags)).size;
  if (tagCount > limits.changelogTags) {
    const message = `The page has ${tagCount} tags; readers can filter its updates by only the first ${limits.changelogTags}.`;
    return [{ severity: "warning", code: "too_many_tags", message, file }];
  }
  if (frontmatter.rss !== true || changes.length > 0) return [];
  const message =
    "The page has no feed, because `rss: true` requires at least one <Update> on the page.";
  return [
    { severity: "warning", code: "feed_empty", message, ...locateField(file, source, "rss") },
  ];
}

/**
 * Finds barriers for users of screen readers, in page order: pictures without alternative text, and headings that skip
 * a level, because these readers navigate by levels. The page's title has level 1.
 */
function findBarriers({ headings, imagesWithoutText }: Survey): readonly Problem[] {
  const problems = new ProblemList();
  for (const [at, { node }] of headings.entries()) {
    const previous = headings[at - 1];
    const level = getHeadingLevel(node);
    const before = previous === undefined ? 1 : getHeadingLevel(previous.node);
    if (level <= before + 1) continue;
    const message = `A heading of level ${level} follows one of level ${before}; use level ${before + 1}.`;
    problems.warn("heading_level_skipped", message, node.position);
  }
  for (const position of imagesWithoutText) {
    const message =
      'The picture has no text for readers who cannot see it; describe it, or use <img alt=""> if it is only decorative.';
    problems.warn("picture_without_text", message, position);
  }
  return problems.toArray();
}

function getHeadingLevel(node: HeadingNode): number {
  return isElement(node) ? Number(node.name.slice(1)) : node.depth;
}
