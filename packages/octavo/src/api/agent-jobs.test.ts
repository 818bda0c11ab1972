import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClientResponse, ApiClient } from "../../../../test/support/api-client.ts";
import { openApiContract } from "../../../../test/support/api-contract.ts";
import type { ApiContract } from "../../../../test/support/api-contract.ts";
import { complaint, folderFor, git } from "../../../../test/support/git-fixture.ts";
import { patience } from "../../../../test/support/patience.ts";
import { openApi } from "../../../../test/support/running-api.ts";
import type { RunningApi, TestOrganization } from "../../../../test/support/running-api.ts";
import { createId } from "../core/index.ts";
import type { AgentJob } from "../jobs/index.ts";

let api: RunningApi;
let contract: ApiContract;
let acme: TestOrganization;
let project: string;
before(async () => {
  api = await openApi();
  acme = await api.openOrganization("free");
  project = await api.addHostedProject(acme);
  contract = await openApiContract(api.url);
});
after(() => api[Symbol.asyncDispose]());

interface Expectation {
  readonly method?: string;
  /** Below `/v2/agent/{projectId}`. */
  readonly path: string;
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly client?: ApiClient;
  readonly projectId?: string;
  readonly says?: RegExp;
}

async function expectAnswer<Body = AgentJob>(expected: Expectation): Promise<ClientResponse<Body>> {
  const { method = "POST", body, headers = {}, client = acme.client } = expected;
  const path = `/v2/agent/${expected.projectId ?? project}${expected.path}`;
  const answer = await client.call<Body>(method, path, { body, headers });
  assert.equal(answer.status, expected.status, `${path}: ${JSON.stringify(answer.body)}`);
  contract.assertDescribed(method, path, answer);
  if (answer.status >= 400) assert.deepEqual(Object.keys(answer.body as object), ["error"]);
  if (expected.says) assert.match((answer.body as { error: string }).error, expected.says);
  return answer;
}

async function create(prompt: string, projectId = project): Promise<AgentJob> {
  return (await expectAnswer({ path: "/job", body: { prompt }, status: 201, projectId })).body;
}

async function finish({ id }: AgentJob): Promise<AgentJob> {
  await acme.client.waitForAgentJob(`/v2/agent/${project}/job/${id}`);
  return (await expectAnswer({ method: "GET", path: `/job/${id}`, status: 200 })).body;
}

const rate = /^"agent-(jobs|messages)";r=\d+(;t=\d+)?$/;

function assertRated({ headers }: ClientResponse, kind: "jobs" | "messages"): void {
  assert.equal(headers.get("ratelimit-policy"), `"agent-${kind}";q=100;w=3600`);
  assert.match(headers.get("ratelimit") ?? "", rate);
}

test("an agent job from its prompt to its pull request, its diff and its archive", async () => {
  const body = { prompt: "replace Hello with Bonjour in index.mdx" };
  const created = await expectAnswer({ path: "/job", body, status: 201 });
  const { id } = created.body;
  assert.match(id, /^aj_/);
  assert.equal(created.headers.get("location"), `/v2/agent/${project}/job/${id}`);
  assertRated(created, "jobs");
  const [, seconds] =
    /^"agent-jobs";r=99;t=(\d+)$/.exec(created.headers.get("ratelimit") ?? "") ?? [];
  assert.ok(Number(seconds) > 3_500 && Number(seconds) <= 3_600);
  assert.deepEqual(created.body.source, {
    repository: `${api.url}/git/${project}.git`,
    ref: `octavo/agent-${id}`,
  });
  const job = await finish(created.body);
  assert.equal(job.status, "completed", job.error);
  assert.deepEqual(job.pullRequest, { url: job.prLink, state: "open", draft: false });
  const diff = await acme.client.call<string>("GET", `/v2/agent/${project}/job/${id}/diff`);
  assert.equal(diff.status, 200);
  assert.equal(diff.headers.get("content-type"), "text/x-diff; charset=utf-8");
  assert.match(diff.body, /-Hello\.\n\+Bonjour\./);
  await expectAnswer({ path: `/job/${id}/cancel`, status: 409, says: /completed/ });
  const archived = await expectAnswer({ path: `/job/${id}/archive`, status: 200 });
  assert.equal(archived.body.status, "archived");
  assert.equal(archived.body.prLink, job.prLink);
  const again = await expectAnswer({ path: `/job/${id}/archive`, body: {}, status: 200 });
  assert.deepEqual(again.body, archived.body);
  const message = await expectAnswer({ path: `/job/${id}/message`, body, status: 409 });
  assertRated(message, "messages");
});

test("the branch of a job is fetched with an API key, and with nothing else", async (t) => {
  const job = await finish(await create("replace Hello with Salut in index.mdx"));
  const folder = await folderFor(t);
  const { repository, ref } = job.source;
  const withKey = repository.replace("http://", `http://x:${acme.key}@`);
  await git(folder, "clone", "--quiet", "--branch", ref, withKey, "clone");
  assert.match(
    await git(join(folder, "clone"), "log", "-1", "--format=%an %s"),
    /^Octavo Replace Hello with Salut in index$/m,
  );
  await assert.rejects(git(folder, "clone", "--quiet", repository, "other"));
  const refused = await fetch(`${repository}/info/refs?service=git-upload-pack`);
  assert.equal(refused.status, 401);
  assert.match(refused.headers.get("www-authenticate") ?? "", /^Basic/);
  assert.match(((await refused.json()) as { error: string }).error, /API key/);
  const stranger = await api.openOrganization();
  const asStranger = repository.replace("http://", `http://x:${stranger.key}@`);
  const said = await complaint(git(folder, "clone", "--quiet", asStranger, "other"));
  assert.match(said, /^remote: The project .* does not exist/m);
});

test("a push with an API key is in the audit log, with the branch and the key", async (t) => {
  const folder = await folderFor(t);
  const address = `${api.url}/git/${project}.git`.replace("http://", `http://x:${acme.key}@`);
  await git(folder, "clone", "--quiet", address, "clone");
  await git(join(folder, "clone"), "push", "--quiet", "origin", "HEAD:refs/heads/pushed");
  type Events = { events: { actor: object; target: object; details: object }[] };
  const path = "/v2/audit?action=repository.pushed";
  const newest = async () => (await acme.client.call<Events>("GET", path)).body.events[0];
  // It is written when git has answered.
  const signal = patience();
  while (!(await newest())) await sleep(20, undefined, { signal });
  const { actor, target, details } = (await newest()) ?? assert.fail("no such event");
  assert.deepEqual(actor, { type: "key", id: acme.keyId, name: "Test" });
  assert.equal((target as { id: string }).id, project);
  assert.deepEqual(details, { refs: ["refs/heads/pushed"] });
});

test("an ETag changes with the job", async () => {
  const { id } = await create("wait");
  const get = { method: "GET", path: `/job/${id}` };
  const first = await expectAnswer({ ...get, status: 200 });
  const tag = first.headers.get("etag") ?? "";
  await expectAnswer({ path: `/job/${id}/cancel`, status: 200 });
  const headers = { "if-none-match": tag };
  const second = await expectAnswer({ ...get, status: 200, headers });
  assert.match(second.body.error ?? "", /^Cancelled/);
  const now = { "if-none-match": second.headers.get("etag") ?? "" };
  await expectAnswer({ ...get, status: 304, headers: now });
});

test("lists are paginated, newest first, and can be filtered", async () => {
  const projectId = await api.addHostedProject(acme);
  const made: string[] = [];
  for (let count = 0; count < 3; count += 1) made.unshift((await create("wait", projectId)).id);
  const cancel = { path: `/job/${made[1]}/cancel`, projectId };
  await expectAnswer({ ...cancel, status: 200 });
  type List = { jobs: AgentJob[]; nextCursor: string | null };
  const list = async (query: string) => {
    const call = { method: "GET", path: `/jobs?${query}`, status: 200, projectId };
    const { body } = await expectAnswer<List>(call);
    return { ids: body.jobs.map(({ id }) => id), nextCursor: body.nextCursor };
  };
  const first = await list("limit=2");
  assert.deepEqual(first.ids, made.slice(0, 2));
  assert.deepEqual(await list(`limit=2&cursor=${first.nextCursor}`), {
    ids: made.slice(2),
    nextCursor: null,
  });
  assert.deepEqual((await list("status=failed")).ids, [made[1]]);
  for (const query of ["limit=0", "cursor=x", "status=done"]) {
    await expectAnswer({ method: "GET", path: `/jobs?${query}`, status: 400, projectId });
  }
  for (const id of [made[0], made[2]]) {
    await expectAnswer({ ...cancel, path: `/job/${id}/cancel`, status: 200 });
  }
});

describe("a prompt is refused", () => {
  const bodies: [name: string, body: unknown, says: RegExp][] = [
    ["that is missing", {}, /prompt is missing/],
    ["without a body", undefined, /JSON object/],
    ["that is empty", { prompt: "" }, /at least 1/],
    ["of blanks", { prompt: " \n\t\u00a0\u200b" }, /^prompt must contain more than white space/],
    ["that is too long", { prompt: "x".repeat(20_001) }, /at most 20000/],
    ["that is no text", { prompt: 1 }, /^prompt (is not|must be)/],
    ["with unknown fields", { prompt: "x", model: "a/b" }, /"model"/],
    ["with NUL", { prompt: "a\0" }, /NUL/],
  ];
  for (const [name, body, says] of bodies) {
    test(name, async () => {
      const answer = await expectAnswer({ path: "/job", body, status: 400, says });
      assertRated(answer, "jobs");
    });
  }

  test("but not for characters of two UTF-16 units", async () => {
    const { id } = await create("😀".repeat(20_000));
    assert.equal((await finish({ id } as AgentJob)).status, "completed");
  });
});

test("another caller's resources get the same error as missing ones", async () => {
  const stranger = await api.openOrganization();
  const theirs = await api.addHostedProject(stranger);
  const { id } = await create("look");
  const nobodys = createId("project");
  for (const projectId of [theirs, nobodys, "x"]) {
    const body = { prompt: "x" };
    const made = await expectAnswer({ path: "/job", body, status: 404, projectId });
    assertRated(made, "jobs");
    assert.equal(made.headers.get("ratelimit"), `"agent-jobs";r=100`);
    await expectAnswer({ method: "GET", path: "/jobs", status: 404, projectId });
    await expectAnswer({ method: "GET", path: `/job/${id}`, status: 404, projectId });
  }
  for (const [method, action] of [
    ["GET", ""],
    ["GET", "/diff"],
    ["GET", "/events"],
    ["POST", "/cancel"],
    ["POST", "/archive"],
    ["POST", "/message"],
  ] as const) {
    // Also before anything that the body could be refused for.
    const path = `/job/${createId("agentJob")}${action}`;
    await expectAnswer({ method, path, status: 404, ...(method === "POST" && { body: [] }) });
  }
});

test("without a valid key no limits are revealed", async () => {
  const answer = await expectAnswer({
    path: "/job",
    body: { prompt: "x" },
    status: 401,
    client: api.client("octavo_nonsense"),
  });
  assert.equal(answer.headers.has("ratelimit"), false);
  assert.equal(answer.headers.has("ratelimit-policy"), false);
});

test("the same Idempotency-Key creates one job, and counts once towards the limit", async () => {
  const projectId = await api.addHostedProject(acme);
  const call = { path: "/job", projectId, headers: { "idempotency-key": "once" } };
  const body = { prompt: "look" };
  const first = await expectAnswer({ ...call, body, status: 201 });
  const second = await expectAnswer({ ...call, body, status: 201 });
  assert.deepEqual(second.body, first.body);
  assert.match(second.headers.get("ratelimit") ?? "", /;r=99;/);
  await expectAnswer({ ...call, body: { prompt: "other" }, status: 422 });
  const message = { path: `/job/${first.body.id}/message`, projectId, headers: call.headers };
  await expectAnswer({ ...message, body, status: 200 });
  const replayed = await expectAnswer({ ...message, body, status: 200 });
  assert.match(replayed.headers.get("ratelimit") ?? "", /"agent-messages";r=99;/);
});

test("of 500 creations at once 100 are accepted, and the others get Retry-After", async () => {
  const projectId = await api.addHostedProject(acme);
  const path = `/v2/agent/${projectId}/job`;
  const start = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 500 }, () =>
      acme.client.call<AgentJob>("POST", path, { body: { prompt: "wait" } }),
    ),
  );
  const fewest = 3_600 - (performance.now() - start) / 1_000 - 1;
  const taken = answers.filter(({ status }) => status === 201);
  assert.equal(taken.length, 100);
  for (const answer of answers) {
    assertRated(answer, "jobs");
    contract.assertDescribed("POST", path, answer);
    if (answer.status === 201) continue;
    assert.equal(answer.status, 429);
    const seconds = Number(answer.headers.get("retry-after"));
    assert.ok(seconds >= fewest && seconds <= 3_600);
    assert.equal(answer.headers.get("ratelimit"), `"agent-jobs";r=0;t=${seconds}`);
  }
  const refused = { path: "/job", projectId, body: { prompt: "wait" }, status: 429 };
  await expectAnswer({ ...refused, says: /100 new agent jobs/ });
  await expectAnswer({ ...refused, headers: { "idempotency-key": "refused" } });
  await api.database.kysely.deleteFrom("agent_uses").where("project_id", "=", projectId).execute();
  await expectAnswer({ ...refused, status: 201, headers: { "idempotency-key": "refused" } });
  const { kysely } = api.database;
  const rows = await kysely
    .selectFrom("agent_jobs")
    .select("id")
    .where("project_id", "=", projectId)
    .execute();
  assert.equal(rows.length, 101);
  for (const { id } of rows) {
    await acme.client.call("POST", `${path}/${id}/cancel`);
  }
});

describe("an event stream", () => {
  interface ServerEvent {
    readonly id: number;
    readonly event: string;
    readonly data: AgentJob & { readonly seq: number; readonly type: string };
  }

  async function read({ id }: AgentJob, headers: Record<string, string> = {}) {
    const response = await fetch(`${api.url}/v2/agent/${project}/job/${id}/events`, {
      headers: { authorization: `Bearer ${acme.key}`, ...headers },
    });
    assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
    const blocks = (await response.text()).split("\n\n").filter((block) => block.startsWith("id:"));
    return blocks.map((block): ServerEvent => {
      const match = /^id: (\d+)\nevent: (\w+)\ndata: (.+)$/.exec(block);
      assert.ok(match, block);
      return { id: Number(match[1]), event: match[2] ?? "", data: JSON.parse(match[3] ?? "") };
    });
  }

  test("sends each step and each change once, in order, and ends with the job's last state", async () => {
    const job = await create("replace Hello with Hei in index.mdx");
    const events = await read(job);
    const ids = events.map(({ id }) => id);
    assert.deepEqual(
      ids,
      [...new Set(ids)].toSorted((one, other) => one - other),
    );
    const steps = events.filter(({ event }) => event === "step");
    assert.deepEqual(
      steps.map(({ data }) => data.type),
      ["message", "model", "tool", "model", "check", "commit", "pull_request"],
    );
    assert.ok(steps.every(({ id, data }) => data.seq === id));
    const last = events.at(-1);
    assert.equal(last?.event, "job");
    assert.deepEqual(last?.data, await finish(job));
    const middle = ids[3] ?? 0;
    const rest = await read(job, { "last-event-id": String(middle) });
    assert.deepEqual(rest.at(-1), last);
    assert.ok(rest.every(({ id }) => id > middle));
    assert.equal(
      rest.filter(({ event }) => event === "step").length,
      steps.filter(({ id }) => id > middle).length,
    );
    assert.deepEqual(await read(job, { "last-event-id": String(last?.id) }), []);
  });
});
