import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { assertAccessible } from "../../../../test/support/axe.ts";
import { launchChromium } from "../../../../test/support/chromium.ts";
import { openAuthor } from "../../../../test/support/git-fixture.ts";
import { openDashboard, waitFor } from "../../../../test/support/running-dashboard.ts";
import type { RunningDashboard } from "../../../../test/support/running-dashboard.ts";
import { withSignedInPage } from "../../../../test/support/signed-in-page.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { TemporaryFolder } from "../../../../test/support/temporary-folder.ts";

let folder: TemporaryFolder;
let browser: Browser & AsyncDisposable;
let dashboard: RunningDashboard;
let organization: { readonly id: string; readonly key: string };
before(async () => {
  folder = await temporaryFolder();
  [browser, dashboard] = await Promise.all([
    launchChromium(),
    openDashboard({ OCTAVO_ALLOW: `file://${folder.path}` }),
  ]);
  organization = await dashboard.openOrganization();
});
after(async () => {
  await browser[Symbol.asyncDispose]();
  await dashboard[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function inPage(
  work: (page: Page) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  await withSignedInPage({ browser, url: dashboard.url, key: organization.key }, work, options);
}

describe("projects in a browser", () => {
  it("are added after a test of the connection, which keeps what was typed", () =>
    inPage(async (page) => {
      const author = await openAuthor(join(folder.path, "site"));
      await author.commit({
        "docs/docs.json": '{ "name": "Site", "navigation": { "pages": ["index"] } }',
        "docs/index.mdx": "Hello.\n",
      });
      await page.getByRole("link", { name: "Add a project" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Site");
      await page.getByLabel("Domain").fill("site.acme.example");
      await page.getByLabel("Address", { exact: true }).fill(`file://${folder.path}/site`);
      await page.getByText("Credentials", { exact: true }).click();
      await page.getByLabel("Token or password").fill("kept");
      await page.getByRole("button", { name: "Test the connection" }).click();
      await page.getByLabel(/^docs, with\s+docs\.json and 1 page$/).waitFor();
      assert.equal(await page.getByLabel("Token or password").inputValue(), "kept");
      await page.getByRole("button", { name: "Add the project" }).click();
      await page.getByRole("heading", { name: "Site", exact: true, level: 1 }).waitFor();
      await page.getByRole("link", { name: "Settings" }).click();
      assert.equal(await page.getByLabel("Folder of the site").inputValue(), "docs");
    }));

  it("are found from any page by keys alone", () =>
    inPage(
      async (page) => {
        const { project } = await dashboard.addProject(organization.id, "Found");
        const findFocused = () => page.evaluate("document.activeElement.id");
        await page.keyboard.press("/");
        assert.equal(await findFocused(), "search");
        await page.keyboard.press("/");
        assert.equal(await page.getByRole("searchbox").inputValue(), "/");

        await page.keyboard.press("Control+k");
        const palette = page.getByRole("dialog", { name: "Search" });
        await page.keyboard.type("found");
        await palette.getByRole("link", { name: /^Found/ }).waitFor();
        await palette.getByRole("link", { name: "API keys" }).waitFor({ state: "detached" });
        await assertAccessible(page, "the search over a page");
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("Enter");
        await page.waitForURL(`${dashboard.url}/projects/${project.id}`);

        await page.keyboard.press("?");
        await page
          .getByRole("dialog", { name: "Keyboard shortcuts" })
          .getByText("Show these shortcuts")
          .waitFor();
        await assertAccessible(page, "the list of keys");
        await page.getByRole("checkbox", { name: "without Ctrl" }).uncheck();
        await page.keyboard.press("Escape");
        await page.keyboard.press("?");
        assert.equal(await page.getByRole("dialog").count(), 0);
        await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
        await page.getByRole("checkbox", { name: "without Ctrl" }).check();
        await page.getByRole("button", { name: "Close" }).click();
        await page.keyboard.press("Meta+k");
        await page.keyboard.type("prob");
        await page.keyboard.press("Enter");
        await page.waitForURL(`${dashboard.url}/projects/${project.id}/problems`);
      },
      { reducedMotion: "reduce" },
    ));

  it("are found on a page without scripts", () =>
    inPage(
      async (page) => {
        await page.getByRole("link", { name: "Search" }).click();
        await page.getByRole("searchbox", { name: "Search" }).fill("add a project");
        await page.getByRole("button", { name: "Search" }).click();
        await page.getByRole("link", { name: "Add a project" }).click();
        await page.getByLabel("Domain").waitFor();
      },
      { javaScriptEnabled: false },
    ));

  it("and their exports have no serious fault of accessibility, and fit a phone", () =>
    inPage(
      async (page) => {
        const { project } = await dashboard.addProject(organization.id);
        const ada = await dashboard.browse().signIn(organization.key);
        const path = `/projects/${project.id}`;
        const started = await ada.post(`${path}/exports`);
        const exported = started.headers.get("location") ?? "";
        await waitFor(ada, exported, ({ text }) => text.includes(`${exported}/download`));
        const tabs = ["deployments", "exports", "agent", "pulls", "problems", "settings", "site"];
        const addresses = ["/projects", "/projects/new", "/search", path, exported];
        for (const address of [...addresses, ...tabs.map((tab) => `${path}/${tab}`)]) {
          await page.goto(dashboard.url + address);
          const width = await page.evaluate("document.documentElement.scrollWidth");
          assert.equal(width, 390, address);
          await assertAccessible(page, address);
        }
      },
      { reducedMotion: "reduce", viewport: { width: 390, height: 844 } },
    ));
});
