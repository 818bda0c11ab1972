import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ApiClient, ClientResponse } from "../../../../test/support/api-client.ts";
import { openApiContract } from "../../../../test/support/api-contract.ts";
import type { ApiContract } from "../../../../test/support/api-contract.ts";
import { openApi } from "../../../../test/support/running-api.ts";
import type { RunningApi, TestOrganization } from "../../../../test/support/running-api.ts";
import { createId } from "../core/index.ts";
import type { AddressedDeployment } from "../jobs/index.ts";

interface Site {
  readonly slug: string;
  readonly url: string;
  readonly isAutomatic: boolean;
  readonly visibility: string;
  readonly live: AddressedDeployment | null;
}

let api: RunningApi;
let contract: ApiContract;
let acme: TestOrganization;
let stranger: TestOrganization;
let projectId: string;
before(async () => {
  api = await openApi({ hasAgents: false });
  [acme, stranger] = [await api.openOrganization(), await api.openOrganization()];
  projectId = (await acme.addProject("docs.acme.example")).id;
});
after(() => api[Symbol.asyncDispose]());

/** Calls an operation, and compares its answer with the document. */
async function call<Body>(
  operation: string,
  path: string,
  options: { client?: ApiClient; body?: unknown; headers?: Record<string, string> } = {},
): Promise<ClientResponse<Body>> {
  return await contract.call<Body>(operation, path, { client: acme.client, ...options });
}

const ofProject = "/v2/projects/{projectId}/deployments";
const one = "/v2/deployments/{deploymentId}";
const site = "/v2/projects/{projectId}/site";
const start = (body: unknown = {}, client = acme.client) =>
  call<AddressedDeployment>(`POST ${ofProject}`, `/v2/projects/${projectId}/deployments`, { body, client }); // prettier-ignore
const get = (id: string, client = acme.client) =>
  call<AddressedDeployment>(`GET ${one}`, `/v2/deployments/${id}`, { client });
const act = (id: string, name: "publish" | "cancel", client = acme.client) =>
  call<AddressedDeployment & { error?: string }>(`POST ${one}/${name}`, `/v2/deployments/${id}/${name}`, { client }); // prettier-ignore
const readSite = () => call<Site>(`GET ${site}`, `/v2/projects/${projectId}/site`);
const changeSite = (body: unknown, client = acme.client) =>
  call<Site & { error?: string }>(`PUT ${site}`, `/v2/projects/${projectId}/site`, {
    body,
    client,
  });

interface ProjectUpdate {
  readonly statusId: string;
  readonly previewUrl: string;
  readonly error?: string;
}

describe("deployments as the hosted service has them", () => {
  const update = "/v1/project/update";
  const preview = "/v1/project/preview";
  const status = "/v1/project/update-status";
  const readStatus = (id: string, client = acme.client) =>
    call<Record<string, unknown>>(`GET ${status}/{statusId}`, `${status}/${id}`, { client });
  before(async () => {
    contract = await openApiContract(api.url, "/openapi.json");
  });

  test("are started, and followed by their status", async () => {
    const { id, domain } = await acme.addProject("docs.hosted.example");
    const headers = { "idempotency-key": "once" };
    const started = await call<ProjectUpdate>(`POST ${update}/{projectId}`, `${update}/${id}`, { headers }); // prettier-ignore
    const { statusId } = started.body;
    assert.deepEqual([started.status, Object.keys(started.body)], [202, ["statusId"]]);
    const again = await call<ProjectUpdate>(`POST ${update}/{projectId}`, `${update}/${id}`, { headers }); // prettier-ignore
    assert.deepEqual(again.body, started.body);
    await acme.client.call("GET", `/v2/deployments/${statusId}/events`);
    const { body } = await readStatus(statusId);
    const { createdAt, endedAt, logs, ...facts } = body;
    assert.ok(createdAt && endedAt);
    assert.ok((logs as string[]).includes("Published."), String(logs));
    assert.deepEqual(facts, {
      _id: statusId,
      projectId: id,
      status: "success",
      summary: "2 pages, shown to readers.",
      subdomain: domain.split(".")[1],
      author: null,
      commit: {
        sha: "0123456789".repeat(4),
        ref: null,
        message: null,
        filesChanged: { added: [], modified: [], removed: [] },
      },
      source: "internal",
    });
  });

  test("preview a branch at an address that stays the same", async () => {
    const { id } = await acme.addProject("docs.branches.example");
    const body = { branch: "feature/New page" };
    const path = `${preview}/${id}`;
    const wrong = await call<ProjectUpdate>(`POST ${preview}/{projectId}`, path, { body });
    assert.deepEqual([wrong.status, /branch|ref/i.test(wrong.body.error ?? "")], [400, true]);
    const started = await call<ProjectUpdate>(`POST ${preview}/{projectId}`, path, { body: { branch: "feature/new-page" } }); // prettier-ignore
    assert.equal(started.status, 202);
    assert.equal(started.body.previewUrl, "https://feature-new-page--branches.sites.example");
    await acme.client.call("GET", `/v2/deployments/${started.body.statusId}/events`);
    const { body: shown } = await readStatus(started.body.statusId);
    assert.deepEqual([shown["status"], (shown["commit"] as { ref: string }).ref], ["success", "feature/new-page"]); // prettier-ignore
  });

  test("are nobody else's", async () => {
    const { id } = await acme.addProject();
    const { client } = stranger;
    const started = await call<ProjectUpdate>(`POST ${update}/{projectId}`, `${update}/${id}`);
    for (const { status: code } of [
      await call(`POST ${update}/{projectId}`, `${update}/${id}`, { client }),
      await call(`POST ${preview}/{projectId}`, `${preview}/${id}`, { client, body: { branch: "x" } }), // prettier-ignore
      await readStatus(started.body.statusId, client),
      await readStatus("dp_1"),
    ]) {
      assert.equal(code, 404);
    }
  });
});

describe("deployments over HTTP", () => {
  before(async () => {
    contract = await openApiContract(api.url);
  });

  test("a site has an address before anything is published", async () => {
    const { status, body } = await readSite();
    assert.equal(status, 200);
    assert.deepEqual(body, { slug: "acme", url: "https://acme.sites.example", canonicalDomain: null, domains: [], isAutomatic: true, visibility: "public", versionRules: [], previewBranches: [], previewPullRequests: "all", versions: [], live: null }); // prettier-ignore
  });

  test("a deployment is started, followed, listed and live", async () => {
    const { status, headers, body } = await start();
    assert.equal(status, 202);
    assert.equal(headers.get("location"), `/v2/deployments/${body.id}`);
    assert.deepEqual([body.status, body.kind, body.trigger, body.createdBy?.type], ["queued", "production", "api", "key"]); // prettier-ignore
    const events = await acme.client.call<string>("GET", `/v2/deployments/${body.id}/events`);
    assert.match(events.body, /event: deployment\n/);
    const last = JSON.parse(events.body.split("data: ").at(-1) ?? "");
    assert.deepEqual([last.status, last.isLive], ["ready", true]);
    const { body: read, headers: tags } = await get(body.id);
    assert.deepEqual(read, last);
    assert.match(read.url ?? "", /^https:\/\/[0-9a-f]{12}--acme\.sites\.example$/);
    const condition = { "if-none-match": tags.get("etag") ?? "" };
    const unchanged = await call(`GET ${one}`, `/v2/deployments/${body.id}`, {
      headers: condition,
    });
    assert.equal(unchanged.status, 304);
    const listed = await call<{ deployments: AddressedDeployment[] }>(`GET ${ofProject}`, `/v2/projects/${projectId}/deployments?status=ready&limit=1`); // prettier-ignore
    assert.deepEqual(listed.body.deployments, [read]);
    assert.deepEqual((await readSite()).body.live, read);
  });

  test("a deployment of another ref is a preview, and cannot be published", async () => {
    const { body } = await start({ ref: "work" });
    assert.deepEqual([body.kind, body.ref], ["preview", "work"]);
    await acme.client.call("GET", `/v2/deployments/${body.id}/events`);
    const refused = await act(body.id, "publish");
    assert.deepEqual([refused.status, refused.body.error], [409, "A preview has its own address and cannot be published."]); // prettier-ignore
    const cancelled = await act(body.id, "cancel");
    assert.equal(cancelled.status, 409);
    assert.equal((await call(`DELETE ${one}`, `/v2/deployments/${body.id}`)).status, 204);
    assert.equal((await get(body.id)).body.status, "removed");
    assert.equal((await call(`DELETE ${one}`, `/v2/deployments/${body.id}`)).status, 409);
  });

  test("what is live stays, and can be published again", async () => {
    const { body } = await readSite();
    const id = body.live?.id ?? "";
    assert.equal((await call(`DELETE ${one}`, `/v2/deployments/${id}`)).status, 409);
    const published = await act(id, "publish");
    assert.deepEqual([published.status, published.body.isLive], [200, true]);
  });

  test("a site's slug, visibility and following are changed", async () => {
    const changed = await changeSite({ slug: "acme-docs", visibility: "password", password: "open sesame", isAutomatic: false }); // prettier-ignore
    assert.equal(changed.status, 200);
    const { slug, url, visibility, isAutomatic, live } = changed.body;
    assert.deepEqual([slug, url, visibility, isAutomatic], ["acme-docs", "https://acme-docs.sites.example", "password", false]); // prettier-ignore
    assert.match(live?.url ?? "", /--acme-docs\.sites\.example$/);
    assert.deepEqual((await readSite()).body, changed.body);
    const again = await changeSite({ isAutomatic: true });
    assert.deepEqual([again.body.isAutomatic, again.body.live?.id], [true, live?.id]);
    const wrong = await changeSite({ slug: "Acme--Docs" });
    assert.equal(wrong.status, 400);
    assert.match(
      wrong.body.error ?? "",
      /must be 1 to 40 lowercase letters, digits and single hyphens/,
    );
  });

  test("a slug that another site has is refused", async () => {
    const other = await acme.addProject("docs.other.example");
    await acme.client.deploy(other.id);
    const { status, body } = await changeSite({ slug: "other" });
    assert.deepEqual([status, body.error], [409, "Another site has the slug other."]);
  });

  test("nothing is there for another organization", async () => {
    const { body } = await readSite();
    const id = body.live?.id ?? "";
    const { client } = stranger;
    for (const { status } of [
      await start({}, client),
      await get(id, client),
      await act(id, "publish", client),
      await act(id, "cancel", client),
      await changeSite({}, client),
      await get(createId("deployment")),
      await get("dp_1"),
    ]) {
      assert.equal(status, 404);
    }
    assert.equal((await start({ ref: "-x" })).status, 400);
    assert.equal((await start({ unknown: 1 })).status, 400);
  });
});
