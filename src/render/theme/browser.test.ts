import assert from "node:assert/strict";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { launchChromium } from "../../../test/support/chromium.ts";
import { division, group, sampleContent, sampleSite } from "../../../test/support/sample-site.ts";
import type { SitePage } from "../site/site.ts";
import { themeFiles } from "./assets.ts";
import { createLayout } from "./layout.ts";

/** What a reader's browser makes of exported pages, opened as files. */

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
    '<li class="tree-file"><span class="tree-name">licence</span></li></ul>',
  '<figure class="diagram" data-controls="Zoom in|Zoom out|Reset view|Up|Down|Left|Right" data-placement="top-left">' +
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

/** Parts that are shorter than the space between the bar and the line where a jump ends, and a long one between. */
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

/** Contents that would be no overview with all of it: three parts of eleven steps each. */
const steps = ["a", "b", "c"].flatMap((part) => [
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

/** What is shown of them to who reads a part. */
function entriesIn(part: string): string[] {
  return steps
    .filter(({ depth, id }) => depth === 2 || id.startsWith(part))
    .map((step) => step.text);
}

function shownEntries(page: Page): Promise<string[]> {
  return page.locator(".toc-item:visible").allInnerTexts();
}

function isDark(page: Page): Promise<unknown> {
  return page.evaluate("document.documentElement.classList.contains('dark')");
}

async function shareStorage(one: Page, other: Page): Promise<boolean> {
  await other.evaluate("localStorage.setItem('shared', 'yes')");
  const end = Date.now() + 3000;
  while ((await one.evaluate("localStorage.getItem('shared')")) !== "yes") {
    if (Date.now() > end) return false;
    await sleep(50);
  }
  return true;
}

describe("the reader's script, from file://", () => {
  let folder: string;
  let browser: Browser;
  const complaints: string[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "octavo-theme-"));
    const layout = createLayout(site, { generator: "Octavo 0.0.0" });
    const files = [
      ...site.pages.map((page) => ({
        path: `${page.path}.html`,
        content: layout.page(page, sampleContent(article, { outline })),
      })),
      { path: "404.html", content: layout.notFound() },
      {
        path: "other.html",
        content: createLayout(otherSite, { generator: "Octavo 0.0.0" }).page(
          otherSite.pages[0] as SitePage,
          sampleContent("Of another site"),
        ),
      },
      { path: "short.html", content: layout.page(shortPage, shortContent) },
      { path: "long.html", content: layout.page(longPage, longContent) },
      { path: "news.html", content: layout.page(changelogPage, changelog) },
      ...(await themeFiles(site, {
        iconCss: "",
        codeCss: "",
        classNames: new Set<string>(),
        tagCount: 2,
      })),
      { path: "_octavo/search/search.js", content: searchScript },
      { path: "_octavo/search/all/index.js", content: "" },
    ];
    for (const { path, content } of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    browser = await launchChromium();
  });

  after(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function withPage(
    address: string,
    use: (page: Page, go: (address: string) => Promise<void>) => Promise<void>,
    options: BrowserContextOptions = {},
  ): Promise<void> {
    await using context = await browser.newContext({ colorScheme: "light", ...options });
    context.setDefaultTimeout(10_000);
    const page = await context.newPage();
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    const go = async (to: string) => {
      const [path = "", hash] = to.split("#");
      const url = pathToFileURL(join(folder, path)).href;
      await page.goto(hash === undefined ? url : `${url}#${hash}`);
    };
    await go(address);
    await use(page, go);
    assert.deepEqual(complaints.splice(0), []);
  }

  /**
   * On a busy machine one window in a hundred gets a storage from Chromium that no other window sees,
   * whatever the page: such windows say nothing of the script, and others are opened.
   */
  async function withTwoWindows(
    address: string,
    use: (page: Page, other: Page, go: (address: string) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const used: boolean[] = [];
    while (!used.includes(true)) {
      assert(used.length < 5, "no two windows of five pairs share their storage");
      await withPage(address, async (page, go) => {
        const other = await page.context().newPage();
        await other.goto(page.url());
        const isShared = await shareStorage(page, other);
        if (isShared) await use(page, other, go);
        used.push(isShared);
      });
    }
  }

  /** Asks the browser itself: on a busy machine Playwright misses windows that pages open. */
  async function untilWindowShows(address: string): Promise<void> {
    const url = `${pathToFileURL(folder).href}/${address}`;
    const devtools = await browser.newBrowserCDPSession();
    const addresses = async () =>
      (await devtools.send("Target.getTargets")).targetInfos.map((target) => target.url);
    const end = Date.now() + 10_000;
    while (!(await addresses()).includes(url)) {
      assert(Date.now() < end, `no window shows ${address} after ten seconds`);
      await sleep(50);
    }
    await devtools.detach();
  }

  it("follows the system's scheme until the reader chooses, and remembers the choice", async () => {
    const dark = { colorScheme: "dark" } as const;
    await withPage(
      "index.html",
      async (page, go) => {
        assert.equal(await isDark(page), true);
        await page.click("#header .scheme-toggle");
        assert.equal(await isDark(page), false);
        await go("guides/a.html");
        assert.equal(await isDark(page), false);
        await go("other.html");
        assert.equal(await isDark(page), true, "another site beside it has a choice of its own");
      },
      dark,
    );
  });

  it("has set the scheme before anything is painted", async () => {
    await withPage("index.html", async (page, go) => {
      await page.click("#header .scheme-toggle");
      await page.addInitScript(`
        new MutationObserver(() => {
          if (document.body) window.schemeAtBody ??= document.documentElement.className;
        }).observe(document, { childList: true, subtree: true });
      `);
      await go("guides/a.html");
      assert.equal(await page.evaluate("schemeAtBody"), "js dark");
    });
  });

  it("follows the system and other windows while the page is open", async () => {
    await withTwoWindows("index.html", async (page, other, go) => {
      await page.emulateMedia({ colorScheme: "dark" });
      await page.locator("html.dark").waitFor();
      // That window is light by the system: the second click chooses what it has.
      await other.click("#header .scheme-toggle");
      await other.click("#header .scheme-toggle");
      await page.locator("html:not(.dark)").waitFor();
      await go("guides/a.html");
      assert.equal(await isDark(page), false);
    });
  });

  it("opens pictures in full by keyboard alone, and gives the focus back", async () => {
    await withPage("index.html", async (page) => {
      const chart = page.getByRole("button", { name: "Enlarge picture: Chart" });
      for (const key of ["Enter", " "]) {
        await chart.focus();
        await page.keyboard.press(key);
        const dialog = page.getByRole("dialog", { name: "Chart" });
        const box = await dialog.locator("img").boundingBox();
        assert.equal(box?.width, 900);
        assert.equal(await page.evaluate("document.activeElement.ariaLabel"), "Close");
        await page.keyboard.press("Escape");
        await dialog.waitFor({ state: "detached" });
        assert.equal(await page.evaluate("document.activeElement.alt"), "Chart");
      }
      assert.equal(await page.locator("img[alt=Small]").getAttribute("role"), null);
      await page.click("img[alt=Chart]");
      await page.click("dialog.zoom img");
      await page.locator("dialog.zoom").waitFor({ state: "detached" });
    });
  });

  it("moves nothing where the system asks for no motion", async () => {
    const still = { reducedMotion: "reduce" } as const;
    await withPage(
      "index.html",
      async (page) => {
        await page.focus("#one .anchor, .tab-button");
        await page.click("#header .scheme-toggle");
        await page.keyboard.type("/rain");
        await page.locator("#search [role=option]").first().waitFor();
        await page.keyboard.press("Escape");
        // The browser gives the position of a jump at once only where it does not scroll smoothly.
        const jumped = await page.evaluate(`
          location.hash = "two";
          [scrollY > 0, getComputedStyle(document.documentElement).scrollBehavior]`);
        assert.deepEqual(jumped, [true, "auto"]);
        const moving = await page.evaluate(
          "document.getAnimations().filter((a) => a.effect.getTiming().duration > 1).length",
        );
        assert.equal(moving, 0);
      },
      still,
    );
  });

  it("makes tabs that keys move through and that change together", async () => {
    await withPage("index.html", async (page, go) => {
      const chosen = () => page.locator('[role=tab][aria-selected="true"]').allTextContents();
      assert.deepEqual(await chosen(), ["npm", "npm"]);
      await page.focus('[role=tab][aria-selected="true"]');
      await page.keyboard.press("ArrowRight");
      assert.deepEqual(await chosen(), ["pnpm", "pnpm"]);
      assert.equal(await page.locator("#pnpm-2").isVisible(), true);
      assert.equal(await page.locator("#npm-2").isVisible(), false);
      await go("guides/a.html");
      assert.deepEqual(await chosen(), ["pnpm", "pnpm"]);
    });
  });

  const treeWalk: readonly (readonly [key: string, focused: string])[] = [
    ["ArrowDown", "fixed"],
    ["ArrowRight", "in.ts"],
    ["ArrowLeft", "fixed"],
    ["ArrowUp", "app"],
    ["ArrowRight", "app open"],
    ["ArrowRight", "page.tsfirst"],
    ["ArrowLeft", "app open"],
    ["ArrowLeft", "app"],
    ["Enter", "app open"],
    [" ", "app"],
    ["End", "licence"],
    ["Home", "app"],
    ["*", "app open"],
    ["End", "licence"],
    ["ArrowUp", "db.ts"],
    ["Home", "app open"],
  ];

  it("makes trees that keys move through, with one stop for Tab", async () => {
    await withPage("index.html", async (page) => {
      const focused = () =>
        page.evaluate<string>(`(() => {
          const row = document.activeElement;
          const isOpen = row.matches("details[open] > summary");
          return (row.role === "treeitem" ? row.textContent : row.role) + (isOpen ? " open" : "");
        })()`);
      await page.focus(".tree summary");
      assert.equal(await focused(), "app");
      for (const [at, [key, name]] of treeWalk.entries()) {
        await page.keyboard.press(key);
        assert.equal(await focused(), name, `${at}: ${key}`);
      }
      await page.evaluate(`for (const key of "lic")
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));`);
      assert.equal(await focused(), "licence", "typed in one go");
      await page.waitForSelector('.tree summary[aria-level="1"][aria-expanded="true"]');
      await page.keyboard.press("Tab");
      assert.equal(await page.locator(".tree :focus").count(), 0);
      assert.equal(await page.locator('.tree [tabindex="0"]').count(), 1);
    });
  });

  it("opens what hides the target of the address", async () => {
    const targets = [
      ["folded", "folded"],
      ["deep-yarn-3", "deep-yarn-3"],
      ["linux", "linux"],
      ["Deep_Yarn%203", "deep-yarn-3"],
      ["navbar", "navbar-section"],
    ];
    for (const [hash, id] of targets) {
      await withPage(`index.html#${hash}`, async (page) => {
        assert.equal(await page.locator(`#${id}`).isVisible(), true, hash);
      });
    }
    await withPage("index.html", async (page) => {
      await page.evaluate("location.hash = 'deep-yarn-3'");
      await page.locator("#deep-yarn-3").waitFor({ state: "visible" });
    });
  });

  it("opens and closes the menu of a phone", async () => {
    const phone = { viewport: { width: 390, height: 800 } };
    await withPage(
      "index.html",
      async (page) => {
        const menu = page.locator("#sidebar-content");
        assert.equal(await menu.isVisible(), false);
        await page.click(".menu-button");
        await menu.waitFor({ state: "visible" });
        assert.equal(await page.getAttribute(".menu-button", "aria-expanded"), "true");
        await page.keyboard.press("Escape");
        await menu.waitFor({ state: "hidden" });
      },
      phone,
    );
  });

  it("copies code, prompts and addresses of headings", async () => {
    const permissions = ["clipboard-read", "clipboard-write"];
    await withPage(
      "index.html",
      async (page) => {
        const clipboard = () => page.evaluate("navigator.clipboard.readText()");
        await page.hover(".code");
        await page.click(".copy-code");
        await page.locator(".copy-code[data-copied]").waitFor();
        assert.equal(await clipboard(), "npm install");
        await page.click(".copy-prompt");
        await page.locator(".copy-prompt[data-copied]").waitFor();
        assert.equal(await clipboard(), "Say this");
        await page.hover("#one");
        await page.click("#one .anchor");
        await page.locator("#one .anchor[data-copied]").waitFor();
        assert.match(String(await clipboard()), /^file:.*index\.html#one$/);
        assert.match(page.url(), /#one$/);
        await page.locator("[role=status]:text-is('Link copied')").waitFor();
      },
      { permissions },
    );
  });

  it("searches by keyboard alone", async () => {
    await withPage("guides/a.html", async (page) => {
      await page.keyboard.press("/");
      await page.keyboard.type("rain");
      const results = page.locator("#search [role=option]");
      await results.nth(1).waitFor();
      assert.equal(await results.nth(0).getAttribute("aria-selected"), "true");
      assert.match(await results.nth(0).innerText(), /all\s+rain1\s+<b>4/);
      assert.equal(await page.locator("#search mark").first().innerText(), "4");
      assert.equal(await page.innerText("#search [role=status]"), "Results: 2");
      await page.keyboard.press("ArrowDown");
      assert.equal(await results.nth(1).getAttribute("aria-selected"), "true");
      assert.equal(
        await page.getAttribute("#search-input", "aria-activedescendant"),
        await results.nth(1).getAttribute("id"),
      );
      await page.fill("#search-input", "nothing");
      await page.locator("#search [role=status]:has-text('No results: nothing')").waitFor();
      await page.fill("#search-input", "snow");
      await results.nth(1).waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL(/guides\/a\.html#one$/);
      await page.focus("#header .scheme-toggle");
      await page.keyboard.press("Control+k");
      await page.locator("#search[open]").waitFor();
      for (let presses = 0; presses < 4; presses += 1) {
        await page.keyboard.press("Tab");
        const isInside =
          "!document.hasFocus() || !!document.activeElement.closest('#search, body:focus')";
        assert.equal(await page.evaluate(isInside), true, "the focus stays in the dialog");
      }
      await page.keyboard.press("Escape");
      await page.locator("#search").waitFor({ state: "hidden" });
      const focused = "document.activeElement.classList.contains('scheme-toggle')";
      assert.equal(await page.evaluate(focused), true, "the focus is given back");
    });
  });

  it("shows results under the titles of their pages, and begins at the best", async () => {
    await withPage("guides/a.html", async (page) => {
      await page.keyboard.type("/tide");
      const groups = page.locator("#search [role=listbox] > [role=group]");
      await groups.nth(2).waitFor();
      for (const name of ["A", "Index", "One"]) {
        assert.equal(await page.getByRole("group", { name, exact: true }).count(), 1, name);
      }
      assert.deepEqual(
        (await groups.allInnerTexts()).map((text) => text.split(/\s*\n\s*/)),
        [
          ["Way", "A", "Ebb", "In Ebb", "Flood", "In Flood"],
          ["Way", "Index", "In", "Neap", "In Neap"],
          ["Way", "One", "Tide", "In Tide"],
        ],
      );
      assert.equal(await page.innerText("#search [role=status]"), "Results: 7");
      const chosen = page.locator("#search [aria-selected=true] .search-title");
      const seen = [await chosen.innerText()];
      for (const key of ["ArrowUp", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown"]) {
        await page.keyboard.press(key);
        seen.push(await chosen.innerText());
      }
      assert.deepEqual(seen, ["Ebb", "A", "Ebb", "Flood", "Index", "Neap"]);
      await page.locator("#search .search-title", { hasText: "One" }).click();
      await page.waitForURL(/many\/1\.html$/);
    });
  });

  it("leaves room for the keyboard of a phone, and closes it for who goes through the results", async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    await withPage(
      "index.html",
      async (page) => {
        await page.tap(".search-button");
        await page.keyboard.type("rain");
        const result = page.locator("#search [role=option]").first();
        await result.waitFor();
        assert.equal((await page.locator("#search").boundingBox())?.y, 12);
        assert.equal(await page.innerText(".search-close"), "", "there is no such key");
        const focused = "document.activeElement.id";
        assert.equal(await page.evaluate(focused), "search-input");
        await result.dispatchEvent("touchmove");
        assert.notEqual(await page.evaluate(focused), "search-input");
        await page.tap(".search-close");
        await page.locator("#search").waitFor({ state: "hidden" });
      },
      phone,
    );
  });

  it("is a slash in a field, and a letter with other keys held", async () => {
    await withPage("index.html", async (page) => {
      await page.keyboard.press("Alt+/");
      assert.equal(await page.locator("#search").count(), 0);
      await page.keyboard.press("/");
      await page.keyboard.type("a/b");
      assert.equal(await page.inputValue("#search-input"), "a/b");
    });
  });

  it("opens the best result for who presses Enter before there are any", async () => {
    await withPage("index.html", async (page) => {
      await page.keyboard.press("/");
      await page.locator("#search[open]").waitFor();
      // At once, as no test could type.
      await page.evaluate(`{
        const field = document.getElementById("search-input");
        field.value = "rain";
        field.dispatchEvent(new Event("input", { bubbles: true }));
        field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
      }`);
      await page.waitForURL(/guides\/a\.html#one$/);
    });
  });

  it("opens a result in a window of its own when asked to", async () => {
    await withPage("index.html", async (page) => {
      await page.keyboard.type("/rain");
      await page.locator("#search [role=option]").first().waitFor();
      await page.keyboard.press("Control+Enter");
      await untilWindowShows("guides/a.html#one");
      assert.match(page.url(), /index\.html$/);
    });
  });

  it("loads the rest of a large division when it is asked for", async () => {
    await withPage("alone/a.html", async (page) => {
      assert.equal(await page.locator("#navigation-items a").count(), 2);
      await page.click("text=Many");
      await page
        .locator('#navigation-items a[href="../many/7.html"]')
        .waitFor({ state: "visible" });
      assert.equal(await page.locator("#navigation-items a").count(), 201);
      assert.equal(await page.locator('#navigation-items [aria-current="page"]').innerText(), "A");
    });
  });

  it("marks the heading that is being read", async () => {
    await withPage(
      "index.html",
      async (page) => {
        await page.locator('.toc-item[data-active]:text-is("One")').waitFor();
        await page.evaluate(
          "document.getElementById('two').scrollIntoView({ behavior: 'instant' })",
        );
        await page.locator('.toc-item[data-active]:text-is("Two")').waitFor();
      },
      { viewport: { width: 1440, height: 900 } },
    );
  });

  it("marks the target of an address, also where parts are short or end the page", async () => {
    const view = { viewport: { width: 1440, height: 900 } };
    await withPage(
      "short.html",
      async (page, go) => {
        const marked = () =>
          page
            .locator(".toc-item[data-active]")
            .evaluateAll((all) => all.map((a) => a.textContent));
        await page.locator('.toc-item[data-active]:text-is("Part 1")').waitFor();
        for (const part of [2, 3, 10, 11, 12, 11]) {
          await go(`short.html#part-${part}`);
          await page.locator(`.toc-item[data-active]:text-is("Part ${part}")`).waitFor();
          assert.deepEqual(await marked(), [`Part ${part}`]);
        }
        await page.evaluate("scrollTo({ top: 0, behavior: 'instant' })");
        await page.locator('.toc-item[data-active]:text-is("Part 1")').waitFor();
      },
      view,
    );
  });

  it("shows the deepest entries of long contents for the part that is being read alone", async () => {
    const view = { viewport: { width: 1440, height: 900 } };
    await withPage(
      "long.html",
      async (page, go) => {
        for (const [address, part] of [
          ["long.html", "a"],
          ["long.html#b", "b"],
          ["long.html#c4", "c"],
          ["long.html#b10", "b"],
        ] as const) {
          await go(address);
          await page.locator(`.toc-item:visible:text-is("${part}7")`).waitFor();
          assert.deepEqual(await shownEntries(page), entriesIn(part), address);
        }
      },
      view,
    );
    await withPage(
      "long.html",
      async (page) => assert.equal((await shownEntries(page)).length, steps.length),
      { ...view, javaScriptEnabled: false },
    );
  });

  it("has styles on the page that says there is none, opened as a file", async () => {
    const options = { viewport: { width: 1440, height: 900 } };
    await using context = await browser.newContext(options);
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(folder, "404.html")).href);
    await mkdir(join(folder, "elsewhere"));
    await copyFile(join(folder, "404.html"), join(folder, "elsewhere/404.html"));
    const body = "getComputedStyle(document.body)";
    assert.equal(await page.evaluate(`${body}.margin`), "0px");
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 1440);
    await page.goto(pathToFileURL(join(folder, "elsewhere/404.html")).href);
    assert.equal(await page.evaluate(`${body}.marginLeft`), "384px");
  });

  it("asks before it shows a frame of another host", async () => {
    await withPage("index.html", async (page) => {
      assert.equal(await page.locator("iframe").count(), 0);
      await page.click(".frame-consent");
      assert.equal(await page.getAttribute("iframe", "title"), "Film");
      assert.equal(await page.getAttribute("iframe", "allow"), "autoplay; fullscreen");
    });
  });

  it("shows tables by what they hold and diagrams whole in a narrow window", async () => {
    await withPage(
      "index.html",
      async (page) => {
        const outOfView = (id: string) =>
          page.evaluate<number>(`${id}.scrollWidth - ${id}.clientWidth`);
        assert.equal(await outOfView("short"), 0);
        assert((await outOfView("wordy")) > 300, "columns of a word's width cannot be read");
        const drawing = await page.locator(".diagram-drawing").boundingBox();
        const buttons = await page.locator(".diagram-controls").boundingBox();
        assert(drawing && buttons);
        const isApart =
          buttons.y >= drawing.y + drawing.height || buttons.y + buttons.height <= drawing.y;
        assert(isApart, JSON.stringify({ drawing, buttons }));
      },
      { viewport: { width: 375, height: 800 } },
    );
  });

  for (const javaScriptEnabled of [true, false]) {
    it(`filters a changelog by tags ${javaScriptEnabled ? "with" : "without"} scripts`, async () => {
      await withPage(
        "news.html",
        async (page) => {
          const shown = () => page.locator(".update:visible").allTextContents();
          assert.deepEqual(await shown(), ["First", "Second", "Third"]);
          await page.click('.filter:text-is("New")');
          assert.deepEqual(await shown(), ["First", "Second"]);
          await page.click('.filter:text-is("Fix")');
          assert.deepEqual(await shown(), ["Second"]);
          await page.click('.filter:text-is("New")');
          await page.click('.filter:text-is("Fix")');
          assert.deepEqual(await shown(), ["First", "Second", "Third"]);
        },
        { javaScriptEnabled },
      );
    });
  }

  it("keeps the tags that were chosen in the address", async () => {
    await withPage("news.html", async (page) => {
      await page.goto(`${page.url()}?tags=Fix,Unknown`);
      assert.deepEqual(await page.locator(".update:visible").allTextContents(), ["Second"]);
      await page.click('.filter:text-is("New")');
      const { searchParams } = new URL(page.url());
      assert.equal(searchParams.get("tags"), "New,Fix");
      await page.click('.filter:text-is("New")');
      await page.click('.filter:text-is("Fix")');
      assert.equal(new URL(page.url()).search, "");
    });
  });

  it("enlarges a diagram within its box, moves it, and shows it as it was again", async () => {
    await withPage("index.html", async (page) => {
      const look = () =>
        page.evaluate<Record<"width" | "height" | "left" | "top", number>>(`(() => {
          const box = document.querySelector(".diagram-drawing");
          const { width } = box.querySelector("svg").getBoundingClientRect();
          return { width, height: box.offsetHeight, left: box.scrollLeft, top: box.scrollTop };
        })()`);
      const press = async (...names: readonly string[]) => {
        for (const name of names) await page.getByRole("button", { name, exact: true }).click();
      };
      const before = await look();
      assert.deepEqual(before, { width: 300, height: before.height, left: 0, top: 0 });
      await press("Zoom in", "Zoom in", "Zoom in", "Zoom in", "Zoom in", "Zoom in", "Zoom in");
      const large = await look();
      assert.equal(Math.round(large.width), Math.round(300 * 1.25 ** 7));
      assert.equal(large.height, before.height);
      await press("Right", "Down");
      const moved = await look();
      assert(moved.left > large.left && moved.top > large.top);
      await press("Left", "Up", "Zoom out");
      assert((await look()).width < large.width);
      await press("Reset view");
      assert.deepEqual(await look(), before);
    });
  });

  it("switches views", async () => {
    await withPage("index.html", async (page) => {
      await page.click('#multi-view button:text-is("Linux")');
      assert.equal(await page.locator(".view:visible").count(), 1);
      assert.equal(await page.locator("#linux").isVisible(), true);
    });
  });

  it("keeps a banner closed that the reader closed", async () => {
    await withPage("index.html", async (page, go) => {
      await page.click(".banner-close");
      await go("guides/a.html");
      const banner = page.locator("#banner");
      // What a page stores reaches the browser's other processes within a moment, not at once.
      for (let tries = 0; tries < 20 && (await banner.isVisible()); tries += 1) await page.reload();
      assert.equal(await banner.isVisible(), false);
    });
  });

  it("is not needed to read: everything is shown without scripts", async () => {
    const viewport = { width: 390, height: 800 };
    await withPage(
      "index.html",
      async (page) => {
        for (const id of ["npm-2", "pnpm-2", "yarn-3", "linux"]) {
          assert.equal(await page.locator(`#${id}`).isVisible(), true, id);
        }
        assert.equal(await page.locator(".search-button").isVisible(), false);
        await page.click(".menu-button");
        await page.locator("#sidebar-content").waitFor({ state: "visible" });
        await page.click(".menu-close");
        await page.locator("#sidebar-content").waitFor({ state: "hidden" });
      },
      { javaScriptEnabled: false, viewport },
    );
  });

  it("shows its drawings, what was found and what is chosen in the reader's own colours", async () => {
    const viewport = { width: 390, height: 800 };
    await withPage(
      "index.html",
      async (page) => {
        await page.keyboard.type("/rain");
        await page.locator("#search mark").first().waitFor();
        const drawn = (selector: string, pseudo = "") =>
          page.evaluate<[drawing: string, behind: string]>(`{
            const { backgroundColor } = getComputedStyle(document.querySelector("${selector}"), "${pseudo}");
            [backgroundColor, getComputedStyle(document.body).backgroundColor];
          }`);
        for (const selector of [".search-button .i", ".menu-button .i", "#search mark"]) {
          const [drawing, behind] = await drawn(selector);
          assert.notEqual(drawing, behind, selector);
        }
        const [arrow, behind] = await drawn("#pagination span", "::before");
        assert.notEqual(arrow, behind);
        const outline =
          "getComputedStyle(document.querySelector('#search [aria-selected=true]')).outlineStyle";
        assert.equal(await page.evaluate(outline), "solid");
      },
      { forcedColors: "active", viewport },
    );
  });

  it("never makes a page wider than a phone", async () => {
    for (const width of [320, 390, 768, 1024, 1280]) {
      await withPage(
        "index.html",
        async (page) => {
          const wide = await page.evaluate("document.documentElement.scrollWidth");
          assert.equal(wide, width);
        },
        { viewport: { width, height: 800 } },
      );
    }
  });
});
