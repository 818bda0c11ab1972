import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { renderSite } from "../packages/site/src/export/index.ts";
import { launchChromium } from "./support/chromium.ts";
import { temporaryFolder, writeFiles } from "./support/temporary-folder.ts";

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** A body of a chain of schemas that one page has no room for. */
const description = {
  openapi: "3.1.0",
  info: { title: "Nursery", version: "1" },
  paths: {
    "/plants": {
      post: {
        summary: "Create a plant",
        requestBody: { content: { "application/json": { schema: ref("S0") } } },
        responses: {},
      },
    },
  },
  components: {
    schemas: Object.fromEntries(
      Array.from({ length: 40 }, (_, at): [string, object] => [
        `S${at}`,
        {
          type: "object",
          properties: {
            [`name${at}`]: { type: "string" },
            choice: {
              oneOf: [
                { title: "A", type: "integer" },
                { title: "B", ...ref("Leaf") },
              ],
            },
            next: ref(`S${at + 1}`),
          },
        },
      ]).concat([["Leaf", { type: "object", properties: { leaf: { type: "string" } } }]]),
    ),
  },
};

test("parts of schemas load from a file when a reader opens them, and once", async () => {
  await using site = await temporaryFolder();
  await using out = await temporaryFolder();
  await writeFiles(site.path, {
    "docs.json": JSON.stringify({ name: "Nursery", navigation: { openapi: "api.json" } }),
    "api.json": JSON.stringify(description),
  });
  await renderSite({ siteDir: site.path, outDir: out.path, workers: 1 });
  await using browser = await launchChromium();
  const address = pathToFileURL(join(out.path, "api-reference/create-a-plant.html")).href;

  await using context = await browser.newContext();
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => complaints.push(message.text()));
  await page.goto(address);
  const scripts = page.locator("script[src*='_octavo/schemas/']");
  assert.equal(await scripts.count(), 0);
  const parts = page.locator("#content details[data-part]");
  assert.ok((await parts.count()) > 0);
  for (let left = 60; left > 0 && (await parts.count()) > 0; left -= 1) {
    await parts.first().evaluate((fold) => {
      fold.setAttribute("open", "");
      fold.setAttribute("data-opened", "");
    });
    await page.locator("[data-opened][data-part]").waitFor({ state: "detached", timeout: 10_000 });
  }
  assert.equal(await scripts.count(), 1);
  assert.match((await page.locator("#content").textContent()) ?? "", /name39/);
  assert.equal(await page.locator("[data-tabs]:not([data-live])").count(), 0);
  const ids = await page.locator("[id]").evaluateAll((all) => all.map(({ id }) => id));
  assert.deepEqual(
    ids.filter((id, at) => ids.indexOf(id) !== at),
    [],
  );
  assert.deepEqual(complaints, []);

  await using plain = await browser.newContext({ javaScriptEnabled: false });
  const still = await plain.newPage();
  await still.goto(address);
  const link = still.locator("details[data-part] a").first();
  assert.equal(await link.getAttribute("href"), "create-a-plant.md");
});
