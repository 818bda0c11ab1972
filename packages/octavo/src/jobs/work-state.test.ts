import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { sql } from "kysely";
import { addExportProject, openExportNode } from "./static-export/node.test-support.ts";
import { readWorkState, registerNode } from "./work-state.ts";

const log = { warn() {} };

test("the state of the work: what waits and for how long, jobs by status, nodes that are alive", async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "octavo-work-"));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  await using node = await openExportNode({ dataDir, slots: 0 });
  const { database, exports } = node;
  const empty = await readWorkState(database);
  assert.deepEqual([empty.jobs, empty.nodes], [[], []]);
  assert.deepEqual(
    empty.deliveries,
    ["pending", "delivered", "failed"].map((state) => ({ state, count: 0 })),
  );
  const idle = { waiting: 0, running: 0, oldestSeconds: 0 };
  const names = ["static-export", "agent", "deployment", "webhook"];
  assert.deepEqual(
    empty.queues,
    names.map((queue) => ({ queue, ...idle })),
  );

  const project = await addExportProject(node, join(dataDir, "repository"));
  const start = () => exports.start(project, { domain: project.domain });
  const [first, , third] = [await start(), await start(), await start()];
  await exports.cancel(project, first.job.jobId);
  await database.kysely
    .updateTable("static_export_jobs")
    .set({ waiting_for: "The storage does not answer." })
    .where("id", "=", third.job.jobId)
    .execute();
  await sql`update pgboss.job set start_after = now() - interval '1 hour' where name = 'static-export'`.execute(
    database.kysely,
  );
  const worker = await registerNode(database, { version: "1.2.3", roles: ["worker"] }, log);
  const bundle = { bundle_key: "bundles/a.tar.gz", bundle_bytes: 700 };
  await database.kysely.updateTable("static_export_jobs").set(bundle).execute();
  await using _ = await registerNode(database, { version: "1.2.3", roles: ["api", "worker"] }, log);
  const { queues, jobs, nodes, stored } = await readWorkState(database);
  assert.deepEqual(stored, [
    { kind: "bundles", bytes: 700 },
    { kind: "repositories", bytes: 0 },
  ]);
  const [{ oldestSeconds, ...queue } = { queue: "", ...idle }] = queues;
  assert.deepEqual(queue, { queue: "static-export", waiting: 3, running: 0 });
  assert.ok(oldestSeconds >= 3_600 && oldestSeconds < 3_900, String(oldestSeconds));
  const kind = "static_export";
  assert.deepEqual(
    jobs.toSorted((a, b) => a.status.localeCompare(b.status)),
    [
      { kind, status: "failed", count: 1, blocked: 0 },
      { kind, status: "queued", count: 2, blocked: 1 },
    ],
  );
  const alive = nodes.map(({ roles, count }) => `${roles} ${count}`);
  assert.deepEqual(new Set(alive), new Set(["api,worker 1", "worker 1"]));

  await database.kysely
    .updateTable("nodes")
    .set({ seen_at: sql<Date>`now() - interval '2 minutes'` })
    .where("roles", "=", "api,worker")
    .execute();
  const [left, ...others] = (await readWorkState(database)).nodes;
  assert.deepEqual([left?.roles, others], ["worker", []]);
  await worker[Symbol.asyncDispose]();
  assert.deepEqual((await readWorkState(database)).nodes, []);
});
