import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { assertAccessible } from "../../../../test/support/axe.ts";
import { launchChromium } from "../../../../test/support/chromium.ts";
import { openDashboard } from "../../../../test/support/running-dashboard.ts";
import type { RunningDashboard } from "../../../../test/support/running-dashboard.ts";
import { withSignedInPage } from "../../../../test/support/signed-in-page.ts";
import { startWebhookReceiver } from "../../../../test/support/webhook-receiver.ts";
import type { WebhookReceiver } from "../../../../test/support/webhook-receiver.ts";

let browser: Browser & AsyncDisposable;
let receiver: WebhookReceiver;
let dashboard: RunningDashboard;
let key: string;
before(async () => {
  receiver = await startWebhookReceiver();
  [browser, dashboard] = await Promise.all([
    launchChromium(),
    openDashboard({ OCTAVO_ALLOW: receiver.place }),
  ]);
  ({ key } = await dashboard.openOrganization());
});
after(async () => {
  await browser[Symbol.asyncDispose]();
  await dashboard[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

async function inPage(
  work: (page: Page) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  await withSignedInPage({ browser, url: dashboard.url, key }, work, options);
}

/** Creates one on the page and opens it. */
async function createWebhook(page: Page, path: string): Promise<void> {
  await page.goto(`${dashboard.url}/webhooks`);
  await page.getByLabel("Address").fill(`${receiver.url}/${path}`);
  await page.getByRole("button", { name: "Create" }).click();
  assert.match((await page.textContent(".made code")) ?? "", /^whsec_/);
  await page.getByRole("link", { name: new RegExp(path) }).click();
  await page.getByRole("heading", { name: "Newest deliveries" }).waitFor();
}

for (const javaScriptEnabled of [true, false]) {
  const scripts = javaScriptEnabled ? "with" : "without";
  it(`creates, tries, changes and deletes a webhook ${scripts} scripts`, () =>
    inPage(
      async (page) => {
        receiver.answer({ status: 500 }, { status: 204 });
        await createWebhook(page, scripts);
        await page.getByRole("button", { name: "Send a test" }).click();
        await page.getByText("The receiver responded with 500.").waitFor();
        await page.getByRole("button", { name: /^Send msg_\w+ again$/ }).click();
        await page.getByText("delivered").waitFor();
        await page.getByRole("checkbox", { name: /agent\.failed/ }).uncheck();
        await page.getByRole("button", { name: "Save" }).click();
        await page.getByRole("heading", { name: "Newest deliveries" }).waitFor();
        assert.equal(
          await page.getByRole("checkbox", { name: /agent\.failed/ }).isChecked(),
          false,
        );
        await page.getByText("Delete…").click();
        await page.getByRole("button", { name: "Delete this webhook" }).click();
        await page.getByRole("heading", { name: "Webhooks" }).waitFor();
        assert.equal(await page.getByRole("link", { name: new RegExp(`/${scripts}$`) }).count(), 0);
      },
      { javaScriptEnabled },
    ));
}

describe("the pages of those who run the service", () => {
  it("have no serious fault of accessibility, and fit a phone", () =>
    inPage(
      async (page) => {
        await createWebhook(page, "a-path-that-is-too-long-for-a-phone".repeat(3));
        const own = new URL(page.url()).pathname;
        for (const path of ["/health", "/webhooks", own, "/sessions", "/audit"]) {
          await page.goto(dashboard.url + path);
          const width = await page.evaluate("document.documentElement.scrollWidth");
          assert.equal(width, 390, path);
          await assertAccessible(page, path);
        }
      },
      { reducedMotion: "reduce", viewport: { width: 390, height: 844 } },
    ));
});
