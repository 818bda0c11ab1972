import { runInNewContext } from "node:vm";
import { markdownToMdast, mdxToMdast } from "satteri";
import { components, createIconRenderer } from "../../components/index.ts";
import type { Component } from "../../components/component.ts";
import { createHighlighter } from "../code/highlighter.ts";
import type { PageContent } from "../page.ts";
import { renderTree } from "../render-tree.ts";
import type { Props, PropValue, TreeNode } from "../tree.ts";
import { createSiteLinks } from "./links.ts";

/** For tests of this folder: what a page of a small site becomes. */
export async function renderSource(
  source: string,
  options: { format?: "md" | "mdx"; path?: string; components?: readonly Component[] } = {},
): Promise<Omit<PageContent, "markdown" | "dependencies">> {
  const { format = "mdx", path = "guides/start" } = options;
  const file = `${path}.${format}`;
  const root =
    format === "mdx"
      ? mdxToMdast(source, { features: { headingAttributes: true } })
      : markdownToMdast(source);
  return renderTestTree(bridge(root as unknown as Mdast, file), options);
}

/** For trees that no source gives. */
export function renderTestTree(
  tree: readonly TreeNode[],
  options: { path?: string; components?: readonly Component[] } = {},
): Promise<Omit<PageContent, "markdown" | "dependencies">> {
  return renderTree({
    site: testSite,
    page: testPage(options.path ?? "guides/start"),
    tree,
    components: byName(options.components ?? components),
    icons: createIconRenderer({ library: "lucide" }),
    highlighter,
  });
}

const highlighter = createHighlighter();

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
    places: [{ divisions: [], entries: [0] }],
    hidden: false,
    indexed: true,
    searchable: true,
  };
}

export const testSite = createSiteLinks({
  pages: [
    "index",
    "guides/start",
    "guides/next",
    "guides/deep/index",
    "api/index",
    "api/list users",
    "api/Ünï",
    "plain.v2",
    "folder/index",
    "a:b",
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

interface Mdast {
  readonly type: string;
  readonly name?: string | null;
  readonly attributes?: readonly { type: string; name: string; value?: unknown }[];
  readonly children?: readonly Mdast[];
  readonly position?: { readonly start: { readonly line: number; readonly column: number } };
  readonly data?: { readonly hProperties?: { readonly id?: string } };
}

function bridge(node: Mdast, file: string): TreeNode[] {
  return (node.children ?? []).map((child) => {
    const place = {
      file,
      line: child.position?.start.line ?? 1,
      column: child.position?.start.column ?? 1,
    };
    const children = child.children === undefined ? {} : { children: bridge(child, file) };
    if (!child.type.startsWith("mdxJsx")) {
      const id = child.data?.hProperties?.id;
      return { ...child, ...(id === undefined ? {} : { id }), ...children, place } as TreeNode;
    }
    const props: Props = Object.fromEntries(
      (child.attributes ?? []).map(({ name, value }) => [name, bridgeValue(value)]),
    );
    return {
      type: "element",
      name: child.name ?? "",
      props,
      children: children.children ?? [],
      isFlow: child.type === "mdxJsxFlowElement",
      place,
    };
  });
}

function bridgeValue(value: unknown): PropValue {
  if (value === null || value === undefined) return true;
  if (typeof value === "string") return value;
  return runInNewContext(`(${(value as { value: string }).value})`) as PropValue;
}
