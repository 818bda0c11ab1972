import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { hashPassword } from "../../packages/octavo/src/core/index.ts";
import { renderSite } from "../../packages/site/src/export/index.ts";
import { launchChromium } from "../support/chromium.ts";
import {
  createServedSite,
  createServedVersion,
  startServedSites,
} from "../support/served-sites.ts";
import type { ServedSites } from "../support/served-sites.ts";
import { temporaryFolder, writeFiles } from "../support/temporary-folder.ts";

const host = "docs.localhost";

const configuration = JSON.stringify({
  name: "Tides",
  theme: "mint",
  colors: { primary: "#0969da" },
  navigation: { groups: [{ group: "Start", pages: ["index", "guide/ebb", "guide/flood"] }] },
});

/** The files of the bundle of a site with some pages. */
async function render(
  pages: Readonly<Record<string, string>>,
): Promise<Record<string, Uint8Array>> {
  await using folder = await temporaryFolder();
  const [siteDir, outDir] = [join(folder.path, "site"), join(folder.path, "bundle")];
  await writeFiles(siteDir, { "docs.json": configuration, ...pages });
  await renderSite({ siteDir, outDir, addresses: "clean", workers: 1 });
  const entries = await readdir(outDir, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(files.map((file) => readFile(file)));
  return Object.fromEntries(
    files.map((file, at) => [relative(outDir, file), contents[at] ?? Buffer.alloc(0)]),
  );
}

const page = (title: string, body: string) => `---\ntitle: ${title}\n---\n\n${body}\n`;

describe("a published site in a browser", () => {
  const resources = new AsyncDisposableStack();
  let sites: ServedSites;
  let browser: Browser;
  let origin = "";
  before(async () => {
    sites = resources.use(await startServedSites());
    browser = resources.use(await launchChromium());
    origin = `http://${host}:${sites.port}`;
    const shared = {
      "index.mdx": page("Welcome", "Start here."),
      "guide/flood.mdx": page("Flood", "Water rises."),
    };
    const old = await sites.deploy(
      await render({ ...shared, "guide/ebb.mdx": page("Ebb", "The water of before.") }),
    );
    const now = await sites.deploy(
      await render({
        ...shared,
        "guide/ebb.mdx": page("Ebb", "The water of today, with seaweed."),
        "guide/neap.mdx": page("Neap", "A weak tide."),
      }),
    );
    const versions = [
      createServedVersion(now, { title: "2.0" }),
      createServedVersion(old, { slug: "v1", title: "1.0", state: "old" }),
    ];
    sites.table.set(host, createServedSite(versions, { origin }));
  });
  after(() => resources.disposeAsync());

  async function withPage(use: (page: Page) => Promise<void>): Promise<void> {
    const context = await browser.newContext();
    const opened = await context.newPage();
    const complaints: string[] = [];
    opened.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    opened.on("pageerror", (error) => complaints.push(String(error)));
    await use(opened);
    await context.close();
    assert.deepEqual(complaints, []);
  }

  it("leads to the same page of another version, and back from the line above it", async () => {
    await withPage(async (opened) => {
      await opened.goto(`${origin}/guide/ebb`);
      assert.equal(await opened.locator(".version-note").count(), 0);
      await opened.locator(".navbar-start .menu-site-versions summary").click();
      await opened.locator(".navbar-start .menu-site-versions a", { hasText: "1.0" }).click();
      await opened.waitForURL(`${origin}/v1/guide/ebb`);
      const note = opened.locator(".version-note");
      await note.waitFor();
      assert.match(await note.innerText(), /This is an old version\. Current version: 2\.0/);
      assert.ok(await opened.getByText("The water of before.").isVisible());
      await note.locator("a").click();
      await opened.waitForURL(`${origin}/guide/ebb`);
    });
  });

  it("leads to the start of a version that does not have the page", async () => {
    await withPage(async (opened) => {
      await opened.goto(`${origin}/guide/neap`);
      await opened.locator(".navbar-start .menu-site-versions summary").click();
      await opened.locator(".navbar-start .menu-site-versions a", { hasText: "1.0" }).click();
      await opened.waitForURL(`${origin}/v1/`);
    });
  });

  it("follows links without a redirect", async () => {
    await withPage(async (opened) => {
      const statuses: number[] = [];
      opened.on("response", (response) => statuses.push(response.status()));
      await opened.goto(`${origin}/`);
      await opened.locator("#navigation-items a", { hasText: "Ebb" }).click();
      await opened.waitForURL(`${origin}/guide/ebb`);
      await opened.locator(".nav-logo, .nav-logo-link").first().click();
      await opened.waitForURL(`${origin}/`);
      assert.deepEqual(
        [...new Set(statuses)].filter((status) => status >= 300 && status !== 304),
        [],
      );
    });
  });

  it("searches its own deployment after another one was published", async () => {
    await withPage(async (opened) => {
      await opened.goto(`${origin}/`);
      const site = sites.table.get(host) ?? assert.fail();
      const [first, ...others] = site.versions;
      const next = await sites.deploy(
        await render({ "index.mdx": page("Welcome", "Nothing else.") }),
      );
      const versions = [createServedVersion(next, { title: "2.0" }), ...others];
      sites.table.set(host, { ...site, versions, recent: [first?.deployment ?? assert.fail()] });
      await opened.locator("#search-bar-entry").click();
      await opened.locator("#search-input").fill("seaweed");
      await opened.locator("#search-results [role=option]").first().waitFor();
      assert.match(await opened.locator("#search-results").innerText(), /Ebb/);
      sites.table.set(host, site);
    });
  });

  it("shows a page for missing addresses, with its styles, at any depth of a version", async () => {
    const context = await browser.newContext();
    const opened = await context.newPage();
    const failed: string[] = [];
    opened.on("response", (response) => {
      if (response.status() >= 400 && response.url().includes("_octavo"))
        failed.push(response.url());
    });
    await opened.goto(`${origin}/v1/a/b/c`);
    await opened.locator(".menu-site-versions").first().waitFor({ state: "attached" });
    assert.equal(await opened.locator("a.nav-logo").first().getAttribute("href"), "/v1/./");
    assert.deepEqual(failed, []);
    await context.close();
  });

  it("opens a closed site with its password", async () => {
    const site = sites.table.get(host) ?? assert.fail();
    const passwordHash = await hashPassword("low water");
    const access = {
      kind: "closed",
      secret: randomBytes(32),
      passwordHash,
      signInUrl: undefined,
      links: new Set<string>(),
    } as const;
    sites.table.set("closed.localhost", { ...site, access });
    const context = await browser.newContext();
    const opened = await context.newPage();
    const closed = `http://closed.localhost:${sites.port}`;
    await opened.goto(`${closed}/guide/ebb?a=b`);
    await opened.getByLabel("Password").fill("high water");
    await opened.getByRole("button").click();
    await opened.getByRole("alert").waitFor();
    await opened.getByLabel("Password").fill("low water");
    await opened.getByRole("button").click();
    await opened.waitForURL(`${closed}/guide/ebb?a=b`);
    await opened.locator(".navbar-start .menu-site-versions summary").waitFor();
    await opened.locator("#navigation-items a", { hasText: "Flood" }).click();
    await opened.getByText("Water rises.").waitFor();
    await context.close();
  });
});
