import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createApiClient } from "../../../../test/support/api-client.ts";
import { openAuthor } from "../../../../test/support/git-fixture.ts";
import { startModelServer } from "../../../../test/support/model-server.ts";
import type { ModelServer } from "../../../../test/support/model-server.ts";
import { openDashboard, waitFor } from "../../../../test/support/running-dashboard.ts";
import type {
  HostedProject,
  RunningDashboard,
  Visit,
  Visitor,
} from "../../../../test/support/running-dashboard.ts";
import { scriptedAgent } from "../../../../test/support/scripted-agent.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { TemporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { createId } from "../core/index.ts";

let folder: TemporaryFolder;
let model: ModelServer;
let dashboard: RunningDashboard;
let organization: { readonly id: string; readonly key: string };
let ada: Visitor;
before(async () => {
  folder = await temporaryFolder();
  model = await startModelServer(scriptedAgent);
  dashboard = await openDashboard({
    OCTAVO_MODEL: "compatible/scripted",
    OCTAVO_MODEL_URL: `${model.url}/v1`,
    OCTAVO_ALLOW: `127.0.0.1,file://${folder.path}`,
  });
  organization = await dashboard.openOrganization();
  ada = await dashboard.browse().signIn(organization.key);
});
after(async () => {
  await dashboard[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const openProject = () => dashboard.addProject(organization.id);
const agentPath = ({ project }: HostedProject) => `/projects/${project.id}/agent`;

function location({ status, headers, text }: Visit): string {
  assert.equal(status, 303, text);
  return headers.get("location") ?? "";
}

/** Asks in a project, and gives the address of the job. */
async function ask(hosted: HostedProject, prompt: string): Promise<string> {
  return location(await ada.post(agentPath(hosted), { prompt }));
}

/** The project above the page has a badge of its own. */
const isCompleted = ({ text }: Visit) => /badge-completed/.test(text.split("<main")[1] ?? "");

async function complete(hosted: HostedProject, prompt: string): Promise<string> {
  const address = await ask(hosted, prompt);
  await waitFor(ada, address, isCompleted);
  return address;
}

const isThere = ({ status }: Visit) => status === 303;

async function exportsOf(address: string) {
  return await dashboard.node.records.database.kysely
    .selectFrom("static_export_jobs")
    .select(["status", "commit", "purpose"])
    .where("ref", "like", `octavo/agent-${address.split("/").at(-1)}%`)
    .execute();
}

async function exhaustRate(hosted: HostedProject, kind: "jobs" | "messages"): Promise<void> {
  const values = Array.from({ length: 100 }, () => ({
    project_id: hosted.project.id,
    kind,
    used_at: new Date(),
  }));
  await dashboard.node.records.database.kysely.insertInto("agent_uses").values(values).execute();
}

/** Opens what the frame of a preview shows. */
async function openFrame(visitor: Visitor, preview: string): Promise<Visit> {
  const [, files = ""] = /<iframe[^>]+src="([^"]+)"/.exec((await visitor.get(preview)).text) ?? [];
  return await dashboard.browse().get(files, { "sec-fetch-dest": "iframe" });
}

describe("an agent job on the dashboard", () => {
  it("takes an instruction, shows its steps, and links to its pull request", async () => {
    const hosted = await openProject();
    const prompt = "replace Words with Sentences in guide.mdx";
    const address = await ask(hosted, `${prompt}\r\n`);
    assert.match(address, new RegExp(`^${agentPath(hosted)}/aj_\\w+$`));
    const { text } = await waitFor(ada, address, isCompleted);
    for (const part of [
      new RegExp(`<h1>${prompt}</h1>`),
      /Edited <code>guide\.mdx<\/code><span class="soft">: 1 change<\/span>/,
      /Checked the site: 1 error and 0 warnings/,
      /Committed 1 changed file\. <code title="[0-9a-f]{40}">/,
      /Opened the\s+<a href="[^"]+\/pulls\/1">pull request 1<\/a>/,
      /<tr class="added">[^]*?<td class="line">Sentences\.<\/td>/,
      /href="[^"]+\/pulls\/1">Open the pull request<\/a>/,
      /The changes are added to the same pull request/,
      /compatible\/scripted/,
    ]) {
      assert.match(text, part);
    }
    assert.doesNotMatch(text, /hx-get/);
    const list = await ada.get(agentPath(hosted));
    assert.ok(list.text.includes(address) && list.text.includes(prompt));
    assert.match(list.text, /badge-open[^]*Pull request<\/a>/);
    const active = await ada.get(`${agentPath(hosted)}?status=active`);
    assert.match(active.text, /No active agent jobs/);
    assert.ok((await ada.get(`/projects/${hosted.project.id}`)).text.includes(address));
  });

  it("can be followed, cancelled, continued and archived", async () => {
    const hosted = await openProject();
    const asked = model.requests.length;
    const address = await ask(hosted, "wait");
    const page = await waitFor(ada, address, () => model.requests.length > asked);
    assert.match(page.text, /<noscript><meta http-equiv="refresh" content="3" \/><\/noscript>/);
    const poll = /hx-get="([^"]+\?seen=\d+)"/.exec((await ada.get(address)).text)?.[1] ?? "";
    assert.equal((await ada.get(poll, { "hx-request": "true" })).status, 204);
    assert.equal((await ada.get(poll)).status, 200);

    const prompt = "replace Words with Sentences in guide.mdx";
    assert.equal(location(await ada.post(`${address}/message`, { prompt })), address);
    assert.match((await ada.get(address)).text, /, queued/);
    assert.equal((await ada.post(`${address}/archive`)).status, 409);
    assert.equal(location(await ada.post(`${address}/cancel`)), address);
    const cancelled = await ada.get(address);
    assert.match(cancelled.text, /Cancelled by request/);
    assert.match(cancelled.text, /This message was dropped/);
    assert.match(cancelled.text, /The turn ended without a result/);
    assert.equal((await ada.post(`${address}/cancel`)).status, 409);
    assert.equal((await ada.get(poll, { "hx-request": "true" })).status, 200);

    await ada.post(`${address}/message`, { prompt });
    await waitFor(ada, address, isCompleted);
    assert.equal(location(await ada.post(`${address}/archive`)), address);
    const archived = await ada.get(address);
    assert.match(archived.text, /badge-archived/);
    assert.doesNotMatch(archived.text, /<textarea/);
    assert.equal((await ada.post(`${address}/message`, { prompt })).status, 409);
    assert.match((await ada.get(`${agentPath(hosted)}?status=archived`)).text, /badge-archived/);
  });

  it("accepts an instruction as long as the API does", async () => {
    const hosted = await openProject();
    const address = await ask(hosted, "🙂".repeat(20_000));
    const { text } = await waitFor(ada, address, isCompleted);
    assert.match(text, /No file was changed/);
  });

  const refused: readonly (readonly [form: Readonly<Record<string, string>>, sentence: RegExp])[] =
    [
      [{}, /Write what the agent should do/],
      [{ prompt: " \r\n " }, /Write what the agent should do/],
      [{ prompt: "\u200b \u00a0" }, /Write what the agent should do/],
      [{ prompt: "a".repeat(20_001) }, /at most 20,000 characters/],
      [{ prompt: "a\0b" }, /contains invalid characters/],
    ];
  for (const [form, sentence] of refused) {
    it(`refuses ${JSON.stringify(form).slice(0, 30)} with a message, and keeps the text`, async () => {
      const hosted = await openProject();
      const { status, text } = await ada.post(agentPath(hosted), form);
      assert.equal(status, 400);
      assert.match(text, sentence);
      if (form["prompt"]?.startsWith("aa")) assert.ok(text.includes(form["prompt"]));
      assert.match((await ada.get(agentPath(hosted))).text, /No agent jobs yet/);
    });
  }

  it("says when to try again after the rate limit, and keeps the text", async () => {
    const hosted = await openProject();
    const address = await complete(hosted, "look");
    await exhaustRate(hosted, "jobs");
    await exhaustRate(hosted, "messages");
    assert.match((await ada.get(agentPath(hosted))).text, /Remaining:\s+0/);
    for (const [path, sentence] of [
      [agentPath(hosted), /100 agent jobs were started .* Try again in \d+ minutes?\./],
      [`${address}/message`, /100 messages were sent .* Try again in \d+ minutes?\./],
    ] as const) {
      const { status, headers, text } = await ada.post(path, { prompt: "Keep <me>" });
      assert.equal(status, 429);
      assert.ok(Number(headers.get("retry-after")) > 0);
      assert.match(text, sentence);
      assert.match(text, /Keep &lt;me&gt;<\/textarea/);
    }
  });

  it("is available only to its own organization and from pages of the dashboard", async () => {
    const hosted = await openProject();
    const address = await complete(hosted, "replace Words with Sentences in guide.mdx");
    const other = await dashboard.openOrganization("Other");
    const stranger = await dashboard.browse().signIn(other.key);
    const theirs = await dashboard.addProject(other.id);
    const id = address.split("/").at(-1) ?? "";
    for (const base of [agentPath(hosted), agentPath(theirs)]) {
      for (const path of [`${base}/${id}`, `${base}/${id}/preview/1`]) {
        assert.equal((await stranger.get(path)).status, 404, path);
      }
      for (const action of ["message", "cancel", "archive", "preview/1"]) {
        const path = `${base}/${id}/${action}`;
        assert.equal((await stranger.post(path, { prompt: "look" })).status, 404, path);
      }
    }
    assert.equal((await stranger.get(agentPath(hosted))).status, 404);
    assert.equal((await stranger.post(agentPath(hosted), { prompt: "look" })).status, 404);
    const foreign = { "sec-fetch-site": "cross-site" };
    for (const path of [agentPath(hosted), `${address}/message`, `${address}/preview/1`]) {
      assert.equal((await ada.post(path, { prompt: "look" }, foreign)).status, 403, path);
    }
    for (const name of ["aj_x", createId("agentJob"), "..%2F..%2Fetc"]) {
      assert.equal((await ada.get(`${agentPath(hosted)}/${name}`)).status, 404, name);
    }
  });

  it("is still shown when its steps have been removed", async () => {
    const hosted = await openProject();
    const address = await complete(hosted, "look around");
    await dashboard.node.records.database.kysely
      .deleteFrom("agent_events")
      .where("job_id", "=", address.split("/").at(-1) ?? "")
      .execute();
    const { text } = await ada.get(address);
    assert.match(text, /The steps were removed after their retention time/);
    assert.match(text, /<p class="step-text">look around<\/p>/);
  });
});

describe("the preview of a pull request", () => {
  it("is linked in its text, and opens at the requested page after the sign-in", async () => {
    const hosted = await openProject();
    const address = await complete(hosted, "replace Words with Sentences in guide.mdx");
    const preview = `${address}/preview/1`;
    const pull = await ada.get(`/projects/${hosted.project.id}/pulls/1`);
    for (const link of [preview, `${preview}/guide`]) {
      assert.ok(pull.text.includes(`href="${dashboard.url}${link}"`), link);
    }
    assert.match(pull.text, /sign in with an API key/);

    const visitor = dashboard.browse();
    const asked = location(await visitor.get(`${preview}/guide`));
    assert.equal(asked, `/signin?next=${encodeURIComponent(`${preview}/guide`)}`);
    const form = { key: organization.key, next: `${preview}/guide` };
    assert.equal(location(await visitor.post("/signin", form)), `${preview}/guide`);

    const shown = location(await waitFor(visitor, `${preview}/guide`, isThere));
    assert.match(shown, /^\/previews\/[^/]+\/guide\.html$/);
    const page = await openFrame(visitor, shown);
    assert.match(page.text, /Sentences\./);
    const policy = page.headers.get("content-security-policy");
    assert.match(policy ?? "", /^sandbox allow-scripts; .* connect-src 'none'/);
    assert.match(location(await visitor.get(preview)), /^\/previews\/[^/]+\/$/);
    assert.match(location(await visitor.get(`${preview}/`)), /^\/previews\/[^/]+\/$/);
    const part = await visitor.get(preview, { "hx-request": "true" });
    assert.equal(part.status, 204);
    assert.match(part.headers.get("hx-redirect") ?? "", /^\/previews\//);

    // People push to the branch as well; the next preview holds what they did.
    const { text } = await visitor.get(address);
    assert.match(
      text,
      new RegExp(`action="${preview}">\\s+<button type="submit">Renew the preview`),
    );
    await hosted.pushBranch(`octavo/agent-${address.split("/").at(-1)}`, {
      "guide.mdx": "---\ntitle: Guide\n---\n\nBy hand.\n",
    });
    assert.equal(location(await visitor.post(preview)), preview);
    const renewed = location(await waitFor(visitor, `${preview}/guide`, isThere));
    assert.match((await openFrame(visitor, renewed)).text, /By hand\./);
  });

  it("is made once for each commit, and is in no list of exports", async () => {
    const hosted = await openProject();
    const address = await complete(hosted, "replace Words with Sentences in guide.mdx");
    await waitFor(ada, `${address}/preview/1`, isThere);
    await ada.post(`${address}/message`, { prompt: "replace First with Second in guide.mdx" });
    await waitFor(ada, address, (visit) => isCompleted(visit) && /Second/.test(visit.text));
    const shown = location(await waitFor(ada, `${address}/preview/1/guide`, isThere));
    assert.match((await openFrame(ada, shown)).text, /Second[^]*Sentences/);
    // A turn that changes nothing has nothing new to look at.
    await ada.post(`${address}/message`, { prompt: "look" });
    await waitFor(ada, address, isCompleted);
    const made = await exportsOf(address);
    assert.equal(made.length, 2);
    assert.equal(new Set(made.map(({ commit }) => commit)).size, 2);
    assert.ok(made.every(({ purpose }) => purpose === "preview"));
    const client = createApiClient(dashboard.url, organization.key);
    const { body } = await client.call(
      "GET",
      `/v1/static-export/jobs?domain=${hosted.project.domain}`,
    );
    assert.deepEqual(body, { jobs: [], nextCursor: null });
    assert.match(
      (await ada.get(`/projects/${hosted.project.id}/exports`)).text,
      /No exports yet\. Start the first/,
    );
  });

  it("exists for the branch of each pull request of a job", async () => {
    const hosted = await openProject();
    const address = await complete(hosted, "replace Words with Sentences in guide.mdx");
    await dashboard.node.reviews.close(hosted.project.id, 1);
    await ada.post(`${address}/message`, { prompt: "replace Words with Phrases in guide.mdx" });
    await waitFor(ada, address, (visit) => isCompleted(visit) && /Phrases\./.test(visit.text));
    for (const [number, word] of [
      [1, /Sentences/],
      [2, /Phrases/],
    ] as const) {
      const shown = location(await waitFor(ada, `${address}/preview/${number}/guide`, isThere));
      assert.match((await openFrame(ada, shown)).text, word);
    }
    const pull = await ada.get(`/projects/${hosted.project.id}/pulls/2`);
    assert.ok(pull.text.includes(`${address}/preview/2/guide`));
    assert.ok(!pull.text.includes(`${address}/preview/1`));
    for (const number of ["3", "0", "01", "x", "-1", "99999999999"]) {
      assert.equal((await ada.get(`${address}/preview/${number}`)).status, 404, number);
    }
  });

  it("is made from the service's copy of an external repository", async () => {
    const author = await openAuthor(join(folder.path, "author"));
    await author.commit({ "index.mdx": "---\ntitle: Home\n---\n\nWords.\n" });
    const { projects } = dashboard.node.records;
    const project = await projects.create(organization.id, {
      name: "Outside",
      domain: "outside.acme.example",
      repository: `file://${author.folder}`,
      codeHost: "local",
    });
    const prompt = "replace Words with Sentences in index.mdx";
    const asked = await ada.post(`/projects/${project.id}/agent`, { prompt });
    await waitFor(ada, location(asked), isCompleted);
    const preview = await waitFor(ada, `${location(asked)}/preview/1/index`, isThere);
    assert.match((await openFrame(ada, location(preview))).text, /Sentences\./);
  });

  it("does not exist if nothing was changed", async () => {
    const hosted = await openProject();
    const address = await complete(hosted, "look");
    const { status, text } = await ada.get(`${address}/preview/1`);
    assert.equal(status, 404);
    assert.match(text, /has not pushed any changes to preview/);
    assert.deepEqual(await exportsOf(address), []);
  });

  it("is neither linked nor made on a plan without exports", async () => {
    const small = await dashboard.openOrganization("Small");
    const hosted = await dashboard.addProject(small.id);
    await dashboard.node.records.organizations.setPlan(small.id, "pro");
    const visitor = await dashboard.browse().signIn(small.key);
    const prompt = "replace Words with Sentences in guide.mdx";
    const address = location(await visitor.post(agentPath(hosted), { prompt }));
    await waitFor(visitor, address, isCompleted);
    const pull = await dashboard.codeHost.get(hosted.project, 1);
    assert.doesNotMatch(pull.body, /preview/i);
    assert.match((await visitor.get(`${address}/preview/1`)).text, /requires the enterprise plan/);
    assert.equal((await visitor.post(`${address}/preview/1`)).status, 403);
    assert.deepEqual(await exportsOf(address), []);
  });
});

describe("a preview that does not exist", () => {
  // Without a worker everything stays where it is put.
  let other: RunningDashboard;
  let visitor: Visitor;
  let projectId: string;
  let domain: string;
  let organizationId: string;
  before(async () => {
    other = await openDashboard({ OCTAVO_ROLES: "api" });
    const opened = await other.openOrganization();
    const { project } = await other.addProject(opened.id);
    [organizationId, projectId, domain] = [opened.id, project.id, project.domain];
    visitor = await other.browse().signIn(opened.key);
  });
  after(() => other[Symbol.asyncDispose]());

  const head = "a".repeat(40);
  const bundle = { status: "completed", progress: 100, bundle_bytes: 1 } as const;

  async function openJob() {
    const { kysely } = other.node.records.database;
    const id = createId("agentJob");
    const branch = `octavo/agent-${id}`;
    const endedAt = new Date();
    await kysely
      .insertInto("agent_jobs")
      .values({
        id,
        organization_id: organizationId,
        project_id: projectId,
        status: "completed",
        model: "builtin/recipes",
        repository: "local",
        branch,
        head_commit: head,
        ended_at: endedAt,
      })
      .execute();
    const rows = () =>
      kysely
        .selectFrom("static_export_jobs")
        .select(["id", "status", "commit"])
        .where("ref", "=", branch)
        .orderBy("id")
        .execute();
    async function addExport(commit: string, createdAt: Date, bundleKey: string | null) {
      await kysely
        .insertInto("static_export_jobs")
        .values({
          id: createId("staticExport"),
          organization_id: organizationId,
          project_id: projectId,
          domain,
          ref: branch,
          commit,
          format: "tar.gz",
          purpose: "preview",
          ...bundle,
          bundle_key: bundleKey,
          completed_at: new Date(),
          created_at: createdAt,
        })
        .execute();
    }
    return { address: `/projects/${projectId}/agent/${id}/preview/1`, rows, addExport, endedAt };
  }

  it("is made by its button, once however often it is pressed, and not by a GET", async () => {
    const { address, rows } = await openJob();
    const page = await visitor.get(address);
    assert.equal(page.status, 200);
    assert.match(page.text, /This branch does not have a preview yet/);
    assert.deepEqual(await rows(), []);
    const pressed = await Promise.all(
      Array.from({ length: 8 }, () => visitor.post(`${address}/guide`)),
    );
    assert.deepEqual(new Set(pressed.map(location)), new Set([`${address}/guide`]));
    assert.equal((await rows()).length, 1);
    const waiting = await visitor.get(`${address}/guide`);
    assert.match(waiting.text, /Waiting for a worker/);
    assert.ok(waiting.text.includes(`hx-get="${address}/guide"`));
    assert.match(waiting.text, /http-equiv="refresh"/);
  });

  it("says why it failed, and can be made again", async () => {
    const { address, rows } = await openJob();
    await visitor.post(address);
    const [first] = await rows();
    await visitor.post(`/projects/${projectId}/exports/${first?.id}/cancel`);
    assert.match(
      (await visitor.get(address)).text,
      /The last preview failed: Cancelled by request/,
    );
    await visitor.post(address);
    assert.deepEqual(
      (await rows()).map(({ status }) => status),
      ["failed", "queued"],
    );
  });

  it("can be made again if retention removed it", async () => {
    const { address, addExport } = await openJob();
    await addExport(head, new Date(), null);
    const { text } = await visitor.get(address);
    assert.match(text, /was removed after its\s+retention time/);
    assert.match(text, /Create the preview/);
  });

  it("may exist for an older commit, to which the page links", async () => {
    const { address, addExport, endedAt } = await openJob();
    await addExport("b".repeat(40), new Date(endedAt.getTime() - 1000), "bundles/x.tar.gz");
    const { status, text } = await visitor.get(address);
    assert.equal(status, 200);
    assert.match(text, /of the commit <code>bbbbbbb<\/code>; the\s+branch\s+has\s+newer\s+commits/);
    assert.match(text, /Open the older preview/);
  });

  it("is shown once somebody makes it from commits that others pushed since", async () => {
    const { address, addExport, endedAt } = await openJob();
    await addExport("c".repeat(40), new Date(endedAt.getTime() + 1000), "bundles/x.tar.gz");
    assert.match(location(await visitor.get(address)), /^\/previews\//);
  });
});
