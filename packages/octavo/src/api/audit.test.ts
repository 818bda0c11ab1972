import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApiContract } from "../../../../test/support/api-contract.ts";
import { newDomain, openApi } from "../../../../test/support/running-api.ts";
import type { RunningApi, TestOrganization } from "../../../../test/support/running-api.ts";
import { removeExpired } from "../jobs/index.ts";

let api: RunningApi;
let acme: TestOrganization;
let stranger: TestOrganization;
/** The ID of the project that the acts are about. */
let projectId: string;

interface Event {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly actor: { readonly type: string; readonly id: string; readonly name: string } | null;
  readonly target: { readonly id: string; readonly name: string | null };
  readonly projectId: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

before(async () => {
  // A created job stays unchanged until it is canceled.
  api = await openApi({ hasAgents: false });
  [acme, stranger] = [await api.openOrganization(), await api.openOrganization()];
  projectId = await act(acme);
});
after(() => api[Symbol.asyncDispose]());

/** Everything that is recorded and can be done over HTTP. */
async function act({ client }: TestOrganization): Promise<string> {
  const post = async <Body>(path: string, body?: object) =>
    (await client.call<Body>("POST", path, body && { body })).body;
  const domain = newDomain("slow");
  const project = await post<{ id: string }>("/v2/projects", {
    name: "Docs",
    domain,
    repository: "https://git.example/docs",
  });
  await client.call("PATCH", `/v2/projects/${project.id}`, { body: { name: "Manual" } });
  const { jobId } = await post<{ jobId: string }>("/v1/static-export/jobs", { domain });
  await post(`/v1/static-export/jobs/${jobId}/cancel`);
  const jobs = `/v2/agent/${project.id}/job`;
  const { id } = await post<{ id: string }>(jobs, { prompt: "Do nothing" });
  await post(`${jobs}/${id}/message`, { prompt: "Go on" });
  await post(`${jobs}/${id}/cancel`);
  await post(`${jobs}/${id}/archive`);
  const key = await post<{ id: string }>("/v2/keys", { name: "CI", scopes: ["read"] });
  await client.call("DELETE", `/v2/keys/${key.id}`);
  const hook = { url: "https://hooks.example/secret-path", events: ["agent.failed"] };
  const webhook = await post<{ id: string }>("/v2/webhooks", hook);
  await client.call("DELETE", `/v2/webhooks/${webhook.id}`);
  await client.call("DELETE", `/v2/projects/${project.id}`);
  return project.id;
}

function inDays(days: number): Date {
  return new Date(Date.now() + days * 24 * 3_600_000);
}

async function list(query = "", client = acme.client): Promise<readonly Event[]> {
  const { status, body } = await client.call<{ events: Event[] }>("GET", `/v2/audit?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.events;
}

describe("the audit log", () => {
  test("has every act with who did it, also after what it is about was deleted", async () => {
    const events = (await list("limit=100")).toReversed();
    assert.deepEqual(
      events.map(({ action }) => action),
      [
        // The organization and its first key, by the operator.
        "organization.created",
        "key.created",
        "project.created",
        "project.changed",
        "export.started",
        "export.cancelled",
        "agent_job.created",
        "agent_job.continued",
        "agent_job.cancelled",
        "agent_job.archived",
        "key.created",
        "key.revoked",
        "webhook.created",
        "webhook.deleted",
        "project.deleted",
      ],
    );
    const [first, second, ...others] = events;
    assert.deepEqual([first?.actor, second?.actor], [null, null]);
    const actor = { type: "key", id: acme.keyId, name: "Test" };
    for (const event of others) assert.deepEqual(event.actor, actor, event.action);
    const changed = others[1];
    assert.deepEqual(changed?.details, { fields: ["name"] });
    assert.deepEqual(changed.target, { id: projectId, name: "Manual" });
    assert.equal(others.find(({ action }) => action === "export.started")?.projectId, projectId);
    assert.doesNotMatch(JSON.stringify(events), /secret-path|octavo_/);
  });

  test("is one organization's, and needs the scope admin", async () => {
    assert.deepEqual(
      (await list("", stranger.client)).map(({ action }) => action),
      ["key.created", "organization.created"],
    );
  });

  test("is filtered by actor, action and time, and read page by page", async () => {
    const all = await list("limit=100");
    assert.equal((await list(`actor=${acme.keyId}&limit=100`)).length, all.length - 2);
    assert.deepEqual(await list("actor=key_nobody"), []);
    const keys = await list("action=key.created");
    assert.deepEqual(new Set(keys.map(({ action }) => action)), new Set(["key.created"]));
    const middle = all[5];
    assert.ok(middle);
    const later = await list(`since=${middle.at}&limit=100`);
    const earlier = await list(`until=${middle.at}&limit=100`);
    assert.equal(later.length + earlier.length, all.length);
    assert.ok(later.some(({ id }) => id === middle.id));
    const { body } = await acme.client.call<{ events: Event[]; nextCursor: string }>(
      "GET",
      "/v2/audit?limit=3",
    );
    const next = await list(`limit=100&cursor=${body.nextCursor}`);
    assert.deepEqual([...body.events, ...next], all);
    const refused = await acme.client.call<{ error: string }>("GET", "/v2/audit?action=lunch");
    assert.deepEqual(
      [refused.status, /action must be one of/.test(refused.body.error)],
      [400, true],
    );
  });

  test("is exported as lines of JSON", async () => {
    const headers = { accept: "application/x-ndjson" };
    const path = "/v2/audit?action=key.created&limit=1";
    const answer = await acme.client.call<string>("GET", path, { headers });
    assert.equal(answer.headers.get("content-type"), "application/x-ndjson");
    const lines = answer.body.trimEnd().split("\n");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line) as Event),
      await list("action=key.created"),
    );
  });

  test("is as the OpenAPI document says", async () => {
    const contract = await openApiContract(api.url);
    const answer = await acme.client.call("GET", "/v2/audit?limit=2");
    contract.assertDescribed("GET", "/v2/audit", answer);
  });

  test("forgets what is older than its retention", async () => {
    const { database, storage } = api;
    const days = { bundleDays: 1000, jobDays: 1000, auditDays: 10 };
    const organization = await api.openOrganization();
    await removeExpired({ database, storage, ...days, now: inDays(9) });
    assert.equal((await list("", organization.client)).length, 2);
    await removeExpired({ database, storage, ...days, now: inDays(11) });
    assert.deepEqual(await list("", organization.client), []);
  });
});

test("resources say who created them, and the log whose request it was", async () => {
  const { client, keyId } = stranger;
  const createdBy = { type: "key", id: keyId, name: "Test" };
  const domain = newDomain("slow");
  const project = { name: "Docs", domain, repository: "https://git.example/docs" };
  const made = await client.call<{ id: string }>("POST", "/v2/projects", { body: project });
  const started = await client.call("POST", "/v1/static-export/jobs", { body: { domain } });
  const path = `/v2/agent/${made.body.id}/job`;
  const asked = await client.call("POST", path, { body: { prompt: "Do nothing" } });
  const key = await client.call("POST", "/v2/keys", { body: { name: "CI" } });
  for (const { body } of [made, started, asked, key]) {
    assert.deepEqual((body as { createdBy: unknown }).createdBy, createdBy);
  }
  const lines = api.log().split("\n");
  const line = lines.findLast((text) => text.includes('"url":"/v2/keys"')) ?? "{}";
  assert.equal((JSON.parse(line) as { actor?: string }).actor, keyId);
});
