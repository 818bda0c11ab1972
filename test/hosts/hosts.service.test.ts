import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { renderSite } from "../../packages/site/src/export/index.ts";
import { addressForms } from "../../packages/site/src/core/index.ts";
import { createPageFiles } from "../../packages/site/src/site/index.ts";
import { launchChromium } from "../support/chromium.ts";
import { sharedChildren } from "../support/shared-children.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { findProgram, hostPrograms, startHost } from "./host-programs.ts";
import type { AddressForm } from "./host-programs.ts";

/**
 * Bundles below a prefix of each host that is installed here, set up as the manual says: a browser opens pages at every
 * form of address that the host answers, and follows their links. `npm run test:hosts`.
 */
const isAll = process.env["OCTAVO_TEST_ALL"] === "1";
const prefix = "some/prefix";
const maxPages = 20;
/** With pages at the root, in folders, and of folders. */
const sites = [
  { name: "manual", dir: resolve(import.meta.dirname, "../../docs") },
  { name: "folder-pages", dir: resolve(import.meta.dirname, "../sites/nav-languages/docs") },
];
const children = sharedChildren();

/** The address of a page's file `guides/start.html` in a form; a folder's page is its folder. */
function addressOf(file: string, form: AddressForm): string {
  if (form === "file") return file;
  const name = file.replace(/\.html$/, "").replace(/(?:^|\/)index$/, "");
  if (form === "name") return name;
  return name === "" ? "" : `${name}/`;
}

/** The style sheet is loaded and applies. */
async function assertStyled(page: Page): Promise<void> {
  const font = await page.evaluate("getComputedStyle(document.body).fontFamily");
  assert.doesNotMatch(String(font), /^"?Times|^serif/i, `${page.url()} is not styled`);
  const rules = await page.evaluate(
    '[...document.styleSheets].filter((sheet) => /octavo\\.css$/.test(sheet.href ?? "")).length',
  );
  assert.ok(Number(rules) > 0, `${page.url()} has no style sheet`);
}

/** The addresses of the page's links on its own host, without fragments. */
async function linksOf(page: Page): Promise<string[]> {
  const links = (await page.evaluate(
    '[...document.querySelectorAll("a[href]")].map((link) => link.href)',
  )) as string[];
  const { origin } = new URL(page.url());
  return links.filter((href) => href.startsWith(origin)).map((href) => href.replace(/#.*$/s, ""));
}

/** The host has what a link leads to. */
async function assertThere(
  link: string,
  { seen, from }: { readonly seen: Set<string>; readonly from: string },
): Promise<void> {
  if (seen.has(link)) return;
  seen.add(link);
  const response = await fetch(link);
  await response.arrayBuffer();
  assert.equal(response.status, 200, `${link} of ${from}`);
}

/** Bundles of all sites below the prefix of one folder. */
async function makeRoot(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const files = new Map<string, readonly string[]>();
  for (const { name, dir } of sites) {
    for (const addresses of addressForms) {
      const outDir = join(folder, prefix, name, addresses);
      const settings = { siteDir: dir, outDir, addresses, workers: 1, children };
      const { site } = await renderSite(settings);
      const paths = site.pages.map(({ path }) => createPageFiles(site)(path));
      files.set(`${name}/${addresses}`, paths.slice(0, maxPages));
    }
  }
  return files;
}

describe("bundles on hosts", () => {
  let browser: Browser;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let files: ReadonlyMap<string, readonly string[]>;
  before(async () => {
    if (!isAll) return;
    folder = await temporaryFolder();
    files = await makeRoot(join(folder.path, "root"));
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await folder?.[Symbol.asyncDispose]();
  });

  for (const host of hostPrograms) {
    const program = findProgram(host.program);
    const missing = program === undefined && `${host.program} is not installed`;
    test(host.name, { skip: isAll ? missing : "npm run test:hosts" }, async () => {
      const place = { root: join(folder.path, "root"), scratch: join(folder.path, host.program) };
      await using server = await startHost(host, program ?? "", place);
      for (const [name, pages] of files) {
        const base = `${server.url}/${prefix}/${name}`;
        const forms = name.endsWith("/folder") ? host.forms.folder : host.forms.file;
        await assertSite(forms, { base, files: pages });
      }
    });
  }

  async function assertSite(
    forms: readonly AddressForm[],
    { base, files }: { readonly base: string; readonly files: readonly string[] },
  ): Promise<void> {
    const seen = new Set<string>();
    for (const form of forms) {
      await using context = await browser.newContext();
      const page = await context.newPage();
      for (const file of files) {
        const address = `${base}/${addressOf(file, form)}`.replace(
          /\/$/,
          form === "name" ? "" : "/",
        );
        const response = await page.goto(address);
        assert.equal(response?.status(), 200, address);
        await assertStyled(page);
        for (const link of await linksOf(page)) await assertThere(link, { seen, from: address });
      }
      await using plain = await browser.newContext({ javaScriptEnabled: false });
      const unscripted = await plain.newPage();
      for (const file of files.slice(0, 3)) {
        await unscripted.goto(`${base}/${addressOf(file, form)}`);
        await assertStyled(unscripted);
      }
    }
    assert.ok(seen.size > 0, "links were followed");
  }
});
