import { OctavoError } from "../../core/index.ts";
import type { Component } from "../components/component.ts";
import type { IconRenderer } from "../components/index.ts";
import { limits } from "../limits.ts";
import type { SitePage } from "../site/site.ts";
import type { Highlighter } from "./code/highlighter.ts";
import type { SiteLinks } from "./markdown/links.ts";
import { PageRenderer } from "./markdown/page-renderer.ts";
import { searchSections } from "./markdown/search-sections.ts";
import { surveyTree, type Survey } from "./markdown/survey.ts";
import type { PageContent } from "./page.ts";
import type { PageWords } from "./page-words.ts";
import type { Problem } from "../problem.ts";
import type { TreeNode } from "./tree.ts";

export interface RenderTreeInput {
  readonly site: SiteLinks;
  readonly page: SitePage;
  /** Footnote definitions and link definitions may stand anywhere in it. */
  readonly tree: readonly TreeNode[];
  /** By every name. */
  readonly components: ReadonlyMap<string, Component>;
  readonly icons: IconRenderer;
  readonly highlighter: Highlighter;
  readonly words: PageWords;
}

/**
 * HTML of a page's tree, and everything that the page is found to hold on the way. Loads the grammars that
 * its code needs first; the rest is synchronous. Throws `too_large` where the page would outgrow its limits.
 */
export async function renderTree(
  input: RenderTreeInput,
): Promise<Omit<PageContent, "markdown" | "dependencies">> {
  const { site, page, tree, components, icons, highlighter, words } = input;
  const survey = surveyTree(tree, page.file);
  await highlighter.load(survey.languages);
  const titleHeading = findTitleHeading(page, survey);
  const renderer = new PageRenderer({
    links: site,
    path: page.path,
    survey,
    components,
    icons,
    highlighter,
    words,
    titleHeading,
  });
  const html = renderer.renderNodes(tree) + renderer.renderFootnotes();
  if (Buffer.byteLength(html) > limits.htmlBytes) {
    throw new OctavoError("too_large", `${page.file} becomes too much HTML; split the page.`);
  }
  return {
    html,
    ...(renderer.titleHtml === undefined ? {} : { titleHtml: renderer.titleHtml }),
    outline: renderer.outline,
    anchors: renderer.anchors,
    references: renderer.references,
    icons: [...renderer.icons].toSorted(),
    sections: searchSections(html),
    ...(renderer.changes.length === 0 ? {} : { changes: renderer.changes }),
    problems: [
      ...operationProblems(page),
      ...feedProblems(page, renderer.changes.length),
      ...renderer.problems,
    ],
  };
}

/** The heading that is shown as the page's title; pages that show no title of their own keep it. */
function findTitleHeading(page: SitePage, survey: Survey): TreeNode | undefined {
  const { mode } = page.frontmatter;
  if (page.titleLine === undefined || mode === "custom" || mode === "frame") return undefined;
  return survey.headings.find(
    ({ node }) => node.place.line === page.titleLine && node.place.file === page.file,
  )?.node;
}

function operationProblems({ file, frontmatter }: SitePage): Problem[] {
  if (frontmatter.openapi === undefined) return [];
  const message =
    "Readers see the method and path of this endpoint only: its parameters, bodies and responses are not read from the OpenAPI file. Write what they need into the page.";
  return [{ severity: "warning", code: "openapi_not_rendered", message, file }];
}

function feedProblems({ file, frontmatter }: SitePage, changes: number): Problem[] {
  if (frontmatter.rss !== true || changes > 0) return [];
  const message =
    "The page asks for a feed (rss: true) and has no <Update> that it could tell of; it has none.";
  return [{ severity: "warning", code: "feed_empty", message, file }];
}
