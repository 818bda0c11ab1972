import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { createApiClient } from "../../../../test/support/api-client.ts";
import { launchChromium } from "../../../../test/support/chromium.ts";
import { openDashboard } from "../../../../test/support/running-dashboard.ts";
import type {
  HostedProject,
  RunningDashboard,
} from "../../../../test/support/running-dashboard.ts";

let browser: Browser & AsyncDisposable;
let dashboard: RunningDashboard;
let organization: { readonly id: string; readonly key: string };
let hosted: HostedProject;
before(async () => {
  [browser, dashboard] = await Promise.all([launchChromium(), openDashboard()]);
  organization = await dashboard.openOrganization();
  hosted = await dashboard.addProject(organization.id);
});
after(async () => {
  await browser[Symbol.asyncDispose]();
  await dashboard[Symbol.asyncDispose]();
});

/** Collects the browser's errors, and the requests that the policy refused. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("requestfailed", (request) => {
    // A poll that a navigation overtakes is no fault.
    if (!request.failure()?.errorText.includes("ABORTED")) complaints.push(request.url());
  });
  return complaints;
}

async function signIn(page: Page, path = "/"): Promise<void> {
  await page.goto(dashboard.url + path);
  await page.getByLabel("API key").fill(organization.key);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** A job that fails with a long sentence, and what it was asked for is long too. */
async function askAgent(): Promise<string> {
  const client = createApiClient(dashboard.url, organization.key);
  const path = `/v2/agent/${hosted.project.id}/job`;
  const prompt = `Explain ${"very-".repeat(60)}long words\n\n${"wide ".repeat(100)}`;
  const { body } = await client.call("POST", path, { body: { prompt } });
  const { id } = body as { readonly id: string };
  await client.waitForAgentJob(`${path}/${id}`);
  return id;
}

async function inContext(
  work: (page: Page, context: BrowserContext) => Promise<void>,
  options: { readonly javaScriptEnabled?: boolean } = {},
): Promise<void> {
  const context = await browser.newContext(options);
  try {
    await work(await context.newPage(), context);
  } finally {
    await context.close();
  }
}

describe("the dashboard in a browser", () => {
  it("signs in, exports a site and shows its end without a reload", () =>
    inContext(async (page) => {
      const complaints = complaintsOf(page);
      await signIn(page);
      await page.getByRole("link", { name: "Docs" }).click();
      await page.getByRole("link", { name: "Exports" }).click();
      await page.getByRole("button", { name: "Start" }).click();
      await page.waitForURL(/exports\/se_/);
      await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
      await page.getByRole("link", { name: /^Download/ }).waitFor();
      assert.equal(await page.evaluate(() => "isSamePage" in globalThis), true);
      assert.match((await page.textContent("main")) ?? "", /index\.mdx:5:/);
      // A finished job is not requested again, once a pending request has been sent.
      await page.waitForTimeout(1500);
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      await page.waitForTimeout(2500);
      assert.deepEqual(asked, []);

      const download = page.waitForEvent("download");
      await page.getByRole("link", { name: /^Download/ }).click();
      assert.match((await download).suggestedFilename(), /\.tar\.gz$/);
      assert.deepEqual(complaints, []);
    }));

  it("shows the exported site in its own origin", () =>
    inContext(async (page) => {
      await signIn(page, `/projects/${hosted.project.id}/exports`);
      await page.getByRole("button", { name: "Start" }).click();
      const complaints = complaintsOf(page);
      await page.getByRole("link", { name: "Preview" }).click();
      const site = page.frameLocator("iframe");
      await site.getByRole("heading", { name: "Welcome" }).waitFor();
      const [, frame] = page.frames();
      assert.ok(frame);
      assert.equal(await frame.evaluate("origin"), "null");
      const stored = await frame.evaluate(
        "(() => { try { return document.cookie } catch (error) { return error.name } })()",
      );
      assert.equal(stored, "SecurityError");
      const answer = await frame.evaluate(async (url) => {
        try {
          return (await fetch(`${url}/projects`, { credentials: "include" })).status;
        } catch {
          return "refused";
        }
      }, dashboard.url);
      assert.equal(answer, "refused");
      assert.ok(complaints.length > 0, "the refusal is told on the console");
      complaints.length = 0;
      await site.getByRole("link", { name: "guide", exact: true }).click();
      await site.getByRole("heading", { name: "Guide", exact: true }).waitFor();
      assert.deepEqual(complaints, []);
    }));

  it("starts an agent job, follows it, and previews the branch from the pull request", () =>
    inContext(async (page) => {
      const complaints = complaintsOf(page);
      const own = await dashboard.addProject(organization.id);
      await signIn(page, `/projects/${own.project.id}`);
      const field = page.getByLabel("What should the agent do?");
      await page.getByRole("link", { name: "Fix the broken links" }).click();
      assert.equal(await field.inputValue(), "Fix the broken links");
      await field.fill('Rename the term "Words" to "Sentences"');
      await page.getByRole("button", { name: "Ask" }).click();
      await page.waitForURL(/agent\/aj_\w+$/);
      await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
      // Text that is being typed is not lost when the page is refreshed.
      await page.getByLabel("What should the agent do next?").fill("Half a thought");
      await page.getByRole("heading", { name: "Steps" }).waitFor();
      await page.getByRole("link", { name: "Open the pull request" }).waitFor();
      assert.equal(await page.evaluate(() => "isSamePage" in globalThis), true);
      assert.equal(
        await page.getByLabel("What should the agent do next?").inputValue(),
        "Half a thought",
      );
      assert.match((await page.textContent("main")) ?? "", /\+\s*Sentences\./);
      await page.getByRole("link", { name: "Open the pull request" }).click();
      await page.getByRole("link", { name: "Preview of this branch" }).waitFor();
      assert.deepEqual(complaints, []);
      await page.getByRole("link", { name: "Guide", exact: true }).click();
      await page.waitForURL(/\/previews\/[^/]+\/guide\.html/);
      await page.frameLocator("iframe").getByText("Sentences.").waitFor();
      const [, frame] = page.frames();
      assert.equal(await frame?.evaluate("origin"), "null");
    }));

  it("sends a form once, however often its button is pressed", () =>
    inContext(async (page) => {
      const own = await dashboard.addProject(organization.id);
      await signIn(page, `/projects/${own.project.id}/agent`);
      await page.getByLabel("What should the agent do?").fill("Fix common misspellings");
      await page.getByRole("button", { name: "Ask" }).dblclick();
      await page.waitForURL(/agent\/aj_\w+$/);
      await page.goto(`${dashboard.url}/projects/${own.project.id}/agent`);
      assert.equal(await page.locator("#live .row").count(), 1);
    }));

  it("opens a pull request, merges it after a question, and opens one that undoes it", () =>
    inContext(async (page) => {
      const complaints = complaintsOf(page);
      await hosted.pushBranch("octavo/mend", {
        "guide.mdx": "---\ntitle: Guide\n---\n\nBetter.\n",
      });
      const number = await hosted.openPullRequest("octavo/mend", { title: "Mend the guide" });
      await signIn(page, `/projects/${hosted.project.id}/pulls/${number}`);
      await page.getByRole("heading", { name: /Mend the guide/ }).waitFor();
      await page.getByText("Merge…").click();
      await page.getByText("Merge 1 commit into main?").waitFor();
      await page.getByRole("button", { name: "Merge" }).click();
      await page.getByText("This pull request was merged").waitFor();
      await page.getByRole("button", { name: "Revert" }).click();
      await page.getByRole("heading", { name: /Revert “Mend the guide”/ }).waitFor();
      await page.getByRole("link", { name: `pull request #${number}` }).waitFor();
      assert.deepEqual(complaints, []);
    }));

  it("goes to the sign-in when the key is revoked during a job", () =>
    inContext(async (page) => {
      const scope = { organizationId: organization.id, projectId: null };
      const { keys, database } = dashboard.node.records;
      const { secret, id } = await keys.create(scope, "Short");
      await page.goto(dashboard.url);
      await page.getByLabel("API key").fill(secret);
      await page.getByRole("button", { name: "Sign in" }).click();
      // An export that no worker takes.
      const job = await database.kysely
        .insertInto("static_export_jobs")
        .values({
          id: "se_00000000000000000000000001",
          organization_id: organization.id,
          project_id: hosted.project.id,
          domain: hosted.project.domain,
          format: "zip",
          status: "queued",
        })
        .returning("id")
        .executeTakeFirstOrThrow();
      await page.goto(`${dashboard.url}/projects/${hosted.project.id}/exports/${job.id}`);
      await page.getByText("Waiting for a worker").waitFor();
      await keys.revoke(scope, id);
      await page.waitForURL(/signin\?next=/);
    }));

  it("keeps a person signed in who follows a link from another site", () =>
    inContext(async (page) => {
      await signIn(page);
      await page.getByRole("heading", { name: "Projects" }).waitFor();
      // Another site to the browser, since its host is another one.
      await page.goto(dashboard.url.replace("127.0.0.1", "localhost"));
      const link = JSON.stringify(`<a href="${dashboard.url}/keys">Keys</a>`);
      await page.evaluate(`document.body.innerHTML = ${link}`);
      await page.getByRole("link", { name: "Keys" }).click();
      await page.getByRole("heading", { name: "API keys" }).waitFor();
    }));

  it("works without scripts", () =>
    inContext(
      async (page) => {
        await signIn(page, `/projects/${hosted.project.id}/exports`);
        await page.getByLabel("Format").selectOption("zip");
        await page.getByRole("button", { name: "Start" }).click();
        await page.getByRole("link", { name: /^Download/ }).waitFor();
        await page.goto(`${dashboard.url}/projects/${hosted.project.id}/agent`);
        await page.getByLabel("What should the agent do?").fill("Fix common misspellings");
        await page.getByRole("button", { name: "Ask" }).click();
        await page.getByText("No file was changed").first().waitFor();
        await page.getByRole("link", { name: "API keys" }).click();
        await page.getByLabel("Name", { exact: true }).fill("Made without scripts");
        await page.getByRole("button", { name: "Create" }).click();
        assert.match((await page.textContent(".made code")) ?? "", /^octavo_[0-9a-f]{56}$/);
        await page.getByRole("button", { name: "Sign out" }).click();
        await page.getByRole("heading", { name: "Sign in" }).waitFor();
      },
      { javaScriptEnabled: false },
    ));

  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [1280, 390]) {
      it(`fits ${width} pixels in ${colorScheme}`, async () => {
        const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
        const page = await context.newPage();
        await hosted.pushBranch(`octavo/${colorScheme}-${width}`, {
          "guide.mdx": `---\ntitle: Guide\n---\n\n${"long-word-".repeat(60)}\n`,
        });
        const body = `| a | b |\n| --- | --- |\n| ${"wide ".repeat(40)} | c |\n\n${"x".repeat(400)}`;
        const number = await hosted.openPullRequest(`octavo/${colorScheme}-${width}`, { body });
        await signIn(page);
        const project = `/projects/${hosted.project.id}`;
        const paths = [
          "/projects",
          project,
          `${project}/deployments`,
          `${project}/exports`,
          `${project}/problems`,
          `${project}/settings`,
          `${project}/site`,
          `${project}/agent`,
          `${project}/agent/${await askAgent()}`,
          `${project}/pulls`,
          `${project}/pulls/${number}`,
          `${project}/pulls/${number}/changes`,
          `${project}/pulls/${number}/preview`,
          "/keys",
        ];
        for (const path of [...paths, "/projects/none", "/signin"]) {
          if (path === "/signin") await context.clearCookies();
          await page.goto(dashboard.url + path);
          const overflow = await page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth",
          );
          assert.equal(overflow, 0, path);
          const folder = process.env["OCTAVO_TEST_SCREENSHOTS"];
          const name = `${path.replaceAll(/\W+/g, "-")}-${width}-${colorScheme}.png`;
          if (folder) await page.screenshot({ path: join(folder, name), fullPage: true });
        }
        await context.close();
      });
    }
  }
});
