import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { renderSite } from "../../packages/site/src/export/index.ts";
import { launchChromium } from "../support/chromium.ts";
import { serveFolder } from "../support/serve-folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const siteDir = resolve(import.meta.dirname, "../sites/redirects/docs");

/** On a host that knows nothing of redirects and shows `404.html` where there is no file. */
test("addresses that moved lead to where they are now, on a plain host below a path", async (t) => {
  await using out = await temporaryFolder();
  await renderSite({ siteDir, outDir: out.path, baseUrl: "https://docs.example.com/some/path" });
  await using server = await serveFolder(out.path);
  await using browser = await launchChromium();
  const page = await browser.newPage();
  await page.route("https://*.example.com/**", (route) => route.fulfill({ body: "elsewhere" }));
  const cases: readonly (readonly [asked: string, shown: string])[] = [
    ["v1/fares", "guides/fares.html"],
    ["v1/fares#children", "guides/fares.html#children"],
    ["v1/boarding.html?x=1", "guides/boarding.html?x=1"],
    ["guide-fares", "guides/fares.html"],
    ["old-fares-notes", "guides/fares.html"],
    ["boats/heron/seats", "guides/boarding.html?boat=heron"],
    ["guides/fares", "guides/fares.html"],
    ["harbours/", "harbours/index.html"],
    ["prices", "guides/fares.html#children"],
    ["caf%C3%A9", "guides/boarding.html"],
    ["legacy/boarding.html", "guides/boarding.html"],
    ["shop/tickets/day", "https://shop.example.com/tickets/day"],
  ];
  for (const [asked, shown] of cases) {
    await t.test(asked, async () => {
      const target = new URL(shown, server.url).href;
      await page.goto(server.url + asked);
      await page.waitForURL(target);
    });
  }
  await t.test("a deep address with a mistake suggests the page that it means", async () => {
    const errors: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(message.text());
    });
    await page.goto(`${server.url}some/deep/bordings`, { waitUntil: "load" });
    const suggestion = page.locator(".not-found li a");
    assert.equal(
      await suggestion.first().getAttribute("href"),
      `${server.url}guides/boarding.html`,
    );
    await page.goto(`${server.url}xyzzy`, { waitUntil: "load" });
    assert.equal(await suggestion.count(), 0);
    // Only the missing pages themselves, and none of the files that the page loads.
    assert.deepEqual(
      errors.filter((text) => !text.includes("status of 404")),
      [],
    );
  });
  for (const asked of ["nowhere", "v1/gone", "round", "east/x", "lost", "404.html"]) {
    await t.test(`${asked} says that there is nothing`, async () => {
      const url = server.url + asked;
      await page.goto(url, { waitUntil: "load" });
      assert.equal(page.url(), url);
      assert.equal(await page.textContent("h1"), "Page not found");
    });
  }
  await t.test("opened as files", async () => {
    const root = pathToFileURL(out.path).href;
    await page.goto(`${root}/legacy/boarding.html`);
    await page.waitForURL(`${root}/guides/boarding.html`);
    await page.goto(pathToFileURL(join(out.path, "404.html")).href);
    assert.equal(await page.textContent("h1"), "Page not found");
  });
});
