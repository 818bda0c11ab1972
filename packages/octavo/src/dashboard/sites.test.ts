import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, describe, it } from "node:test";
import { openAuthor, type Author } from "../../../../test/support/git-fixture.ts";
import { senders, type HookRequest } from "../../../../test/support/hook-deliveries.ts";
import { patience } from "../../../../test/support/patience.ts";
import { openDashboard, waitFor } from "../../../../test/support/running-dashboard.ts";
import type { RunningDashboard, Visitor } from "../../../../test/support/running-dashboard.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { TemporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { Project } from "../projects/index.ts";

let folder: TemporaryFolder;
let dashboard: RunningDashboard;
let ada: Visitor;
let author: Author;
let address: string;
let project: Project;
before(async () => {
  folder = await temporaryFolder();
  dashboard = await openDashboard({ OCTAVO_ALLOW: `file://${folder.path}` });
  const organization = await dashboard.openOrganization();
  ada = await dashboard.browse().signIn(organization.key);
  const repository = join(folder.path, "site");
  author = await openAuthor(repository);
  await author.commit({ "index.md": "# First\n" });
  const fields = { name: "Docs", domain: "docs.acme.example", repository: `file://${repository}` };
  project = await dashboard.node.records.projects.create(organization.id, fields);
  address = `/projects/${project.id}`;
});
after(async () => {
  await dashboard[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** Opens the list of deployments until so many are ready. */
async function openWhenReady(count: number): Promise<string> {
  const signal = patience();
  for (;;) {
    const { text } = await ada.get(`${address}/deployments`);
    const ready = text.split("<main")[1]?.match(/badge-completed">(?:live|ready)</g) ?? [];
    if (ready.length === count) return text;
    await sleep(50, undefined, { signal });
  }
}

describe("the site on a project's page", () => {
  it("is published with one button, and then begins the page", async () => {
    const empty = await ada.get(address);
    assert.match(empty.text, /Nothing is published yet\. Publish the site, and readers will find it at http:\/\/acme\.localhost/); // prettier-ignore
    assert.equal((await ada.post(`${address}/deployments`)).status, 303);
    const listed = await openWhenReady(1);
    assert.match(listed, /<a href="http:\/\/acme\.localhost(?::\d+)?\/">/);
    const { text } = await ada.get(address);
    assert.match(text, /1 page, no problems/);
    assert.ok(text.indexOf('id="site"') < text.indexOf("<dt>Repository</dt>"));
  });

  it("has a page with the log of each deployment", async () => {
    const { text } = await ada.get(address);
    const page = /href="(\/projects\/[^"]+\/deployments\/dp_[^"]+)"/.exec(text)?.[1] ?? "";
    const shown = await ada.get(page);
    assert.equal(shown.status, 200);
    assert.match(shown.text, /Checking out the default branch\./);
    assert.match(shown.text, /Published\./);
    assert.match(shown.text, /badge-completed">live</);
    assert.match(shown.text, /<dt>Started by<\/dt>\s*<dd>the dashboard/);
    assert.equal((await ada.get(`${page}x`)).status, 404);
  });

  it("connects a code host with an address and a secret that is shown once", async () => {
    const { text } = await ada.get(`${address}/deployments`);
    assert.match(text, /Let the code host report pushes/);
    const hook = `${address}/hook`;
    assert.match((await ada.get(hook)).text, /No hook yet\..*Create the hook/s);
    const created = await ada.post(hook);
    const secret = /whsec_[A-Za-z0-9+/]{43}=/.exec(created.text)?.[0] ?? "";
    const url = /http[^"<]*\/hooks\/hk_[0-9a-z]{26}/.exec(created.text)?.[0] ?? "";
    assert.notEqual(secret, "");
    const later = await ada.get(hook);
    assert.ok(!later.text.includes(secret));
    assert.match(later.text, /Payload URL.*Target URL/s);
    const sent = async (request: HookRequest) => {
      const path = new URL(url).pathname;
      const answer = await fetch(new URL(path, dashboard.url), { method: "POST", ...request });
      return answer.status;
    };
    assert.equal(await sent(senders.github(secret, "ping", {})), 200);
    assert.equal(await sent(senders.github("whsec_x", "ping", {})), 401);
    const listed = await ada.get(hook);
    assert.match(listed.text, /ignored<.*This was a test delivery\..*/s);
    assert.match(listed.text, /without the correct secret/);
    assert.equal((await ada.post(`${hook}/delete`)).status, 303);
    assert.match((await ada.get(hook)).text, /No hook yet\./);
  });

  it("goes back to an older deployment, and follows pushes again", async () => {
    await author.commit({ "index.md": "# Second\n" });
    await ada.post(`${address}/deployments`);
    const text = await openWhenReady(2);
    const publish = /action="(\/projects\/[^"]+\/deployments\/dp_[^"]+\/publish)"/.exec(text)?.[1];
    assert.ok(publish);
    assert.match(text, /Roll back<\/button>/);
    const page = await ada.get(publish.replace(/\/publish$/, ""));
    assert.ok(page.text.includes(`action="${publish}"`));
    assert.match(page.text, /Roll back<\/button>/);
    assert.equal((await ada.post(publish)).status, 303);
    const back = (await ada.get(address)).text;
    assert.match(back, /The site stays as it is: pushes are not published/);
    const header = /<p class="project-state">[^]*?<\/p>/.exec(back)?.[0] ?? "";
    assert.match(header, /badge-completed">live<[^]*Pushes are not published<\/a>/);
    assert.equal((await ada.post(`${address}/site`, { isAutomatic: "on" })).status, 303);
    const again = (await ada.get(`${address}/deployments`)).text;
    assert.doesNotMatch(again, /pushes are not published/);
    assert.ok(again.includes(`action="${publish}"`));
  });

  it("has domains of its own, and says what to enter at the DNS provider", async () => {
    assert.equal(
      (await ada.post(`${address}/domains`, { domain: "Docs.Own.Example" })).status,
      303,
    );
    const { text } = await ada.get(`${address}/site`);
    assert.match(
      text,
      /<code data-copy="the record&#39;s name">_octavo-challenge\.docs\.own\.example</,
    );
    assert.match(text, /<code data-copy="the record&#39;s value">octavo-domain=[\w-]{32}</);
    assert.match(text, /<code data-copy="the site&#39;s host">acme\.localhost</);
    const scope = { organizationId: project.organizationId };
    await dashboard.node.records.domains.prove(scope, project, "docs.own.example");
    const form = { canonicalDomain: "docs.own.example" };
    assert.equal((await ada.post(`${address}/site`, form)).status, 303);
    const proven = (await ada.get(`${address}/site`)).text;
    assert.match(proven, /proven<\/span>\s*<span class="row-title">docs\.own\.example/);
    assert.match(proven, /other hosts redirect to docs\.own\.example/);
    assert.equal((await ada.post(`${address}/site`, { canonicalDomain: "" })).status, 303);
    assert.doesNotMatch((await ada.get(`${address}/site`)).text, /other hosts redirect/);
    assert.equal((await ada.post(`${address}/domains/docs.own.example/remove`)).status, 303);
    assert.doesNotMatch((await ada.get(`${address}/site`)).text, /docs\.own\.example/);
    const refused = await ada.post(`${address}/domains`, { domain: "localhost" });
    assert.equal(refused.status, 400);
  });

  it("shows what rules match before they are saved, and what is wrong with one", async () => {
    const { text } = await ada.get(`${address}/versions`);
    assert.match(text, /The site has one version: the project(?:'|&#39;)s branch/);
    const tried = await ada.get(`${address}/versions?kind=tag+pattern&match=v*&action=hide`);
    assert.match(tried.text, /These rules are not saved yet/);
    assert.match(tried.text, /value="v\*"[^]*shown here soon after you save a rule/);
    assert.match(tried.text, /value="hide" selected/);
    const wrong = { kind: "tag range", match: "newest", action: "publish" };
    const refused = await ada.post(`${address}/versions`, wrong);
    assert.equal(refused.status, 400);
    assert.match(refused.text, /newest&quot; must be a SemVer range/);
    const saved = await ada.post(`${address}/versions`, { ...wrong, match: ">=2" });
    assert.equal(saved.status, 303);
    assert.match((await ada.get(`${address}/versions`)).text, /value="&gt;=2"/);
  });

  it("has its problems on a page of their own, with the deployment that has them", async () => {
    const none = await ada.get(`${address}/problems`);
    assert.match(none.text, /0 errors,\s+0 warnings/);
    const links = Array.from({ length: 25 }, (_, at) => `[Gone](nowhere-${at}.md)\n`).join("\n");
    await author.commit({ "index.md": `# Third\n\n${links}` });
    await ada.post(`${address}/deployments`);
    const { text } = await waitFor(ada, `${address}/problems`, (visit) =>
      visit.text.includes("25 errors,"),
    );
    assert.match(text, /href="\/projects\/[^"]+\/deployments\/dp_[^"]+">/);
    assert.match(text, /index\.md:3:\d+/);
    assert.match(text, /See 25 errors</);
    assert.match(text, /Problems\s*<span class="tab-count">25</);
  });

  it("in a folder is found from the problems of its repository's root", async () => {
    const repository = join(folder.path, "nested");
    const nested = await openAuthor(repository);
    await nested.commit({
      "docs/docs.json": "{}",
      "docs/index.md": "# Nested\n\n[Guide](/guide)\n",
    });
    const fields = { name: "Nested", domain: "nested.example", repository: `file://${repository}` };
    const { id } = await dashboard.node.records.projects.create(project.organizationId, fields);
    const own = `/projects/${id}`;
    assert.match((await ada.get("/projects")).text, /Nested<[^]*?<dt>Site<\/dt>\s*<dd>\s*<span class="faint">not published yet</); // prettier-ignore
    await ada.post(`${own}/deployments`);
    const { text } = await waitFor(ada, `${own}/problems`, (visit) =>
      visit.text.includes("Is this the right folder?"),
    );
    assert.match(text, /<code>docs\/docs\.json<\/code>\s+exists/);
    const directory = /name="directory" value="([^"]+)"/.exec(text)?.[1] ?? "";
    assert.equal((await ada.post(`${own}/settings/folder`, { directory })).status, 303);
    const { text: mended } = await waitFor(
      ada,
      `${own}/problems`,
      (visit) => !visit.text.includes("Is this the right folder?"),
    );
    assert.match(mended, /index\.md:3/);
    assert.match(
      (await ada.get("/projects")).text,
      /<a href="http:\/\/nested\.localhost(?::\d+)?\/">nested\.localhost/,
    );
  });

  it("gets another name, unless it has the wrong form", async () => {
    assert.equal((await ada.post(`${address}/site`, { slug: "acme-docs" })).status, 303);
    assert.match((await ada.get(address)).text, /http:\/\/acme-docs\.localhost/);
    const refused = await ada.post(`${address}/site`, { slug: "Acme Docs" });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /must be 1 to 40 lowercase letters/);
  });
});
