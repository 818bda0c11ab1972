import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import type { ApiClient, ClientResponse } from "../../../../test/support/api-client.ts";
import { openApiContract } from "../../../../test/support/api-contract.ts";
import type { ApiContract } from "../../../../test/support/api-contract.ts";
import { newDomain, openApi } from "../../../../test/support/running-api.ts";
import type { RunningApi, TestOrganization } from "../../../../test/support/running-api.ts";
import type { Site, SiteDomain } from "../publish/index.ts";

type ShownSite = Site & { readonly domains: readonly SiteDomain[] };
type Answer = SiteDomain & { readonly error?: string };

let api: RunningApi;
let contract: ApiContract;
let acme: TestOrganization;
let stranger: TestOrganization;
let projectId: string;
/** A domain that no other test uses. */
let name: string;
before(async () => {
  api = await openApi({ hasAgents: false });
  [acme, stranger] = [await api.openOrganization(), await api.openOrganization()];
  contract = await openApiContract(api.url);
});
after(() => api[Symbol.asyncDispose]());
beforeEach(async () => {
  projectId = (await acme.addProject()).id;
  name = newDomain("own");
});

async function call<Body>(
  operation: string,
  path: string,
  { client = acme.client, body }: { client?: ApiClient; body?: unknown } = {},
): Promise<ClientResponse<Body>> {
  return await contract.call<Body>(operation, path, { client, body });
}

interface Of {
  readonly client?: ApiClient;
  readonly id?: string;
}

const route = "/v2/projects/{projectId}/site";
const pathOf = (id: string) => `/v2/projects/${id}/site`;
const add = (domain: string, { client = acme.client, id = projectId }: Of = {}) =>
  call<Answer>(`POST ${route}/domains`, `${pathOf(id)}/domains`, {
    client,
    body: { name: domain },
  });
const check = (domain = name, { client = acme.client, id = projectId }: Of = {}) =>
  call<Answer>(`POST ${route}/domains/{domainName}/check`, `${pathOf(id)}/domains/${domain}/check`, { client }); // prettier-ignore
const remove = (domain = name, { client = acme.client, id = projectId }: Of = {}) =>
  call<Answer>(`DELETE ${route}/domains/{domainName}`, `${pathOf(id)}/domains/${domain}`, {
    client,
  });
const readSite = async () => (await call<ShownSite>(`GET ${route}`, pathOf(projectId))).body;
const change = (body: unknown) =>
  call<ShownSite & { error?: string }>(`PUT ${route}`, pathOf(projectId), { body });

/** Adds a domain and creates its DNS record beside those that are there. */
async function claim(domain: string, of: Of = {}): Promise<SiteDomain> {
  const { status, body } = await add(domain, of);
  assert.equal(status, 201, body.error);
  const { textRecords } = api;
  const others = textRecords.get(body.record.name) ?? [];
  textRecords.set(body.record.name, [...others, body.record.value]);
  return body;
}

describe("a domain of a project over HTTP", () => {
  test("is proven by its DNS record, and then becomes the site's address", async () => {
    const { status, body: added } = await add(name);
    assert.equal(status, 201);
    assert.deepEqual([added.name, added.record.name, added.provenAt, added.isCanonical], [name, `_octavo-challenge.${name}`, null, false]); // prettier-ignore
    const missing = await check();
    assert.equal(missing.body.problem, `There is no TXT record at _octavo-challenge.${name}.`);
    api.textRecords.set(added.record.name, ["v=spf1 -all"]);
    const wrong = await check();
    assert.equal(wrong.body.problem, `The TXT records at _octavo-challenge.${name} have other values: "v=spf1 -all".`); // prettier-ignore
    assert.ok(wrong.body.checkedAt);
    const early = await change({ canonicalDomain: name });
    assert.deepEqual([early.status, early.body.error], [409, `The domain ${name} is not proven yet, so readers cannot be sent there. Check it first.`]); // prettier-ignore
    api.textRecords.set(added.record.name, ["v=spf1 -all", added.record.value]);
    const proven = (await check()).body;
    assert.deepEqual([proven.provenBy, proven.problem], ["dns", null]);
    // A proof stays when the record goes.
    api.textRecords.delete(added.record.name);
    assert.deepEqual((await check()).body, proven);
    const { slug } = await readSite();
    const changed = await change({ canonicalDomain: name.toUpperCase() });
    assert.deepEqual([changed.body.url, changed.body.canonicalDomain], [`https://${name}`, name]);
    assert.deepEqual(changed.body.domains.map((one) => one.isCanonical), [true]); // prettier-ignore
    const back = await change({ canonicalDomain: null });
    assert.equal(back.body.url, `https://${slug}.sites.example`);
  });

  test("is proven again when it comes back", async () => {
    const first = await claim(name);
    await check();
    assert.equal((await remove()).status, 204);
    assert.deepEqual((await readSite()).domains, []);
    const { body: second } = await add(name);
    assert.notEqual(second.record.value, first.record.value);
    assert.equal((await check()).body.provenAt, null);
  });

  test("is the same in every spelling, and another one for a look-alike", async () => {
    const { body } = await add("B\u00FCcher.Acme\u3002Example");
    assert.equal(body.name, "xn--bcher-kva.acme.example");
    const again = await add("xn--bcher-kva.acme.example");
    assert.deepEqual([again.status, again.body.error], [409, "The project already has the domain xn--bcher-kva.acme.example."]); // prettier-ignore
    // A Cyrillic letter, which looks like that of `acme`.
    const { body: other } = await add("\u0430cme.example");
    assert.equal(other.name, "xn--cme-5cd.example");
  });

  test("blocks nobody until it is proven, and belongs to one project then", async () => {
    const other = { client: stranger.client, id: (await stranger.addProject()).id };
    await add(name, other);
    await claim(name);
    assert.ok((await check()).body.provenAt);
    const refused = await check(name, other);
    assert.equal(refused.status, 200);
    assert.match(refused.body.problem ?? "", /other values/);
    const { record } = await claim(newDomain("own"), other);
    assert.ok(record);
    // Both records are there, so the domain stays.
    await remove(name, other);
    await claim(name, other);
    const conflict = await check(name, other);
    assert.equal(conflict.status, 409);
    assert.match(
      conflict.body.error ?? "",
      /belongs to another project of this service\. Remove it there first/,
    );
    await change({ canonicalDomain: name });
    // The record of the first project is gone, as after a sale.
    const [, theirs = ""] = api.textRecords.get(`_octavo-challenge.${name}`) ?? [];
    api.textRecords.set(`_octavo-challenge.${name}`, [theirs]);
    assert.ok((await check(name, other)).body.provenAt);
    const [lost] = (await readSite()).domains;
    assert.deepEqual([lost?.provenAt, lost?.isCanonical], [null, false]);
    assert.match(lost?.problem ?? "", /Another project has proven the domain/);
    const events = await acme.client.call<{ events: { action: string }[] }>("GET", "/v2/audit?action=domain.lost"); // prettier-ignore
    assert.equal(events.body.events.length, 1);
  });

  test("by the operator's word stays against every record", async () => {
    const scope = { organizationId: acme.id, projectId };
    const { domains } = api;
    await add(name);
    const project = { id: projectId, name: "Docs" };
    assert.equal((await domains.prove(scope, project, name)).provenBy, "operator");
    const other = { client: stranger.client, id: (await stranger.addProject()).id };
    await claim(name, other);
    assert.equal((await check(name, other)).status, 409);
    await assert.rejects(domains.prove({ organizationId: stranger.id }, { id: other.id, name: "" }, name), /belongs to another project/); // prettier-ignore
  });

  test("is refused where the service itself is, and where it is not a host name", async () => {
    for (const [given, reason] of [
      [
        "octavo.example",
        /cannot be used for a site, because it is the service's host octavo\.example/,
      ],
      ["docs.octavo.example", /a parent or a subdomain of it/],
      ["example", /is not a host name/],
      ["acme.sites.example", /is in the sites. domain/],
      ["docs.localhost", /is in the sites. domain/],
      ["https://docs.acme.example", /is not a host name/],
      ["127.0.0.1", /is not a host name/],
      [`${"a".repeat(60)}.`.repeat(4) + "example", /is not a host name/],
    ] as const) {
      const { status, body } = await add(given);
      assert.equal(status, 400, given);
      assert.match(body.error ?? "", reason);
    }
  });

  test("is one of twenty at most, and there for its organization alone", async () => {
    for (let count = 0; count < 20; count++) assert.equal((await add(newDomain())).status, 201);
    assert.equal((await add(name)).status, 409);
    const of = { client: stranger.client };
    const own = (await readSite()).domains[0]?.name ?? "";
    for (const { status } of [await add(name, of), await check(own, of), await remove(own, of)]) {
      assert.equal(status, 404);
    }
    assert.equal((await check("none.acme.example")).status, 404);
    assert.equal((await remove("none.acme.example")).status, 404);
    assert.equal((await change({ canonicalDomain: "none.acme.example" })).status, 404);
  });
});
