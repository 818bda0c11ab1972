import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createApiClient } from "../../../../test/support/api-client.ts";
import { openDashboard } from "../../../../test/support/running-dashboard.ts";
import type {
  HostedProject,
  RunningDashboard,
  Visitor,
} from "../../../../test/support/running-dashboard.ts";

let dashboard: RunningDashboard;
let organization: { readonly id: string; readonly key: string };
let acme: HostedProject;
let ada: Visitor;
before(async () => {
  dashboard = await openDashboard();
  organization = await dashboard.openOrganization();
  acme = await dashboard.addProject(organization.id, "Field guide");
  await dashboard.addProject(organization.id, "Billing");
  ada = await dashboard.browse().signIn(organization.key);
});
after(() => dashboard[Symbol.asyncDispose]());

/** Returns the titles of the results, each with its address below the project. */
async function search(visitor: Visitor, query: string): Promise<readonly string[]> {
  const { status, text } = await visitor.get(`/search?${query}`);
  assert.equal(status, 200);
  const results = text.matchAll(
    /<a class="row" href="([^"]+)"[^]*?<span class="row-title">([^<]+)</g,
  );
  return [...results].map(([, href = "", title = ""]) => {
    return `${title}: ${href.replace(acme.project.id, "acme")}`;
  });
}

describe("the search of the dashboard", () => {
  it("finds projects, pages and actions by parts of their names", async () => {
    assert.deepEqual(await search(ada, "search=field"), ["Field guide: /projects/acme"]);
    assert.deepEqual(await search(ada, "search=KEY"), [
      "API keys: /keys",
      "Create an API key: /keys#make",
    ]);
    assert.deepEqual(await search(ada, "search=add+project"), ["Add a project: /projects/new"]);
    assert.deepEqual(await search(ada, "search=nothing+like+it"), []);
  });

  it("finds the page of a project by both names", async () => {
    assert.deepEqual(await search(ada, "search=field+guide+pull+requests"), [
      "Pull requests: /projects/acme/pulls",
    ]);
    assert.deepEqual(await search(ada, "search=field+versions"), [
      "Settings: Versions: /projects/acme/versions",
    ]);
  });

  it("finds a page by its own name in the projects that were active last", async () => {
    const results = await search(ada, "search=problems");
    assert.ok(results.includes("Problems: /projects/acme/problems"));
    assert.equal(results.length, 2);
  });

  it("finds the pages of the project first from whose page it was opened", async () => {
    const page = await ada.get(`/projects/${acme.project.id}/problems`);
    assert.match(page.text, new RegExp(`href="/search\\?project=${acme.project.id}"`));
    const results = await search(ada, `project=${acme.project.id}&search=export`);
    assert.deepEqual(results, ["Exports: /projects/acme/exports", "Export: /projects/acme/exports#start"]); // prettier-ignore
  });

  it("shows only what the user may use", async () => {
    const client = createApiClient(dashboard.url, organization.key);
    const { body } = await client.call<{ secret: string }>("POST", "/v2/keys", {
      body: { name: "Reader", scopes: ["read"] },
    });
    const reader = await dashboard.browse().signIn(body.secret);
    const all = await search(reader, `project=${acme.project.id}`);
    assert.ok(all.includes("Problems: /projects/acme/problems"));
    assert.doesNotMatch(all.join("\n"), /settings|Audit|Webhook|Add a|Invite|Publish|Ask|#start/i);

    const other = await dashboard.openOrganization("Other");
    const stranger = await dashboard.browse().signIn(other.key);
    assert.deepEqual(await search(stranger, "search=field"), []);
    const { status } = await stranger.get(`/search?project=${acme.project.id}`);
    assert.equal(status, 404);
  });
});
