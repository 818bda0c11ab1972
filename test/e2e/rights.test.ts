import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createDashboard } from "../../packages/octavo/src/dashboard/index.ts";
import { accessScopes, createId } from "../../packages/octavo/src/core/index.ts";
import type { AccessScope } from "../../packages/octavo/src/core/index.ts";
import type { IsolatedOperations } from "../../packages/octavo/src/node/testing.ts";
import { openIsolation } from "../../packages/octavo/src/isolation/index.ts";
import { addTestNote } from "../support/review-note.ts";
import { newDomain, openApi } from "../support/running-api.ts";
import type { RunningApi, TestOrganization } from "../support/running-api.ts";

/** The resources of one organization that the paths of the table name. */
interface Things {
  readonly projectId: string;
  readonly domain: string;
  readonly jobId: string;
  readonly agentJob: string;
  readonly keyId: string;
  readonly webhookId: string;
  readonly deploymentId: string;
  /** The same, as the routes of the hosted service call it. */
  readonly statusId: string;
  /** The ID of a message to the webhook. */
  readonly deliveryId: string;
  /** The ID of a note about a refused pull request. */
  readonly noteId: string;
  /** A domain of the project's site. */
  readonly domainName: string;
  /** A link that opens the project's site. */
  readonly linkId: string;
}

interface Row {
  /** As it is registered. */
  readonly route: string;
  /** Each of these is enough; no other one is. */
  readonly scopes: string;
  /** A body that the route takes. */
  readonly body?: (things: Things) => object;
}

const all = accessScopes.join(" ");
const exports = "/v1/static-export/jobs";
const agent = "/v2/agent/:projectId";
const notes = "/v2/projects/:projectId/review-notes";
const domains = "/v2/projects/:projectId/site/domains";
const links = "/v2/projects/:projectId/site/links";

/** Who may call the API. */
const apiRows: readonly Row[] = [
  { route: `GET ${exports}`, scopes: "read export" },
  { route: `GET ${exports}/:jobId`, scopes: "read export" },
  { route: `GET ${exports}/:jobId/events`, scopes: "read export" },
  { route: `POST ${exports}/:jobId/bundle`, scopes: "read export" },
  { route: `POST ${exports}`, scopes: "export", body: ({ domain }) => ({ domain }) },
  { route: `POST ${exports}/:jobId/cancel`, scopes: "export" },
  { route: `GET ${agent}/jobs`, scopes: "read agent" },
  { route: `GET ${agent}/job/:id`, scopes: "read agent" },
  { route: `GET ${agent}/job/:id/events`, scopes: "read agent" },
  { route: `GET ${agent}/job/:id/diff`, scopes: "read agent" },
  { route: `POST ${agent}/job`, scopes: "agent", body: () => ({ prompt: "Do nothing" }) },
  { route: `POST ${agent}/job/:id/message`, scopes: "agent", body: () => ({ prompt: "Go on" }) },
  { route: `POST ${agent}/job/:id/cancel`, scopes: "agent" },
  { route: `POST ${agent}/job/:id/archive`, scopes: "agent" },
  { route: "GET /v2/projects", scopes: all },
  { route: "GET /v2/projects/:projectId", scopes: all },
  { route: "POST /v2/projects", scopes: "admin", body: newProject },
  { route: "PATCH /v2/projects/:projectId", scopes: "admin", body: () => ({ name: "Docs" }) },
  { route: "GET /v2/projects/:projectId/deployments", scopes: "read export" },
  { route: "POST /v2/projects/:projectId/hook", scopes: "admin" },
  { route: "GET /v2/projects/:projectId/hook", scopes: "read export" },
  { route: "POST /v1/project/update/:projectId", scopes: "export" },
  {
    route: "POST /v1/project/preview/:projectId",
    scopes: "export",
    body: () => ({ branch: "main" }),
  },
  { route: "GET /v1/project/update-status/:statusId", scopes: "read export" },
  { route: "POST /v2/projects/:projectId/deployments", scopes: "export", body: () => ({}) },
  { route: "GET /v2/deployments/:deploymentId", scopes: "read export" },
  { route: "GET /v2/deployments/:deploymentId/events", scopes: "read export" },
  { route: "POST /v2/deployments/:deploymentId/publish", scopes: "export" },
  { route: "POST /v2/deployments/:deploymentId/cancel", scopes: "export" },
  { route: "GET /v2/projects/:projectId/site", scopes: "read export" },
  { route: "PUT /v2/projects/:projectId/site", scopes: "admin", body: () => ({}) },
  { route: `POST ${domains}`, scopes: "admin", body: () => ({ name: newDomain() }) },
  { route: `POST ${domains}/:domainName/check`, scopes: "admin" },
  { route: `DELETE ${domains}/:domainName`, scopes: "admin" },
  { route: `GET ${links}`, scopes: "admin" },
  { route: `POST ${links}`, scopes: "admin", body: () => ({ note: "Ada" }) },
  { route: `DELETE ${links}/:linkId`, scopes: "admin" },
  { route: `GET ${notes}`, scopes: all },
  { route: `PATCH ${notes}/:noteId`, scopes: "admin", body: () => ({ text: "Shorter." }) },
  { route: "GET /v2/keys", scopes: "admin" },
  {
    route: "POST /v2/keys",
    scopes: "admin",
    body: () => ({ name: "CI", scopes: ["admin"] }),
  },
  { route: "GET /v2/audit", scopes: "admin" },
  { route: "GET /v2/webhooks", scopes: "admin" },
  { route: "GET /v2/webhooks/:webhookId", scopes: "admin" },
  { route: "PATCH /v2/webhooks/:webhookId", scopes: "admin", body: () => ({}) },
  { route: "POST /v2/webhooks/:webhookId/test", scopes: "admin" },
  { route: "POST /v2/webhooks/:webhookId/deliveries/:deliveryId/send", scopes: "admin" },
  {
    route: "POST /v2/webhooks",
    scopes: "admin",
    body: () => ({ url: "https://hooks.example/", events: ["agent.failed"] }),
  },
  // What is deleted is not there for a row after it.
  { route: "DELETE /v2/deployments/:deploymentId", scopes: "export" },
  { route: "DELETE /v2/projects/:projectId/hook", scopes: "admin" },
  { route: "DELETE /v2/webhooks/:webhookId", scopes: "admin" },
  { route: "DELETE /v2/keys/:keyId", scopes: "admin" },
  { route: `DELETE ${notes}/:noteId`, scopes: "admin" },
  { route: `DELETE ${notes}`, scopes: "admin" },
  { route: "DELETE /v2/projects/:projectId", scopes: "admin" },
];

/** Who may use the dashboard's pages, besides `read`, without which nobody can sign in. */
const pageRows: readonly Row[] = [
  { route: "GET /projects", scopes: all },
  { route: "GET /projects/*", scopes: all },
  { route: "GET /projects/new", scopes: "admin" },
  { route: "POST /projects/new", scopes: "admin" },
  { route: "POST /projects/new/test", scopes: "admin" },
  { route: "GET /projects/:projectId", scopes: all },
  { route: "POST /projects/:projectId/settings/general", scopes: "admin" },
  { route: "POST /projects/:projectId/settings/folder", scopes: "admin" },
  { route: "POST /projects/:projectId/delete", scopes: "admin" },
  { route: "GET /projects/:projectId/settings", scopes: "admin" },
  { route: "POST /projects/:projectId/settings", scopes: "admin" },
  { route: "GET /projects/:projectId/sources", scopes: "admin" },
  { route: "POST /projects/:projectId/sources", scopes: "admin" },
  { route: "GET /projects/:projectId/review-notes", scopes: "admin" },
  { route: "POST /projects/:projectId/review-notes", scopes: "admin" },
  { route: "GET /projects/:projectId/deployments", scopes: all },
  { route: "POST /projects/:projectId/deployments", scopes: "export" },
  { route: "GET /projects/:projectId/deployments/:deploymentId", scopes: all },
  { route: "GET /projects/:projectId/hook", scopes: all },
  { route: "POST /projects/:projectId/hook", scopes: "admin" },
  { route: "POST /projects/:projectId/hook/delete", scopes: "admin" },
  { route: "POST /projects/:projectId/deployments/:deploymentId/publish", scopes: "export" },
  { route: "GET /projects/:projectId/site", scopes: "admin" },
  { route: "POST /projects/:projectId/site", scopes: "admin" },
  { route: "GET /open-site", scopes: all },
  { route: "POST /projects/:projectId/links", scopes: "admin" },
  { route: "POST /projects/:projectId/links/:linkId/revoke", scopes: "admin" },
  { route: "POST /projects/:projectId/domains", scopes: "admin" },
  { route: "POST /projects/:projectId/domains/:domainName/check", scopes: "admin" },
  { route: "POST /projects/:projectId/domains/:domainName/remove", scopes: "admin" },
  { route: "GET /projects/:projectId/versions", scopes: "admin" },
  { route: "POST /projects/:projectId/versions", scopes: "admin" },
  { route: "GET /projects/:projectId/exports", scopes: all },
  { route: "POST /projects/:projectId/exports", scopes: "export" },
  { route: "GET /projects/:projectId/exports/:jobId", scopes: all },
  { route: "POST /projects/:projectId/exports/:jobId/cancel", scopes: "export" },
  { route: "GET /projects/:projectId/exports/:jobId/download", scopes: all },
  { route: "GET /projects/:projectId/exports/:jobId/preview", scopes: all },
  { route: "GET /previews/:jobId/*", scopes: all },
  { route: "GET /projects/:projectId/problems", scopes: all },
  { route: "GET /projects/:projectId/agent", scopes: all },
  { route: "POST /projects/:projectId/agent", scopes: "agent" },
  { route: "GET /projects/:projectId/agent/:jobId", scopes: all },
  { route: "POST /projects/:projectId/agent/:jobId/message", scopes: "agent" },
  { route: "POST /projects/:projectId/agent/:jobId/cancel", scopes: "agent" },
  { route: "POST /projects/:projectId/agent/:jobId/archive", scopes: "agent" },
  { route: "GET /projects/:projectId/agent/:jobId/preview/:number", scopes: all },
  { route: "POST /projects/:projectId/agent/:jobId/preview/:number", scopes: "export" },
  { route: "GET /projects/:projectId/agent/:jobId/preview/:number/*", scopes: all },
  { route: "POST /projects/:projectId/agent/:jobId/preview/:number/*", scopes: "export" },
  { route: "GET /projects/:projectId/pulls", scopes: all },
  { route: "GET /projects/:projectId/pulls/:number", scopes: all },
  { route: "GET /projects/:projectId/pulls/:number/changes", scopes: all },
  { route: "POST /projects/:projectId/pulls/:number/changes", scopes: all },
  { route: "GET /projects/:projectId/pulls/:number/preview", scopes: all },
  { route: "POST /projects/:projectId/pulls/:number/comment", scopes: "agent" },
  { route: "POST /projects/:projectId/pulls/:number/ask", scopes: "agent" },
  { route: "POST /projects/:projectId/pulls/:number/merge", scopes: "agent" },
  { route: "POST /projects/:projectId/pulls/:number/revert", scopes: "agent" },
  { route: "POST /projects/:projectId/pulls/:number/ready", scopes: "agent" },
  { route: "POST /projects/:projectId/pulls/:number/close", scopes: "agent" },
  { route: "GET /keys", scopes: all },
  { route: "POST /keys", scopes: all },
  { route: "POST /keys/:keyId/revoke", scopes: all },
  { route: "GET /members", scopes: all },
  { route: "POST /members", scopes: "admin" },
  { route: "POST /members/:memberId/role", scopes: "admin" },
  { route: "GET /members/:memberId/remove", scopes: "admin" },
  { route: "POST /members/:memberId/remove", scopes: "admin" },
  { route: "GET /sessions", scopes: all },
  { route: "POST /sessions/:sessionId/end", scopes: all },
  { route: "POST /sessions/switch", scopes: all },
  { route: "GET /audit", scopes: "admin" },
  { route: "GET /audit/export", scopes: "admin" },
  { route: "GET /health", scopes: "admin" },
  { route: "GET /search", scopes: all },
  { route: "GET /webhooks", scopes: "admin" },
  { route: "POST /webhooks", scopes: "admin" },
  { route: "GET /webhooks/:webhookId", scopes: "admin" },
  { route: "POST /webhooks/:webhookId", scopes: "admin" },
  { route: "POST /webhooks/:webhookId/test", scopes: "admin" },
  { route: "POST /webhooks/:webhookId/deliveries/:deliveryId/send", scopes: "admin" },
  { route: "POST /webhooks/:webhookId/delete", scopes: "admin" },
];

/** Routes that need neither a key nor a session. Git routes check their keys themselves. */
const publicRoutes = [
  "POST /hooks/:hookId",
  "GET /",
  "GET /assets/:name",
  "GET /bundles/:file/:fileName",
  "GET /docs",
  "GET /git/*",
  "GET /healthz",
  "GET /manual",
  "GET /manual/*",
  "GET /metrics",
  "GET /openapi.json",
  "GET /preview/:token/*",
  "GET /readyz",
  "GET /signin",
  "GET /tls/ask",
  "GET /v1/openapi.json",
  "GET /v2/openapi.json",
  "POST /git/*",
  "POST /signin",
  "POST /signout",
];

function newProject() {
  return { name: "Docs", domain: newDomain(), repository: "local" };
}

const refusal = /API key has the scopes? .*; to .*, it needs the scopes?/;

let api: RunningApi;
let acme: TestOrganization;
let things: Things;

before(async () => {
  const isolation = openIsolation<IsolatedOperations>({
    program: new URL("../../packages/octavo/src/node/isolated.ts", import.meta.url),
  });
  api = await openApi({
    pages: (parts) => async (app, tools) => {
      await app.register(createDashboard({ ...parts, isolation, previewUrl: undefined }), tools);
      app.get("/forgotten", async () => "what nobody may see");
    },
  });
  acme = await api.openOrganization();
  things = await makeThings();
});
after(() => api[Symbol.asyncDispose]());

async function makeThings(): Promise<Things> {
  const { client } = acme;
  const projectId = await api.addHostedProject(acme);
  const { body: project } = await client.call<{ domain: string }>(
    "GET",
    `/v2/projects/${projectId}`,
  );
  const { domain } = project;
  const exported = await client.call<{ jobId: string }>("POST", exports, { body: { domain } });
  const { jobId } = await client.waitForExport(exported.body.jobId);
  const { id: deploymentId } = await client.deploy(projectId);
  const path = `/v2/agent/${projectId}/job`;
  const asked = await client.call<{ id: string }>("POST", path, { body: { prompt: "Do nothing" } });
  const agentJob = (await client.waitForAgentJob(`${path}/${asked.body.id}`)).id;
  const key = await client.call<{ id: string }>("POST", "/v2/keys", { body: { name: "Other" } });
  const hook = { url: "https://hooks.example/", events: ["agent.failed"] };
  const webhook = await client.call<{ id: string }>("POST", "/v2/webhooks", { body: hook });
  const test = `/v2/webhooks/${webhook.body.id}/test`;
  const delivery = await client.call<{ id: string }>("POST", test);
  return {
    projectId,
    domain,
    jobId,
    deploymentId,
    statusId: deploymentId,
    agentJob,
    keyId: key.body.id,
    webhookId: webhook.body.id,
    deliveryId: delivery.body.id,
    noteId: await addTestNote(api.database.kysely, projectId, agentJob),
    linkId: (await client.call<{ id: string }>("POST", `/v2/projects/${projectId}/site/links`, { body: { note: "Ada" } })).body.id, // prettier-ignore
    domainName: (await client.call<{ name: string }>("POST", `/v2/projects/${projectId}/site/domains`, { body: { name: newDomain() } })).body.name, // prettier-ignore
  };
}

function fill(path: string): string {
  return path
    .replace("job/:id", `job/${things.agentJob}`)
    .replace("/agent/:jobId", `/agent/${things.agentJob}`)
    .replace(
      /:(projectId|jobId|deploymentId|statusId|keyId|webhookId|deliveryId|noteId|domainName|linkId)/g,
      (_, name: keyof Things) => things[name],
    )
    .replace(":number", "1")
    .replace("*", "index");
}

async function makeKey(scopes: readonly AccessScope[]): Promise<string> {
  const scope = { organizationId: acme.id, projectId: null };
  return (await api.keys.create(scope, scopes.join(), { scopes })).secret;
}

/** Refused ones first: the others change what there is. */
function inOrder({ scopes }: Row): readonly (readonly [AccessScope, boolean])[] {
  const allowed = scopes.split(" ");
  const cases = accessScopes.map((scope) => [scope, allowed.includes(scope)] as const);
  return cases.toSorted(([, one], [, other]) => Number(one) - Number(other));
}

describe("the table of rights", () => {
  test("has every route that is registered", async () => {
    const known = [...apiRows, ...pageRows].map(({ route }) => route);
    const registered = api.app.routeRights();
    const missing: string[] = [];
    for (const [route, right] of registered) {
      const [method = "", url = ""] = route.split(" ");
      if (method === "HEAD" || [...known, ...publicRoutes, "GET /forgotten"].includes(route)) {
        continue;
      }
      // The other methods of each path have a route too, which refuses everyone with 405, or leads to a page above it.
      const isRefusal = right === "public" && (await refusesAll(method, fill(url)));
      if (!isRefusal) missing.push(`${route}: ${right}`);
    }
    assert.deepEqual(missing, []);
    for (const route of [...known, ...publicRoutes]) {
      assert.ok(registered.has(route), `there is no ${route}`);
    }
    for (const route of publicRoutes) assert.equal(registered.get(route), "public");
    for (const route of known) assert.notEqual(registered.get(route), "public", route);
  });

  test("refuses a route that declares nothing to everyone", async () => {
    for (const authorization of ["", `Bearer ${acme.key}`]) {
      const answer = await fetch(`${api.url}/forgotten`, { headers: { authorization } });
      assert.equal(answer.status, 403);
      assert.doesNotMatch(await answer.text(), /what nobody may see/);
    }
  });

  for (const row of apiRows) {
    test(`lets ${row.scopes} call ${row.route}, and nobody else`, async () => {
      const [method = "", path = ""] = row.route.split(" ");
      for (const [scope, isAllowed] of inOrder(row)) {
        const client = api.client(await makeKey([scope]));
        const options = row.body && { body: row.body(things) };
        const { status, body } = await client.call<{ error?: string }>(method, fill(path), options);
        assertAnswer(row.route, { scope, isAllowed, status, text: body?.error ?? "" });
      }
    });
  }

  for (const row of pageRows) {
    test(`lets ${row.scopes} open ${row.route}, and nobody else`, async () => {
      const [method = "", path = ""] = row.route.split(" ");
      // The key that it revokes is one that is not there.
      const address = fill(path.replace(":keyId", createId("key")));
      for (const [scope, isAllowed] of inOrder(row)) {
        const cookie = await signIn(await makeKey(["read", scope]));
        const headers = { cookie, "sec-fetch-site": "same-origin" };
        const answer = await fetch(api.url + address, { method, headers, redirect: "manual" });
        const text = await answer.text();
        assertAnswer(row.route, { scope, isAllowed, status: answer.status, text });
        assert.doesNotMatch(answer.headers.get("location") ?? "", /signin/);
      }
    });
  }

  for (const scope of accessScopes.filter((one) => one !== "read")) {
    test(`lets nobody sign in with ${scope} alone`, async () => {
      const key = await makeKey([scope]);
      const { status, text } = await postSignIn(key);
      assert.equal(status, 403);
      assert.match(text, /to sign in to the dashboard, it needs the scope read/);
    });
  }
});

interface Answer {
  readonly scope: AccessScope;
  readonly isAllowed: boolean;
  readonly status: number;
  readonly text: string;
}

function assertAnswer(route: string, { scope, isAllowed, status, text }: Answer): void {
  const shown = `${route} with ${scope}: ${status} ${text.slice(0, 500)}`;
  assert.ok(status < 500, shown);
  assert.equal(status === 403 && refusal.test(text), !isAllowed, shown);
}

/** Reports whether a route refuses its method, or only redirects to a page whose path it extends. */
async function refusesAll(method: string, path: string): Promise<boolean> {
  const response = await api.app.inject({
    method: method as "GET",
    url: path,
    headers: { host: "x" },
  });
  const { location } = response.headers;
  const isAbove = typeof location === "string" && path.startsWith(location) && path !== location;
  return response.statusCode === 405 || (method === "GET" && isAbove);
}

async function postSignIn(key: string) {
  const answer = await fetch(`${api.url}/signin`, {
    method: "POST",
    headers: { "sec-fetch-site": "same-origin" },
    body: new URLSearchParams({ key }),
    redirect: "manual",
  });
  const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  return { status: answer.status, text: await answer.text(), cookie };
}

async function signIn(key: string): Promise<string> {
  const { status, cookie } = await postSignIn(key);
  assert.equal(status, 303);
  return cookie;
}
