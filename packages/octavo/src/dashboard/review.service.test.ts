import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createApiClient } from "../../../../test/support/api-client.ts";
import { startModelServer } from "../../../../test/support/model-server.ts";
import type { ModelServer } from "../../../../test/support/model-server.ts";
import { openDashboard, waitFor } from "../../../../test/support/running-dashboard.ts";
import type {
  RunningDashboard,
  Visit,
  Visitor,
} from "../../../../test/support/running-dashboard.ts";
import { scriptedAgent } from "../../../../test/support/scripted-agent.ts";
import type { Deployment } from "../jobs/index.ts";

let model: ModelServer;
let dashboard: RunningDashboard;
let organization: { readonly id: string; readonly key: string };
let ada: Visitor;
before(async () => {
  model = await startModelServer(scriptedAgent);
  dashboard = await openDashboard({
    OCTAVO_MODEL: "compatible/scripted",
    OCTAVO_MODEL_URL: `${model.url}/v1`,
    OCTAVO_ALLOW: "127.0.0.1",
  });
  organization = await dashboard.openOrganization();
  ada = await dashboard.browse().signIn(organization.key);
});
after(async () => {
  await dashboard[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const first =
  "The quick brown fox jumps over the lazy dog while everybody else in the village is asleep, and then it runs away into the deep forest before anybody has noticed what it did to the poor old dog.";
const page = (words: string) =>
  `---\ntitle: Guide\n---\n\n## First\n\n${words}\n\n<Note>\n  Take **care**.\n</Note>\n\nOne.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.\n`;

async function openReview(files: Readonly<Record<string, string>>) {
  const own = await dashboard.addProject(organization.id);
  await own.pushMain({ "guide.mdx": page(first), "code.js": "const a = 1;\n" });
  await own.pushBranch("octavo/mend", files);
  const review = await own.openPullRequest("octavo/mend");
  return { own, path: `/projects/${own.project.id}/pulls/${review}` };
}

type OwnProject = Awaited<ReturnType<typeof openReview>>["own"];

async function publish(
  own: OwnProject,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const slug = `docs-${own.project.id.slice(-6).toLowerCase()}`;
  await ada.post(`/projects/${own.project.id}/site`, { slug, ...settings });
  await deploy(own);
}

/** Publishes the newest commit of `main`. */
async function deploy(own: OwnProject): Promise<void> {
  const project = `/projects/${own.project.id}`;
  const commit = (await own.author.git("rev-parse", "--short=7", "main")).trim();
  await ada.post(`${project}/deployments`);
  const isLive = new RegExp(`<code>${commit}</code>[^<]*, live since`);
  await waitFor(ada, project, ({ text }) => isLive.test(text));
}

/** Removes the deployments that are not live. */
async function removeDeployments(own: OwnProject): Promise<void> {
  const client = createApiClient(dashboard.url, organization.key);
  const path = `/v2/projects/${own.project.id}/deployments?status=ready`;
  const { body } = await client.call<{ deployments: readonly Deployment[] }>("GET", path);
  for (const { id, isLive } of body.deployments) {
    if (!isLive) await client.call("DELETE", `/v2/deployments/${id}`);
  }
}

async function exportBranch(own: OwnProject): Promise<void> {
  const exports = `/projects/${own.project.id}/exports`;
  await ada.post(exports, { ref: "octavo/mend", format: "zip" });
  await waitFor(ada, exports, ({ text }) => />completed</i.test(text));
}

/** Text of the page without its tags. */
function wordsOf({ text }: Visit): string {
  return text.replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ");
}

function markOf({ text }: Visit, path: string): string {
  const [, mark = ""] =
    new RegExp(`value="([^"]{6})"[^>]*aria-label="Seen: ${path}"`).exec(text) ?? [];
  assert.notEqual(mark, "");
  return mark;
}

function lines(count: number): string {
  return Array.from({ length: count }, (_, at) => `Line ${at}`).join("\n");
}

describe("the changes of a pull request", () => {
  it("mark words inside a line, and fold what did not change", async () => {
    const { path } = await openReview({ "guide.mdx": page(first.replace("lazy", "sleepy")) });
    const { text } = await ada.get(`${path}/changes`);
    assert.match(text, /over the <del>lazy<\/del><ins>sleepy<\/ins> dog while/);
    assert.match(text, /<details class="folded">\s*<summary[^>]*>…<\/summary>.*old dog\./);
    assert.match(text, /⋯ 6 unchanged lines/);
    assert.equal(text.match(/<tr class="changed">/g)?.length, 1);
    assert.doesNotMatch(text, /Five\./);
    const whole = await ada.post(`${path}/changes`, { "whole:guide.mdx": "on" });
    assert.match(whole.text, /Five\./);
    assert.match(whole.text, /<input type="hidden" name="whole:guide\.mdx" value="on"/);
  });

  it("color Markdown and code", async () => {
    const { path } = await openReview({
      "guide.mdx": page("Use `npm`."),
      "code.js": 'let a = "b";\n',
    });
    const { text } = await ada.get(`${path}/changes`);
    assert.match(text, /Use <span class="hl-code">`npm`<\/span>/);
    assert.match(
      text,
      /<span class="hl-keyword">let<\/span> a = <span class="hl-string">&quot;b&quot;/,
    );
  });

  it("are listed as a tree, whose files can be ticked as seen until they change again", async () => {
    const files = {
      "guide.mdx": page("Other."),
      "deep/down/a.mdx": "A.\n",
      "deep/down/b.mdx": "B.\n",
    };
    const { own, path } = await openReview(files);
    const shown = await ada.get(`${path}/changes`);
    assert.match(shown.text, /<span class="folder">deep\/down\/<\/span>/);
    assert.match(wordsOf(shown), /3 files \+\d+ −\d+, 0 seen/);
    const seen = markOf(shown, "guide.mdx");
    const ticked = await ada.post(`${path}/changes`, { seen, message: "Half a thought" });
    assert.match(ticked.headers.get("set-cookie") ?? "", new RegExp(`Path=${path}; HttpOnly`));
    const marks = (visit: Visit) => [
      visit.text.match(/aria-label="seen"/g)?.length ?? 0,
      /, \d seen/.exec(wordsOf(visit))?.[0],
    ];
    assert.deepEqual(marks(ticked), [1, ", 1 seen"]);
    assert.deepEqual(marks(await ada.get(`${path}/changes`)), [1, ", 1 seen"]);
    assert.match(ticked.text, /Half a thought<\/textarea>/);
    assert.doesNotMatch(ticked.text, /Other\./);
    await own.pushBranch("octavo/mend", { ...files, "guide.mdx": page("Another.") });
    assert.deepEqual(marks(await ada.get(`${path}/changes`)), [0, ", 0 seen"]);
  });

  it("come in pages of files, and comments go along", async () => {
    const many = Array.from({ length: 45 }, (_, index) => [
      `many/page-${index}.mdx`,
      `Page ${index}.\n`,
    ]);
    const { path } = await openReview(Object.fromEntries(many));
    const shown = await ada.get(`${path}/changes`);
    assert.match(shown.text, /Page 1 of 3/);
    assert.equal(shown.text.match(/<section class="file"/g)?.length, 20);
    assert.equal(shown.text.match(/class="kind kind-added"/g)?.length, 45);
    const place = "comment:R1:many/page-0.mdx";
    const next = await ada.post(`${path}/changes?page=3`, { [place]: "Why?" });
    assert.equal(next.text.match(/<section class="file"/g)?.length, 5);
    assert.match(next.text, /name="comment:R1:many\/page-0\.mdx" value="Why\?"/);
    assert.equal((await ada.get(`${path}/changes?page=99`)).status, 200);
    assert.equal((await ada.get(`${path}/changes?page=x`)).status, 200);
  });

  it("leave out what is too large, and show it when asked if a browser can", async () => {
    const { path } = await openReview({
      "long.mdx": lines(1_000),
      "endless.mdx": lines(30_000),
      "wide.mdx": `${"x".repeat(300_000)}\n`.repeat(5),
    });
    const { text } = await ada.get(`${path}/changes`);
    assert.ok(text.length < 100_000, `${text.length} characters`);
    assert.match(text, /1,000 lines changed/);
    assert.match(text, /Too many lines for this page/, "wide.mdx");
    const long = await ada.post(`${path}/changes`, { "whole:long.mdx": "on" });
    assert.match(long.text, /Line 999</);
    const endless = await ada.post(`${path}/changes`, { "whole:endless.mdx": "on" });
    assert.doesNotMatch(endless.text, /Line 29999/);
  });
});

describe("comments on lines", () => {
  it("become one message to the agent, which changes the pull request", async () => {
    const { project } = await dashboard.addProject(organization.id);
    const agent = `/projects/${project.id}/agent`;
    const job =
      (await ada.post(agent, { prompt: "replace Words with Sentences in guide.mdx" })).headers.get(
        "location",
      ) ?? "";
    await waitFor(ada, job, ({ text }) => /badge-completed/.test(text.split("<main")[1] ?? ""));
    const path = `/projects/${project.id}/pulls/1`;
    const opened = await ada.post(`${path}/changes`, { on: "R7:guide.mdx" });
    assert.match(opened.text, /<textarea\s+id="on"\s+autofocus\s+name="comment:R7:guide\.mdx"/);
    const asked = await ada.post(`${path}/ask`, {
      tab: "changes",
      "comment:R7:guide.mdx": "Shorter, please.",
      "comment:L7:guide.mdx": "This was fine.",
      "comment:R9:gone.mdx": "Not a changed file.",
      message: "replace Sentences with Text in guide.mdx",
    });
    assert.equal(asked.status, 303);
    assert.equal(asked.headers.get("location"), job);
    await waitFor(
      ada,
      job,
      ({ text }) =>
        /badge-completed/.test(text.split("<main")[1] ?? "") && /Shorter, please/.test(text),
    );
    assert.match((await ada.get(`${path}/changes`)).text, /<td class="line">Text\.<\/td>/);
    const { text } = await ada.get(path);
    assert.match(
      text,
      /<code>guide\.mdx<\/code>, line 7:[^]*<blockquote>[^]*Sentences\.[^]*Shorter, please\./,
    );
    assert.match(text, /line 7, before the change:[^]*<blockquote>[^]*Words\.[^]*This was fine\./);
    assert.doesNotMatch(text, /Not a changed file/);
  });

  it("are kept where they cannot be sent", async () => {
    const { path } = await openReview({ "guide.mdx": page("Other.") });
    const comments = { tab: "changes", "comment:R7:guide.mdx": "Keep <me>" };
    const refused = await ada.post(`${path}/ask`, comments);
    assert.equal(refused.status, 400);
    assert.match(refused.text, /No agent works on this branch\./);
    assert.match(refused.text, /Keep &lt;me&gt;<\/textarea/);
    const empty = await ada.post(`${path}/comment`, { message: " " });
    assert.equal(empty.status, 400);
    assert.match(empty.text, /role="alert">Write what should change/);
    const long = await ada.post(`${path}/comment`, { message: "a".repeat(20_001) });
    assert.match(long.text, /at most 20,000 characters/);
    const said = await ada.post(`${path}/comment`, comments);
    assert.equal(said.headers.get("location"), `${path}#reply`);
    assert.match((await ada.get(path)).text, /Ada&#39;s key[^]*Keep &lt;me&gt;/);
  });
});

describe("a rendered page", () => {
  it("stands beside what it was, with its changed words marked", async () => {
    const { path } = await openReview({
      "guide.mdx": page(first.replace("lazy", "sleepy")).replace("Five.", "Five.\n\nSix."),
      "code.js": "const a = 2;\n",
    });
    const { text } = await ada.get(`${path}/preview`);
    assert.match(
      text,
      /side-before is-changed">\s*<p>The quick[^]*?<del>lazy<\/del>[^]*?side-after is-changed">\s*<p>The quick[^]*?<ins>sleepy<\/ins>/,
    );
    assert.match(text, /side-after is-added">\s*<p>Six\./);
    assert.match(text, /unchanged blocks/);
    assert.match(text, /<strong>care<\/strong>/);
    assert.match(text, /&lt;Note&gt;/);
    assert.doesNotMatch(text, /code\.js/);
    assert.equal((await ada.get(`${path}/preview?page=nothing.mdx`)).status, 200);
  });

  it("shows what readers will see differently, where there is an export of the branch", async () => {
    const { own, path } = await openReview({
      "guide.mdx": page(first.replace("lazy", "sleepy")),
      "gone.mdx": "---\ntitle: New page\n---\n\nSomething new.\n",
    });
    await publish(own);
    await exportBranch(own);
    const { text, headers } = await ada.get(`${path}/preview`);
    assert.match(
      wordsOf({ text, headers, status: 200 }),
      /2 pages changed, compared with commit [0-9a-f]{7}, where the pull request branched off\./,
    );
    assert.match(text, /preview\?page=guide\.html"[^]*?1 change</);
    assert.match(headers.get("content-security-policy") ?? "", /frame-src 'self'/);
    const guide = await ada.get(`${path}/preview?page=guide.html`);
    const [, frame = ""] = /<iframe [^>]*src="([^"]+)"/.exec(guide.text) ?? [];
    const inFrame = { "sec-fetch-dest": "iframe" };
    const shown = await ada.get(frame, inFrame);
    assert.match(shown.text, /the <del [^>]*>lazy<\/del><ins [^>]*>sleepy<\/ins> dog/);
    assert.match(shown.text, /2 changed pages/);
    assert.match(
      shown.text,
      /Compared with commit [0-9a-f]{7}, where the pull request branched off\./,
    );
    assert.match(shown.headers.get("content-security-policy") ?? "", /^sandbox allow-scripts;/);
    const folder = frame.replace(/[^/]*$/, "");
    const script = await ada.get(`${folder}_octavo/difference/difference.js`, inFrame);
    assert.match(script.headers.get("content-type") ?? "", /^text\/javascript/);
    assert.equal((await ada.get(`${folder}_octavo/difference/pages.json`, inFrame)).status, 404);
    assert.match((await ada.get(`${folder}index.html?diff`, inFrame)).text, /No changes/);
    const around = await ada.get(frame, { "sec-fetch-dest": "document" });
    assert.match(around.headers.get("location") ?? "", /\/previews\/[^/]+\/[^?]+\?diff$/);
  });

  it("shows no changes that others have published since", async () => {
    const { own, path } = await openReview({ "guide.mdx": page("Other.") });
    await publish(own);
    await own.pushMain({ "index.mdx": "---\ntitle: Welcome\n---\n\nHello again.\n" });
    await deploy(own);
    await exportBranch(own);
    const shown = wordsOf(await ada.get(`${path}/preview`));
    assert.match(shown, /1 page changed, compared with commit [0-9a-f]{7}, where the pull request/);
    assert.match(shown, /Guide\s+1 change /);
    assert.doesNotMatch(shown, /Welcome/);
  });

  it("says why it is compared with the published version if its base is not built", async () => {
    const { own, path } = await openReview({ "guide.mdx": page("Other.") });
    await publish(own, { previewPullRequests: "none" });
    await own.pushMain({ "index.mdx": "---\ntitle: Welcome\n---\n\nHello again.\n" });
    await deploy(own);
    await removeDeployments(own);
    await exportBranch(own);
    const shown = wordsOf(await ada.get(`${path}/preview`));
    assert.match(
      shown,
      /2 pages changed, compared with the published version at commit [0-9a-f]{7}, because no deployment shows the commit where the pull request branched off\./,
    );
  });
});
