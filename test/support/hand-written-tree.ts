import { components } from "../../packages/site/src/components/index.ts";
import { createIconRenderer } from "../../packages/site/src/markup/index.ts";
import { createHighlighter } from "../../packages/site/src/highlight/testing.ts";
import { createDiagrams, createFormulas } from "../../packages/site/src/article/index.ts";
import { createSiteLinks } from "../../packages/site/src/site/index.ts";
import type {
  ElementNode,
  MarkdownNode,
  PageContent,
  FilePosition,
  Props,
  RawNode,
  TreeNode,
} from "../../packages/site/src/page/index.ts";
import { renderTree } from "../../packages/site/src/article/testing.ts";
import { en } from "../../packages/site/src/markup/testing.ts";
import { readMarkdownNode } from "../../packages/site/src/page/index.ts";
import type { SitePage } from "../../packages/site/src/site/index.ts";
import { patienceMs } from "./patience.ts";

/** Trees written by hand, and a page of a small site to render them on. */

const position: FilePosition = { file: "page.mdx", line: 1, column: 1 };

export function elementNode(name: string, props: Props = {}, ...children: TreeNode[]): ElementNode {
  return { type: "element", name, props, children, isFlow: true, position };
}

export function inlineElement(
  name: string,
  props: Props = {},
  ...children: TreeNode[]
): ElementNode {
  return { ...elementNode(name, props, ...children), isFlow: false };
}

/** As the parser gives a node of the kind; fields that are missing there are missing here. */
export function markdown(
  type: string,
  fields: Partial<RawNode>,
  ...children: TreeNode[]
): MarkdownNode {
  return readMarkdownNode(
    { ...fields, type, children: [] },
    { position, children, readText: String },
  );
}

export function text(value: string): MarkdownNode {
  return { type: "text", position, value };
}

export function paragraph(...children: TreeNode[]): MarkdownNode {
  return markdown("paragraph", {}, ...children);
}

export function fence(lang: string, title: string, value: string): MarkdownNode {
  return { type: "code", position, lang, meta: title, value };
}

/** A Markdown list; an item that is a list itself belongs to the item before it. */
export type ListItems = readonly (string | ListItems)[];

export function list(items: ListItems): MarkdownNode {
  const nodes: { type: "listItem"; spread: false; position: FilePosition; children: TreeNode[] }[] =
    [];
  for (const item of items) {
    if (typeof item === "string")
      nodes.push({
        type: "listItem",
        spread: false,
        position,
        children: [paragraph(text(item))],
      });
    else nodes.at(-1)?.children.push(list(item));
  }
  return markdown("list", { ordered: false }, ...nodes);
}

function sitePage(path: string): SitePage {
  return {
    path,
    file: `${path}.mdx`,
    format: "mdx",
    frontmatter: { extra: {} },
    title: path,
    navTitle: path,
    positions: [],
    hidden: false,
    indexed: true,
    searchable: true,
  };
}

const site = createSiteLinks({
  pages: ["page", "start", "next"].map(sitePage),
  navigation: {
    kind: "root",
    label: "",
    hidden: false,
    isDefault: true,
    divisions: [],
    entries: [],
  },
  assets: ["v.mp4", "images/a.png", "images/my.svg"],
  redirects: [],
});
const byName = new Map(
  components.flatMap((component) => component.names.map((name) => [name, component])),
);
const icons = createIconRenderer({ library: "fontawesome" });
const highlighter = createHighlighter();
const diagrams = createDiagrams({ maxParseMs: patienceMs });
const formulas = createFormulas();

/** Renders the tree as the page `/page` of a site that also has `/start` and `/next`. */
export function renderOnPage(
  ...tree: readonly TreeNode[]
): Promise<Omit<PageContent, "markdown" | "scripts" | "dependencies">> {
  return renderTree({
    site,
    page: sitePage("page"),
    tree,
    components: byName,
    icons,
    highlighter,
    diagrams,
    formulas,
    words: en,
  });
}
