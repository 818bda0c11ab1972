import { components } from "../../packages/site/src/components/index.ts";
import { createIconRenderer } from "../../packages/site/src/markup/index.ts";
import type { Component } from "../../packages/site/src/components/index.ts";
import { createHighlighter } from "../../packages/site/src/highlight/testing.ts";
import {
  createDiagrams,
  createFormulas,
  renderPage,
} from "../../packages/site/src/article/index.ts";
import type { PageContent, TreeNode } from "../../packages/site/src/page/index.ts";
import { renderTree } from "../../packages/site/src/article/testing.ts";
import type { Frontmatter, NavDivision } from "../../packages/site/src/site/index.ts";
import { en } from "../../packages/site/src/markup/testing.ts";
import { createSiteLinks } from "../../packages/site/src/site/index.ts";
import { patienceMs } from "./patience.ts";

export interface TestOptions {
  readonly format?: "md" | "mdx";
  readonly path?: string;
  readonly components?: readonly Component[];
  readonly frontmatter?: Partial<Frontmatter>;
  readonly titleLine?: number;
}

/** Renders a page of a small site. */
export function renderSource(source: string, options: TestOptions = {}): Promise<PageContent> {
  return renderPage({
    ...testInput(options),
    source,
    variables: {},
    readFile: () => Promise.resolve(undefined),
  });
}

/** For trees that no source gives. */
export function renderTestTree(
  tree: readonly TreeNode[],
): Promise<Omit<PageContent, "markdown" | "scripts" | "dependencies">> {
  return renderTree({ ...testInput({}), tree });
}

function testInput(options: TestOptions) {
  const { format = "mdx", path = "guides/start", frontmatter = {}, titleLine } = options;
  const title = titleLine === undefined ? {} : { titleLine };
  return {
    site: testSite,
    page: {
      ...testPage(path),
      ...title,
      format,
      file: `${path}.${format}`,
      frontmatter: { extra: {}, ...frontmatter },
    },
    components: byName(options.components ?? components),
    icons: createIconRenderer({ library: "lucide" }),
    highlighter,
    diagrams,
    formulas,
    words: en,
  };
}

const highlighter = createHighlighter();
const diagrams = createDiagrams({ maxParseMs: patienceMs });
const formulas = createFormulas();

function byName(list: readonly Component[]): ReadonlyMap<string, Component> {
  return new Map(list.flatMap((component) => component.names.map((name) => [name, component])));
}

function testPage(path: string) {
  return {
    path,
    file: `${path}.mdx`,
    format: "mdx" as const,
    frontmatter: { extra: {} },
    title: path,
    navTitle: path,
    positions: [{ divisions: [], entries: [0] }],
    hidden: false,
    indexed: true,
    searchable: true,
  };
}

/** A navigation of these pages, in this order. */
export function testNavigation(paths: readonly string[]): NavDivision {
  return {
    kind: "root",
    label: "",
    hidden: false,
    isDefault: true,
    divisions: [],
    entries: paths.map((path) => ({ type: "page", path })),
  };
}

export const testSite = createSiteLinks({
  navigation: testNavigation([]),
  pages: [
    "a:b",
    "api/index",
    "api/list users",
    "api/Ünï",
    "folder/index",
    "guides/deep/index",
    "guides/next",
    "guides/start",
    "index",
    "plain.v2",
  ].map(testPage),
  assets: ["images/a.png", "guides/local.png", "images/with space.png", "spec.json", "files/x.mdx"],
  redirects: [
    { source: "/old", destination: "/guides/start", permanent: true },
    { source: "/old-anchor", destination: "/guides/next#part", permanent: true },
    { source: "/away", destination: "https://example.com/new", permanent: true },
    { source: "/loop", destination: "/loop", permanent: true },
    { source: "/chain", destination: "/old", permanent: true },
    { source: "/v1/:slug*", destination: "/guides/:slug*", permanent: true },
    { source: "/user/:id/edit", destination: "/api/:id", permanent: false },
  ],
});
