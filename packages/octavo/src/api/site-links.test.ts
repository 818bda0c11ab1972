import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ApiClient, ClientResponse } from "../../../../test/support/api-client.ts";
import { openApiContract } from "../../../../test/support/api-contract.ts";
import type { ApiContract } from "../../../../test/support/api-contract.ts";
import { openApi } from "../../../../test/support/running-api.ts";
import type { RunningApi, TestOrganization } from "../../../../test/support/running-api.ts";
import type { Site, SiteLink } from "../publish/index.ts";

let api: RunningApi;
let contract: ApiContract;
let acme: TestOrganization;
let stranger: TestOrganization;
let projectId: string;
before(async () => {
  api = await openApi({ hasAgents: false });
  [acme, stranger] = [await api.openOrganization(), await api.openOrganization()];
  contract = await openApiContract(api.url);
  projectId = (await acme.addProject("docs.acme.example")).id;
});
after(() => api[Symbol.asyncDispose]());

async function call<Body>(
  operation: string,
  path: string,
  { client = acme.client, body }: { client?: ApiClient; body?: unknown } = {},
): Promise<ClientResponse<Body>> {
  return await contract.call<Body>(operation, path, { client, body });
}

const route = "/v2/projects/{projectId}/site/links";
const pathOf = () => `/v2/projects/${projectId}/site/links`;
const create = (body: unknown, client = acme.client) =>
  call<SiteLink & { error?: string }>(`POST ${route}`, pathOf(), { client, body });
const list = async () => (await call<{ links: SiteLink[] }>(`GET ${route}`, pathOf())).body.links;
const revoke = (id: string, client = acme.client) =>
  call(`DELETE ${route}/{linkId}`, `${pathOf()}/${id}`, { client });

describe("links that open a closed site", () => {
  test("are created, listed and revoked", async () => {
    const { status, body: link } = await create({ note: "Ada", days: 2 });
    assert.equal(status, 201);
    assert.match(link.url, /^https:\/\/acme\.sites\.example\/_octavo\/open\?token=[\w.-]+&to=%2F$/);
    const days = (Date.parse(String(link.expiresAt)) - Date.now()) / 86_400_000;
    assert.ok(days > 1.9 && days <= 2);
    const [listed] = await list();
    assert.deepEqual([listed?.id, listed?.note, listed?.createdBy?.name], [link.id, "Ada", "Test"]);
    assert.equal((await revoke(link.id)).status, 204);
    assert.equal((await revoke(link.id)).status, 404);
    assert.deepEqual(await list(), []);
  });

  test("lead to the address that the site has", async () => {
    await create({ note: "Ada" });
    await acme.client.call("PUT", `/v2/projects/${projectId}/site`, { body: { slug: "handbook" } });
    const [link] = await list();
    assert.match(link?.url ?? "", /^https:\/\/handbook\.sites\.example\//);
    await revoke(link?.id ?? "");
  });

  test("are bounded in number, time and length", async () => {
    for (const body of [
      {},
      { note: "" },
      { note: "a".repeat(201) },
      { note: "a", days: 91 },
      { note: "a", days: 0 },
    ]) {
      assert.equal((await create(body)).status, 400);
    }
    for (let count = 0; count < 50; count++)
      assert.equal((await create({ note: "a" })).status, 201);
    assert.equal((await create({ note: "a" })).status, 409);
  });

  test("are there for their organization alone", async () => {
    const [link] = await list();
    assert.equal((await create({ note: "a" }, stranger.client)).status, 404);
    assert.equal((await revoke(link?.id ?? "", stranger.client)).status, 404);
  });
});

const readVisibility = async (id: string) =>
  (await acme.client.call<Site>("GET", `/v2/projects/${id}/site`)).body.visibility;

describe("who may read a site", () => {
  test("are members by default if the repository needs credentials", async () => {
    const fields = { name: "Docs", repository: "https://git.example/private" };
    const add = async (domain: string, more: object = {}) =>
      (await acme.client.call<{ id: string }>("POST", "/v2/projects", { body: { ...fields, domain, ...more } })).body.id; // prettier-ignore
    const open = await add("open.acme.example");
    const closed = await add("closed.acme.example", { credentials: { token: "hunter2hunter2" } });
    assert.deepEqual(
      [await readVisibility(open), await readVisibility(closed)],
      ["public", "members"],
    );
    // The same once the site has a row.
    for (const id of [open, closed]) {
      await acme.client.call("PUT", `/v2/projects/${id}/site`, { body: { isAutomatic: false } });
    }
    assert.deepEqual(
      [await readVisibility(open), await readVisibility(closed)],
      ["public", "members"],
    );
    await acme.client.call("PUT", `/v2/projects/${closed}/site`, {
      body: { visibility: "public" },
    });
    assert.equal(await readVisibility(closed), "public");
  });
});
