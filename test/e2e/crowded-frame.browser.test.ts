import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import { openSite } from "../support/open-page.ts";

const crowded = await openSite("test/sites/crowded-frame/docs");
const themes = await openSite("test/sites/themes/docs");
after(async () => {
  await crowded[Symbol.asyncDispose]();
  await themes[Symbol.asyncDispose]();
});

const wide = { viewport: { width: 1280, height: 800 } };

suite("a frame with much in it", () => {
  test("shows every tab in a window of 1280 pixels, and nothing below the header begins under it", async () => {
    await crowded.withPage("guides/folds", wide, async (page) => {
      const tabs = await page
        .locator(".nav-tabs-item")
        .evaluateAll((items) =>
          items
            .map((item) => item.getBoundingClientRect())
            .map(({ right, bottom }) => ({ right, bottom })),
        );
      assert.equal(tabs.length, 10);
      for (const { right } of tabs) assert.ok(right <= 1280, `${right}`);
      const bottom = Math.max(...tabs.map((tab) => tab.bottom));
      const sidebar = await page.locator("#sidebar").boundingBox();
      assert.ok((sidebar?.y ?? 0) >= bottom, `${sidebar?.y} and ${bottom}`);
    });
  });

  test("has no broken picture for an icon that is not there", async () => {
    await crowded.withPage("index", wide, async (page) => {
      const broken = "[...document.images].filter((image) => image.naturalWidth === 0).length";
      assert.equal(await page.evaluate(broken), 0);
    });
  });

  test("leaves what a script inserts before the footer between article and footer", async () => {
    await themes.withPage("index", wide, async (page) => {
      const tops = await page.evaluate<number[]>(`(() => {
        const box = document.createElement("div");
        box.textContent = "Inserted";
        const footer = document.querySelector("footer");
        footer.parentNode.insertBefore(box, footer);
        const top = (element) => element.getBoundingClientRect().top;
        return [top(document.querySelector("#content-area")), top(box), top(footer), box.getBoundingClientRect().left];
      })()`);
      const [article = 0, inserted = 0, footer = 0, left = 0] = tops;
      assert.ok(article < inserted && inserted < footer, tops.join(" "));
      const column = await page.locator("#sidebar-column").boundingBox();
      assert.ok(left >= (column?.width ?? 0), "beside the column, not below it");
    });
  });
});
