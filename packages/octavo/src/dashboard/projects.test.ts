import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { addTestNote } from "../../../../test/support/review-note.ts";
import { openAuthor } from "../../../../test/support/git-fixture.ts";
import { openDashboard } from "../../../../test/support/running-dashboard.ts";
import type {
  RunningDashboard,
  Visit,
  Visitor,
} from "../../../../test/support/running-dashboard.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { TemporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { createId } from "../core/index.ts";

let folder: TemporaryFolder;
let dashboard: RunningDashboard;
let organization: { readonly id: string; readonly key: string };
let ada: Visitor;
before(async () => {
  folder = await temporaryFolder();
  dashboard = await openDashboard({ OCTAVO_ALLOW: `file://${folder.path}` });
  organization = await dashboard.openOrganization();
  ada = await dashboard.browse().signIn(organization.key);
});
after(async () => {
  await dashboard[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const locationOf = ({ headers }: Visit) => headers.get("location") ?? "";
const idIn = (address: string) => /pr_\w+/.exec(address)?.[0] ?? "";
const scope = () => ({ organizationId: organization.id, projectId: null });

const namesIn = ({ text }: Visit) => [...text.matchAll(/>Site (\d+)</g)].map(([, name]) => name);

const configuration = JSON.stringify({ name: "Nested", navigation: { pages: ["index"] } });

describe("a project that is added in the browser", () => {
  it("is tried first, and its configuration is found below the root", async () => {
    const author = await openAuthor(join(folder.path, "nested"));
    await author.commit({
      "README.md": "# Code\n",
      "docs/docs.json": configuration,
      "docs/index.mdx": "Hello.\n",
      "web/docs.json": '{ "navigation": ',
    });
    await author.git("branch", "next");
    const form = {
      name: "Nested",
      domain: "nested.acme.example",
      repository: `file://${join(folder.path, "nested")}`,
    };
    const tested = await ada.post("/projects/new/test", form);
    assert.equal(tested.status, 200);
    assert.match(tested.text, /The repository can be read/);
    assert.match(tested.text, /2 branches:[^]*<code>main<\/code>[^]*<\/p>/);
    const [, choice = ""] = /<select id="ref" name="ref">([^]*?)<\/select>/.exec(tested.text) ?? [];
    const offered = [...choice.matchAll(/<option value="([^"]*)" (selected)?/g)];
    assert.deepEqual(offered.map(([, name = ""]) => name).toSorted(), ["", "main", "next"]);
    assert.match(choice, /<option value="" selected>The repository&#39;s default/);
    const ofBranch = await ada.post("/projects/new/test", { ...form, ref: "next" });
    assert.match(ofBranch.text, /Checked <code>next<\/code>/);
    assert.match(ofBranch.text, /<option value="next" selected>next<\/option>/);
    assert.match((await ada.get("/projects/new")).text, /<input\s+id="ref"/);
    assert.match(tested.text, /value="docs" checked[^]*<code>docs\.json<\/code> and 1 page</);
    assert.match(tested.text, /value="web"[^]*It is not valid JSON/);
    const added = await ada.post("/projects/new", { ...form, found: "docs" });
    const project = await dashboard.node.records.projects.get(scope(), idIn(locationOf(added)));
    assert.equal(project.directory, "docs");
    const again = await ada.post("/projects/new", form);
    assert.equal(again.status, 409);
    assert.match(again.text, /belongs to another project/);
    assert.match(again.text, /value="nested\.acme\.example"/);
  });

  it("says why a repository cannot be read, and never repeats a secret", async () => {
    const repository = `file://${join(folder.path, "nowhere")}`;
    const { text } = await ada.post("/projects/new/test", {
      repository,
      token: "secret-token",
      privateKey: "secret-key",
    });
    assert.match(text, /cannot be read/);
    assert.doesNotMatch(text, /secret-/);
    for (const form of [
      { repository: "" },
      { repository: "http://127.0.0.1/x" },
      { place: "local" },
    ]) {
      const refused = await ada.post("/projects/new/test", form);
      assert.match(refused.text, /id="found"[^>]*>\s*<p class="notice danger">/);
    }
    assert.equal(
      (await ada.post("/projects/new", { domain: "a.example", place: "local" })).status,
      400,
    );
  });

  it("shows what to push where the service hosts it", async () => {
    const form = { name: "Hosted", domain: "hosted.acme.example", place: "local" };
    const address = locationOf(await ada.post("/projects/new", form));
    const { text } = await ada.get(address);
    assert.match(
      text,
      new RegExp(
        `href="${address}#push">Push your site<[^]*<details class="card push" id="push" open>[^]*git remote add octavo ${dashboard.url}/git/${idIn(address)}\\.git`,
      ),
    );
    assert.doesNotMatch(text, /Ask an agent/);
  });

  it("needs a key of the whole organization", async () => {
    const own = await dashboard.addProject(organization.id);
    const limited = { organizationId: organization.id, projectId: own.project.id };
    const { secret } = await dashboard.node.records.keys.create(limited, "Limited");
    const visitor = await dashboard.browse().signIn(secret);
    assert.equal((await visitor.get("/projects/new")).status, 403);
    assert.equal((await visitor.post("/projects/new", {})).status, 403);
    assert.equal((await visitor.post("/projects/new/test", {})).status, 403);
    assert.doesNotMatch((await visitor.get("/projects")).text, /Add a project/);
    const address = `/projects/${own.project.id}`;
    assert.match((await visitor.get(`${address}/settings`)).text, /it cannot delete the project/);
    const confirmation = own.project.domain;
    assert.equal((await visitor.post(`${address}/delete`, { confirmation })).status, 403);
  });
});

describe("a project's settings", () => {
  it("change everything that the API takes, and keep credentials to themselves", async () => {
    const { projects } = dashboard.node.records;
    const { project } = await dashboard.addProject(organization.id);
    const path = `/projects/${project.id}/settings`;
    const form = {
      name: "Renamed",
      domain: "renamed.acme.example",
      repository: "https://git.acme.example/team/docs",
      codeHost: "gitea",
      ref: "next",
      directory: "./site/",
      model: "builtin/recipes",
      username: "ada",
      token: "secret-token",
    };
    assert.equal(locationOf(await ada.post(`${path}/general`, form)), `${path}?saved`);
    const changed = await projects.get(scope(), project.id);
    const { name, domain, repository, codeHost, ref, directory, model } = changed;
    assert.deepEqual(
      { name, domain, repository, codeHost, ref, directory, model },
      {
        name: "Renamed",
        domain: form.domain,
        repository: form.repository,
        codeHost: "gitea",
        ref: "next",
        directory: "site",
        model: "builtin/recipes",
      },
    );
    assert.deepEqual(await projects.readCredentials(project.id), {
      username: "ada",
      password: "secret-token",
    });
    const shown = await ada.get(path);
    assert.doesNotMatch(shown.text, /secret-token/);
    assert.match(shown.text, /<option value="gitea" selected>Gitea or Forgejo<\/option>/);
    const { username: _name, token: _token, ...rest } = form;
    await ada.post(`${path}/general`, rest);
    assert.ok(await projects.readCredentials(project.id), "empty fields keep them");
    await ada.post(`${path}/general`, { ...rest, removeCredentials: "on" });
    assert.equal(await projects.readCredentials(project.id), undefined);
    const refused = await ada.post(`${path}/general`, { ...rest, ref: "..", name: "Kept <b>" });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /value="Kept &lt;b&gt;"/);
    const local = await ada.post(`${path}/general`, { ...rest, repository: "/srv/docs" });
    assert.match(
      local.text,
      /id="repository-refusal" role="alert">This is not a repository address/,
    );
    assert.equal((await projects.get(scope(), project.id)).name, "Renamed");
  });

  it("show at the model's field why it cannot be used, and save it if the user insists", async () => {
    const { projects } = dashboard.node.records;
    const { project } = await dashboard.addProject(organization.id);
    const path = `/projects/${project.id}/settings`;
    const { name, domain, repository } = project;
    const form = { name, domain, repository, place: "local", model: "openai/gpt-5" };
    const refused = await ada.post(`${path}/general`, form);
    assert.equal(refused.status, 400);
    assert.match(
      refused.text,
      /value="openai\/gpt-5"[^>]*aria-invalid="true"[^>]*aria-describedby="model-refusal model-hint"[^>]*>\s*<p class="field-refusal" id="model-refusal" role="alert">The model openai\/gpt-5 was not saved, because a test call to it failed\. The model openai\/gpt-5 needs OPENAI_API_KEY, which is not set\./,
    );
    assert.doesNotMatch(refused.text, /testModel/);
    assert.equal((await projects.get(scope(), project.id)).model, null);
    const fresh = { ...form, domain: "untested.acme.example" };
    const unmade = await ada.post("/projects/new", fresh);
    assert.equal(unmade.status, 400);
    assert.match(unmade.text, /id="model-refusal"[^]*name="untestedModel"/);
    assert.equal(
      locationOf(await ada.post(`${path}/general`, { ...form, untestedModel: "on" })),
      `${path}?saved`,
    );
    assert.equal((await projects.get(scope(), project.id)).model, "openai/gpt-5");
    assert.doesNotMatch((await ada.get(path)).text, /untestedModel/);
  });

  it("show what reviewers refused, which can be edited and deleted", async () => {
    const { projects, database } = dashboard.node.records;
    const { project } = await dashboard.addProject(organization.id);
    const path = `/projects/${project.id}/review-notes`;
    assert.match((await ada.get(`/projects/${project.id}/settings`)).text, new RegExp(path));
    assert.match((await ada.get(path)).text, /No notes yet\./);
    const [one, other] = [await addTestNote(database.kysely, project.id, null), await addTestNote(database.kysely, project.id, null)]; // prettier-ignore
    const list = () => projects.reviewNotes.list(project.id);
    const texts = async () => (await list()).map(({ text }) => text);
    assert.match((await ada.get(path)).text, />Not like this\.<\/textarea>/);
    const save = { action: "save", note: one, text: " No <b>\r\nplease. " };
    assert.equal(locationOf(await ada.post(path, save)), path);
    assert.deepEqual(await texts(), ["Not like this.", "No <b>\nplease."]);
    assert.match((await ada.get(path)).text, />No &lt;b&gt;\nplease\.<\/textarea>[^]*, edited/);
    const refused = await ada.post(path, { ...save, text: "x".repeat(2_001) });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /role="alert">text must have 1 to 2,000 characters[^]*>x{2001}</);
    const { project: strange } = await dashboard.addProject(organization.id);
    const elsewhere = await ada.post(`/projects/${strange.id}/review-notes`, save);
    assert.equal(elsewhere.status, 404);
    await ada.post(path, { action: "delete", note: other });
    assert.deepEqual(await texts(), ["No <b>\nplease."]);
    await ada.post(path, { action: "clear" });
    assert.deepEqual(await list(), []);
    for (let count = 0; count < 55; count++) await addTestNote(database.kysely, project.id, null);
    assert.equal((await list()).length, 50);
  });

  it("delete it after its domain was typed", async () => {
    const { project } = await dashboard.addProject(organization.id);
    const path = `/projects/${project.id}`;
    assert.match(
      (await ada.get(`${path}/settings`)).text,
      /its repository with all branches and pull requests/,
    );
    const wrong = await ada.post(`${path}/delete`, { confirmation: "other.example" });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /was not deleted/);
    assert.equal((await ada.get(path)).status, 200);
    assert.equal(
      locationOf(await ada.post(`${path}/delete`, { confirmation: project.domain })),
      "/projects",
    );
    assert.equal((await ada.get(path)).status, 404);
  });
});

describe("the list of projects", () => {
  it("finds projects, and begins with those where something was done last", async () => {
    const own = await dashboard.openOrganization("Many");
    const visitor = await dashboard.browse().signIn(own.key);
    const { database } = dashboard.node.records;
    const projects = Array.from({ length: 500 }, (_, index) => ({
      id: createId("project"),
      organization_id: own.id,
      name: `Site ${String(index).padStart(3, "0")}`,
      domain: `site-${index}.many.example`,
      repository: index === 7 ? "https://git.acme.example/100%_docs" : "local",
      directory: ".",
      code_host: "local" as const,
      created_at: new Date(Date.UTC(2026, 0, 1, 0, index)),
    }));
    await database.kysely.insertInto("projects").values(projects).execute();
    const [oldest] = projects;
    await database.kysely
      .insertInto("static_export_jobs")
      .values({
        id: createId("staticExport"),
        organization_id: own.id,
        project_id: oldest?.id ?? "",
        domain: oldest?.domain ?? "",
        format: "zip",
        status: "queued",
      })
      .execute();
    const first = await visitor.get("/projects");
    assert.deepEqual(namesIn(first).slice(0, 3), ["000", "499", "498"]);
    assert.match(first.text, /badge-queued/);
    const second = await visitor.get(/href="([^"]+)">Older activity/.exec(first.text)?.[1] ?? "");
    assert.deepEqual(namesIn(second).length, namesIn(first).length);
    assert.equal(new Set([...namesIn(first), ...namesIn(second)]).size, 2 * namesIn(first).length);
    assert.deepEqual(namesIn(await visitor.get("/projects?search=SITE-42.MANY")), ["042"]);
    assert.deepEqual(namesIn(await visitor.get("/projects?search=100%25_")), ["007"]);
    const none = await visitor.get("/projects?search=%3Cb%3E");
    assert.match(none.text, /No project matches this/);
    assert.match(none.text, /value="&lt;b&gt;"/);
  });
});
