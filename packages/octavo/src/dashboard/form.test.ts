import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openDashboard } from "../../../../test/support/running-dashboard.ts";
import type { RunningDashboard, Visitor } from "../../../../test/support/running-dashboard.ts";

let dashboard: RunningDashboard;
let ada: Visitor;
let projectPath: string;
before(async () => {
  dashboard = await openDashboard();
  const organization = await dashboard.openOrganization();
  ada = await dashboard.browse().signIn(organization.key);
  const { project } = await dashboard.addProject(organization.id);
  projectPath = `/projects/${project.id}`;
});
after(async () => {
  await dashboard[Symbol.asyncDispose]();
});

interface RefusedCase {
  readonly path: string;
  readonly form: Readonly<Record<string, string>>;
  /** The field at which the reason stands. */
  readonly field: string;
  readonly reason: RegExp;
}

const key = { name: "CI", scopes: "read", expires: "" };
const project = { name: "Docs", domain: "forms.example", repository: "https://git.example/a/b" };
const inProject = (path: string) => `project${path}`;

const cases: readonly RefusedCase[] = [
  { path: "/keys", form: { ...key, name: " " }, field: "name", reason: /^A key needs a name/ },
  { path: "/keys", form: { ...key, scopes: "" }, field: "scopes", reason: /^Choose at least one/ },
  { path: "/keys", form: { ...key, expires: "2020-01-31" }, field: "expires", reason: /past\.$/ },
  { path: "/keys", form: { ...key, expires: "soon" }, field: "expires", reason: /a date\.$/ },
  { path: "/members", form: { email: "ada", role: "owner" }, field: "email", reason: /address/ },
  // A browser sends no other choice than those of the form; the reason stands at a field that can show it.
  {
    path: "/members",
    form: { email: "a@b.example", role: "x" },
    field: "email",
    reason: /^Choose a role/,
  },
  {
    path: inProject("/exports"),
    form: { format: "rar" },
    field: "ref",
    reason: /^The format must be/,
  },
  {
    path: "/webhooks",
    form: { url: "https://127.0.0.1/", events: "agent.failed" },
    field: "url",
    reason: /^Address .*private or local/,
  },
  {
    path: "/webhooks",
    form: { url: "https://example.com/" },
    field: "events",
    reason: /^Choose at least one event/,
  },
  {
    path: "/projects/new",
    form: { ...project, name: "" },
    field: "name",
    reason: /^Name must not/,
  },
  {
    path: "/projects/new",
    form: { ...project, domain: "a b" },
    field: "domain",
    reason: /^Domain &quot;a b&quot; is not a host name/,
  },
  {
    path: "/projects/new",
    form: { ...project, repository: "http://git.example/a" },
    field: "repository",
    reason: /^Address is an http: address/,
  },
  {
    path: "/projects/new",
    form: { ...project, codeHost: "github", repository: "https://git.example/a" },
    field: "codeHost",
    reason: /^Pull requests of agent jobs github requires a repository/,
  },
  { path: "/projects/new", form: { ...project, ref: ".." }, field: "ref", reason: /^Branch / },
  {
    path: "/projects/new",
    form: { ...project, directory: "../x" },
    field: "directory",
    reason: /^Folder of the site points outside/,
  },
  {
    path: "/projects/new",
    form: { ...project, model: "x" },
    field: "model",
    reason: /^Model for /,
  },
  {
    path: "/projects/new",
    form: { ...project, privateKey: "x".repeat(20_001) },
    field: "privateKey",
    reason: /too long/,
  },
  {
    path: inProject("/settings"),
    form: { branchPrefix: "a..b" },
    field: "branchPrefix",
    reason: /^Prefix of branches: &quot;a\.\.b&quot; is not a valid prefix/,
  },
  {
    path: inProject("/settings"),
    form: { authorName: "Docs", authorEmail: "x" },
    field: "authorEmail",
    reason: /^Email address of the author must be an email address/,
  },
  {
    path: inProject("/delete"),
    form: { confirmation: "other.example" },
    field: "confirmation",
    reason: /was not deleted/,
  },
  {
    path: inProject("/site"),
    form: { slug: "A B" },
    field: "slug",
    reason: /^Name in the address /,
  },
  {
    path: inProject("/site"),
    form: { slug: "forms", visibility: "password", password: "" },
    field: "password",
    reason: /^Password must be set/,
  },
  {
    path: inProject("/site"),
    form: { visibility: "password", password: "short" },
    field: "password",
    reason: /^Password /,
  },
  {
    path: inProject("/site"),
    form: { previewBranches: "a,".repeat(101) },
    field: "previewBranches",
    reason: /^Enter at most \d+ patterns/,
  },
  {
    path: inProject("/domains"),
    form: { domain: "localhost" },
    field: "domain",
    reason: /^Your own domain &quot;localhost&quot; is not a host name/,
  },
  {
    path: inProject("/exports"),
    form: { ref: ".." },
    field: "ref",
    reason: /^Branch, tag or commit/,
  },
  {
    path: inProject("/sources"),
    form: { sources: "@" },
    field: "sources",
    reason: /^A source consists/,
  },
];

describe("a form that is refused", () => {
  for (const { path, form, field, reason } of cases) {
    it(`says so at ${field} of ${path}: ${reason.source}`, async () => {
      const { status, text } = await ada.post(path.replace(/^project/, projectPath), form);
      assert.equal(status, 400);
      const refusal = /<p class="field-refusal" id="([^"]+)-refusal" role="alert">([^<]*)</.exec(
        text,
      );
      assert.equal(refusal?.[1], field);
      assert.match(refusal?.[2] ?? "", reason);
    });
  }

  it("shows again what was entered, but no secret", async () => {
    const form = { ...project, domain: "a b", name: "Kept <b>", token: "planted-token" };
    const { text } = await ada.post("/projects/new", form);
    assert.match(text, /value="Kept &lt;b&gt;"/);
    assert.match(
      text,
      /value="a b"[^>]*aria-invalid="true" aria-describedby="domain-refusal domain-hint"/,
    );
    assert.doesNotMatch(text, /planted-token/);
    const { text: keys } = await ada.post("/keys", {
      ...key,
      name: "CI",
      expires: "2020-01-31",
      scopes: "agent",
    });
    assert.match(keys, /value="CI"/);
    assert.match(keys, /value="agent" checked/);
    assert.doesNotMatch(keys, /value="read" checked/);
  });

  it("that shares an open site needs a link's reader", async () => {
    const closed = { visibility: "password", password: "a long password" };
    assert.equal((await ada.post(`${projectPath}/site`, closed)).status, 303);
    for (const [form, field] of [
      [{ note: " ", days: "7" }, "note"],
      [{ note: "Eve", days: "0" }, "days"],
    ] as const) {
      const { status, text } = await ada.post(`${projectPath}/links`, form);
      assert.equal(status, 400);
      assert.match(text, new RegExp(`id="${field}-refusal" role="alert">Enter `));
    }
  });
});
