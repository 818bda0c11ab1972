import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { after, before, suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import { parse } from "parse5";
import type { DefaultTreeAdapterTypes } from "parse5";
import type { Browser, Page } from "playwright-core";
import { renderSite } from "../../packages/site/src/export/index.ts";
import type { RenderResult } from "../../packages/site/src/export/index.ts";
import { readFirstScript } from "../../packages/site/src/theme/testing.ts";
import { launchChromium } from "../support/chromium.ts";
import { serveFolder } from "../support/serve-folder.ts";
import { sharedChildren } from "../support/shared-children.ts";
import { stopClock } from "../support/stopped-clock.ts";
import { temporaryFolder, writeFiles } from "../support/temporary-folder.ts";

/** The header that the manual tells operators to send. */
async function strictHeaders(): Promise<Readonly<Record<string, string>>> {
  const { hash } = await readFirstScript();
  const policy = [
    "default-src 'self'",
    `script-src 'self' '${hash}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
  ].join("; ");
  return { "content-security-policy": policy };
}

/** Sites that show nothing from other hosts; with `vendor` each page carries its own policy too. */
const sites = [
  "accordions",
  "changelog",
  "code-blocks",
  "color",
  "math",
  "mermaid",
  "nav-languages",
  "openapi-x-mint",
  "tabs",
  "views",
];

/** Notes what the browser refused, in the page itself: nothing is lost when the page changes. */
const watch = `addEventListener("securitypolicyviolation", (event) => {
  console.error("refused: " + event.violatedDirective + " " + event.blockedURI + " " + event.sample);
});`;

type Element = DefaultTreeAdapterTypes.Element;

function elementsOf(node: DefaultTreeAdapterTypes.Node): Element[] {
  const children = "childNodes" in node ? node.childNodes : [];
  const own = "tagName" in node ? [node] : [];
  return [...own, ...children.flatMap(elementsOf)];
}

/** Attributes and elements that a strict `script-src` would not let run. */
function inlineCodeOf(html: string): string[] {
  return elementsOf(parse(html)).flatMap(({ tagName, attrs, childNodes }) => {
    const code = attrs.filter(
      ({ name, value }) => /^on/i.test(name) || /^\s*javascript:/i.test(value),
    );
    const found = code.map(({ name, value }) => `${tagName} ${name}="${value}"`);
    const isInline = tagName === "script" && !attrs.some(({ name }) => name === "src");
    const isData = attrs.some(({ name, value }) => name === "type" && value.endsWith("json"));
    return isInline && !isData ? [...found, childNodes.map(textOf).join("")] : found;
  });
}

function textOf(node: DefaultTreeAdapterTypes.Node): string {
  return "value" in node ? node.value : "";
}

const wide = `<svg xmlns="http://www.w3.org/2000/svg" width="3000" height="1200"><rect width="3000" height="1200"/></svg>`;

/** Pages with pictures larger than their place, from the bundle and within the page itself. */
const pictures = {
  "index.mdx": `---
title: Charts
---

![Chart](/images/chart.svg)

<Frame caption="Framed"><img src="/images/chart.svg" alt="In a frame" /></Frame>

![Within](data:image/svg+xml;base64,${Buffer.from(wide).toString("base64")})
`,
  "images/chart.svg": wide,
};

/** Opens a page that carries a policy of its own, and uses it. */
async function openWithPolicy(page: Page, address: string): Promise<void> {
  await page.goto(address);
  assert.match(
    (await page.getAttribute('meta[http-equiv="Content-Security-Policy"]', "content")) ?? "",
    /script-src 'self' file: 'sha256-/,
  );
  assert.ok((await page.locator("[role=tab]").count()) > 0);
  await page.keyboard.type("/tab");
  await page.locator("#search-result-0").waitFor();
}

const children = sharedChildren();

suite("a bundle under a strict policy", () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let browser: Browser;
  const results = new Map<string, RenderResult>();

  before(async () => {
    folder = await temporaryFolder();
    const places = [
      ["manual", "../../docs"],
      ...sites.map((name) => [name, `../sites/${name}/docs`]),
    ];
    for (const [name = "", place = ""] of places) {
      const siteDir = resolve(import.meta.dirname, place);
      const outDir = join(folder.path, name);
      const baseUrl = "https://docs.example.com";
      results.set(name, await renderSite({ siteDir, outDir, workers: 1, children, baseUrl }));
    }
    browser = await launchChromium();
  });

  after(async () => {
    await browser?.close();
    await folder[Symbol.asyncDispose]();
  });

  async function withPage(
    use: (page: Page, base: string) => Promise<void>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<void> {
    await using server = await serveFolder(folder.path, headers ?? (await strictHeaders()));
    await using context = await browser.newContext({ colorScheme: "light" });
    const page = await context.newPage();
    await page.addInitScript(watch);
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(`${page.url()}: ${message.text()}`);
    });
    await use(page, server.url);
    assert.deepEqual(complaints, []);
  }

  test("has one inline script, the same in every page, and no other code in its HTML", async () => {
    const scripts = new Set<string>();
    for (const [name, { site }] of results) {
      for (const path of [...site.pages.map((page) => page.path), "404"]) {
        const html = await readFile(join(folder.path, name, `${path}.html`), "utf8");
        for (const code of inlineCodeOf(html)) scripts.add(code);
      }
    }
    assert.equal(scripts.size, 1, [...scripts].join("\n"));
  });

  test("opens every page without a refusal", async () => {
    await withPage(async (page, base) => {
      for (const [name, { site }] of results) {
        for (const { path } of site.pages) await page.goto(`${base}${name}/${path}.html`);
      }
    });
  });

  test("a policy that refuses is seen", async () => {
    const headers = { "content-security-policy": "default-src 'self'" };
    await assert.rejects(
      withPage((page, base) => page.goto(`${base}tabs/index.html`).then(() => undefined), headers),
      /refused: script-src/,
    );
  });

  test("searches", async () => {
    await withPage(async (page, base) => {
      await page.goto(`${base}manual/quickstart.html`);
      await page.keyboard.press("Control+k");
      await page.keyboard.type("bundel");
      await page.locator("#search [role=option] mark").first().waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL(/bundle/);
    });
  });

  test("searches one language, and says which", async () => {
    await withPage(async (page, base) => {
      await page.goto(`${base}nav-languages/fr/index.html`);
      await page.keyboard.press("/");
      assert.equal(await page.innerText("#search-scope"), "Français");
      await page.keyboard.type("f");
      const links = page.locator("#search [role=option]");
      await links.first().waitFor();
      const hrefs = await links.evaluateAll((all) =>
        all.map((link) => (link as unknown as { href: string }).href),
      );
      assert.deepEqual(
        hrefs.filter((href) => !href.includes("/fr/")),
        [],
      );
    });
  });

  test("has tabs, code to copy, and two schemes", async () => {
    await withPage(async (page, base) => {
      await page.goto(`${base}tabs/index.html`);
      await page.click('.code-group [role=tab]:has-text("pnpm")');
      assert.equal(
        await page.locator('.code-group [role=tab][aria-selected="true"]').first().innerText(),
        "pnpm",
      );
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await stopClock(page);
      await page.locator(".copy-code:visible").first().click();
      await page.locator(".copy-code[data-copied]").first().waitFor();
      await page.click("#header .scheme-toggle");
      assert.equal(await page.locator("html.dark").count(), 1);
      await page.reload();
      assert.equal(await page.locator("html.dark").count(), 1);
    });
  });

  test("opens pictures in full, by click and by key", async () => {
    const siteDir = join(folder.path, "pictures-site");
    await writeFiles(siteDir, pictures);
    await renderSite({ siteDir, outDir: join(folder.path, "pictures"), workers: 1, children });
    await withPage(async (page, base) => {
      await page.goto(`${base}pictures/index.html`);
      const opened = page.locator("dialog.zoom img");
      for (const name of ["Chart", "In a frame", "Within"]) {
        const picture = page.getByRole("button", { name: `Enlarge picture: ${name}` });
        const small = (await picture.boundingBox())?.width ?? 0;
        await picture.click();
        await opened.waitFor();
        assert.ok(((await opened.boundingBox())?.width ?? 0) > small * 1.3, name);
        await page.keyboard.press("Escape");
        await opened.waitFor({ state: "detached" });
        await picture.press("Enter");
        await opened.click();
        await opened.waitFor({ state: "detached" });
      }
    });
  });

  test("with copies of what lies elsewhere each page says so itself, from file:// too", async () => {
    const outDir = join(folder.path, "own");
    const siteDir = resolve(import.meta.dirname, "../sites/tabs/docs");
    await renderSite({ siteDir, outDir, workers: 1, children, remoteMedia: "link" });
    await withPage((page, base) => openWithPolicy(page, `${base}own/index.html`));
    await withPage((page) => openWithPolicy(page, pathToFileURL(join(outDir, "index.html")).href));
  });
});
