import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { ClientResponse, ApiClient } from "../../../../test/support/api-client.ts";
import { createApiContract } from "../../../../test/support/api-contract.ts";
import type { ApiContract } from "../../../../test/support/api-contract.ts";
import { patience } from "../../../../test/support/patience.ts";
import { openApi } from "../../../../test/support/running-api.ts";
import type { RunningApi, TestOrganization } from "../../../../test/support/running-api.ts";
import { isSignedWith, startWebhookReceiver } from "../../../../test/support/webhook-receiver.ts";
import type { WebhookReceiver } from "../../../../test/support/webhook-receiver.ts";
import type { AgentJob, StaticExportJob } from "../jobs/index.ts";

type Document = Parameters<typeof createApiContract>[0] & {
  readonly webhooks: Readonly<Record<string, unknown>>;
};
interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly createdAt: string;
  readonly disabledAt: string | null;
}
interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly jobId: string;
  readonly state: string;
}

let api: RunningApi;
let contract: ApiContract;
let document: Document;
let acme: TestOrganization;
let stranger: TestOrganization;
let receiver: WebhookReceiver;
before(async () => {
  api = await openApi();
  receiver = await startWebhookReceiver();
  [acme, stranger] = [await api.openOrganization(), await api.openOrganization()];
  ({ body: document } = await acme.client.call<Document>("GET", "/v2/openapi.json"));
  contract = createApiContract(document);
});
after(async () => {
  await api[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const path = "/v2/webhooks";
const every = [
  "static_export.completed",
  "static_export.failed",
  "agent.completed",
  "agent.failed",
  "deployment.ready",
  "deployment.published",
  "deployment.failed",
];

interface Expectation {
  readonly method?: string;
  readonly path?: string;
  readonly status: number;
  readonly body?: unknown;
  readonly client?: ApiClient;
  readonly says?: RegExp;
}

async function expectAnswer<Body>(expected: Expectation): Promise<ClientResponse<Body>> {
  const { method = "POST", body, client = acme.client } = expected;
  const called = expected.path ?? path;
  const answer = await client.call<Body>(method, called, { body });
  assert.equal(answer.status, expected.status, `${called}: ${JSON.stringify(answer.body)}`);
  contract.assertDescribed(method, called, answer);
  if (answer.status >= 400) assert.deepEqual(Object.keys(answer.body as object), ["error"]);
  if (expected.says) assert.match((answer.body as { error: string }).error, expected.says);
  return answer;
}

async function create(
  { client }: TestOrganization,
  url = "https://example.com/hooks",
): Promise<Webhook & { secret: string }> {
  const body = { url, events: every };
  return (await expectAnswer<Webhook & { secret: string }>({ body, status: 201, client })).body;
}

test("a webhook is created, read, listed and deleted; its secret is shown once", async () => {
  const url = "https://example.com/hooks";
  const body = { url, events: ["agent.failed", "agent.completed"] };
  const { body: made, headers } = await expectAnswer<Webhook & { secret: string }>({
    body,
    status: 201,
  });
  const { secret, ...webhook } = made;
  assert.match(secret, /^whsec_[\w+/]{43}=$/);
  assert.match(webhook.id, /^wh_/);
  assert.equal(headers.get("location"), `${path}/${webhook.id}`);
  assert.deepEqual(webhook, {
    id: webhook.id,
    url,
    events: ["agent.completed", "agent.failed"],
    createdAt: webhook.createdAt,
    disabledAt: null,
  });
  assert.match(webhook.createdAt, /^\d{4}-.*\.\d{3}Z$/);
  const own = `${path}/${webhook.id}`;
  const got = await expectAnswer({ method: "GET", path: own, status: 200 });
  assert.deepEqual(got.body, { ...webhook, deliveries: [] });
  const { body: list } = await expectAnswer<{ webhooks: Webhook[]; nextCursor: null }>({
    method: "GET",
    status: 200,
  });
  assert.deepEqual(list.webhooks[0], webhook);
  await expectAnswer({ method: "DELETE", path: own, status: 204 });
  await expectAnswer({ method: "GET", path: own, status: 404, says: /webhook .* does not exist/ });
  await expectAnswer({
    method: "DELETE",
    path: own,
    status: 404,
    says: /webhook .* does not exist/,
  });
  assert.ok(!api.log().includes(secret.slice("whsec_".length)));
});

test("lists are paginated, newest first", async () => {
  const mine = await api.openOrganization();
  const made: string[] = [];
  for (let count = 0; count < 3; count += 1) made.unshift((await create(mine)).id);
  type List = { webhooks: Webhook[]; nextCursor: string | null };
  const list = async (query: string) => {
    const called = { method: "GET", path: `${path}?${query}`, status: 200, client: mine.client };
    const { body } = await expectAnswer<List>(called);
    return { ids: body.webhooks.map(({ id }) => id), nextCursor: body.nextCursor };
  };
  const first = await list("limit=2");
  assert.deepEqual(first.ids, made.slice(0, 2));
  const second = await list(`limit=2&cursor=${first.nextCursor}`);
  assert.deepEqual(second, { ids: made.slice(2), nextCursor: null });
});

describe("creation is refused", () => {
  const bodies: [name: string, fields: object, says: RegExp][] = [
    ["with an unknown field", { projectId: "pr_x" }, /"projectId"/],
    ["without an address", { url: undefined }, /url is missing/],
    ["with a long address", { url: `https://a.example/${"a".repeat(2_048)}` }, /at most 2048/],
    ["with http", { url: "http://example.com/" }, /url is refused: .* over http/],
    ["with a private address", { url: "https://10.0.0.1/" }, /OCTAVO_ALLOW/],
    ["with credentials", { url: "https://a:b@example.com/" }, /user name or password/],
    ["with another scheme", { url: "file:///etc/passwd" }, /not an https address/],
    ["without events", { events: undefined }, /events is missing/],
    ["with no event", { events: [] }, /events must have at least 1 entry/],
    ["with an unknown event", { events: ["agent.*"] }, /events\.0 must be one of/],
    ["with an event twice", { events: ["agent.failed", "agent.failed"] }, /an event twice/],
    ["with a word for events", { events: "agent.failed" }, /events must be a list/],
    ["with NUL", { url: "https://example.com/\0" }, /NUL/],
  ];
  for (const [name, fields, says] of bodies) {
    test(name, async () => {
      const body = { url: "https://example.com/", events: every, ...fields };
      await expectAnswer({ body, status: 400, says });
    });
  }

  test("if the organization has twenty", async () => {
    const mine = await api.openOrganization();
    for (let count = 0; count < 20; count += 1) await create(mine);
    const body = { url: "https://example.com/", events: every };
    await expectAnswer({ body, status: 409, says: /20 webhooks/, client: mine.client });
  });

  test("for a key that is limited to a project, which cannot list them either", async () => {
    const { id: projectId } = await acme.addProject();
    const { secret } = await api.keys.create({ organizationId: acme.id, projectId }, "CI");
    const client = api.client(secret);
    const { id } = await create(acme);
    const body = { url: "https://example.com/", events: every };
    await expectAnswer({ body, status: 403, says: /limited to the project/, client });
    await expectAnswer({ body: { ...body, x: 1 }, status: 400, client });
    const list = await expectAnswer<object>({ method: "GET", status: 200, client });
    assert.deepEqual(list.body, { webhooks: [], nextCursor: null });
    for (const method of ["GET", "DELETE"]) {
      await expectAnswer({ method, path: `${path}/${id}`, status: 404, client });
      const other = { method, path: `${path}/${id}`, client: stranger.client };
      await expectAnswer({ ...other, status: 404 });
    }
    await expectAnswer({ method: "DELETE", path: `${path}/${id}`, body: { x: 1 }, status: 400 });
  });
});

test("the ends of jobs are sent as the documents describe them, and shown with the webhook", async () => {
  const { id, secret } = await create(acme, receiver.url);
  const { domain } = await acme.addProject();
  const { body: started } = await acme.client.call<StaticExportJob>(
    "POST",
    "/v1/static-export/jobs",
    {
      body: { domain },
    },
  );
  await acme.client.waitForExport(started.jobId);
  await receiver.until(1);
  const project = await api.addHostedProject(acme);
  const prompt = { prompt: "look around" };
  const { body: job } = await acme.client.call<AgentJob>("POST", `/v2/agent/${project}/job`, {
    body: prompt,
  });
  await receiver.until(2);
  const deployed = await acme.client.deploy(project);
  await receiver.until(4);
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  ajv.addSchema(document, "octavo");
  for (const message of receiver.received) {
    const { type, data } = message.body;
    const pointer = `octavo#/webhooks/${type}/post/requestBody/content/application~1json/schema`;
    const validate = ajv.compile({ $ref: pointer });
    assert.ok(validate(message.body), `${type}: ${ajv.errorsText(validate.errors)}`);
    assert.ok(isSignedWith(secret, message));
    const [kind = ""] = type.split(".");
    const at = { agent: `/v2/agent/${project}/job/`, deployment: "/v2/deployments/" }[kind] ?? "/v1/static-export/jobs/"; // prettier-ignore
    const shown = await acme.client.call(`GET`, `${at}${String(data["id"] ?? data["jobId"])}`);
    assert.deepEqual(shown.body, data);
  }
  const described = [...every, "webhook.test"];
  assert.deepEqual(Object.keys(document.webhooks).toSorted(), described.toSorted());
  const states = async () => {
    const got = { method: "GET", path: `${path}/${id}`, status: 200 };
    const { body } = await expectAnswer<{ deliveries: Delivery[] }>(got);
    return body.deliveries.map(({ event, jobId, state }) => [event, jobId, state]);
  };
  const signal = patience();
  while ((await states()).flat().includes("pending")) await sleep(20, undefined, { signal });
  assert.deepEqual(
    (await states()).toSorted(([one = ""], [other = ""]) => one.localeCompare(other)),
    [
      ["agent.completed", job.id, "delivered"],
      ["deployment.published", deployed.id, "delivered"],
      ["deployment.ready", deployed.id, "delivered"],
      ["static_export.completed", started.jobId, "delivered"],
    ],
  );
});

test("a webhook is changed in part, and keeps its secret", async () => {
  const { secret, ...made } = await create(acme);
  const own = `${path}/${made.id}`;
  const patch = (body: unknown, status = 200, says?: RegExp) =>
    expectAnswer<Webhook>({ method: "PATCH", path: own, body, status, ...(says && { says }) });
  const renamed = await patch({ url: "https://example.com/other" });
  assert.deepEqual(renamed.body, { ...made, url: "https://example.com/other" });
  const chosen = await patch({ events: ["agent.failed"] });
  assert.deepEqual(chosen.body, { ...renamed.body, events: ["agent.failed"] });
  assert.deepEqual((await patch({})).body, chosen.body);
  await patch({ url: "http://example.com/" }, 400, /url is refused: .* over http/);
  await patch({ events: [] }, 400, /at least 1/);
  await patch({ secret }, 400, /"secret"/);
  const got = await expectAnswer({ method: "GET", path: own, status: 200 });
  assert.deepEqual(got.body, { ...chosen.body, deliveries: [] });
  for (const client of [stranger.client]) {
    await expectAnswer({ method: "PATCH", path: own, body: {}, status: 404, client });
  }
});

test("a test and a message that has ended are sent on request, and a disabled webhook is enabled again", async () => {
  const { id, secret } = await create(acme, receiver.url);
  const own = `${path}/${id}`;
  const before = receiver.received.length;
  const sent = await expectAnswer<Delivery>({ path: `${own}/test`, status: 202 });
  assert.deepEqual(
    [sent.body.event, sent.body.jobId, sent.body.state],
    ["webhook.test", null, "pending"],
  );
  await receiver.until(before + 1);
  const ended = async () => {
    type Details = { deliveries: readonly Delivery[] };
    const { body } = await expectAnswer<Details>({ method: "GET", path: own, status: 200 });
    return body.deliveries.every(({ state }) => state === "delivered");
  };
  const signal = patience();
  while (!(await ended())) await sleep(20, undefined, { signal });
  const again = `${own}/deliveries/${sent.body.id}/send`;
  const repeated = await expectAnswer<Delivery>({ path: again, body: {}, status: 202 });
  assert.deepEqual([repeated.body.id, repeated.body.state], [sent.body.id, "pending"]);
  await receiver.until(before + 2);
  const [first, second] = receiver.received.slice(before);
  assert.deepEqual(second?.body, first?.body);
  assert.ok(first && second && isSignedWith(secret, second));
  while (!(await ended())) await sleep(20, undefined, { signal });

  for (const [called, status] of [
    [`${own}/deliveries/msg_none/send`, 404],
    [`${path}/wh_none/test`, 404],
  ] as const) {
    await expectAnswer({ path: called, status });
  }
  await expectAnswer({ path: `${own}/test`, body: { x: 1 }, status: 400, says: /takes no body/ });
  for (const called of [`${own}/test`, again]) {
    await expectAnswer({ path: called, status: 404, client: stranger.client });
  }

  const { kysely } = api.database;
  await kysely
    .updateTable("webhooks")
    .set({ disabled_at: new Date() })
    .where("id", "=", id)
    .execute();
  for (const called of [`${own}/test`, again]) {
    await expectAnswer({ path: called, status: 409, says: /410 Gone/ });
  }
  const enabled = await expectAnswer<Webhook>({
    method: "PATCH",
    path: own,
    body: {},
    status: 200,
  });
  assert.equal(enabled.body.disabledAt, null);
});
