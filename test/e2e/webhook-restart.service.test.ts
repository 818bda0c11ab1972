import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { StaticExportJob } from "../../packages/octavo/src/jobs/index.ts";
import { createApiClient } from "../support/api-client.ts";
import { commitSiteFiles, manyPages } from "../support/git-site.ts";
import { startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { isSignedWith, startWebhookReceiver } from "../support/webhook-receiver.ts";

/** How often the service is killed; `npm run test:chaos` does it more often. */
const rounds = Number(process.env["OCTAVO_TEST_ROUNDS"] ?? 2);
/** The number of newest deliveries that a webhook shows. */
const mostShown = 20;
const exportsPath = "/v1/static-export/jobs";

test(`every end of a job is told, although the service is killed ${rounds} times around it`, async () => {
  await using root = await temporaryFolder();
  await using receiver = await startWebhookReceiver();
  const repository = join(root.path, "repository");
  await mkdir(repository);
  await commitSiteFiles(repository, manyPages(3));
  const env = { OCTAVO_ALLOW: `${pathToFileURL(root.path).href},${receiver.place}` };
  const data = join(root.path, "data");
  let service = await startService({ data, env });
  await using open = new AsyncDisposableStack();
  open.defer(() => service[Symbol.asyncDispose]());
  const client = () => createApiClient(service.url, service.key);
  const url = pathToFileURL(repository).href;
  const project = { name: "Docs", domain: "docs.example.com", repository: url };
  await client().call("POST", "/v2/projects", { body: project });
  const fields = { url: receiver.url, events: ["static_export.completed"] };
  const { body: webhook } = await client().call<{ id: string; secret: string }>(
    "POST",
    "/v2/webhooks",
    { body: fields },
  );
  const told = (jobId: string) =>
    receiver.received.filter(({ body }) => body.data["jobId"] === jobId);
  const ids = new Map<string, unknown>();
  for (let round = 0; round < rounds; round += 1) {
    // In every other round it dies with the message on its way: sent, and not yet answered.
    const isUnderWay = round % 2 === 1;
    receiver.answer(isUnderWay ? () => undefined : { status: 204 });
    const start = { body: { domain: project.domain } };
    const { body: started } = await client().call<StaticExportJob>("POST", exportsPath, start);
    const { jobId } = started;
    if (isUnderWay) while (told(jobId).length === 0) await wait(5);
    else await client().waitForExport(jobId);
    await service.end("SIGKILL");
    const before = told(jobId).length;
    receiver.answer({ status: 204 });
    service = await startService({ data, env });
    while (told(jobId).length <= (isUnderWay ? before : 0)) await wait(20);
    for (const message of told(jobId)) {
      assert.ok(isSignedWith(webhook.secret, message));
      const id = message.headers["webhook-id"];
      assert.equal(ids.get(jobId) ?? id, id, "a message that comes again has the same ID");
      ids.set(jobId, id);
    }
  }
  const path = `/v2/webhooks/${webhook.id}`;
  type Shown = { deliveries: { id: string; jobId: string; state: string }[] };
  for (;;) {
    const { body } = await client().call<Shown>("GET", path);
    if (body.deliveries.some(({ state }) => state === "pending")) {
      await wait(20);
      continue;
    }
    const shown = body.deliveries.map(({ id, jobId, state }) => [jobId, id, state]);
    const expected = [...ids].map(([jobId, id]) => [jobId, id, "delivered"]);
    assert.deepEqual(shown, expected.toReversed().slice(0, mostShown));
    break;
  }
  assert.ok(!service.output().includes(webhook.secret.slice("whsec_".length)));
  await service.end("SIGTERM");
});
