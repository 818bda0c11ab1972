import assert from "node:assert/strict";
import { parseFragment, type DefaultTreeAdapterTypes } from "parse5";
import type { PageContent } from "../page/index.ts";
import { createIconRenderer } from "../markup/index.ts";
import { compareCodeUnits } from "../core/index.ts";
import { components } from "../components/index.ts";
import { createHighlighter } from "../highlight/testing.ts";
import { createDiagrams } from "./diagram/draw-diagram.ts";
import { createFormulas } from "./formula/typeset-formula.ts";
import { createSiteLinks } from "../site/index.ts";
import { testNavigation } from "../../../../test/support/rendered-source.ts";
import { en } from "../markup/testing.ts";
import { renderPage } from "./render-page.ts";
import { patienceMs } from "../../../../test/support/patience.ts";

type Node = DefaultTreeAdapterTypes.ChildNode | DefaultTreeAdapterTypes.DocumentFragment;

/** Renders the pages of a site that consists of these files. */
export function openPages(
  paths: readonly string[],
  read: (path: string) => Promise<string | undefined>,
) {
  const pages = paths
    .filter((path) => /\.mdx?$/.test(path) && !path.startsWith("snippets/"))
    .map((file) => ({
      path: file.replace(/\.mdx?$/, ""),
      file,
      format: file.endsWith(".md") ? ("md" as const) : ("mdx" as const),
      frontmatter: { extra: {} },
      title: file,
      navTitle: file,
      positions: [{ divisions: [], entries: [] }],
      hidden: false,
      indexed: true,
      searchable: true,
    }));
  const shared = {
    site: createSiteLinks({
      pages: pages.toSorted((a, b) => compareCodeUnits(a.path, b.path)),
      navigation: testNavigation([]),
      assets: paths.filter((path) => !/\.mdx?$/.test(path)),
      redirects: [],
    }),
    components: new Map(
      components.flatMap((component) => component.names.map((name) => [name, component])),
    ),
    icons: createIconRenderer({ library: "fontawesome" }),
    highlighter: createHighlighter(),
    diagrams: createDiagrams({ maxParseMs: patienceMs }),
    formulas: createFormulas(),
    words: en,
    variables: { product: "Octavo" },
    readFile: read,
  };
  return {
    pages,
    render: async (page: (typeof pages)[number]) =>
      renderPage({ ...shared, page, source: (await read(page.file)) ?? "" }),
  };
}

/**
 * Asserts that browsers build the same tree as authored, without moving, closing or duplicating tags. Also asserts that
 * ids are unique, except those within drawings, and that every listed anchor exists.
 */
export function assertWhole(content: PageContent, file: string): void {
  const html = content.html.replaceAll(/<style>.*?<\/style>/gs, "");
  const authoredTags = countBy([...html.matchAll(/<([a-z][\w-]*)/gi)].map(([, name = ""]) => name));
  const errors: string[] = [];
  const fragment = parseFragment(html, { onParseError: ({ code }) => errors.push(code) });
  const elements = listElements(fragment);
  assert.deepEqual(errors, [], file);
  assert.deepEqual(countBy(elements.map(({ tagName }) => tagName)), authoredTags, file);
  assert.doesNotMatch(html, /<\/?[A-Z]/, file);

  const htmlElements = elements.filter(({ namespaceURI }) => !namespaceURI.endsWith("svg"));
  const ids = htmlElements.flatMap(({ attrs }) =>
    attrs.filter(({ name }) => name === "id" || name === "name").map(({ value }) => value),
  );
  const distinctIds = new Set(ids);
  assert.equal(distinctIds.size, ids.length, `${file} has an id twice`);
  for (const id of [...content.anchors, ...content.outline.map((entry) => entry.id)]) {
    assert.ok(distinctIds.has(id), `${file} has no ${id}`);
  }
}

function listElements(root: Node): DefaultTreeAdapterTypes.Element[] {
  const elements: DefaultTreeAdapterTypes.Element[] = [];
  const stack: Node[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if ("tagName" in node) elements.push(node);
    if ("childNodes" in node) stack.push(...node.childNodes);
  }
  return elements;
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names.map((text) => text.toLowerCase()).toSorted()) {
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
