import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { after, before, describe, it } from "node:test";
import type { Browser, BrowserContext } from "playwright-core";
import { launchChromium } from "../support/chromium.ts";
import { openDashboard, type HostedProject, type RunningDashboard } from "../support/running-dashboard.ts"; // prettier-ignore
import { patienceMs } from "../support/patience.ts";

describe("a closed site in a browser", () => {
  const open = new AsyncDisposableStack();
  let browser: Browser;
  let dashboard: RunningDashboard;
  let member: string;
  let stranger: string;
  let docs: HostedProject;
  let port: string;
  before(async () => {
    browser = open.use(await launchChromium());
    dashboard = open.use(await openDashboard());
    port = new URL(dashboard.url).port;
    const organization = await dashboard.openOrganization();
    member = organization.key;
    stranger = (await dashboard.openOrganization("Other")).key;
    docs = await dashboard.addProject(organization.id);
    await publish(docs, "handbook");
  });
  after(() => open.disposeAsync());

  /** Publishes a project under a name, and waits until its site asks members to sign in. */
  async function publish({ project }: HostedProject, slug: string): Promise<void> {
    const { publishedSites } = dashboard.node;
    const scope = { organizationId: project.organizationId };
    await publishedSites.change(scope, project, { slug, visibility: "members" });
    const headers = { host: `${slug}.localhost`, accept: "text/html" };
    const until = Date.now() + patienceMs;
    for (let status: number | undefined; status !== 302;) {
      assert.ok(Date.now() < until, "The site is not published.");
      const sent = request({ host: "127.0.0.1", port, path: "/guide", headers }).end();
      const [response] = await once(sent, "response");
      status = response.resume().statusCode;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  const addressOf = (slug: string, path = "/guide?a=b") =>
    `http://${slug}.localhost:${port}${path}`;

  async function inContext(work: (context: BrowserContext) => Promise<void>): Promise<void> {
    const context = await browser.newContext();
    try {
      await work(context);
    } finally {
      await context.close();
    }
  }

  /** Opens an address of the site, and signs in where the dashboard asks. */
  async function signIn(context: BrowserContext, key: string) {
    const page = await context.newPage();
    await page.goto(addressOf("handbook"));
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Sign in" }).click();
    return page;
  }

  it("opens for a member who signs in, at the page that they asked for", () =>
    inContext(async (context) => {
      const page = await signIn(context, member);
      await page.waitForURL(addressOf("handbook"));
      await page.getByRole("heading", { name: "Guide" }).waitFor();
      // Signed in, a member opens another site of the organization without a click.
      const other = await dashboard.addProject(docs.project.organizationId, "Other docs");
      await publish(other, "other-docs");
      await page.goto(addressOf("other-docs"));
      await page.waitForURL(addressOf("other-docs"));
      await page.getByRole("heading", { name: "Guide" }).waitFor();
      const cookies = await context.cookies(addressOf("handbook"));
      assert.deepEqual(cookies.map(({ name, domain, sameSite, httpOnly, secure }) => [name, domain, sameSite, httpOnly, secure]).filter(([name]) => name === "__Host-octavo-site"), [["__Host-octavo-site", "handbook.localhost", "Lax", true, true]]); // prettier-ignore
    }));

  it("stays closed for a person of another organization", () =>
    inContext(async (context) => {
      const page = await signIn(context, stranger);
      await page.getByRole("heading", { name: "Not found" }).waitFor();
      assert.equal(new URL(page.url()).pathname, "/open-site");
    }));

  it("opens with a link until it is revoked", async () => {
    const ada = await dashboard.browse().signIn(member);
    const path = `/projects/${docs.project.id}`;
    assert.equal((await ada.post(`${path}/links`, { note: "A guest", days: "3" })).status, 303);
    const { text } = await ada.get(`${path}/site`);
    assert.match(text, /A guest/);
    const url = /<code data-copy="the link">([^<]+)</.exec(text)?.[1]?.replaceAll("&amp;", "&");
    const revoke = /action="([^"]+\/links\/sl_[^"]+\/revoke)"/.exec(text)?.[1];
    assert.ok(url !== undefined && revoke !== undefined);
    await inContext(async (context) => {
      const page = await context.newPage();
      await page.goto(url);
      await page.getByRole("heading", { name: "Welcome" }).waitFor();
      assert.equal((await ada.post(revoke)).status, 303);
      // The node hears of it within its interval.
      const until = Date.now() + patienceMs;
      while (page.url().startsWith(addressOf("handbook", "/"))) {
        assert.ok(Date.now() < until, "The link still opens the site.");
        await page.goto(addressOf("handbook", "/"));
      }
      await page.getByLabel("API key").waitFor();
    });
  });
});
