import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join, posix } from "node:path";
import { after, before, suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import { parse } from "parse5";
import type { DefaultTreeAdapterTypes } from "parse5";
import type { Browser } from "playwright-core";
import { renderSite } from "../../packages/site/src/export/index.ts";
import { launchChromium } from "../support/chromium.ts";
import { exportedSite } from "../support/exported-site.ts";
import { temporaryFolder, writeFiles } from "../support/temporary-folder.ts";

/** Sites that show each component of the format, and the manual. */
const sites = [
  "accordions",
  "anchors",
  "callouts",
  "cards",
  "changelog",
  "code-blocks",
  "color",
  "fields",
  "inline-components",
  "math",
  "media",
  "mermaid",
  "nesting",
  "openapi-x-mint",
  "prompts-and-audiences",
  "raw-html",
  "steps",
  "tabs",
  "tree",
  "views",
];

/**
 * Run in the page, whose own scripts are off: texts that nobody can see, however they scroll and open what is
 * folded. The table of contents repeats what the headings say, and has no place on a phone.
 */
const findHidden = `(() => {
  for (const details of document.querySelectorAll("#content-container details")) details.open = true;
  const hidden = [];
  const main = document.querySelector("#content-container");
  const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    // Formulas have blanks without a width.
    if (/^[\\s\\u200b]*$/.test(data)) continue;
    // Lists to choose from, and what stands in for films where browsers play none.
    if (parentElement.closest("script, style, template, option, video, audio, iframe")) continue;
    // Formulas stand twice: as they are seen, and as they are read out.
    if (parentElement.closest("#table-of-contents, .katex-mathml, [role=tooltip]")) continue;
    const range = document.createRange();
    range.selectNode(walker.currentNode);
    const box = range.getBoundingClientRect();
    const isShown = parentElement.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
    if (!isShown || box.width === 0 || box.height === 0 || isClipped(parentElement, box)) {
      hidden.push(data.trim().slice(0, 80) + " in " + parentElement.outerHTML.slice(0, 120));
    }
  }
  function isClipped(element, box) {
    for (let around = element; around !== main; around = around.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(around);
      const frame = around.getBoundingClientRect();
      const scrolls = [overflowX, overflowY].some((overflow) => /auto|scroll/.test(overflow));
      // Readers scroll it into what is seen of its box.
      if (scrolls) box = frame;
      else if (overflowY === "hidden" && (box.top >= frame.bottom || box.bottom <= frame.top)) return true;
      else if (overflowX === "hidden" && (box.left >= frame.right || box.right <= frame.left)) return true;
    }
    return false;
  }
  return hidden;
})()`;

/** Addresses in a document: those within the bundle, as paths from its root, with their place. */
function localLinks(html: string, file: string): { path: string; id: string }[] {
  const links: { path: string; id: string }[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node) => {
    if ("attrs" in node && node.nodeName === "a") {
      const href = node.attrs.find(({ name }) => name === "href")?.value;
      if (href !== undefined && !/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(href)) {
        const [address = "", id = ""] = href.split("#");
        const path = decodeURIComponent(address.replace(/\?.*$/, ""));
        links.push({
          path: path === "" ? file : posix.join(posix.dirname(file), path),
          id: decodeURIComponent(id),
        });
      }
    }
    if ("childNodes" in node) node.childNodes.forEach(visit);
  };
  visit(parse(html));
  return links;
}

/** Pages that a reader comes to by following links from `start`. */
async function reachable(folder: string, start: string): Promise<Set<string>> {
  const known = new Set([start]);
  for (const file of known) {
    const html = await readFile(join(folder, file), "utf8");
    for (const { path } of localLinks(html, file)) if (path.endsWith(".html")) known.add(path);
  }
  return known;
}

/** A group of the navigation with so many pages. */
function group(at: number, count: number): { group: string; pages: string[] } {
  return {
    group: `Group ${at}`,
    pages: Array.from({ length: count }, (_, page) => `g${at}/p${page}`),
  };
}

suite("with scripts switched off", () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let browser: Browser;
  before(async () => {
    folder = await temporaryFolder();
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await folder[Symbol.asyncDispose]();
  });

  const manual = "docs";
  const places = [["manual", manual], ...sites.map((name) => [name, `test/sites/${name}/docs`])];
  for (const [name = "", place = ""] of places) {
    test(`every word of ${name} can be read`, async () => {
      const bundle = await exportedSite(place);
      await using context = await browser.newContext({ javaScriptEnabled: false });
      // Nobody answers for other hosts.
      await context.route(/^https?:/, (route) => route.abort());
      const page = await context.newPage();
      for (const { path } of bundle.result.site.pages) {
        await page.goto(pathToFileURL(join(bundle.folder, `${path}.html`)).href);
        for (const width of [1280, 390]) {
          await page.setViewportSize({ width, height: 900 });
          assert.deepEqual(await page.evaluate(findHidden), [], `${name}/${path}, ${width} wide`);
        }
      }
    });
  }

  test("a tooltip is shown to the keyboard", async () => {
    await using context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    const bundle = await exportedSite("test/sites/inline-components/docs");
    await page.goto(pathToFileURL(join(bundle.folder, "tooltips.html")).href);
    const tooltips = page.locator("#content [role=tooltip]");
    const shown = new Set<number>();
    for (let presses = 0; presses < 60; presses += 1) {
      await page.keyboard.press("Tab");
      for (const [at, tooltip] of (await tooltips.all()).entries()) {
        if (await tooltip.isVisible()) shown.add(at);
      }
    }
    assert.equal(shown.size, await tooltips.count());
  });

  test("every link of the manual leads to a file and to a place in it", async () => {
    const { folder: out } = await exportedSite(manual);
    const files = new Set(await readdir(out, { recursive: true }));
    const broken: string[] = [];
    for (const file of [...files].filter((path) => path.endsWith(".html") && path !== "404.html")) {
      for (const { path, id } of localLinks(await readFile(join(out, file), "utf8"), file)) {
        if (!files.has(path)) broken.push(`${file}: ${path}`);
        else if (id !== "" && !(await readFile(join(out, path), "utf8")).includes(` id="${id}"`)) {
          broken.push(`${file}: ${path}#${id}`);
        }
      }
    }
    assert.deepEqual(broken, []);
  });

  test("every page of a big site is reached by links", async () => {
    const groups = [
      group(0, 3),
      {
        group: "Nested",
        pages: [group(1, 120), group(2, 5), { group: "Deep", pages: [group(3, 90)] }],
      },
      group(4, 200),
    ];
    const paths = [3, 120, 5, 90, 200].flatMap((count, at) => group(at, count).pages);
    const siteDir = join(folder.path, "big-site");
    const outDir = join(folder.path, "big");
    await writeFiles(siteDir, {
      "docs.json": JSON.stringify({
        name: "Big",
        theme: "mint",
        colors: { primary: "#0f766e" },
        navigation: { groups },
      }),
      ...Object.fromEntries(
        paths.map((path) => [`${path}.md`, `---\ntitle: ${path}\n---\nText.\n`]),
      ),
    });
    await renderSite({ siteDir, outDir, workers: 1 });
    const html = await readFile(join(outDir, "g0/p0.html"), "utf8");
    assert.ok(html.split("<a ").length < 200, "the sidebar is not written whole into each page");
    const reached = await reachable(outDir, "g0/p0.html");
    assert.deepEqual(
      paths.filter((path) => !reached.has(`${path}.html`)),
      [],
    );
  });
});
