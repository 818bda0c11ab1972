import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { launchChromium } from "../../../../test/support/chromium.ts";
import { freePort } from "../../../../test/support/free-port.ts";
import { openDashboard, waitFor } from "../../../../test/support/running-dashboard.ts";
import type { RunningDashboard } from "../../../../test/support/running-dashboard.ts";

/** A host that notes what it is asked for, and from where. */
async function openListener(t: TestContext) {
  const asked: string[] = [];
  const server = createServer(({ url = "", headers }, response) => {
    if (url !== "/favicon.ico") asked.push(`${url} ${headers.referer ?? "no referrer"}`);
    response.end();
  }).listen(0, "127.0.0.1");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Whatever a script of a site can send something by; leaving the page comes last. */
const sender = (url: string): string => `
  addEventListener("load", async () => {
    await fetch("${url}/fetch").catch(() => {});
    navigator.sendBeacon("${url}/beacon", "x");
    new Image().src = "${url}/image";
    const form = Object.assign(document.createElement("form"), { action: "${url}/form" });
    document.body.append(form);
    form.submit();
    open("${url}/window");
    try { top.location = "${url}/top"; } catch {}
    document.body.dataset.tried = "";
    location = "${url}/leave";
  });
`;

/** A page that links to another host and asks the browser to say from which address. */
const leaver = (url: string): string => `---
title: Leaver
---

<a id="way-out" href="${url}/link" referrerPolicy="unsafe-url">Way out</a>
`;

/** Exports a site whose scripts and pages try to send something to the listener. */
async function openHostileSite(dashboard: RunningDashboard, listener: string) {
  const { id, key } = await dashboard.openOrganization();
  const hosted = await dashboard.addProject(id);
  const files = { "send.js": sender(listener), "guide.mdx": leaver(listener) };
  await hosted.pushBranch("main", files);
  const visitor = await dashboard.browse().signIn(key);
  const started = await visitor.post(`/projects/${hosted.project.id}/exports`);
  const address = started.headers.get("location") ?? "";
  await waitFor(visitor, address, ({ text }) =>
    /badge-completed/.test(text.split("<main")[1] ?? ""),
  );
  const preview = (await visitor.get(`${address}/preview`)).headers.get("location") ?? "";
  return { key, preview };
}

test("a preview at an origin of its own runs scripts, which reach nobody", async (t) => {
  const port = await freePort();
  const previewUrl = `http://localhost:${port}`;
  await using dashboard = await openDashboard({
    OCTAVO_PORT: String(port),
    OCTAVO_PREVIEW_URL: previewUrl,
  });
  const listener = await openListener(t);
  const { key, preview } = await openHostileSite(dashboard, listener.url);

  await using browser = await launchChromium();
  const context = await browser.newContext();
  const page = await signIn(await context.newPage(), dashboard.url, key);
  const refused = page.waitForEvent("console", (message) => /frame-src/.test(message.text()));
  await page.goto(dashboard.url + preview);
  // It has left its page, or would have: the page around it does not let it.
  await refused;
  assert.deepEqual(listener.asked, []);
  assert.equal(page.url(), dashboard.url + preview);

  const frame = (await page.getAttribute("iframe", "src")) ?? "";
  assert.ok(frame.startsWith(`${previewUrl}/preview/`), frame);
  const ownPath = frame.slice(previewUrl.length);
  const statuses = [
    `${previewUrl}${ownPath}`,
    `${dashboard.url}${ownPath}`,
    `${previewUrl}/signin`,
    `${previewUrl}${preview}`,
  ].map(async (url) => (await fetch(url)).status);
  assert.deepEqual(await Promise.all(statuses), [200, 404, 404, 404]);

  // Outside its frame it is shown in its frame, to whom may see it.
  const alone = await context.newPage();
  await alone.goto(frame);
  assert.equal(alone.url(), dashboard.url + preview);
  await alone.locator("iframe").waitFor();
  const strangers = await browser.newPage();
  await strangers.goto(frame);
  assert.equal(strangers.url(), `${dashboard.url}/signin?next=${encodeURIComponent(preview)}`);
  assert.deepEqual(listener.asked, []);
});

test("where the browser does not say that it is in a frame, a preview runs no scripts and leads nowhere", async (t) => {
  const port = await freePort();
  const url = `http://octavo.test:${port}`;
  await using dashboard = await openDashboard({
    OCTAVO_PORT: String(port),
    OCTAVO_BASE_URL: url,
  });
  const listener = await openListener(t);
  const { key, preview } = await openHostileSite(dashboard, listener.url);

  await using browser = await launchChromium({ hosts: ["octavo.test"] });
  const page = await signIn(await browser.newPage(), url, key);
  await page.goto(url + preview);
  await page.getByText("The site's scripts run only if").waitFor();
  const shown = page.frameLocator("iframe").locator("body");
  await shown.getByRole("heading", { name: "Welcome" }).waitFor();
  assert.equal(await shown.getAttribute("data-tried"), null);

  const frame = new URL((await page.getAttribute("iframe", "src")) ?? "", url).href;
  await page.goto(frame);
  await page.getByRole("heading", { name: "Welcome" }).waitFor();
  assert.equal(page.url(), frame);
  assert.equal(await page.getAttribute("body", "data-tried"), null);
  assert.deepEqual(listener.asked, []);
  await page.goto(`${frame}guide.html`);
  const blocked = page.waitForEvent("console", (message) => /allow-popups/.test(message.text()));
  await page.getByRole("link", { name: "Way out" }).click();
  await blocked;
  assert.deepEqual(listener.asked, []);
});

async function signIn(page: Page, url: string, key: string): Promise<Page> {
  await page.goto(url);
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Projects" }).waitFor();
  return page;
}
