import assert from "node:assert/strict";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { stopClock } from "../../../../test/support/stopped-clock.ts";
import { openSampleBundle } from "./browser.test-support.ts";

const bundle = await openSampleBundle();
after(() => bundle[Symbol.asyncDispose]());
const { withPage, withServedPage } = bundle;

describe("the reader's script", () => {
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
        await page.locator("#search-result-0").waitFor();
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
    await withServedPage("index.html", async (page, go) => {
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
    ["End", "license"],
    ["Home", "app"],
    ["*", "app open"],
    ["End", "license"],
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
      assert.equal(await focused(), "license", "typed in one go");
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
        await stopClock(page);
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
        await page.clock.runFor(100);
        await page.locator("[role=status]:text-is('Link copied')").waitFor();
        assert.equal(await page.locator("[data-copied]").count(), 3);
        await page.clock.runFor(1600);
        assert.equal(await page.locator("[data-copied]").count(), 0);
      },
      { permissions },
    );
  });

  it("has styles on the page that says there is none, opened as a file", async () => {
    const options = { viewport: { width: 1440, height: 900 } };
    await using context = await bundle.browser.newContext(options);
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(bundle.folder, "404.html")).href);
    await mkdir(join(bundle.folder, "elsewhere"));
    await copyFile(join(bundle.folder, "404.html"), join(bundle.folder, "elsewhere/404.html"));
    const body = "getComputedStyle(document.body)";
    assert.equal(await page.evaluate(`${body}.margin`), "0px");
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 1440);
    await page.goto(pathToFileURL(join(bundle.folder, "elsewhere/404.html")).href);
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
    await withServedPage("index.html", async (page, go) => {
      await page.click(".banner-close");
      await go("guides/a.html");
      assert.equal(await page.locator("#banner").isVisible(), false);
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

  it("shows its drawings, what was found and what is chosen in the reader's own colors", async () => {
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
