import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { patience } from "../../../../test/support/patience.ts";
import { newDomain, openApi } from "../../../../test/support/running-api.ts";
import type { RunningApi, TestOrganization } from "../../../../test/support/running-api.ts";
import type { StaticExportJob } from "../jobs/index.ts";

let api: RunningApi;
let acme: TestOrganization;
before(async () => {
  api = await openApi();
  acme = await api.openOrganization();
});
after(() => api[Symbol.asyncDispose]());

const jobs = "/v1/static-export/jobs";

interface Event {
  readonly id: number;
  readonly event: string;
  readonly data: StaticExportJob;
}

async function startExport(domain: string): Promise<string> {
  await acme.addProject(domain);
  const { body } = await acme.client.call<StaticExportJob>("POST", jobs, { body: { domain } });
  return body.jobId;
}

async function open(jobId: string, headers: Record<string, string> = {}, key = acme.key) {
  const response = await fetch(`${api.url}${jobs}/${jobId}/events`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
  assert.equal(response.status, 200);
  assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
  assert.ok(response.body);
  return readEvents(response.body);
}

async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<Event> {
  let text = "";
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    text += part;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) if (!block.startsWith(":")) yield parseEvent(block);
  }
  assert.equal(text, "");
}

function parseEvent(block: string): Event {
  const match = /^id: (\d+)\nevent: (\w+)\ndata: (.+)$/.exec(block);
  assert.ok(match, block);
  return { id: Number(match[1]), event: match[2] ?? "", data: JSON.parse(match[3] ?? "") };
}

describe("an event stream", () => {
  test("sends the job at each change, numbered, and ends with its last state", async () => {
    const jobId = await startExport(newDomain());
    const events = await Array.fromAsync(await open(jobId));
    assert.ok(events.length > 0);
    const ids = events.map(({ id }) => id);
    assert.deepEqual(
      ids,
      [...new Set(ids)].toSorted((one, other) => one - other),
    );
    assert.ok(events.every(({ event, data }) => event === "job" && data.jobId === jobId));
    const { body } = await acme.client.call("GET", `${jobs}/${jobId}`);
    assert.deepEqual(events.at(-1)?.data, body);
    assert.equal(events.at(-1)?.data.status, "completed");
  });

  test("continues after the last event that the client saw", async () => {
    const jobId = await startExport(newDomain());
    await acme.client.waitForExport(jobId);
    const [last] = await Array.fromAsync(await open(jobId));
    assert.ok(last);
    const seen = await Array.fromAsync(await open(jobId, { "last-event-id": String(last.id) }));
    assert.deepEqual(seen, []);
    const missed = await Array.fromAsync(
      await open(jobId, { "last-event-id": String(last.id - 1) }),
    );
    assert.deepEqual(missed, [last]);
    for (const id of ["999999999", "x", "-1"]) {
      const events = await Array.fromAsync(await open(jobId, { "last-event-id": id }));
      assert.deepEqual(events, [last], `Last-Event-ID ${id}`);
    }
  });

  test("sends the cancellation of a job", async () => {
    const jobId = await startExport(newDomain("slow"));
    const events = await open(jobId);
    await events.next();
    await acme.client.call("POST", `${jobs}/${jobId}/cancel`);
    const rest = await Array.fromAsync(events);
    assert.equal(rest.at(-1)?.data.status, "failed");
  });

  test("closes when its key is revoked, and only that one", async () => {
    const jobId = await startExport(newDomain("slow"));
    const scope = { organizationId: acme.id, projectId: null };
    const [revoked, other] = [
      await api.keys.create(scope, "Revoked"),
      await api.keys.create(scope, "Other"),
    ];
    const closing = await open(jobId, {}, revoked.secret);
    const staying = await open(jobId, {}, other.secret);
    await Promise.all([closing.next(), staying.next()]);
    await acme.client.call("DELETE", `/v2/keys/${revoked.id}`);
    const rest = await Array.fromAsync(closing);
    assert.equal(
      rest.some(({ data }) => data.status === "failed"),
      false,
    );
    await acme.client.call("POST", `${jobs}/${jobId}/cancel`);
    assert.equal((await Array.fromAsync(staying)).at(-1)?.data.status, "failed");
  });

  test("ends when the project goes", async () => {
    const domain = newDomain("slow");
    const jobId = await startExport(domain);
    const events = await open(jobId);
    await events.next();
    const project = await api.projects.findByDomain(
      { organizationId: acme.id, projectId: null },
      domain,
    );
    await acme.client.call("DELETE", `/v2/projects/${project?.id}`);
    await Array.fromAsync(events);
  });

  test("does not keep the service from closing", async () => {
    const own = await openApi();
    const { client, key, addProject } = await own.openOrganization();
    const { domain } = await addProject(newDomain("slow"));
    const { body } = await client.call<StaticExportJob>("POST", jobs, { body: { domain } });
    const response = await fetch(`${own.url}${jobs}/${body.jobId}/events`, {
      headers: { authorization: `Bearer ${key}` },
    });
    assert.ok(response.body);
    const events = readEvents(response.body);
    assert.equal((await events.next()).done, false);
    await own[Symbol.asyncDispose]();
    await Array.fromAsync(events);
  });

  test("does not keep it from closing if it is opened meanwhile", async () => {
    await using own = await openApi();
    const { client, key, addProject } = await own.openOrganization();
    const { domain } = await addProject(newDomain("slow"));
    const { body } = await client.call<StaticExportJob>("POST", jobs, { body: { domain } });
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // Nobody else reads anything until it ends.
    const transaction = own.database.kysely.transaction().execute(() => {
      begun.resolve();
      return end.promise;
    });
    await begun.promise;
    const arrived = once(own.app.server, "request");
    const asked = fetch(`${own.url}${jobs}/${body.jobId}/events`, {
      headers: { authorization: `Bearer ${key}` },
      signal: patience(),
    });
    await arrived;
    const closed = own.app.close();
    while (own.app.server.listening) await wait(5);
    end.resolve();
    await transaction;
    assert.equal((await asked).status, 200);
    await (await asked).text();
    await closed;
  });
});
