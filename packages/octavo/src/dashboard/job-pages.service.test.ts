import { groupProblems } from "@octavo/site/core";
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startModelServer, type ModelServer } from "../../../../test/support/model-server.ts";
import {
  openDashboard,
  waitFor,
  type RunningDashboard,
  type Visit,
  type Visitor,
} from "../../../../test/support/running-dashboard.ts";
import { scriptedAgent } from "../../../../test/support/scripted-agent.ts";
import { createAddresses } from "./addresses.ts";
import { renderExportStages } from "./routes/exports.ts";
import { renderProblemList, type ProblemsView } from "./pages/problems.ts";

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

/** The project above the page has a badge of its own. */
const isCompleted = ({ text }: Visit) => /badge-completed/.test(text.split("<main")[1] ?? "");
const locationOf = ({ headers }: Visit) => headers.get("location") ?? "";

describe("an export's page", () => {
  it("has a log of its stages, and its problems as a list of work", async () => {
    const own = await dashboard.addProject(organization.id);
    const links = Array.from({ length: 12 }, () => "[Away](/gone)").join("\n\n");
    await own.pushMain({ "guide.mdx": `---\ntitle: Guide\n---\n\n${links}\n` });
    const address = locationOf(await ada.post(`/projects/${own.project.id}/exports`));
    const { text } = await waitFor(ada, address, isCompleted);
    const stages = [
      /Checking out/,
      /Rendering the site at [0-9a-f]{7}/,
      /Packing 2 pages/,
      /Storing/,
      /Completed\./,
    ];
    let at = text.indexOf('id="log"');
    for (const stage of stages) {
      const found = text.slice(at).search(stage);
      assert.ok(found > 0, `${stage}`);
      at += found;
    }
    assert.match(text, /× 12/);
    assert.match(text, /and 2 more locations/);
    assert.match(text, /<option value="link_broken"\s*>\s*link broken \(13\)/);
    const chosen = await ada.get(`${address}?kind=link_broken&file=index.mdx`);
    assert.match(chosen.text, /nowhere/);
    assert.doesNotMatch(chosen.text, /× 12/);
    assert.match((await ada.get(`${address}?kind=none`)).text, /No problems of this kind/);

    const [, fix = ""] = /href="([^"]+\?prompt=[^"]+)">Fix with an agent/.exec(text) ?? [];
    const asked = await ada.get(fix);
    assert.match(
      asked.text,
      /Fix this problem of the site[^]*- guide\.mdx, line 5\n[^<]*<\/textarea>/,
    );
  });

  it("says how many pages are done, and what time is left", () => {
    const log = [
      { at: new Date(Date.now() - 60_000).toISOString(), stage: "checkout", text: "Checking out." },
      { at: new Date(Date.now() - 20_000).toISOString(), stage: "rendering", text: "Rendering." },
    ] as const;
    const job = { status: "running", progress: 40, pageCount: 50 };
    const shown = (totalPages: number) =>
      String(
        renderExportStages(job as Parameters<typeof renderExportStages>[0], { totalPages, log }),
      );
    assert.match(shown(100), /50 of 100 pages, about (20|25) seconds left/);
    assert.match(shown(400), /about 3 minutes left/);
    assert.match(shown(5_000), /50 of 5,000 pages</, "too early to say");
    assert.match(shown(100), /stage-done" >\s*Checkout[^]*aria-current="step">\s*Rendering/);
  });
});

describe("problems", () => {
  const problem = {
    severity: "warning",
    code: "unknown_icon",
    message: "No icon x.",
    file: "a b.mdx",
    line: 3,
  } as const;

  it("come with errors first, and equal ones together", () => {
    const error = { ...problem, severity: "error", code: "link_broken", message: "Gone." } as const;
    const groups = groupProblems([problem, { ...problem, file: "b.mdx" }, error]);
    assert.deepEqual(
      groups.map(({ code, problems }) => [code, problems.length]),
      [
        ["link_broken", 1],
        ["unknown_icon", 2],
      ],
    );
  });

  it("link to their source where the code host is known", () => {
    const project = {
      id: "pr_1",
      repository: "https://github.com/acme/docs.git",
      directory: "docs",
      codeHost: "github",
    };
    const report = { errors: 0, warnings: 1, notChecked: [], problems: [problem] };
    const view = {
      project,
      report,
      commit: "0".repeat(40),
      filter: {},
      address: "/x",
      model: "builtin/recipes",
    };
    const html = String(renderProblemList(createAddresses(""), view as unknown as ProblemsView));
    assert.ok(
      html.includes(`href="https://github.com/acme/docs/blob/${"0".repeat(40)}/docs/a%20b.mdx#L3"`),
      html,
    );
    assert.doesNotMatch(html, /Fix with an agent/, "the recipes know no icons");
  });
});

describe("an agent job's page", () => {
  it("groups its calls, folds repeats, and keeps what was done when a follow-up changes nothing", async () => {
    const { project } = await dashboard.addProject(organization.id);
    const prompt =
      "replace Words with Sentences in guide.mdx; replace First with Second in guide.mdx; replace Guide with Manual in guide.mdx";
    const address = locationOf(await ada.post(`/projects/${project.id}/agent`, { prompt }));
    const done = await waitFor(ada, address, isCompleted);
    assert.match(done.text, /<summary>\s*Changed the site: made 3 edits/);
    assert.match(done.text, /tokens so far/);
    await ada.post(`${address}/message`, { prompt: "Why?" });
    const { text } = await waitFor(
      ada,
      address,
      (visit) => isCompleted(visit) && /Done: Why\?/.test(visit.text),
    );
    assert.match(
      text,
      /<div class="card prose"><p>Done: replace Words[^]*Answer to the last message[^]*Done: Why\?/,
    );
  });
});
