import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { launchChromium } from "../../../../test/support/chromium.ts";
import {
  division,
  group,
  sampleContent,
  sampleSite,
} from "../../../../test/support/sample-site.ts";
import { serveFolder } from "../../../../test/support/serve-folder.ts";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import { escapeHtml } from "../markup/index.ts";
import { allWords, en } from "../markup/testing.ts";
import type { SitePage } from "../site/index.ts";
import { createThemeFiles } from "./assets.ts";
import { readFirstScript } from "./head/first-script.ts";
import { createLayout } from "./layout.ts";

/** A bundle that uses every feature of the reader's script, and a browser that opens the bundle. */

const tabs = (titles: readonly string[]) =>
  `<div class="tabs" data-tabs>${titles
    .map(
      (title) =>
        `<section class="tab-panel" id="${title}-${titles.length}" data-title="${title}">` +
        `<div class="tab-title">${title}</div><p>In ${title} <b id="deep-${title}-${titles.length}">deep</b></p></section>`,
    )
    .join("")}</div>`;

const picture = (width: number) =>
  `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='${width}' height='60'/%3E`;

const article = [
  '<h2 id="one">One<a class="anchor" href="#one"></a></h2>',
  tabs(["npm", "pnpm"]),
  tabs(["npm", "pnpm", "yarn"]),
  '<details id="fold"><summary>Fold</summary><p id="folded">Folded</p><p id="navbar-section">Bar</p></details>',
  '<div class="code" data-lang="sh"><pre tabindex="0"><code>npm install\n</code></pre></div>',
  '<a class="frame-consent" href="about:blank" target="_blank" data-title="Film" data-allow="autoplay">Film</a>',
  '<div class="prompt" data-prompt><details class="fold"><summary>P</summary>' +
    '<pre class="prompt-text">Say this</pre></details><div class="prompt-actions" data-actions="copy"></div></div>',
  '<section class="view" data-view="Mac"><div class="view-title">Mac</div>For Mac</section>',
  '<section class="view" data-view="Linux"><div class="view-title">Linux</div><p id="linux">For Linux</p></section>',
  `<p style="width:200px"><img alt="Chart" src="${picture(900)}"></p>`,
  `<p><img alt="Small" src="${picture(90)}"></p>`,
  '<ul class="tree"><li class="tree-folder"><details class="fold"><summary><span class="tree-name">app</span></summary>' +
    '<ul><li class="tree-file"><span class="tree-name">page.ts<span>first</span></span></li></ul></details></li>' +
    '<li class="tree-folder"><span class="tree-name">fixed</span><ul><li class="tree-file"><span class="tree-name">in.ts</span></li></ul></li>' +
    '<li class="tree-folder"><details class="fold"><summary><span class="tree-name">lib</span></summary>' +
    '<ul><li class="tree-file"><span class="tree-name">db.ts</span></li></ul></details></li>' +
    '<li class="tree-file"><span class="tree-name">license</span></li></ul>',
  `<figure class="diagram" data-controls="${escapeHtml(JSON.stringify(en.content.diagramControls))}" data-placement="top-left">` +
    '<div class="diagram-drawing" tabindex="0"><svg width="300" height="200" viewBox="0 0 300 200"></svg></div></figure>',
  '<div class="table" id="short"><table><tr><th>Key</th><th>Type</th><th>Default</th></tr><tr><td><code>size</code></td><td>number</td><td><code>12</code></td></tr></table></div>',
  `<div class="table" id="wordy"><table><tr>${"<th>Some</th>".repeat(6)}</tr><tr>${`<td>${"words of a text ".repeat(9)}</td>`.repeat(6)}</tr></table></div>`,
  '<div style="height:120vh"></div><h2 id="two">Two</h2><div style="height:120vh"></div>',
].join("");

const outline = [
  { depth: 2, id: "one", text: "One" },
  { depth: 2, id: "two", text: "Two" },
];

const searchScript = `window.octavoSearch = {
  async open(index) { this.index = index; },
  async query(text) {
    if (text === "nothing") return [];
    if (text === "tide") return [
      ["guides/a.html#one", "A", "Ebb"], ["index.html", "Index", ""], ["guides/a.html#two", "A", "Flood"],
      ["many/1.html#one", "One", "Tide"], ["index.html#two", "Index", "Neap"],
    ].map(([href, title, heading]) => ({ href, title: [title], heading: heading === "" ? [] : [heading],
      excerpt: ["In " + heading], breadcrumb: "Way" }));
    return [1, 2].map((n) => ({ href: "guides/a.html#one", title: [text + n], heading: [],
      excerpt: ["<b>", String(text.length)], breadcrumb: this.index.name }));
  },
};`;

const large = Array.from({ length: 200 }, (_, index) => `many/${index}`);
const site = sampleSite({
  navigation: division("root", "", {
    divisions: [
      division("tab", "Guides", { entries: [group("Start", ["index", "guides/a"])] }),
      division("tab", "Large", { entries: [group("Alone", ["alone/a"]), group("Many", large)] }),
    ],
  }),
  config: { banner: { content: "News", dismissible: true, type: "info" } },
});

const otherSite = sampleSite({
  navigation: division("root", "", { entries: [group("Start", ["other"])] }),
  config: { name: "Borealis" },
});

const changelogPage = { ...(site.pages[0] as SitePage), path: "news", file: "news.mdx" };
const change = (label: string, tags: readonly string[]) => ({ label, tags, when: [], news: [] });
const changelog = {
  ...sampleContent(
    '<section class="update update-tag-1">First</section>' +
      '<section class="update update-tag-1 update-tag-2">Second</section>' +
      '<section class="update">Third</section>',
  ),
  changes: [change("First", ["New"]), change("Second", ["New", "Fix"]), change("Third", [])],
};

/**
 * Parts that are shorter than the space between the bar and the line to which a jump scrolls, except for one long part
 * in the middle.
 */
const shortParts = Array.from({ length: 12 }, (_, index) => index + 1);
const shortPage = { ...(site.pages[0] as SitePage), path: "short", file: "short.mdx" };
const shortContent = sampleContent(
  shortParts
    .map(
      (n) =>
        `<h3 id="part-${n}">Part ${n}</h3>${n === 6 ? '<div style="height:300vh"></div>' : ""}`,
    )
    .join(""),
  { outline: shortParts.map((n) => ({ depth: 3, id: `part-${n}`, text: `Part ${n}` })) },
);

/** A table of contents that would be too long to be an overview: three parts with eleven steps each. */
export const steps = ["a", "b", "c"].flatMap((part) => [
  { depth: 2, id: part, text: `Part ${part}` },
  ...Array.from({ length: 11 }, (_, at) => ({
    depth: 4,
    id: `${part}${at}`,
    text: `${part}${at}`,
  })),
]);
const longPage = { ...(site.pages[0] as SitePage), path: "long", file: "long.mdx" };
const longContent = sampleContent(
  steps
    .map(
      ({ depth, id }) => `<h${depth} id="${id}">${id}</h${depth}><div style="height:50vh"></div>`,
    )
    .join(""),
  { outline: steps },
);

export interface SampleBundle extends AsyncDisposable {
  readonly folder: string;
  readonly browser: Browser;
  readonly withPage: WithPage;
  /**
   * Opens pages over HTTP, for tests of stored preferences. On a busy machine, Chromium gives one in fifty pages that
   * are opened as files a separate storage, regardless of how long the page waits before it accesses the storage.
   */
  readonly withServedPage: WithPage;
}

/** Opens a page of the bundle in a separate browser context. Fails if the page logs or throws an error during use. */
export type WithPage = (
  address: string,
  use: (page: Page, go: (address: string) => Promise<void>) => Promise<void>,
  options?: BrowserContextOptions,
) => Promise<void>;

export async function openSampleBundle(): Promise<SampleBundle> {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await temporaryFolder()).path;
  await writeBundle(folder);
  const server = opening.use(await serveFolder(folder));
  const browser = opening.use(await launchChromium());
  const open = opening.move();
  return {
    folder,
    browser,
    withPage: createWithPage(`${pathToFileURL(folder).href}/`, browser),
    withServedPage: createWithPage(server.url, browser),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

async function writeBundle(folder: string): Promise<void> {
  const options = {
    generator: "Octavo 0.0.0",
    words: allWords,
    firstScript: await readFirstScript(),
  };
  const layout = createLayout(site, options);
  const files = [
    ...site.pages.map((page) => ({
      path: `${page.path}.html`,
      content: layout.renderPage(page, sampleContent(article, { outline })),
    })),
    { path: "404.html", content: layout.renderNotFound() },
    {
      path: "other.html",
      content: createLayout(otherSite, options).renderPage(
        otherSite.pages[0] as SitePage,
        sampleContent("Of another site"),
      ),
    },
    { path: "short.html", content: layout.renderPage(shortPage, shortContent) },
    { path: "long.html", content: layout.renderPage(longPage, longContent) },
    { path: "news.html", content: layout.renderPage(changelogPage, changelog) },
    ...(await createThemeFiles(site, {
      iconCss: "",
      codeCss: "",
      classNames: new Set<string>(),
      words: allWords,
      maxTagCount: 2,
    })),
    { path: "_octavo/search/search.js", content: searchScript },
    { path: "_octavo/search/all/index.js", content: "" },
  ];
  await writeFiles(folder, Object.fromEntries(files.map(({ path, content }) => [path, content])));
}

/** `base` is the address of the bundle's root. */
function createWithPage(base: string, browser: Browser): WithPage {
  return async (address, use, options = {}) => {
    await using context = await browser.newContext({ colorScheme: "light", ...options });
    const complaints: string[] = [];
    const page = await context.newPage();
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      const { url } = message.location();
      // Without scripts, a page also requests the style sheet by its path from one folder deeper.
      const isExpected = options.javaScriptEnabled === false && url.endsWith("/_octavo/octavo.css");
      if (message.type() === "error" && !(isExpected && url !== `${base}_octavo/octavo.css`))
        complaints.push(message.text());
    });
    const go = async (to: string) => void (await page.goto(base + to));
    await go(address);
    await use(page, go);
    assert.deepEqual(complaints, []);
  };
}
