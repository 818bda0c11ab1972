import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import { patience } from "../../../../../test/support/patience.ts";
import { startPostgres } from "../../../../../test/support/postgres.ts";
import type { TestPostgres } from "../../../../../test/support/postgres.ts";
import { defaultQuotas } from "../../core/index.ts";
import { transact } from "../../db/index.ts";
import type { Database } from "../../db/index.ts";
import {
  addExportProject,
  addProjectTo,
  openTestDatabase,
} from "../static-export/node.test-support.ts";
import { claimJob } from "./job-claim.ts";
import type { ProjectScope } from "./job-store.ts";
import type { DoWork } from "./job-worker.ts";
import { openKindNode } from "./kind-node.test-support.ts";
import type { KindNode } from "./kind-node.test-support.ts";
import { createMirrorings, mirroringKind, insertMirroring } from "./another-kind.test-support.ts";
import type { MirroringTypes } from "./another-kind.test-support.ts";

type MirroringNode = KindNode<MirroringTypes>;

let root: string;
let postgres: TestPostgres;
before(async () => {
  root = await mkdtemp(join(tmpdir(), "octavo-another-kind-"));
  postgres = await startPostgres();
});
after(async () => {
  await postgres[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

const threeHosts: DoWork<MirroringTypes> = async ({ claim, openFolder }) => {
  {
    await using _ = await openFolder();
    for (const hosts of [1, 2]) await claim.write({ hosts });
  }
  await claim.complete(async () => ({ changes: { hosts: 3 } }));
  return { type: "completed" };
};

describe("another kind of job", { concurrency: true }, () => {
  testKind("pglite");
  testKind("postgres");
});

function testKind(engine: "pglite" | "postgres"): void {
  describe(`on ${engine}`, { concurrency: 1 }, () => {
    let place: { readonly dataDir: string; readonly url: string | undefined };
    let database: Database;
    let scope: ProjectScope;
    let nodes: AsyncDisposableStack;
    const open = async (work?: DoWork<MirroringTypes>, quotas = defaultQuotas) =>
      nodes.use(await openKindNode(mirroringKind, { ...place, database, quotas, work }));
    before(async () => {
      const url = engine === "postgres" ? await postgres.createDatabase() : undefined;
      place = { dataDir: join(root, engine), url };
      database = await openTestDatabase(place);
      await createMirrorings(database.kysely);
    });
    after(() => database[Symbol.asyncDispose]());
    beforeEach(async () => {
      nodes = new AsyncDisposableStack();
      const { organizationId } = await addExportProject({ database }, "local");
      const { id: projectId } = await addProjectTo(database, organizationId, "local");
      scope = { organizationId, projectId };
    });
    afterEach(() => nodes.disposeAsync());

    const start = async ({ store }: MirroringNode) => {
      const { job } = await transact(database.kysely, (transaction) => {
        const insert = () => insertMirroring(transaction, scope);
        return store.start(transaction, scope, { plan: "enterprise", insert });
      });
      return job.id;
    };
    const watch = ({ store }: MirroringNode, jobId: string) =>
      store.watch(scope, jobId, patience());
    const finish = async (node: MirroringNode, jobId: string) => {
      const states = await Array.fromAsync(watch(node, jobId));
      const last = states.at(-1)?.job;
      assert.ok(last);
      return last;
    };

    test("runs, and every change is seen", async () => {
      const node = await open(threeHosts);
      const jobId = await start(node);
      const states = await Array.fromAsync(watch(node, jobId));
      const last = states.at(-1)?.job;
      assert.deepEqual([last?.status, last?.hosts, last?.attempt], ["completed", 3, 1]);
      for (const [index, { revision }] of states.entries()) {
        assert.ok(revision > (states[index - 1]?.revision ?? 0));
      }
      assert.deepEqual(await readdir(join(place.dataDir, "work")), []);
    });

    test("is listed, newest first, page by page", async () => {
      const node = await open();
      const ids = [await start(node), await start(node), await start(node)];
      await node.store.cancel(scope, ids[0] ?? "");
      const first = await node.store.list(scope, { limit: 2 });
      assert.equal(first.jobs.length, 2);
      const cursor = first.nextCursor ?? undefined;
      const second = await node.store.list(scope, { limit: 2, cursor });
      assert.equal(second.nextCursor, null);
      const listed = [...first.jobs, ...second.jobs].map(({ job }) => job.id);
      assert.deepEqual(listed, ids.toSorted().toReversed());
      const { jobs } = await node.store.list(scope, { limit: 2, status: "failed" });
      assert.deepEqual(
        jobs.map(({ job }) => job.id),
        [ids[0]],
      );
      const other = { ...scope, projectId: "pr_other" };
      assert.deepEqual((await node.store.list(other, { limit: 2 })).jobs, []);
      await assert.rejects(node.store.find(other, ids[1] ?? ""), isCode("not_found"));
      await assert.rejects(
        node.store.list(scope, { limit: 2, cursor: "x" }),
        isCode("invalid_input"),
      );
    });

    test("goes to another worker when its own is killed", async () => {
      const jobId = await start(await open());
      await nodes.disposeAsync();
      await database[Symbol.asyncDispose]();
      const script = new URL("./another-kind.test-process.ts", import.meta.url);
      const child = fork(script, [JSON.stringify(place)]);
      assert.deepEqual(await once(child, "message"), [jobId, undefined]);
      child.kill("SIGKILL");
      await once(child, "exit");
      database = await openTestDatabase(place);
      nodes = new AsyncDisposableStack();
      const node = await open(threeHosts);
      const { status, attempt, hosts } = await finish(node, jobId);
      assert.deepEqual([status, attempt, hosts], ["completed", 2, 3]);
    });

    test("is not written by an attempt that has lost it", async () => {
      const node = await open();
      const jobId = await start(node);
      const old = await claimJob(mirroringKind, node, jobId);
      const now = await claimJob(mirroringKind, node, jobId);
      assert.ok(old && now);
      await now.write({ hosts: 2 });
      const before = await node.store.find(scope, jobId);
      const isLost = { name: "AbortError" };
      await assert.rejects(old.write({ hosts: 1 }), isLost);
      assert.ok(old.lostSignal.aborted);
      await assert.rejects(
        old.complete(async () => ({ changes: {} })),
        isLost,
      );
      await assert.rejects(old.fail("No."), isLost);
      await assert.rejects(old.wait("No.", 0), isLost);
      assert.deepEqual(await node.store.find(scope, jobId), before);
      assert.equal(before.strikes, 2);
      await old.release();
      assert.equal((await node.store.find(scope, jobId)).strikes, 1);
      assert.equal(now.lostSignal.aborted, false);
      await now.fail("It broke.");
      assert.equal(await claimJob(mirroringKind, node, jobId), undefined);
    });

    test("waits for what is away, and says so", async () => {
      let isAway = true;
      const node = await open(async (attempt) => {
        if (!isAway) return await threeHosts(attempt);
        isAway = false;
        throw new OctavoError("unavailable", "The hosts do not answer.");
      });
      const jobId = await start(node);
      const seen = await Array.fromAsync(watch(node, jobId));
      assert.ok(seen.some(({ job }) => job.waiting_for === "The hosts do not answer."));
      const { status, attempt, strikes } = await node.store.find(scope, jobId);
      assert.deepEqual([status, attempt, strikes], ["completed", 2, 1]);
    });

    test("fails after three errors of the service", async () => {
      const node = await open(async () => {
        throw new Error("/etc/secret");
      });
      const { status, error, attempt } = await finish(node, await start(node));
      assert.deepEqual([status, attempt], ["failed", 3]);
      assert.match(error ?? "", /^The mirroring failed 3 times because of an error in the service/);
    });

    test("stops when it is cancelled, once", async () => {
      const stopped = Promise.withResolvers<void>();
      const node = await open(async ({ claim, signal }) => {
        signal.addEventListener("abort", () => stopped.resolve());
        await claim.write({ hosts: 1 });
        await stopped.promise;
        throw signal.reason;
      });
      const jobId = await start(node);
      for await (const { job } of watch(node, jobId)) if (job.hosts === 1) break;
      const { job } = await node.store.cancel(scope, jobId);
      assert.deepEqual([job.status, job.error], ["failed", "Cancelled by request."]);
      await stopped.promise;
      await assert.rejects(node.store.cancel(scope, jobId), isCode("conflict"));
      assert.equal((await finish(node, jobId)).error, "Cancelled by request.");
      const actions = await database.kysely
        .selectFrom("audit_events")
        .select("action")
        .where("organization_id", "=", scope.organizationId)
        .orderBy("id")
        .execute();
      assert.deepEqual(
        actions.map(({ action }) => action),
        ["export.started", "export.cancelled"],
      );
    });

    test("counts among the open jobs of its organization", async () => {
      const enterprise = { ...defaultQuotas.enterprise, openJobs: 2 };
      const node = await open(undefined, { ...defaultQuotas, enterprise });
      const [first] = [await start(node), await start(node)];
      await assert.rejects(start(node), isCode("rate_limited"));
      await node.store.cancel(scope, first);
      await start(node);
      assert.equal((await node.store.list(scope, { limit: 10 })).jobs.length, 3);
    });
  });
}

function isCode(code: "not_found" | "conflict" | "rate_limited" | "invalid_input") {
  return (error: unknown) => isOctavoError(error, code);
}
