import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { launchChromium } from "../support/chromium.ts";
import { freePort } from "../support/free-port.ts";
import { git, openAuthor, serveFixture } from "../support/git-fixture.ts";
import type { Author } from "../support/git-fixture.ts";
import { startModelServer } from "../support/model-server.ts";
import type { ModelRequest, ModelServer, Turn } from "../support/model-server.ts";
import { openProvider } from "../support/openid-provider.ts";
import type { TestAccount, TestProvider } from "../support/openid-provider.ts";
import { startService } from "../support/service.ts";
import type { RunningService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ada = { sub: "ada", name: "Ada", email: "ada@acme.example", email_verified: true };
const vic = { sub: "vic", name: "Vic", email: "vic@acme.example", email_verified: true };
const login = { user: "octavo", password: "hunter2oftheteam" };
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
  let outside: OutsideRepository;

  before(async () => {
    ({ path: folder } = open.use(await temporaryFolder()));
    browser = open.use(await launchChromium());
    model = open.use(await startModelServer(writer));
    url = `http://127.0.0.1:${await freePort()}`;
    provider = open.use(await openProvider(`${url}/signin/callback`));
    outside = await openOutside();
  });
  after(() => open.disposeAsync());

  /** The team's repository, on a server of its own behind https, with a branch beside `main`. */
  async function openOutside(): Promise<OutsideRepository> {
    const author = await openAuthor(join(folder, "site"));
    await author.commit(repository);
    await author.git("branch", "next");
    const bare = join(folder, "git", "team", "handbook.git");
    await git(folder, "clone", "--quiet", "--bare", author.folder, bare);
    const root = join(folder, "git");
    const server = open.use(await serveFixture({ root, login, isSecure: true }));
    const certificate = join(folder, "certificate.pem");
    await writeFile(certificate, server.certificate);
    return { author, bare, certificate, address: `${server.url}/team/handbook.git` };
  }

  async function start(env: Readonly<Record<string, string>>, isFirstStart: boolean) {
    const data = join(folder, "data");
    const { port } = new URL(url);
    return await startService({ data, env, args: ["--port", port], isFirstStart });
  }

  async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
    const page = await (await browser.newContext(options)).newPage();
    return page;
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
    await page.getByLabel("Email address").fill(email);
    await page.locator("#role").selectOption(role);
    await page.getByRole("button", { name: "Invite" }).click();
    await page.getByText("has not signed in yet").first().waitFor();
  }

  it("goes from the first start to a merged change, and all of it is on record", async () => {
    // First start: the admin key alone, and no provider.
    service = open.use(await start({}, true));
    const operator = await signInWithKey();
    await operator.goto(`${url}/members`);
    await operator.getByText("which is not configured yet").waitFor();
    await service.end("SIGTERM");

    // Connect the provider.
    const env = {
      OCTAVO_BASE_URL: url,
      OCTAVO_ALLOW: "127.0.0.1",
      NODE_EXTRA_CA_CERTS: outside.certificate,
      OCTAVO_OIDC_ISSUER: provider.issuer,
      OCTAVO_OIDC_CLIENT_ID: provider.clientId,
      OCTAVO_OIDC_CLIENT_SECRET: provider.clientSecret,
      OCTAVO_OIDC_NAME: "Acme",
      OCTAVO_MODEL: "compatible/writer",
      OCTAVO_MODEL_URL: `${model.url}/v1`,
    };
    service = open.use(await start(env, false));
    await invite(await signInWithKey(), ada.email, "owner");

    // Sign in as owner, and add a project by the address of a repository whose site is in a folder.
    const owner = await signIn(ada);
    const project = await addProject(owner, outside.address);
    await invite(owner, vic.email, "viewer");

    // The viewer can look and not act.
    const viewer = await signIn(vic);
    await viewer.getByRole("link", { name: "Handbook" }).click();
    await viewer.getByRole("link", { name: "Exports" }).click();
    await viewer.getByRole("heading", { name: "Exports" }).waitFor();
    assert.equal(await viewer.getByRole("button", { name: "Start" }).count(), 0);
    const refused = await viewer.request.post(`${project}/exports`, {
      headers: { "sec-fetch-site": "same-origin" },
    });
    assert.equal(refused.status(), 403);

    await exportSite(owner, project);
    await mendFirstProblem(owner);
    const reviewer = await signIn(ada, phone);
    await reviewOnPhone(reviewer, project);

    // Meanwhile the team goes on in its repository, and who merges is the author of the merge there.
    const theirs = await outside.author.commit({
      "docs/guide.mdx": "---\ntitle: Guide\n---\n\nMore.\n",
    });
    await outside.author.git("push", "--quiet", outside.bare, "main");
    await mergeOnPhone(reviewer);
    const { bare } = outside;
    const format = "--format=%an <%ae>|%p";
    const [author, parents] = (await git(bare, "log", "-1", format, "main")).split("|");
    assert.equal(author, `Ada <${ada.email}>`);
    const [first = "", second = ""] = (parents ?? "").split(" ");
    assert.ok(theirs.startsWith(first), `${first} is not ${theirs}`);
    // So is who asked for the changes.
    assert.equal(await git(bare, "log", "-1", "--format=%an <%ae>", second), author);
    assert.match(await git(bare, "show", "main:docs/guide.mdx"), /More\./);
    const page = await git(bare, "show", "main:docs/index.mdx");
    assert.match(page, /^Read the \[guide\]\(\/guide\)\.$/m);

    await readAuditLog(owner);
    await endSession(owner, viewer);
  });

  async function readAuditLog(page: Page): Promise<void> {
    await page.goto(`${url}/audit`);
    const rows = (await page.locator(".rows > li").allTextContents()).map((text) =>
      text.replaceAll(/\s+/g, " ").trim(),
    );
    for (const act of [
      /^member invited ada@acme\.example First admin key \(key\)/,
      /^session started Ada Ada \(person\)/,
      /^project created Handbook Ada \(person\)/,
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

interface OutsideRepository {
  readonly author: Author;
  readonly bare: string;
  readonly certificate: string;
  readonly address: string;
}

/** Gives the address of its page. */
async function addProject(page: Page, address: string): Promise<string> {
  await page.getByRole("link", { name: "Add a project" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Handbook");
  await page.getByLabel("Domain").fill("handbook.acme.example");
  await page.getByLabel("Address", { exact: true }).fill(address);
  await page.getByText("Credentials", { exact: true }).click();
  await page.getByLabel("Username").fill(login.user);
  await page.getByLabel("Token or password").fill(login.password);

  // What the test finds: both branches, and the folder, which is taken unless another one is typed.
  await page.getByRole("button", { name: "Test the connection" }).click();
  const found = page.getByRole("region", { name: "Test of the connection" });
  await found.getByText("The repository can be read.").waitFor();
  assert.match((await found.textContent()) ?? "", /2 branches:\s+(?:main\s+next|next\s+main)/);
  const branches = page.getByRole("combobox", { name: "Branch" }).locator("option");
  assert.equal(await branches.count(), 3);
  const proposed = found.getByLabel(/^docs, with\s+docs\.json and 2 pages$/);
  assert.ok(await proposed.isChecked());
  assert.equal(await page.getByLabel("Folder of the site").inputValue(), "");

  await page.getByRole("button", { name: "Add the project" }).click();
  await page.getByRole("heading", { name: "Handbook", exact: true }).waitFor();
  return page.url();
}

async function exportSite(page: Page, project: string): Promise<void> {
  await page.goto(`${project}/exports`);
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
}

async function mergeOnPhone(page: Page): Promise<void> {
  await page.getByText("Merge…").tap();
  await page.getByRole("button", { name: "Merge" }).tap();
  await page.getByText("This pull request was merged").waitFor();
  assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 390);
}
