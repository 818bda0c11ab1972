import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { patience, patienceMs } from "../../../../../test/support/patience.ts";
import { startPostgres } from "../../../../../test/support/postgres.ts";
import type { TestPostgres } from "../../../../../test/support/postgres.ts";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { createId } from "../../core/index.ts";
import type { OrganizationPlan } from "../../core/index.ts";
import type { Database } from "../../db/index.ts";
import { openDatabase } from "../../db/index.ts";
import type { QueueOwner } from "./fair-order.ts";
import { openQueue } from "./queue.ts";
import type { JobQueue } from "./queue.ts";
import { addProjectTo } from "../static-export/node.test-support.ts";

const quiet = { info() {}, warn() {}, error() {} };

describe("the queue", { concurrency: true }, () => {
  let postgres: TestPostgres;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres[Symbol.asyncDispose]());

  test("entries of one organization never take all slots for webhooks, however many there are", async () => {
    await using service = await openNodes(postgres, 1);
    const { database, queue } = service;
    const [crowd, single] = [await service.addOwner(), await service.addOwner()];
    const entries = Array.from({ length: 40 }, (_, index) => index);
    for (const index of entries) {
      await queue.enqueue(database.kysely, "webhook", `crowd/${index}`, { owner: crowd });
    }
    const finished = new EventTarget();
    // Registered before the work begins, because the last entry may be done when its enqueuing is acknowledged.
    const all = once(finished, "all", { signal: patience() });
    const seen = { atOnce: 0, most: 0, done: 0 };
    await queue.work("webhook", 8, async (id) => {
      if (id.startsWith("crowd")) seen.atOnce += 1;
      seen.most = Math.max(seen.most, seen.atOnce);
      await sleep(5);
      if (id.startsWith("crowd")) seen.atOnce -= 1;
      seen.done += 1;
      if (seen.done === entries.length + 1) finished.dispatchEvent(new Event("all"));
    });
    await queue.enqueue(database.kysely, "webhook", "single", { owner: single });
    await all;
    assert.ok(seen.most <= 2, `${seen.most} at once`);
  });

  test("that does not open leaves nothing running that keeps its process from its end", async () => {
    const url = await postgres.createDatabase();
    const program = fileURLToPath(new URL("./failing-start.test-process.ts", import.meta.url));
    const args = [...process.execArgv.filter((flag) => !flag.startsWith("--test")), program, url];
    const run = promisify(execFile)(process.execPath, args, { timeout: patienceMs });
    const failures = Number((await run).stdout);
    assert.ok(failures >= 5, `it failed ${failures} times`);
  });

  const kinds = [
    { name: "static-export", count: 3 },
    { name: "agent", count: 3 },
    { name: "webhook", count: 1 },
  ] as const;
  for (const { name, count } of kinds) {
    test(`who had nothing queued for ${name} starts next, on ${count} nodes`, async () => {
      await using service = await openNodes(postgres, count);
      const [crowd, single] = [await service.addOwner(), await service.addOwner()];
      await service.enqueue(name, crowd, numbered("crowd", 30));
      const started = await service.workInSteps(name);
      assert.deepEqual(await started(4), Array(4).fill("crowd"));
      await service.enqueue(name, single, ["single"]);
      // Entries that are already running come first.
      assert.deepEqual(await started(count), Array(count).fill("crowd"));
      assert.deepEqual(await started(4), ["single", "crowd", "crowd", "crowd"]);
    });
  }

  test("organizations take turns by the shares of their plans, and nobody catches up", async () => {
    await using service = await openNodes(postgres, 3);
    const [large, small] = [await service.addOwner("enterprise"), await service.addOwner("free")];
    await service.enqueue("agent", large, numbered("large", 60));
    const started = await service.workInSteps("agent");
    await started(20);
    await service.enqueue("agent", small, numbered("small", 10));
    await started(3);
    assert.deepEqual(countOf(await started(20)), { large: 16, small: 4 });
  });

  test("projects of an organization take turns, and urgent work comes first in each turn of it", async () => {
    await using service = await openNodes(postgres, 1);
    const owner = await service.addOwner();
    const sibling = await service.addProject(owner.organizationId);
    const other = await service.addOwner();
    await service.enqueue("agent", owner, numbered("preview", 2), { isUrgent: false });
    await service.enqueue("agent", owner, numbered("first", 6));
    await service.enqueue("agent", sibling, numbered("second", 2));
    await service.enqueue("agent", other, numbered("other", 2));
    const started = await service.workInSteps("agent");
    const order = await started(12);
    assert.deepEqual(
      order.filter((kind) => kind !== "other"),
      "first second first second first first first first preview preview".split(" "),
    );
    const first = order.indexOf("other");
    assert.ok(first <= 1);
    assert.equal(order.lastIndexOf("other"), first + 2);
  });

  test("work of deleted projects and of older versions is run, and first", async () => {
    await using service = await openNodes(postgres, 1);
    const { database } = service;
    const [owner, deleted] = [await service.addOwner(), await service.addOwner()];
    await service.enqueue("agent", owner, ["left/1", "left/2"]);
    await service.enqueue("agent", deleted, ["deleted"]);
    await service.enqueue("agent", undefined, ["old"]);
    const { projectId } = deleted;
    await database.kysely
      .deleteFrom("projects")
      .where("id", "=", projectId ?? "")
      .execute();
    const started = await service.workInSteps("agent");
    assert.deepEqual((await started(2)).toSorted(), ["deleted", "old"]);
    assert.deepEqual(await started(2), ["left", "left"]);
  });
});

function numbered(kind: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${kind}/${index}`);
}

function countOf(kinds: readonly string[]): Record<string, number> {
  const groups = Map.groupBy(kinds, (kind) => kind);
  return Object.fromEntries([...groups].map(([kind, { length }]) => [kind, length]));
}

interface Nodes extends AsyncDisposable {
  readonly database: Database;
  /** The first node's queue. */
  readonly queue: JobQueue;
  addOwner(plan?: OrganizationPlan): Promise<QueueOwner>;
  addProject(organizationId: string): Promise<QueueOwner>;
  /** Enqueues entries in this order. */
  enqueue(
    name: string,
    owner: QueueOwner | undefined,
    ids: readonly string[],
    options?: { readonly isUrgent?: boolean },
  ): Promise<void>;
  /**
   * Works on a queue with one slot on each node. The returned function lets the next entries end, each when all slots
   * are taken. It returns the part of each name before its slash, in the order in which the entries started.
   */
  workInSteps(name: string): Promise<(count: number) => Promise<string[]>>;
}

async function openNodes(postgres: TestPostgres, count: number): Promise<Nodes> {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await temporaryFolder());
  const url = await postgres.createDatabase();
  const nodes: { database: Database; queue: JobQueue }[] = [];
  for (let index = 0; index < count; index += 1) {
    const database = opening.use(await openDatabase({ dataDir: folder.path, url }));
    const queue = opening.use(await openQueue({ database, log: quiet, isWorker: true }));
    nodes.push({ database, queue });
  }
  const [first] = nodes;
  assert.ok(first);
  const { database, queue } = first;
  let left = 0;
  const addProject = async (organizationId: string): Promise<QueueOwner> => {
    const { id } = await addProjectTo(database, organizationId, "local");
    return { organizationId, projectId: id };
  };
  const open = opening.move();
  return {
    database,
    queue,
    addProject,
    async addOwner(plan = "enterprise") {
      const id = createId("organization");
      await database.kysely.insertInto("organizations").values({ id, name: id, plan }).execute();
      return await addProject(id);
    },
    async enqueue(name, owner, ids, options = {}) {
      for (const id of ids) {
        await queue.enqueue(database.kysely, name, id, { ...options, ...(owner && { owner }) });
        left += 1;
      }
    },
    async workInSteps(name) {
      const waiting: { kind: string; end: () => void }[] = [];
      const arrivals = new EventTarget();
      // The entries are released together with the nodes, which would otherwise wait for them.
      for (const node of nodes) {
        await node.queue.work(name, 1, async (id, { stoppingSignal }) => {
          const { promise, resolve } = Promise.withResolvers<void>();
          stoppingSignal.addEventListener("abort", () => resolve());
          if (stoppingSignal.aborted) resolve();
          waiting.push({ kind: id.split("/")[0] ?? "", end: resolve });
          arrivals.dispatchEvent(new Event("start"));
          await promise;
        });
      }
      const allTaken = async () => {
        while (waiting.length < Math.min(count, left)) await once(arrivals, "start");
      };
      return async (steps) => {
        const kinds: string[] = [];
        while (kinds.length < steps) {
          await allTaken();
          const { kind, end } = waiting.shift() ?? assert.fail();
          kinds.push(kind);
          left -= 1;
          end();
        }
        await allTaken();
        return kinds;
      };
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
