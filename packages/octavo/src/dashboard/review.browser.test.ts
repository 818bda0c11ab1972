import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { assertAccessible } from "../../../../test/support/axe.ts";
import { launchChromium } from "../../../../test/support/chromium.ts";
import { startModelServer } from "../../../../test/support/model-server.ts";
import type { ModelServer } from "../../../../test/support/model-server.ts";
import { openDashboard } from "../../../../test/support/running-dashboard.ts";
import type {
  HostedProject,
  RunningDashboard,
} from "../../../../test/support/running-dashboard.ts";
import { scriptedAgent } from "../../../../test/support/scripted-agent.ts";
import { withSignedInPage } from "../../../../test/support/signed-in-page.ts";

let browser: Browser & AsyncDisposable;
let model: ModelServer;
let dashboard: RunningDashboard;
let organization: { readonly id: string; readonly key: string };
before(async () => {
  model = await startModelServer(scriptedAgent);
  [browser, dashboard] = await Promise.all([
    launchChromium(),
    openDashboard({
      OCTAVO_MODEL: "compatible/scripted",
      OCTAVO_MODEL_URL: `${model.url}/v1`,
      OCTAVO_ALLOW: "127.0.0.1",
    }),
  ]);
  organization = await dashboard.openOrganization();
});
after(async () => {
  await browser[Symbol.asyncDispose]();
  await dashboard[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

async function inPage(
  work: (page: Page) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  await withSignedInPage({ browser, url: dashboard.url, key: organization.key }, work, options);
}

/** A pull request of an agent. */
async function openPullRequest(): Promise<string> {
  const { project } = await dashboard.addProject(organization.id);
  const ada = await dashboard.browse().signIn(organization.key);
  const prompt = "replace Words with Sentences in guide.mdx";
  await ada.post(`/projects/${project.id}/agent`, { prompt });
  const path = `/projects/${project.id}/pulls/1`;
  while ((await ada.get(path)).status !== 200) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return dashboard.url + path;
}

function prose(word: string): string {
  const long = (at: number) =>
    `Paragraph ${at} ${"has many words in it ".repeat(12)}and says ${word} of things, ${"before it goes on for long ".repeat(8)}to its end.`;
  const paragraphs = Array.from({ length: 16 }, (_, at) => long(at));
  return `---\ntitle: Guide\n---\n\n${paragraphs.join("\n\n")}\n`;
}

/** Sixteen long lines of prose, in each of which a word changes. */
async function openLongPullRequest(own: HostedProject): Promise<string> {
  await own.pushMain({ "guide.mdx": prose("much") });
  await own.pushBranch("octavo/after", { "guide.mdx": prose("little") });
  const number = await own.openPullRequest("octavo/after");
  return `${dashboard.url}/projects/${own.project.id}/pulls/${number}`;
}

for (const javaScriptEnabled of [true, false]) {
  describe(`a review ${javaScriptEnabled ? "with" : "without"} scripts`, () => {
    it("comments on lines, and asks the agent for all of it at once", () =>
      inPage(
        async (page) => {
          await page.goto(await openPullRequest());
          await page.getByRole("link", { name: "Changes" }).click();
          await page.getByRole("button", { name: "Comment on line 7" }).first().click();
          const comment = page.getByLabel("Comment on line 7").and(page.locator("textarea"));
          await comment.fill("Shorter.");
          await page
            .getByLabel("What else should change?")
            .fill("replace Sentences with Text in guide.mdx");
          const seen = page.getByRole("button", { name: "Seen: guide.mdx" });
          await seen.click();
          await page.locator("button[aria-pressed=true]").waitFor();
          await seen.click();
          await page.locator("button[aria-pressed=false]").waitFor();
          assert.equal(await comment.inputValue(), "Shorter.");
          await page.getByRole("button", { name: "Show all lines" }).first().click();
          await page.getByText("title: Guide").waitFor();
          assert.equal(await comment.inputValue(), "Shorter.");
          await page.getByRole("button", { name: "Ask for these changes" }).click();
          await page.waitForURL(/agent\/aj_\w+$/);
          await page.getByText("Shorter.").first().waitFor();
        },
        { javaScriptEnabled },
      ));
  });
}

describe("a review in a browser", () => {
  it("warns before comments are lost", () =>
    inPage(async (page) => {
      await page.goto(`${await openPullRequest()}/changes`);
      await page.getByRole("button", { name: "Comment on line 7" }).first().click();
      await page.keyboard.type("Not sent");
      const asked = new Promise<string>((resolve) => {
        page.once("dialog", (dialog) => void dialog.dismiss().then(() => resolve(dialog.type())));
      });
      const clicked = page.evaluate("document.querySelector('.tabs a').click()");
      assert.equal(await asked, "beforeunload");
      await clicked;
    }));

  it("shows sixteen changed lines on three screens of a phone", () =>
    inPage(
      async (page) => {
        await page.goto(
          `${await openLongPullRequest(await dashboard.addProject(organization.id))}/changes`,
        );
        assert.equal(await page.locator("tr.changed").count(), 16);
        const sizes: readonly number[] = await page.evaluate(
          "[document.documentElement.scrollWidth, document.querySelector('.diff').getBoundingClientRect().bottom + scrollY]",
        );
        const [width = 0, height = 0] = sizes;
        assert.equal(width, 390);
        assert.ok(height <= 3 * 844, `${height} px`);
        await page.getByText("Merge…").click();
        await page.getByRole("button", { name: "Merge" }).click({ trial: true });
        assert.equal(await page.evaluate("scrollY"), 0, "the button was in reach");
      },
      { viewport: { width: 390, height: 844 } },
    ));

  for (const tab of ["", "/changes", "/preview"]) {
    it(`has no serious fault of accessibility${tab === "" ? "" : ` at ${tab}`}`, () =>
      inPage(
        async (page) => {
          await page.goto((await openPullRequest()) + tab);
          await assertAccessible(page, tab);
        },
        { reducedMotion: "reduce" },
      ));
  }
});
