import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { renderSite } from "../../packages/site/src/export/index.ts";
import { addressForms } from "../../packages/site/src/core/index.ts";
import { launchChromium } from "../support/chromium.ts";
import { patienceMs } from "../support/patience.ts";
import { sharedChildren } from "../support/shared-children.ts";
import { temporaryFolder, writeFiles } from "../support/temporary-folder.ts";

const prefix = "/some/prefix";
const site = {
  "docs.json": JSON.stringify({
    name: "Depths",
    theme: "mint",
    colors: { primary: "#112233" },
    navigation: { pages: ["index", "top", "guides/index", "guides/start", "guides/ünï code"] },
    redirects: [{ source: "/old/name", destination: "/guides/start#second" }],
  }),
  "index.mdx": "---\ntitle: Home\n---\n\n[Start](/guides/start#second)",
  "top.mdx": "---\ntitle: Top\nicon: rocket\n---\n\n![Dot](/images/dot.svg)",
  "guides/index.mdx": "---\ntitle: Guides\n---\n\n[Start](start)",
  "guides/start.mdx": "---\ntitle: Start\n---\n\n## First\n\nText\n\n## Second\n\n[Top](/top)",
  "guides/ünï code.mdx": "---\ntitle: Odd\n---\n\n[Top](/top)",
  "images/dot.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
};

/** Answers `start`, `start/` and a folder without its slash as hosts do that redirect nobody. */
async function serveEveryForm(folder: string) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(URL.parse(request.url ?? "", "http://x")?.pathname ?? "");
    const file = path.slice(prefix.length).replace(/\/$/, "");
    const types = new Map([
      ["css", "text/css"],
      ["js", "text/javascript"],
      ["svg", "image/svg+xml"],
    ]);
    const send = async (): Promise<void> => {
      for (const name of [file, `${file}.html`, `${file}/index.html`]) {
        const content = await readFile(join(folder, name)).catch(() => undefined);
        if (content === undefined || !path.startsWith(prefix)) continue;
        const type = types.get(name.split(".").at(-1) ?? "") ?? "text/html; charset=utf-8";
        return void response.setHeader("content-type", type).end(content);
      }
      response.writeHead(404).end();
    };
    void send();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${prefix}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

const isStyled = (page: Page) =>
  page.evaluate(
    '[...document.styleSheets].some((sheet) => /octavo\\.css$/.test(sheet.href ?? "")) && /sans/.test(getComputedStyle(document.body).fontFamily)',
  );

const children = sharedChildren();

/** Where a page of a bundle is, and where the window is after an address was asked for. */
const bundles = {
  file: {
    start: "/guides/start.html",
    cases: [
      ["/guides/start.html", "/guides/start.html"],
      ["/guides/start", "/guides/start"],
      ["/guides/start/", "/guides/start.html"],
      ["/guides/start/?q=1#second", "/guides/start.html?q=1#second"],
      ["/guides/%C3%BCn%C3%AF%20code/", "/guides/%C3%BCn%C3%AF%20code.html"],
      ["/top/", "/top.html"],
      ["/guides", "/guides/"],
      ["/guides/", "/guides/"],
      ["/guides/index", "/guides/index"],
      ["/guides/index.html", "/guides/index.html"],
      ["", "/"],
      ["/", "/"],
      ["/index.html#x", "/index.html#x"],
    ],
  },
  folder: {
    start: "/guides/start/",
    cases: [
      ["/guides/start/index.html", "/guides/start/index.html"],
      ["/guides/start", "/guides/start/"],
      ["/guides/start/?q=1#second", "/guides/start/?q=1#second"],
      ["/guides/%C3%BCn%C3%AF%20code", "/guides/%C3%BCn%C3%AF%20code/"],
      ["/top", "/top/"],
      ["/top/", "/top/"],
      ["/guides", "/guides/"],
      ["/guides/", "/guides/"],
      ["", "/"],
      ["/", "/"],
    ],
  },
  clean: {
    start: "/guides/start",
    cases: [
      ["/guides/start", "/guides/start"],
      ["/guides/start.html", "/guides/start.html"],
      ["/guides/start?q=1#second", "/guides/start?q=1#second"],
      ["/guides/%C3%BCn%C3%AF%20code", "/guides/%C3%BCn%C3%AF%20code"],
      ["/top", "/top"],
      ["/guides", "/guides/"],
      ["/guides/", "/guides/"],
      ["", "/"],
      ["/", "/"],
    ],
  },
} as const;

for (const addresses of addressForms) {
  const { cases, start } = bundles[addresses];
  // Only a host serves a file at its name without the extension.
  const isForFiles = addresses !== "clean";
  describe(`a page of a bundle with ${addresses} addresses, at any depth`, () => {
    let folder: Awaited<ReturnType<typeof temporaryFolder>>;
    let server: Awaited<ReturnType<typeof serveEveryForm>>;
    let browser: Browser;
    before(async () => {
      folder = await temporaryFolder();
      const [siteDir, outDir] = [join(folder.path, "site"), resolve(folder.path, "out")];
      await writeFiles(siteDir, site);
      await renderSite({ siteDir, outDir, addresses, workers: 1, children });
      server = await serveEveryForm(outDir);
      browser = await launchChromium();
    });
    after(async () => {
      await browser.close();
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    });

    for (const [asked, shown] of cases) {
      test(`${asked} is styled, and its links lead to pages`, async () => {
        await using context = await browser.newContext();
        const page = await context.newPage();
        await page.goto(server.url + asked);
        assert.equal(page.url(), server.url + shown);
        assert.equal(await isStyled(page), true);
        const links = (await page.evaluate(
          '[...document.querySelectorAll("a[href], img")].map((found) => found.href ?? found.src)',
        )) as string[];
        assert.ok(links.length > 3);
        for (const link of new Set(links)) assert.equal((await fetch(link)).status, 200, link);
        if (asked.includes("#second"))
          assert.equal(await page.locator("#second:target").count(), 1);
        await page.keyboard.press("Control+k");
        await page.keyboard.type("second");
        // Until something is found, pages that may be meant stand there.
        await page
          .locator("#search [role=option]", { hasText: /second/i })
          .first()
          .click();
        await page.waitForURL((url) => url.pathname === `${prefix}${start}`);
      });
    }

    test("a redirect page leads to its target from every depth", async () => {
      await using context = await browser.newContext();
      const page = await context.newPage();
      const file = addresses === "folder" ? "/old/name/index.html" : "/old/name.html";
      for (const asked of [file, "/old/name", "/old/name/"]) {
        await page.goto(server.url + asked);
        await page.waitForURL(({ href }) =>
          href.replace("/index.html", "/").endsWith(`${prefix}${start}#second`),
        );
      }
    });

    test("without scripts its text is styled", async () => {
      await using context = await browser.newContext({ javaScriptEnabled: false });
      const page = await context.newPage();
      for (const asked of ["/guides/start/", "/guides/start", "/top/", "/guides"]) {
        await page.goto(server.url + asked);
        assert.equal(await isStyled(page), true, asked);
      }
      await page.goto(server.url);
      assert.match(
        String(await page.evaluate("getComputedStyle(document.body).fontFamily")),
        /sans/,
      );
    });

    test("a link shows the address that the bundle's pages have, and marks the page", async () => {
      await using context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`${server.url}/`);
      await page.locator("article").getByText("Start").click();
      await page.waitForURL(`${server.url}${start}#second`);
      const current = page.locator("#navigation-items [aria-current=page]");
      assert.equal(await current.textContent(), "Start");
      if (!isForFiles) return;
      await page.goto(pathToFileURL(join(folder.path, "out/index.html")).href);
      await page.locator("article").getByText("Start").click();
      await page.waitForURL(/^file:.*start(?:\.html|\/index\.html)#second$/);
    });

    for (const place of isForFiles ? ["http", "file"] : ["http"]) {
      test(`an empty search shows pages around and those that were opened, over ${place}`, async () => {
        const root =
          place === "http"
            ? `${server.url}/`
            : pathToFileURL(join(folder.path, "out/index.html")).href;
        // Chromium gives some pages that are opened as files a storage that no other page sees.
        for (let tries = 1; !(await showsOpened(root)); tries += 1) {
          assert.ok(place === "file" && tries < 20, "a page does not see what another has stored");
        }
      });
    }

    /** Whether the pages that were opened could be shown, which takes pages that share their storage. */
    async function showsOpened(root: string): Promise<boolean> {
      await using context = await browser.newContext();
      const page = await context.newPage();
      const openSearch = async () => {
        await page.keyboard.press("Control+k");
        await page.locator("#search [role=option]").first().waitFor();
      };
      const titles = async (name: string) =>
        (await page.locator(`#search [id^=search-${name}-]`).allTextContents()).toSorted();
      /** A page in another process of the browser learns a moment later what the one before has stored. */
      const remembersTop = () =>
        page
          .waitForFunction('JSON.stringify(localStorage).includes("Top")', undefined, {
            timeout: root.startsWith("http") ? patienceMs : 5_000,
          })
          .then(
            () => true,
            () => false,
          );
      await page.goto(root);
      await openSearch();
      assert.deepEqual(await titles("suggested"), ["Guides", "Odd", "Start", "Top"]);
      const top = page.locator("#search [role=option]", { hasText: "Top" });
      // A link takes the form of the host's addresses under the pointer.
      await top.hover();
      await top.click();
      await page.locator("h1", { hasText: "Top" }).waitFor();
      const opened = page.url();
      if (!(await remembersTop())) return false;

      // The page itself is not among them, whichever of its addresses is shown.
      await page.goto(opened);
      await openSearch();
      assert.deepEqual(await titles("suggested"), ["Guides", "Home", "Odd", "Start"]);
      const guides = page.locator("#search [role=option]", { hasText: "Guides" });
      await guides.click();
      await page.locator("h1", { hasText: "Guides" }).waitFor();
      await page.goto(page.url());
      if (!(await remembersTop())) return false;
      await openSearch();
      const recent = page.locator("#search [id^=search-recent-]", { hasText: "Top" });
      await recent.click();
      await page.waitForURL(opened);
      return true;
    }
  });
}
