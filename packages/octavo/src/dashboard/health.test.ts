import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openDashboard, waitFor } from "../../../../test/support/running-dashboard.ts";
import type { RunningDashboard, Visit } from "../../../../test/support/running-dashboard.ts";

const planted = "planted-secret-4711-4711";

let dashboard: RunningDashboard;
let operators: { readonly id: string; readonly key: string };
let others: { readonly id: string; readonly key: string };
before(async () => {
  dashboard = await openDashboard({
    OCTAVO_MODEL_KEY: planted,
    OCTAVO_RETENTION_DAYS: "7",
    OCTAVO_MODELS: "builtin/recipes,compatible/*",
  });
  operators = await dashboard.openOrganization("Operators");
  others = await dashboard.openOrganization("Others");
});
after(() => dashboard[Symbol.asyncDispose]());

async function openAs(key: string, path = "/health"): Promise<Visit> {
  return (await dashboard.browse().signIn(key)).get(path);
}

/** The page's text: each run of white space and tags as one blank. */
function textOf({ text }: Visit): string {
  return text.replaceAll(/(?:<[^>]*>|\s)+/g, " ");
}

function listJobRows(visit: Visit): string {
  return / Kind Status Jobs Blocked (.*?) Nodes /.exec(textOf(visit))?.[1] ?? "";
}

describe("the page of health", () => {
  it("shows what /metrics tells, and whether the node is ready", async () => {
    const visit = await openAs(operators.key);
    assert.equal(visit.status, 200);
    const text = textOf(visit);
    assert.match(text, /Health ready/);
    assert.match(text, /Waiting 0 Running 0 Longest wait – Stored jobs that failed 0/);
    assert.match(
      text,
      /Exports and previews 0 0 – Agent jobs 0 0 – Deployments 0 0 – Webhook messages 0 0 –/,
    );
    assert.match(text, /pending 0 messages delivered 0 messages failed 0 messages/);
    assert.match(text, /Bundles 0 bytes Hosted repositories 0 bytes Free for data \d/);
    const metrics = await (await fetch(`${dashboard.url}/metrics`)).text();
    const [, version = "none"] = /octavo_nodes\{version="([^"]+)"/.exec(metrics) ?? [];
    assert.ok(text.includes(`${version} api, worker, sites 1`), text);
    assert.match(metrics, /octavo_webhook_deliveries\{state="failed"\} 0/);
    assert.match(metrics, /octavo_stored_bytes\{kind="bundles"\} 0/);
  });

  it("names the kind of each count of jobs", async () => {
    const { project } = await dashboard.addProject(operators.id);
    const ada = await dashboard.browse().signIn(operators.key);
    await ada.post(`/projects/${project.id}/deployments`);
    await ada.post(`/projects/${project.id}/exports`);
    const isDone = (visit: Visit) => /^Deployments .*Exports completed /.test(listJobRows(visit));
    const rows = listJobRows(await waitFor(ada, "/health", isDone));
    assert.match(rows, /^(?:(?:Deployments|Exports) [a-z]+ \d 0 ?)+$/);
  });

  it("shows the settings, models and retention, and no secret", async () => {
    const visit = await openAs(operators.key);
    const text = textOf(visit);
    assert.match(text, /OCTAVO_RETENTION_DAYS 7 /);
    assert.match(text, /OCTAVO_MODEL_KEY set, not shown/);
    assert.match(text, /OCTAVO_AUDIT_DAYS 365 /);
    assert.match(text, /OCTAVO_SECRET not set/);
    assert.match(text, /Projects may choose builtin\/recipes,compatible\/\*/);
    assert.match(text, /Configured providers compatible/);
    assert.match(text, /Bundles 7 days Jobs 67 days Webhook messages 14 days Audit log 365 days/);
    assert.ok(!visit.text.includes(planted));
  });

  it("is only for the organization that runs the service, as a whole", async () => {
    const refused = await openAs(others.key);
    assert.equal(refused.status, 403);
    assert.match(refused.text, /Others cannot see the health of this service/);
    const { project } = await dashboard.addProject(operators.id);
    const scope = { organizationId: operators.id, projectId: project.id };
    const limited = await dashboard.node.records.keys.create(scope, "Limited");
    assert.equal((await openAs(limited.secret)).status, 403);
    assert.match((await openAs(operators.key, "/projects")).text, /href="\/health"/);
    for (const key of [others.key, limited.secret]) {
      assert.doesNotMatch((await openAs(key, "/projects")).text, /href="\/health"/);
    }
  });
});
