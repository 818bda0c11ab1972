import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { suite, test } from "node:test";
import * as fc from "fast-check";
import { planPropertyRuns } from "../../../../../test/support/property-runs.ts";
import { attribute, elementsIn, type Element } from "../../../../../test/support/document.ts";
import {
  damagedPage,
  generatedPage,
  tameHtml,
  wildHtml,
} from "../../../../../test/support/generated-page.ts";
import { temporaryFolder, writeFiles } from "../../../../../test/support/temporary-folder.ts";
import { html as parse5Html, parse } from "parse5";
import type { RenderedPage } from "../page/rendered-page.ts";
import { components } from "../../components/index.ts";
import { loadSite } from "../../load/index.ts";
import { openPool, type RenderPool } from "./pool.ts";
import type { PageTask } from "./protocol.ts";
import { createTestSetup } from "./render-setup.test-support.ts";

/**
 * Whatever a page contains, a child renders it within the limits to HTML that browsers parse as written, and in which
 * no code runs. Pages are generated from a grammar, or are damaged real pages.
 *
 * `npm run test:property` runs 10,000 of them with a new seed, which is printed; `OCTAVO_TEST_SEED` sets it.
 */
const runs = planPropertyRuns(1_000);

const siteFiles: Readonly<Record<string, string>> = {
  "docs.json": JSON.stringify({
    name: "Generated",
    theme: "mint",
    colors: { primary: "#123456" },
    variables: { product: "Octavo" },
    footer: { socials: { github: "https://github.com/octavo" } },
    navigation: { pages: ["page", "guides/start"] },
  }),
  "page.mdx": "text\n",
  "guides/start.mdx": "## Part\n",
  "snippets/note.mdx": "## From a snippet\n\nHello {name}.\n\n{children}\n",
  "snippets/parts.jsx": "export const Titled = ({ title }) => <h3 title={title}>{title}</h3>;\n",
  "images/a.png": "",
};

suite("pages that were made up or damaged", () => {
  const names = components.flatMap((component) => component.names);
  const third = Math.ceil(runs.numRuns / 3);

  test(`${third} pages made from a grammar`, (t) => {
    t.diagnostic(`seed ${runs.seed}`);
    return renderAll(generatedPage(names, tameHtml), third, assertAsWritten);
  });

  test(`${third} pages with HTML in the wrong places`, (t) => {
    t.diagnostic(`seed ${runs.seed}`);
    return renderAll(generatedPage(names, [...tameHtml, ...wildHtml]), third, assertParses);
  });

  test(`${third} real pages, damaged`, (t) => {
    t.diagnostic(`seed ${runs.seed}`);
    const root = resolve(import.meta.dirname, "../../../../..");
    const pages = [...pagesOf(join(root, "test/sites")), ...pagesOf(join(root, "docs"))];
    return renderAll(damagedPage(pages), third, assertFrame);
  });
});

function pagesOf(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".mdx"))
    .toSorted()
    .map((path) => readFileSync(join(dir, path), "utf8"));
}

async function renderAll(
  sources: fc.Arbitrary<string>,
  numRuns: number,
  assertMarkup: (rendered: ReadPage, empty: ReadPage) => void,
): Promise<void> {
  await using folder = await temporaryFolder();
  await writeFiles(folder.path, siteFiles);
  const site = await loadSite(folder.path);
  const page = site.pages.find(({ path }) => path === "page");
  assert.ok(page);
  await using pool = openPool({
    setup: createTestSetup(site),
    readFile: (path) => Promise.resolve(siteFiles[path]),
    workers: 1,
  });
  const empty = await render(pool, { page, source: "text\n" });
  const scripts = new Set(elementsOf(empty.html).filter(isScript).map(scriptOf));
  const property = fc.asyncProperty(sources, async (source) => {
    const rendered = await render(pool, { page, source });
    assertMarkup(rendered, empty);
    assertNothingRuns(rendered.html, new Set([...scripts, ...componentScripts(rendered)]));
    assertPlaces(rendered, source);
  });
  await fc.assert(property, { ...runs, numRuns });
}

/** A rendered page with its document as text. */
type ReadPage = Omit<RenderedPage, "html"> & { readonly html: string };

async function render(pool: RenderPool, task: PageTask): Promise<ReadPage> {
  const outcome = await pool.render(task);
  if (outcome.type === "failed") assert.fail(outcome.reason);
  return { ...outcome.page, html: new TextDecoder().decode(outcome.page.html) };
}

function elementsOf(html: string): readonly Element[] {
  return elementsIn(parse(html));
}

/** Browsers build the tree that was written: no tag is moved, closed or duplicated, and no id occurs twice. */
function assertAsWritten(rendered: ReadPage, empty: ReadPage): void {
  assertFrame(rendered, empty);
  const { html, anchors, outline } = rendered;
  const elements = elementsOf(html);
  const markup = html.replaceAll(
    /(<(style|script|noscript|title|textarea)\b[^>]*>).*?<\/\2>/gs,
    "$1",
  );
  const written = Array.from(markup.matchAll(/<([a-z][\w:-]*)/gi), ([, name = ""]) => name);
  assert.deepEqual(countNames(elements.map(({ tagName }) => tagName)), countNames(written));
  const ids = elements
    .filter(({ namespaceURI }) => namespaceURI !== parse5Html.NS.SVG)
    .flatMap((element) => attribute(element, "id") ?? []);
  assert.deepEqual(ids.toSorted(), [...new Set(ids)].toSorted());
  const targets = new Set(ids);
  for (const id of [...anchors, ...outline.map((entry) => entry.id)])
    assert.ok(targets.has(id), id);
}

/** Parse errors for characters that browsers do not show, or for `a < b` in the `style` of a drawing. */
const harmless = new Set([
  "control-character-in-input-stream",
  "noncharacter-in-input-stream",
  "invalid-first-character-of-tag-name",
]);

/** The elements around the content are unchanged. */
function assertFrame(rendered: ReadPage, empty: ReadPage): void {
  assertParses(rendered);
  assert.deepEqual(frameOf(rendered.html), frameOf(empty.html));
}

function assertParses({ html }: ReadPage): void {
  const errors: string[] = [];
  parse(html, { onParseError: ({ code }) => errors.push(code) });
  assert.deepEqual(
    errors.filter((code) => !harmless.has(code)),
    [],
  );
  assert.ok(!/[\0\uFDD0-\uFDEF]/.test(html), "a mark of the parser was left, or a NUL");
}

/** Returns each large part of the page with the elements that contain it. */
function frameOf(html: string): readonly string[] {
  const parts = ["body", "header", "main", "content-area", "content", "pagination", "footer"];
  return elementsOf(html)
    .filter((element) => parts.includes(attribute(element, "id") ?? element.tagName))
    .map(pathOf);
}

function pathOf(element: Element): string {
  const { tagName, parentNode } = element;
  const path = `${tagName}#${attribute(element, "id")}`;
  return parentNode && "tagName" in parentNode ? `${pathOf(parentNode)} ${path}` : path;
}

function countNames(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names.map((text) => text.toLowerCase()).toSorted()) {
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Reports whether an element is a script, or the fallback for browsers that do not run scripts. */
function isScript({ tagName }: Element): boolean {
  return tagName === "script" || tagName === "noscript";
}

function isPragma({ name }: Element["attrs"][number]): boolean {
  return name.toLowerCase() === "http-equiv";
}

function scriptOf(element: Element): string {
  const text = element.childNodes.map((child) => ("value" in child ? child.value : "")).join("");
  return JSON.stringify([element.attrs, text]);
}

const loading = new Set("applet base embed frame frameset object template".split(" "));
const addresses = new Set(
  "href src action formaction xlink:href data poster ping background cite srcset".split(" "),
);
/** Schemes that run the code after them; browsers skip blanks and control characters. */
// oxlint-disable-next-line no-control-regex
const ignored = /[\u0000-\u0020]/g;
const running = /^(?:javascript|vbscript|data(?!:(?:image|audio|video|font)\/)):/i;

/** The page's components run from files that its policy allows. */
function componentScripts({ scripts }: ReadPage): readonly string[] {
  const files = scripts.map(({ name }) => `components/${name}.js`);
  const own = scripts.length === 0 ? [] : ["components.js", ...files];
  // The theme's own script, on pages with a diagram that Mermaid draws.
  return [...own, "diagrams.js"].map((file) => {
    const attributes = [
      { name: "defer", value: "" },
      { name: "src", value: `_octavo/${file}` },
    ];
    return JSON.stringify([attributes, ""]);
  });
}

/**
 * The scripts are those of an empty page, and of the page's components. There are no event handlers, addresses that run
 * code or elements that load content, and the elements that act as headers are only those of the layout. Styles do not
 * run code.
 */
function assertNothingRuns(html: string, scripts: ReadonlySet<string>): void {
  assert.deepEqual(
    elementsOf(html).flatMap(({ attrs }) => attrs.filter(isPragma).map(({ value }) => value)),
    ["Content-Security-Policy", "x-dns-prefetch-control"],
  );
  for (const element of elementsOf(html)) {
    const { tagName, attrs } = element;
    if (isScript(element)) assert.ok(scripts.has(scriptOf(element)), scriptOf(element));
    assert.ok(!loading.has(tagName.toLowerCase()), `<${tagName}>`);
    for (const { name, value } of attrs) {
      assert.doesNotMatch(name, /^on|^srcdoc$/i, tagName);
      if (addresses.has(name)) assert.doesNotMatch(value.replaceAll(ignored, ""), running, name);
      const isAnimation = tagName === "set" || tagName.startsWith("animate");
      if (isAnimation && name === "attributename") assert.doesNotMatch(value, /href/i);
    }
  }
}

/** Every problem names a line of the page, or of a file that the page includes. */
function assertPlaces({ problems }: ReadPage, source: string): void {
  const lines = source.split(/\r\n?|\n/).length;
  for (const { file, line = 1, column = 1, code, message } of problems) {
    assert.ok(file === "page.mdx" || Object.hasOwn(siteFiles, file), file);
    const isInside = line >= 1 && column >= 1 && (file !== "page.mdx" || line <= lines);
    assert.ok(isInside, `${code} at ${line}:${column}: ${message}`);
  }
}
