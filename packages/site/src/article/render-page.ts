import { titledMarkdown } from "../site/index.ts";
import type { PageContent, MarkdownNode } from "../page/index.ts";
import { parsePage, type ParseInput } from "../page/index.ts";
import { renderTree, type RenderTreeInput } from "./render-tree.ts";

export interface RenderPageInput extends Omit<RenderTreeInput, "tree"> {
  /** The whole file, frontmatter included. */
  readonly source: string;
  /** Declared variables: only these `{{name}}` are replaced. */
  readonly variables: ParseInput["variables"];
  readonly hasFormulas?: ParseInput["hasFormulas"];
  /** Reads a file of the site by its path below the site's folder; undefined if there is none. */
  readonly readFile: ParseInput["readFile"];
}

/**
 * Parses a page's source into a resolved tree and renders it. Nothing that an author can write makes it throw,
 * except `too_large` if the HTML would exceed its limit.
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
    markdown: titledMarkdown(page, parts.join("\n\n")),
    scripts: parsed.scripts,
    problems: [...parsed.problems, ...rendered.problems],
    dependencies: parsed.dependencies,
  };
}
