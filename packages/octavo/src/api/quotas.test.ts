import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApiContract } from "../../../../test/support/api-contract.ts";
import type { ApiContract } from "../../../../test/support/api-contract.ts";
import { newDomain, openApi } from "../../../../test/support/running-api.ts";
import type { RunningApi } from "../../../../test/support/running-api.ts";
import { defaultQuotas } from "../core/index.ts";

const jobs = "/v1/static-export/jobs";

let api: RunningApi;
let contract: ApiContract;

before(async () => {
  const enterprise = { ...defaultQuotas.enterprise, openJobs: 1, eventStreams: 2, requests: 3 };
  api = await openApi({ quotas: { ...defaultQuotas, enterprise } });
  contract = await openApiContract(api.url, "/openapi.json");
});
after(() => api[Symbol.asyncDispose]());

test("work beyond the open jobs of a plan is refused with 429 and when to try again", async () => {
  const { client, addProject } = await api.openOrganization();
  const project = await addProject(newDomain("slow"));
  const start = () => client.call("POST", jobs, { body: { domain: project.domain } });
  assert.equal((await start()).status, 202);
  const agentJobs = `/v2/agent/${project.id}/job`;
  const again = await start();
  const agent = await client.call("POST", agentJobs, { body: { prompt: "Improve it." } });
  contract.assertDescribed("POST", jobs, again);
  contract.assertDescribed("POST", agentJobs, agent);
  for (const { status, headers, body } of [again, agent]) {
    assert.equal(status, 429);
    assert.equal(headers.get("retry-after"), "30");
    assert.match(
      (body as { error: string }).error,
      /limit of unfinished jobs on the enterprise plan: 1\./,
    );
  }
});

test("a key has as many event streams and requests at a time as its plan allows", async () => {
  const { key, client, addProject } = await api.openOrganization();
  const project = await addProject(newDomain("slow"));
  const { body } = await client.call<{ jobId: string }>("POST", jobs, {
    body: { domain: project.domain },
  });
  const aborts = [new AbortController(), new AbortController()];
  const open = (signal?: AbortSignal) =>
    fetch(`${api.url}${jobs}/${body.jobId}/events`, {
      headers: { authorization: `Bearer ${key}` },
      signal: signal ?? null,
    });
  for (const { signal } of aborts) assert.equal((await open(signal)).status, 200);
  const third = await open();
  assert.equal(third.status, 429);
  assert.equal(third.headers.get("retry-after"), "1");
  assert.match(
    await third.text(),
    /has reached the enterprise plan's limit of 2 open event streams\./,
  );
  // The streams are requests too, and one more is allowed.
  const reads = await Promise.all(Array.from({ length: 8 }, () => client.call("GET", jobs)));
  const statuses = reads.map(({ status }) => status);
  assert.ok(statuses.includes(200) && statuses.every((status) => [200, 429].includes(status)));
  for (const abort of aborts) abort.abort();
});
