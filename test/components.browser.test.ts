import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { launchChromium } from "./support/chromium.ts";
import { exportedSite } from "./support/exported-site.ts";

/** The golden sites whose components are used as readers do, opened as files, with scripts and without. */
const sites = ["accordions", "cards", "code-blocks", "media", "nesting", "steps", "tabs", "views"];

const hashOf = (page: Page) => page.evaluate("decodeURIComponent(location.hash)");
const isShown = (page: Page, id: string) => page.locator(`[id="${id}"]`).isVisible();

/** Lists the entries of the table of contents after the next frame, since the page updates them before it is drawn. */
async function listEntries(page: Page): Promise<string[]> {
  await page.evaluate("new Promise((done) => requestAnimationFrame(done))");
  return await page.locator(".toc-item:visible").allTextContents();
}

suite("components in a browser", () => {
  const folders = new Map<string, string>();
  let browser: Browser;
  const complaints: string[] = [];

  before(async () => {
    for (const name of sites) {
      folders.set(name, (await exportedSite(`test/sites/${name}/docs`)).folder);
    }
    browser = await launchChromium();
  });

  after(() => browser?.close());

  /** Opens `tabs#npm`: the first page of a site, at an address within it. */
  async function withPage(
    address: string,
    use: (page: Page) => Promise<void>,
    options: BrowserContextOptions = {},
  ): Promise<void> {
    await using context = await browser.newContext(options);
    // The films and frames of other hosts are not there, and nobody asks for them.
    await context.route(/^https?:/, (route) => route.abort());
    const page = await context.newPage();
    page.on("pageerror", (error) => complaints.push(error.message));
    const [site = "", id] = address.split("#");
    const url = pathToFileURL(join(folders.get(site) ?? "", "index.html")).href;
    await page.goto(id === undefined ? url : `${url}#${id}`);
    await use(page);
    assert.deepEqual(complaints.splice(0), []);
  }

  test("a link into something closed opens it", async () => {
    const links = [
      "accordions#hidden-heading",
      "accordions#my own id",
      "accordions#first-2",
      "accordions#param-city",
      "tabs#inside-pnpm",
      "tabs#with-bun",
      "tabs#deep-place",
      "tabs#in-a-tab",
      "nesting#param-name",
      "nesting#1-2",
      "views#set-up-in-python",
    ];
    for (const link of links) {
      await withPage(link, async (page) => {
        const id = link.split("#")[1] ?? "";
        const box = await page.locator(`[id="${id}"]`).evaluate((element) => {
          const hidden = element.closest("[hidden], details:not([open])");
          return { isOpen: hidden === null, top: element.getBoundingClientRect().top };
        });
        assert.equal(box.isOpen, true, link);
        assert.ok(box.top >= 0 && box.top < 720, `${link} is in view, at ${box.top}`);
      });
    }
  });

  test("the address names what the reader opens", async () => {
    await withPage("accordions", async (page) => {
      await page.click('summary:has-text("Named")');
      assert.equal(await hashOf(page), "#my own id");
      await page.click('summary:has-text("Open at first")');
      assert.equal(await hashOf(page), "#my own id", "closing says nothing");
      await page.focus('summary:has-text("What is it?")');
      await page.keyboard.press("Enter");
      assert.equal(await hashOf(page), "#what-is-it");
      await page.reload();
      assert.equal(await isShown(page, "hidden-heading"), true);
    });
    await withPage("tabs", async (page) => {
      await page.click('[role=tab]:has-text("Bun")');
      assert.equal(await hashOf(page), "#with-bun");
      await page.click('.code-group [role=tab]:has-text("Yarn")');
      assert.equal(await hashOf(page), "#with-bun", "a code group has no address");
      assert.equal(await page.evaluate("history.length"), 2, "no steps in the history");
    });
  });

  test("labels change together, also in a list to choose from, but not where sync is off", async () => {
    await withPage("tabs", async (page) => {
      const chosen = () => page.locator('[role=tab][aria-selected="true"]').allTextContents();
      const before = ["npm", "npm", "pnpm", "Two", "Outer one", "Inner one"];
      assert.deepEqual(await chosen(), before);
      await page.click('.code-group [role=tab]:has-text("pnpm")');
      assert.deepEqual(await chosen(), before.with(0, "pnpm").with(1, "pnpm"));
      const list = page.locator(".code-group select");
      await list.selectOption("python");
      const group = page.locator(".code-group:has(select)");
      assert.deepEqual(await group.locator("pre:visible").allTextContents(), ['print("Hello")']);
    });
  });

  test("long code shows its beginning, and the rest when asked", async () => {
    await withPage("code-blocks", async (page) => {
      const block = page.locator(".code[data-expandable]");
      const height = () => block.evaluate((element) => element.getBoundingClientRect().height);
      const short = await height();
      const button = block.locator(".expand-code");
      assert.equal(await button.getAttribute("aria-expanded"), "false");
      await button.click();
      assert.equal(await button.getAttribute("aria-expanded"), "true");
      assert.ok((await height()) > short + 50);
      await button.click();
      assert.equal(await height(), short);
      assert.equal(await page.locator(".code[data-no-copy] .copy-code").count(), 0);
      const copyable = await page.locator(".code:not([data-no-copy])").count();
      assert.equal(await page.locator(".copy-code").count(), copyable);
    });
  });

  test("pictures have the buttons that they ask for, and open in full unless they say no", async () => {
    await withPage("media", async (page) => {
      const links = page.locator(".picture-actions a");
      assert.deepEqual(
        await links.evaluateAll((all) => all.map((link) => link.getAttribute("download"))),
        ["hills.svg", "hills.svg"],
      );
      await page.click('img[alt="Not to be enlarged"]');
      assert.equal(await page.locator("dialog.zoom").count(), 0);
      assert.equal(await page.locator('img[alt="To be enlarged"].zoomable').count(), 1);
    });
  });

  test("a view brings its entries of the table of contents", async () => {
    const options = { viewport: { width: 1440, height: 900 } };
    await withPage(
      "views",
      async (page) => {
        assert.deepEqual(await listEntries(page), [
          "For everybody",
          "Set up in JavaScript",
          "Afterwards",
        ]);
        await page.click('#multi-view button:has-text("Python")');
        assert.deepEqual(await listEntries(page), [
          "For everybody",
          "Set up in Python",
          "Afterwards",
        ]);
        assert.equal(await page.locator(".view:visible").count(), 2);
      },
      options,
    );
  });

  test("everything can be read without scripts", async () => {
    const shown: Readonly<Record<string, readonly string[]>> = {
      accordions: [".accordion[open] .fold-content", "details > summary"],
      cards: [".card-content", ".tile-text", ".columns"],
      "code-blocks": [".code code"],
      media: [".frame-caption", "a.frame-consent"],
      steps: [".step-title", ".step-content"],
      tabs: [".tab-panel", ".tab-title", ".code-group pre"],
      views: [".view", ".view-title"],
    };
    for (const [site, selectors] of Object.entries(shown)) {
      await withPage(
        site,
        async (page) => {
          for (const selector of selectors) {
            const all = await page.locator(`#content :is(${selector})`).all();
            assert.ok(all.length > 0, `${site} has ${selector}`);
            for (const [at, one] of all.entries()) {
              const isClosed =
                (await one.locator("xpath=ancestor::details[not(@open)]").count()) > 0;
              assert.equal(isClosed || (await one.isVisible()), true, `${site} ${selector} ${at}`);
            }
          }
          const { clipped } = (await page.evaluate(
            `({ clipped: [...document.querySelectorAll(".code pre")].filter((pre) => pre.scrollHeight > pre.clientHeight + 1).length })`,
          )) as { clipped: number };
          assert.equal(clipped, 0, `${site} shows all of its code`);
        },
        { javaScriptEnabled: false },
      );
    }
    await withPage(
      "accordions",
      async (page) => {
        await page.click('summary:has-text("What is it?")');
        assert.equal(await isShown(page, "hidden-heading"), true);
      },
      { javaScriptEnabled: false },
    );
  });

  test("nothing is wider than a phone, with everything opened", async () => {
    for (const site of sites) {
      await withPage(
        site,
        async (page) => {
          await page.evaluate(
            "document.querySelectorAll('details').forEach((d) => { d.open = true })",
          );
          const width = await page.evaluate("document.documentElement.scrollWidth");
          assert.equal(width, 360, site);
        },
        { viewport: { width: 360, height: 800 } },
      );
    }
  });
});
