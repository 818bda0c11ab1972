import assert from "node:assert/strict";
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { after, before, describe, test } from "node:test";
import { openApiContract, type ApiContract } from "../../../../test/support/api-contract.ts";
import {
  createGiteaPush,
  createGitHubPush,
  createGitLabPush,
  deletion,
  senders,
  type HookRequest,
} from "../../../../test/support/hook-deliveries.ts";
import { openApi } from "../../../../test/support/running-api.ts";
import type { RunningApi, TestOrganization } from "../../../../test/support/running-api.ts";
import { createId } from "../core/index.ts";
import type { AddressedDeployment } from "../jobs/index.ts";
import type { HookBody } from "./routes/hooks.ts";

const floodSize = 1_000;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly outcome?: string;
    readonly deploymentId?: string;
    readonly reason?: string;
    readonly error?: string;
  };
}

describe("a hook", () => {
  let api: RunningApi;
  let acme: TestOrganization;
  let stranger: TestOrganization;
  let contract: ApiContract;
  let projectId: string;
  let hook: HookBody & { readonly secret: string; readonly problem: string | null };

  before(async () => {
    api = await openApi({ hasAgents: false });
    [acme, stranger] = [await api.openOrganization(), await api.openOrganization()];
    contract = await openApiContract(api.url);
    projectId = (await acme.addProject("docs.acme.example")).id;
  });
  after(() => api[Symbol.asyncDispose]());

  async function call<Body>(method: string, { id = projectId, client = acme.client } = {}) {
    const answer = await client.call<Body>(method, `/v2/projects/${id}/hook`);
    contract.assertDescribed(method, "/v2/projects/{projectId}/hook", answer);
    return answer;
  }

  async function send({ headers, body }: HookRequest, id = hook.id): Promise<Answer> {
    const response = await fetch(`${api.url}/hooks/${id}`, { method: "POST", headers, body });
    const answer = (await response.json()) as Answer["body"];
    return { status: response.status, headers: response.headers, body: answer };
  }

  /** Returns a deployment when it has ended. */
  async function finish(id = ""): Promise<AddressedDeployment> {
    await acme.client.call("GET", `/v2/deployments/${id}/events`);
    return (await acme.client.call<AddressedDeployment>("GET", `/v2/deployments/${id}`)).body;
  }

  test("is created with a secret that is shown once, and renewed at the same address", async () => {
    assert.equal((await call("GET")).status, 404);
    assert.equal((await call("DELETE")).status, 404);
    const created = await call<typeof hook>("POST");
    assert.equal(created.status, 201);
    assert.match(created.body.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(created.body.url, `${api.url}/hooks/${created.body.id}`);
    const read = await call<HookBody>("GET");
    const { secret: former, problem, ...rest } = created.body;
    assert.deepEqual([read.body, problem], [rest, "No code host."]);
    const renewed = await call<typeof hook>("POST");
    hook = renewed.body;
    assert.equal(hook.url, created.body.url);
    const old = await send(senders.github(former, "ping", {}));
    assert.equal(old.status, 401);
    // The node that made the change knows it at once.
    for (let round = 0; round < 3; round++) {
      hook = (await call<typeof hook>("POST")).body;
      assert.equal((await send(senders.github(hook.secret, "ping", {}))).status, 200);
    }
    assert.ok((await call<HookBody>("GET")).body.refusedAt);
    const stored = await api.database.kysely.selectFrom("project_hooks").select("secret").executeTakeFirstOrThrow(); // prettier-ignore
    assert.ok(!Buffer.from(stored.secret).includes(hook.secret));
    for (const method of ["GET", "POST", "DELETE"]) {
      assert.equal((await call(method, { client: stranger.client })).status, 404);
    }
  });

  const pushes = [
    ["GitHub", "github", "push", createGitHubPush()],
    ["GitHub, as a form", "githubForm", "push", createGitHubPush()],
    ["Gitea", "gitea", "push", createGiteaPush()],
    ["Forgejo", "forgejo", "push", createGiteaPush()],
    ["GitLab, with a token", "gitlabToken", "Push Hook", createGitLabPush()],
    ["GitLab, signed", "gitlabSigned", "Push Hook", createGitLabPush()],
    ["any sender", "standard", "docs.changed", {}],
    ["any sender that names the branch", "standard", "push", { ref: "main", default_branch: "main" }], // prettier-ignore
  ] as const;
  for (const [title, way, event, payload] of pushes) {
    test(`starts a deployment for a push from ${title}, once`, async () => {
      const request = senders[way](hook.secret, event, payload);
      const first = await send(request);
      assert.deepEqual([first.status, first.body.outcome], [202, "started"], first.body.error);
      const { kind, trigger, status, createdBy } = await finish(first.body.deploymentId);
      assert.deepEqual([kind, trigger, status, createdBy], ["production", "hook", "ready", null]);
      const again = await send(request);
      assert.deepEqual([again.status, again.body], [200, { outcome: "repeated" }]);
      const { body } = await call<HookBody>("GET");
      const [newest] = body.deliveries;
      const sender = way.replace(/Form|Token|Signed/, "");
      assert.deepEqual([newest?.sender, newest?.deploymentId, newest?.reason], [sender, first.body.deploymentId, null]); // prettier-ignore
    });
  }

  test("ignores everything else, and says why", async () => {
    const rows = [
      ["github", "ping", { zen: "Keep it logically awesome.", hook_id: 1 }, /^This was a test delivery\.$/],
      ["github", "push", createGitHubPush({ ref: "refs/heads/work" }), /^The site shows the branch main\.$/],
      ["github", "push", createGitHubPush({ ref: "refs/tags/v1.0" }), /^refs\/tags\/v1\.0 is a tag, not a branch\.$/],
      ["github", "push", createGitHubPush(deletion), /^The branch main was deleted\.$/],
      ["github", "pull_request", { action: "closed", number: 1, pull_request: { merged: true } }, /^The open pull requests are checked for changes\.$/],
      ["github", "create", { ref: "work", ref_type: "branch" }, /not a push/],
      ["github", "push", createGitHubPush({ ref: 5 }), /^The push does not specify a branch\.$/],
      ["gitea", "push", createGiteaPush(deletion), /was deleted/],
      ["gitea", "push", createGiteaPush({ ref: "refs/tags/v1" }), /is a tag/],
      ["gitea", "delete", { ref: "work", ref_type: "branch" }, /The event "delete" is not a push/],
      ["forgejo", "pull_request", { action: "closed" }, /pull requests are checked/],
      ["gitlabToken", "Push Hook", createGitLabPush(deletion), /was deleted/],
      ["gitlabToken", "Tag Push Hook", createGitLabPush({ object_kind: "tag_push", ref: "refs/tags/v1" }), /The event "Tag Push Hook" is not a push/],
      ["gitlabSigned", "Merge Request Hook", { object_kind: "merge_request" }, /pull requests are checked/],
      ["standard", "push", { ref: "refs/heads/main", after: "0".repeat(40) }, /was deleted/],
    ] as const; // prettier-ignore
    for (const [way, event, payload, reason] of rows) {
      const { status, body } = await send(senders[way](hook.secret, event, payload));
      assert.deepEqual([status, body.outcome], [200, "ignored"], `${way} ${event}`);
      assert.match(body.reason ?? "", reason);
    }
    const broken = senders.github(hook.secret, "push", {});
    const odd = { ...broken, body: "{", headers: { ...broken.headers, ...senders.github(hook.secret, "push", {}).headers } }; // prettier-ignore
    assert.equal((await send(odd)).status, 401);
    assert.equal((await call<HookBody>("GET")).body.deliveries.length, 20);
  });

  test("starts a preview of a branch of which the site wants previews", async () => {
    const site = `/v2/projects/${projectId}/site`;
    await acme.client.call("PUT", site, { body: { previewBranches: ["wo*"] } });
    const push = createGitHubPush({ ref: "refs/heads/work" });
    const { status, body } = await send(senders.github(hook.secret, "push", push));
    assert.deepEqual([status, body.outcome], [202, "started"]);
    const { kind, trigger, ref, isLive } = await finish(body.deploymentId);
    assert.deepEqual([kind, trigger, ref, isLive], ["preview", "hook", "work", false]);
    const { body: changed } = await acme.client.call<{ previewBranches: readonly string[] }>("PUT", site, { body: { previewBranches: [] } }); // prettier-ignore
    assert.deepEqual(changed.previewBranches, []);
  });

  test("refuses what nothing proves to come from somebody who knows the secret", async () => {
    const wrong = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
    for (const [title, way, event, payload] of pushes) {
      const { status, headers, body } = await send(senders[way](wrong, event, payload));
      assert.deepEqual([status, headers.get("www-authenticate")], [401, "Signature"], title);
      assert.match(body.error ?? "", /no valid signature or token/);
      const request = senders[way](hook.secret, event, payload);
      if (way !== "gitlabToken") {
        assert.equal((await send({ ...request, body: `${request.body} ` })).status, 401, title);
      }
      assert.equal((await send({ ...request, headers: {} })).status, 401, title);
      assert.equal((await send(request, "hk_01234567890123456789012345")).status, 404, title);
    }
    const old = senders.standard(hook.secret, "push", {});
    const time = String(Number(old.headers["webhook-timestamp"]) - 600);
    assert.equal((await send({ ...old, headers: { ...old.headers, "webhook-timestamp": time } })).status, 401); // prettier-ignore
    assert.equal((await send({ headers: { "x-gitlab-token": "" }, body: "" })).status, 401);
  });

  test("starts nothing while pushes are not published", async () => {
    const site = `/v2/projects/${projectId}/site`;
    await acme.client.call("PUT", site, { body: { isAutomatic: false } });
    const { status, body } = await send(senders.github(hook.secret, "push", createGitHubPush()));
    assert.deepEqual([status, body.reason], [200, "Automatic publishing is turned off for this site."]); // prettier-ignore
    await acme.client.call("PUT", site, { body: { isAutomatic: true } });
  });

  test("lets one deployment wait for each project, however many pushes come", async () => {
    const requests = Array.from({ length: 100 }, () =>
      senders.github(hook.secret, "push", createGitHubPush()),
    );
    const answers = await Promise.all(requests.map((request) => send(request)));
    const ids = new Set(answers.map(({ status, body }) => (assert.equal(status, 202), body.deploymentId))); // prettier-ignore
    for (const id of ids) await finish(id);
    // Not more than one for each that began to be built before the next push came.
    assert.ok(ids.size <= 20, `${ids.size} deployments for 100 pushes`);
    const { body } = await acme.client.call<{ deployments: AddressedDeployment[] }>("GET", `/v2/projects/${projectId}/deployments?status=superseded`); // prettier-ignore
    assert.deepEqual(body.deployments, []);
  });

  test("refuses what is too large, and other methods", async () => {
    const large = senders.github(hook.secret, "push", createGitHubPush({ more: "x".repeat(6e6) }));
    const { status, body } = await send(large);
    assert.deepEqual([status, body.error], [413, "The body is larger than 5242880 bytes."]);
    const get = await fetch(`${api.url}/hooks/${hook.id}`);
    assert.deepEqual([get.status, get.headers.get("allow")], [405, "POST"]);
  });

  /** Sends the head of a delivery from another address, and its body if there is any. Returns the status. */
  async function sendJunk(id: string, { headers, body }: Partial<HookRequest>): Promise<number> {
    const declared = { "content-length": String(body?.length ?? 1_000), ...headers };
    const sent = request(`${api.url}/hooks/${id}`, { method: "POST", headers: declared, localAddress: "127.0.0.2", agent: false }); // prettier-ignore
    if (body === undefined) sent.flushHeaders();
    else sent.end(body);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    sent.on("error", () => undefined);
    response.resume();
    if (body === undefined) sent.destroy();
    return response.statusCode ?? 0;
  }

  test("refuses what cannot be proven before its body comes", async () => {
    assert.equal(await sendJunk(hook.id, { headers: { "x-github-event": "push" } }), 401);
    assert.equal(await sendJunk(createId("hook"), {}), 404);
    assert.equal(await sendJunk(hook.id, { headers: { "content-length": "9000000" } }), 413);
  });

  test("answers others and its own sender during a flood of junk", async (t) => {
    const junk = senders.github("whsec_wrong", "push", createGitHubPush());
    const started = performance.now();
    const flooding = new AbortController();
    const counts = new Map<string, number>();
    let [sent, slowestMs] = [0, 0];
    const flood = Array.from({ length: 20 }, async () => {
      while (sent < floodSize) {
        sent += 1;
        const isKnown = sent % 2 === 0;
        const status = await sendJunk(isKnown ? hook.id : createId("hook"), junk);
        const name = `${isKnown ? "known" : "unknown"} ${status}`;
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
    });
    const reading = (async () => {
      while (!flooding.signal.aborted) {
        const from = performance.now();
        assert.equal((await acme.client.call("GET", "/v2/projects")).status, 200);
        assert.equal((await send(senders.github(hook.secret, "ping", {}))).status, 200);
        slowestMs = Math.max(slowestMs, performance.now() - from);
      }
    })();
    await Promise.all(flood);
    flooding.abort();
    await reading;
    const perSecond = (floodSize / (performance.now() - started)) * 1000;
    t.diagnostic(`${Math.round(perSecond)} a second; the slowest other call took ${Math.round(slowestMs)} ms`); // prettier-ignore
    // Some are being read when the address has been refused often enough.
    const names = ["known 401", "unknown 404", "known 429", "unknown 429"];
    assert.deepEqual([...counts.keys()].toSorted(), names.toSorted());
    for (const name of names.slice(2)) assert.ok((counts.get(name) ?? 0) > floodSize / 4, name);
    // Nothing of that address is read, but others are.
    assert.equal(await sendJunk(hook.id, senders.github(hook.secret, "ping", {})), 429);
    assert.equal(await sendJunk(hook.id, {}), 429);
    assert.equal((await send(senders.github(hook.secret, "ping", {}))).status, 200);
  });

  test("is gone when it was deleted", async () => {
    assert.equal((await call("DELETE")).status, 204);
    const gone = senders.github(hook.secret, "push", createGitHubPush());
    assert.equal((await send(gone)).status, 404);
  });
});
