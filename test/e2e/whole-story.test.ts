import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { launchChromium } from "../support/chromium.ts";
import { freePort } from "../support/free-port.ts";
import { git, openAuthor } from "../support/git-fixture.ts";
import { startModelServer } from "../support/model-server.ts";
import type { ModelRequest, ModelServer, Turn } from "../support/model-server.ts";
import { openProvider } from "../support/openid-provider.ts";
import type { TestAccount, TestProvider } from "../support/openid-provider.ts";
import { startService } from "../support/service.ts";
import type { RunningService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ada = { sub: "ada", name: "Ada", email: "ada@acme.example", email_verified: true };
const vic = { sub: "vic", name: "Vic", email: "vic@acme.example", email_verified: true };
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

const repository = {
  "README.md": "# Acme\n\nThe site is in docs/.\n",
  "docs/docs.json": JSON.stringify({
    theme: "mint",
    name: "Acme",
    colors: { primary: "#8a3b12" },
    navigation: { pages: ["index", "guide"] },
  }),
  "docs/index.mdx": "---\ntitle: Welcome\n---\n\nRead the [guide](/nowhere) before you begin.\n",
  "docs/guide.mdx": "---\ntitle: Guide\n---\n\n## First\n\nWords.\n",
};

/** Mends the link when it is asked to, and shortens the sentence when a comment says so. */
function writer({ conversation: { messages } }: ModelRequest): Turn {
  const last = messages.findLastIndex(({ from }) => from === "user");
  const asked = messages[last];
  const text = asked?.from === "user" ? asked.text : "";
  const isDone = messages.slice(last).some(({ from }) => from === "tool");
  const [old, replacement] = text.includes("Say it shorter")
    ? [" before you begin", ""]
    : ["/nowhere", "/guide"];
  if (isDone) return { text: "The link leads to the guide." };
  const input = { path: "index.mdx", replacements: [{ old, new: replacement }] };
  return { toolCalls: [{ name: "edit", input, id: `call_${messages.length}` }] };
}

describe("the story of a team", () => {
  const open = new AsyncDisposableStack();
  let folder: string;
  let browser: Browser;
  let model: ModelServer;
  let provider: TestProvider;
  let service: RunningService;
  let url: string;

  before(async () => {
    ({ path: folder } = open.use(await temporaryFolder()));
    browser = open.use(await launchChromium());
    model = open.use(await startModelServer(writer));
    url = `http://127.0.0.1:${await freePort()}`;
    provider = open.use(await openProvider(`${url}/signin/callback`));
  });
  after(() => open.disposeAsync());

  async function start(env: Readonly<Record<string, string>>, isFirstStart: boolean) {
    const data = join(folder, "data");
    const { port } = new URL(url);
    return await startService({ data, env, args: ["--port", port], isFirstStart });
  }

  async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
    return await (await browser.newContext(options)).newPage();
  }

  async function signInWithKey(): Promise<Page> {
    const page = await openPage();
    await page.goto(url);
    const other = page.getByText("With an API key");
    if (await other.isVisible()) await other.click();
    await page.getByLabel("API key").fill(service.key);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Projects" }).waitFor();
    return page;
  }

  async function signIn(account: TestAccount, options?: BrowserContextOptions): Promise<Page> {
    provider.account = account;
    const page = await openPage(options);
    await page.goto(url);
    await page.getByRole("link", { name: "Sign in with Acme" }).click();
    await page.getByRole("heading", { name: "Projects" }).waitFor();
    return page;
  }

  async function invite(page: Page, email: string, role: string): Promise<void> {
    await page.goto(`${url}/members`);
    await page.getByLabel("E-mail address").fill(email);
    await page.locator("#role").selectOption(role);
    await page.getByRole("button", { name: "Invite" }).click();
    await page.getByText("has not signed in yet").first().waitFor();
  }

  it("goes from the first start to a merged change, and all of it is on record", async () => {
    // First start: the admin key alone, and no provider.
    service = await start({}, true);
    const operator = await signInWithKey();
    await operator.goto(`${url}/members`);
    await operator.getByText("and none is configured").waitFor();
    await service.end("SIGTERM");

    // Connect the provider.
    const env = {
      OCTAVO_BASE_URL: url,
      OCTAVO_ALLOW: "127.0.0.1",
      OCTAVO_OIDC_ISSUER: provider.issuer,
      OCTAVO_OIDC_CLIENT_ID: provider.clientId,
      OCTAVO_OIDC_CLIENT_SECRET: provider.clientSecret,
      OCTAVO_OIDC_NAME: "Acme",
      OCTAVO_MODEL: "compatible/writer",
      OCTAVO_MODEL_URL: `${model.url}/v1`,
    };
    service = open.use(await start(env, false));
    await invite(await signInWithKey(), ada.email, "owner");

    // Sign in as owner, and add a project whose site is in a folder.
    const owner = await signIn(ada);
    const project = await addProject(owner);
    const remote = await pushSite(owner, project);
    await invite(owner, vic.email, "viewer");

    // The viewer can look and not act.
    const viewer = await signIn(vic);
    await viewer.getByRole("link", { name: "Handbook" }).click();
    await viewer.getByRole("heading", { name: "Exports" }).waitFor();
    assert.equal(await viewer.getByRole("button", { name: "Start" }).count(), 0);
    const refused = await viewer.request.post(`${project}/exports`, {
      headers: { "sec-fetch-site": "same-origin" },
    });
    assert.equal(refused.status(), 403);

    await exportSite(owner, project);
    await mendFirstProblem(owner);
    await reviewOnPhone(await signIn(ada, phone), project);

    // Who merged is the author.
    const tip = await git(folder, "ls-remote", remote, "refs/heads/main");
    const copy = join(folder, "copy");
    await git(folder, "clone", "--quiet", remote, copy);
    assert.equal(await git(copy, "rev-parse", "HEAD"), tip.split("\t")[0]);
    assert.equal(await git(copy, "log", "-1", "--format=%an <%ae>"), `Ada <${ada.email}>`);
    const page = await git(copy, "show", "HEAD:docs/index.mdx");
    assert.match(page, /^Read the \[guide\]\(\/guide\)\.$/m);

    await readAuditLog(owner);
    await endSession(owner, viewer);
  });

  /** With a key that is made for it, and the commands of the page; gives the repository's address. */
  async function pushSite(page: Page, project: string): Promise<string> {
    const commands = (await page.locator(".push pre").textContent()) ?? "";
    const address = new URL(/remote add octavo (\S+)/.exec(commands)?.[1] ?? "");
    await page.goto(`${url}/keys`);
    await page.getByLabel("Name", { exact: true }).fill("Git");
    await page.getByRole("button", { name: "Create" }).click();
    address.username = "ada";
    address.password = (await page.locator(".made code").textContent()) ?? "";
    const author = await openAuthor(join(folder, "site"));
    await author.commit(repository);
    await author.git("push", "--quiet", address.href, "HEAD:refs/heads/main");
    await page.goto(project);
    return address.href;
  }

  async function readAuditLog(page: Page): Promise<void> {
    await page.goto(`${url}/audit`);
    const rows = (await page.locator(".rows > li").allTextContents()).map((text) =>
      text.replaceAll(/\s+/g, " ").trim(),
    );
    for (const act of [
      /^member invited ada@acme\.example First admin key \(key\)/,
      /^session started Ada Ada \(person\)/,
      /^project created Handbook Ada \(person\)/,
      /^key created Git Ada \(person\)/,
      /^repository pushed .* \(key\)/,
      /^member invited vic@acme\.example Ada \(person\)/,
      /^session started Vic Vic \(person\)/,
      /^export started .* Ada \(person\)/,
      /^agent job created .* Ada \(person\)/,
      /^agent job continued .* Ada \(person\)/,
      /^pull request merged Handbook #1 Ada \(person\)/,
    ]) {
      assert.ok(
        rows.some((row) => act.test(row)),
        `${act.source} is not in\n${rows.join("\n")}`,
      );
    }
  }

  async function endSession(page: Page, other: Page): Promise<void> {
    await page.goto(`${url}/sessions`);
    const row = page.locator(".rows > li").filter({ hasText: "Vic" });
    await row.getByRole("button", { name: "End" }).click();
    await row.waitFor({ state: "detached" });
    await other.reload();
    await other.getByRole("heading", { name: "Sign in" }).waitFor();
  }
});

/** Its address. */
async function addProject(page: Page): Promise<string> {
  await page.getByRole("link", { name: "Add a project" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Handbook");
  await page.getByLabel("Domain").fill("handbook.acme.example");
  await page.getByLabel(/^Hosted by this service/).check();
  await page.getByLabel("Folder of the site").fill("docs");
  await page.getByRole("button", { name: "Add the project" }).click();
  await page.getByRole("heading", { name: "Push to this repository" }).waitFor();
  return page.url();
}

async function exportSite(page: Page, project: string): Promise<void> {
  await page.goto(project);
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL(/exports\/se_/);
  await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
  await page.getByRole("link", { name: /^Download/ }).waitFor();
  assert.equal(await page.evaluate(() => "isSamePage" in globalThis), true);
  const log = (await page.locator(".log").textContent()) ?? "";
  for (const stage of [/Checking out/, /Rendering/, /Packing/, /Storing/]) assert.match(log, stage);
}

async function mendFirstProblem(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Fix with an agent" }).first().click();
  const prompt = await page.getByLabel("What should the agent do?").inputValue();
  assert.match(prompt, /\/nowhere[^]*index\.mdx, line 5/);
  await page.getByRole("button", { name: "Ask" }).click();
  await page.getByRole("link", { name: "Open the pull request" }).waitFor();
}

async function reviewOnPhone(page: Page, project: string): Promise<void> {
  await page.goto(`${project}/pulls/1/changes`);
  assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 390);
  await page.getByRole("button", { name: "Comment on line 5" }).last().tap();
  await page.getByLabel("Comment on line 5").and(page.locator("textarea")).fill("Say it shorter.");
  await page.getByRole("button", { name: "Ask for these changes" }).tap();
  await page.waitForURL(/agent\/aj_\w+$/);
  await page.getByText("Say it shorter.").first().waitFor();
  // The follow-up.
  await page.getByRole("link", { name: "Open the pull request" }).waitFor();
  await page.goto(`${project}/pulls/1/changes`);
  await page.locator(".changed del", { hasText: "before you begin" }).waitFor();
  await page.getByRole("button", { name: "Merge" }).tap();
  await page.getByText("This pull request was merged").waitFor();
  assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 390);
}
