import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { launchChromium } from "../../../../test/support/chromium.ts";
import { freePort } from "../../../../test/support/free-port.ts";
import { openDashboard, waitFor } from "../../../../test/support/running-dashboard.ts";

/** A host that notes what it is asked for. */
async function openListener(t: TestContext) {
  const asked: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    asked.push(url);
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

test("a preview at an origin of its own runs scripts, which reach nobody", async (t) => {
  const port = await freePort();
  const previewUrl = `http://localhost:${port}`;
  await using dashboard = await openDashboard({
    OCTAVO_PORT: String(port),
    OCTAVO_PREVIEW_URL: previewUrl,
  });
  const listener = await openListener(t);
  const { id, key } = await dashboard.openOrganization();
  const hosted = await dashboard.addProject(id);
  await hosted.pushBranch("main", { "send.js": sender(listener.url) });
  const visitor = await dashboard.browse().signIn(key);
  const address =
    (await visitor.post(`/projects/${hosted.project.id}/exports`)).headers.get("location") ?? "";
  await waitFor(visitor, address, ({ text }) => /badge-completed/.test(text));
  const preview = (await visitor.get(`${address}/preview`)).headers.get("location") ?? "";

  await using browser = await launchChromium();
  const page = await browser.newPage();
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
});
