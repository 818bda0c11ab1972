import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, beforeEach, describe, test } from "node:test";
import { text } from "node:stream/consumers";
import { patience, patienceMs } from "../../../../../test/support/patience.ts";
import type { TestPostgres } from "../../../../../test/support/postgres.ts";
import { startTestedPostgres, testedEngine } from "../../../../../test/support/tested-engine.ts";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import { createId } from "../../core/index.ts";
import type { Database } from "../../db/index.ts";
import type { ErrorCode } from "@octavo/site/core";
import { removeExpired } from "../retention.ts";
import type { CheckOut, RenderSite } from "../ports.ts";
import type { StaticExportSnapshot } from "./job.ts";
import { removalMark } from "./build-bundle.ts";
import { claimJob } from "../lifecycle/job-claim.ts";
import { staticExportKind } from "./kind.ts";
import { addExportProject, openExportNode, openTestDatabase } from "./node.test-support.ts";
import type { ExportTestNode, ExportTestProject } from "./node.test-support.ts";
import { openProgress } from "./progress.ts";
import {
  copyCheckout,
  halfRenderer,
  plainRenderer,
  watchRenderer,
  writePlainCommit,
} from "./plain-ports.test-support.ts";

const noReadings = { work: undefined, disks: [], connections: undefined };
const pages = Object.fromEntries(
  Array.from({ length: 20 }, (_, index) => [`page-${index}.md`, `# Page ${index}`]),
);

let root: string;
let postgres: TestPostgres | undefined;
before(async () => {
  root = await mkdtemp(join(tmpdir(), "octavo-jobs-"));
  postgres = await startTestedPostgres();
});
after(async () => {
  await postgres?.[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

function isError(code: ErrorCode, message?: RegExp): (error: unknown) => boolean {
  return (error) => isOctavoError(error, code) && (message?.test(error.message) ?? true);
}

/** Waits for the next millisecond, because IDs from the same millisecond do not show their order. */
async function nextMillisecond(): Promise<void> {
  for (const now = Date.now(); Date.now() === now;) await sleep(1);
}

/** Follows a job until it ends. Returns every state that was seen, and adds each state to `seen` as it occurs. */
async function follow(
  node: ExportTestNode,
  caller: ExportTestProject,
  jobId: string,
  seen: StaticExportSnapshot[] = [],
): Promise<StaticExportSnapshot[]> {
  const signal = patience();
  for await (const snapshot of node.exports.watch(caller, jobId, signal)) seen.push(snapshot);
  return seen;
}

async function finish(node: ExportTestNode, caller: ExportTestProject, jobId: string) {
  const last = (await follow(node, caller, jobId)).at(-1);
  assert.ok(last);
  return last.job;
}

/** Resolves when the job has this many pages. */
async function untilPages(
  node: ExportTestNode,
  caller: ExportTestProject,
  jobId: string,
  count: number,
): Promise<StaticExportSnapshot> {
  const signal = patience();
  for await (const snapshot of node.exports.watch(caller, jobId, signal)) {
    if (snapshot.job.pageCount >= count) return snapshot;
  }
  throw new Error("The job ended, or did not get there in time.");
}

// The tests run concurrently, because they mostly wait for their turn in the queue.
describe("static export", { concurrency: true }, () => {
  testExports(testedEngine);
});

function testExports(engine: "pglite" | "postgres"): void {
  describe(`on ${engine}`, { concurrency: 1 }, () => {
    let dataDir: string;
    let url: string | undefined;
    let repository: string;
    let commit: string;
    let database: Database;
    let node: ExportTestNode;
    let project: ExportTestProject;

    before(async () => {
      dataDir = join(root, engine);
      url = await postgres?.createDatabase();
      database = await openTestDatabase({ dataDir, url });
      await reopen();
    });
    after(async () => {
      await stop();
      await database[Symbol.asyncDispose]();
    });
    let renderer: RenderSite;
    let count = 0;
    let isWorking = false;
    const renderSite: RenderSite = (request) => renderer(request);
    let shortage = new AbortController();
    const space = {
      get shortage() {
        return shortage.signal;
      },
    };
    const stop = async () => {
      isWorking = false;
      await node[Symbol.asyncDispose]();
    };
    const reopen = async (slots = 1) => {
      node = await openExportNode({ dataDir, database, slots, renderSite, space });
      isWorking = slots === 1;
    };
    beforeEach(async () => {
      repository = join(root, `${engine}-repository-${++count}`);
      commit = await writePlainCommit(repository, "HEAD", { ...pages, "page-1.md": repository });
      renderer = plainRenderer(1);
      if (!isWorking) {
        await stop();
        await reopen();
      }
      project = await addExportProject(node, repository);
    });

    test("an export is counted in the metrics when it ends", async () => {
      renderer = plainRenderer(1);
      const { job } = await node.exports.start(project, { domain: project.domain });
      await finish(node, project, job.jobId);
      const wanted = /octavo_jobs_total\{kind="static_export",state="completed"\} [1-9]/;
      // The database acknowledges and counts a change shortly after the notification.
      for (const end = Date.now() + patienceMs; Date.now() < end; await sleep(20)) {
        if (wanted.test((await node.metrics.expose(noReadings)).body)) break;
      }
      const { body } = await node.metrics.expose(noReadings);
      assert.match(body, wanted);
      assert.match(body, /octavo_pages_total\{source="rendered"\} [1-9]/);
    });

    test("an export goes from queued to completed, and its bundle can be read", async () => {
      const seen: StaticExportSnapshot[] = [];
      // Each step must be observed before the next one, because a late reader sees fewer states.
      renderer = watchRenderer(async ({ onProgress }, signal) => {
        for (const done of [1, 5, 10]) {
          onProgress({ done, total: 20, rendered: done });
          while (!seen.some(({ job }) => job.pageCount >= done)) {
            await sleep(5, undefined, { signal });
          }
        }
      });
      const started = await node.exports.start(project, { domain: project.domain });
      assert.equal(started.job.status, "queued");
      assert.equal(started.job.progress, 0);
      await follow(node, project, started.job.jobId, seen);
      const last = seen.at(-1)?.job;
      assert.deepEqual(
        { ...last, createdAt: "", updatedAt: "" },
        {
          jobId: started.job.jobId,
          status: "completed",
          progress: 100,
          pageCount: 20,
          createdBy: null,
          createdAt: "",
          updatedAt: "",
          domain: project.domain,
          version: commit.slice(0, 7),
          ref: null,
          commit,
          format: "tar.gz",
        },
      );
      assert.ok(seen.length >= 4, `${seen.length} states`);
      for (const [index, now] of seen.entries()) {
        const earlier = seen[index - 1];
        if (!earlier) continue;
        assert.ok(now.revision > earlier.revision);
        assert.ok(now.job.updatedAt > earlier.job.updatedAt);
        assert.ok(now.job.progress >= earlier.job.progress);
        assert.ok(now.job.pageCount >= earlier.job.pageCount);
        assert.equal(now.job.progress === 100, now.job.status === "completed");
      }
      const bundle = await node.exports.getBundle(project, started.job.jobId);
      assert.match(bundle.key, /^bundles\/[0-9a-f]{64}\.tar\.gz$/);
      const content = await text(await node.storage.read(bundle.key));
      assert.equal(Buffer.byteLength(content), bundle.bytes);
      assert.match(content, /# Page 7/);
      assert.deepEqual(await readdir(node.workDir), []);
    });

    test("an export has the caller's label, ref, paths and format", async () => {
      const other = await writePlainCommit(repository, "next", { "a.md": "A", "b.md": "B" });
      const { job } = await node.exports.start(project, {
        domain: project.domain.toUpperCase(),
        version: "v2",
        ref: "next",
        paths: ["b"],
        format: "zip",
      });
      const last = await finish(node, project, job.jobId);
      assert.equal(last.status, "completed", last.error);
      assert.deepEqual(
        [last.version, last.ref, last.commit, last.format, last.pageCount],
        ["v2", "next", other, "zip", 1],
      );
      const { key } = await node.exports.getBundle(project, job.jobId);
      assert.equal(await text(await node.storage.read(key)), "b.md\nB");
    });

    test("an export asks the hosts that it names, else those of its project", async () => {
      const asked: unknown[] = [];
      renderer = watchRenderer(({ remoteScripts }) => void asked.push(remoteScripts));
      const { domain } = project;
      const own = ["cdn.example.com", "*.a.example"];
      for (const remoteScripts of [undefined, own, []]) {
        const { job } = await node.exports.start(project, { domain, remoteScripts });
        assert.equal((await finish(node, project, job.jobId)).status, "completed");
      }
      await database.kysely
        .updateTable("projects")
        .set({ remote_scripts: JSON.stringify(["https://b.example"]) })
        .where("domain", "=", domain)
        .execute();
      const { job } = await node.exports.start(project, { domain });
      await finish(node, project, job.jobId);
      const read = ["https://*.a.example", "https://cdn.example.com"];
      assert.deepEqual(asked, [[], read, [], ["https://b.example"]]);
      await assert.rejects(
        node.exports.start(project, { domain, remoteScripts: ["a.example/x"] }),
        isError("invalid_input", /is not a host/),
      );
    });

    test("an export has its pages as files, or as it says", async () => {
      const told: unknown[] = [];
      renderer = watchRenderer(({ addresses }) => void told.push(addresses));
      for (const addresses of [undefined, "folder", "clean"] as const) {
        const { job } = await node.exports.start(project, { domain: project.domain, addresses });
        assert.equal((await finish(node, project, job.jobId)).status, "completed");
      }
      assert.deepEqual(told, [undefined, "folder", "clean"]);
    });

    test("a caller who may not start an export is told why", async () => {
      const stranger = await addExportProject(node, repository);
      const poor = await addExportProject(node, repository, "pro");
      const start = (caller: ExportTestProject, domain: string) =>
        node.exports.start(caller, { domain });
      await assert.rejects(
        start(project, "no.example.com"),
        isError("invalid_input", /no\.example/),
      );
      await assert.rejects(start(project, stranger.domain), isError("invalid_input"));
      const limited = { ...project, projectId: createId("project") };
      await assert.rejects(start(limited, project.domain), isError("invalid_input"));
      await assert.rejects(start(poor, poor.domain), isError("forbidden", /enterprise/));
    });

    test("a start that is rolled back leaves neither job nor queue entry", async () => {
      let jobId = "";
      const starting = node.database.kysely.transaction().execute(async (tx) => {
        ({
          job: { jobId },
        } = await node.exports.start(project, { domain: project.domain }, tx));
        throw new Error("on purpose");
      });
      await assert.rejects(starting, /on purpose/);
      await assert.rejects(node.exports.get(project, jobId), isError("not_found"));
      const { rows } = await node.database.queue.executeSql(
        "SELECT 1 FROM pgboss.job WHERE data->>'jobId' = $1",
        [jobId],
      );
      assert.deepEqual(rows, []);
    });

    test("another organization's job is not found", async () => {
      const stranger = await addExportProject(node, repository);
      const { job } = await node.exports.start(project, { domain: project.domain });
      const limited = { ...project, projectId: createId("project") };
      const calls = [
        () => node.exports.get(stranger, job.jobId),
        () => node.exports.get(limited, job.jobId),
        () => node.exports.cancel(stranger, job.jobId),
        () => node.exports.getBundle(stranger, job.jobId),
        () => follow(node, stranger, job.jobId),
        () => node.exports.get(project, "nonsense"),
      ];
      for (const call of calls) await assert.rejects(call, isError("not_found"));
      // Prevents the job from running during the following tests.
      await finish(node, project, job.jobId);
    });

    test("a cancelled queued job never runs", async () => {
      await stop();
      await reopen(0);
      const { job } = await node.exports.start(project, { domain: project.domain });
      const { job: cancelled } = await node.exports.cancel(project, job.jobId);
      assert.equal(cancelled.status, "failed");
      assert.match(cancelled.error ?? "", /^Cancelled/);
      await assert.rejects(node.exports.cancel(project, job.jobId), isError("conflict", /failed/));
      await stop();
      await reopen();
      const { job: next } = await node.exports.start(project, { domain: project.domain });
      await finish(node, project, next.jobId);
      const after = await node.exports.get(project, job.jobId);
      assert.deepEqual(after.job, cancelled);
    });

    test("cancelling a running job aborts its renderer", async () => {
      const told = Promise.withResolvers<void>();
      renderer = async (request) => {
        const { onProgress } = await request.prepare();
        onProgress({ done: 1, total: 20, rendered: 1 });
        const { promise, reject } = Promise.withResolvers<never>();
        const stop = () => {
          told.resolve();
          reject(request.signal.reason);
        };
        request.signal.addEventListener("abort", stop);
        if (request.signal.aborted) stop();
        return promise;
      };
      const { job } = await node.exports.start(project, { domain: project.domain });
      await untilPages(node, project, job.jobId, 1);
      await node.exports.cancel(project, job.jobId);
      await told.promise;
      const last = await finish(node, project, job.jobId);
      assert.match(last.error ?? "", /^Cancelled/);
      await assert.rejects(
        node.exports.getBundle(project, job.jobId),
        isError("conflict", /Cancelled/),
      );
    });

    test("a fault of the site fails the job at once, with advice", async () => {
      const failures: [Partial<Record<"ref" | "repository", string>>, RegExp][] = [
        [{ ref: "absent" }, /no ref absent/],
        [{ repository: join(root, "absent") }, /does not answer/],
      ];
      for (const [change, sentence] of failures) {
        const caller = change.repository
          ? await addExportProject(node, change.repository)
          : project;
        const { job } = await node.exports.start(caller, {
          domain: caller.domain,
          ref: change.ref,
        });
        const last = await finish(node, caller, job.jobId);
        assert.equal(last.status, "failed");
        assert.match(last.error ?? "", sentence);
        const claims = await node.database.kysely
          .selectFrom("static_export_jobs")
          .select("attempt")
          .where("id", "=", job.jobId)
          .executeTakeFirstOrThrow();
        assert.equal(claims.attempt, 1);
      }
    });

    test("a fault of the service is retried twice, and its details appear only in the log", async () => {
      let tries = 0;
      renderer = async (request) => {
        tries++;
        if (tries <= 2) throw new Error("EIO /srv/secret/path");
        return plainRenderer(1)(request);
      };
      const { job } = await node.exports.start(project, { domain: project.domain });
      assert.equal((await finish(node, project, job.jobId)).status, "completed");
      assert.equal(tries, 3);
      tries = -10;
      const { job: doomed } = await node.exports.start(project, { domain: project.domain });
      const last = await finish(node, project, doomed.jobId);
      assert.equal(tries, -7);
      assert.equal(last.status, "failed");
      assert.match(last.error ?? "", /failed 3 times/);
      assert.doesNotMatch(last.error ?? "", /secret/);
    });

    test("an export updates the checkout of the last one that rendered", async () => {
      const found: string[][] = [];
      const checkout: CheckOut = async (request) => {
        const { folder } = request;
        found.push(existsSync(folder) ? await readdir(folder) : []);
        await rm(folder, { recursive: true, force: true });
        return { ...(await copyCheckout(request)), diskBytes: 10 };
      };
      await stop();
      await using building = await openExportNode({ dataDir, database, checkout });
      const caller = await addExportProject(building, join(root, "kept"));
      const run = async (ref: string) => {
        const { domain } = caller;
        const { job } = await building.exports.start(caller, { domain, ref });
        return (await finish(building, caller, job.jobId)).status;
      };
      await writePlainCommit(join(root, "kept"), "good", { "a.md": "a" });
      await writePlainCommit(join(root, "kept"), "bad", { "a.txt": "not a page" });
      const statuses = [await run("good"), await run("good"), await run("bad"), await run("good")];
      assert.deepEqual(statuses, ["completed", "completed", "failed", "completed"]);
      assert.deepEqual(found, [[], ["a.md"], ["a.md"], []]);
    });

    test("a worker that lost its job cannot write", async () => {
      await stop();
      await reopen(0);
      const { job } = await node.exports.start(project, { domain: project.domain });
      const old = await claimJob(staticExportKind, node, job.jobId);
      const now = await claimJob(staticExportKind, node, job.jobId);
      assert.ok(old && now);
      assert.equal(now.job.attempt, old.job.attempt + 1);
      await now.write({ commit: "a".repeat(40) });
      const isLost = { name: "AbortError" };
      await assert.rejects(old.write({ commit: "b".repeat(40) }), isLost);
      assert.ok(old.lostSignal.aborted);
      assert.equal(now.lostSignal.aborted, false);
      const complete = (claim: typeof now, bundle_key: string) =>
        claim.complete(async () => ({ changes: { progress: 100, bundle_key, bundle_bytes: 1 } }));
      await assert.rejects(complete(old, "bundles/old"), isLost);
      await assert.rejects(old.fail("No."), isLost);
      await assert.rejects(old.wait("No.", 0), isLost);
      assert.equal((await node.exports.get(project, job.jobId)).job.status, "running");
      await complete(now, "bundles/now");
      await assert.rejects(complete(now, "bundles/again"), isLost);
      const { job: last } = await node.exports.get(project, job.jobId);
      assert.deepEqual([last.status, last.commit], ["completed", "a".repeat(40)]);
      assert.equal((await node.exports.getBundle(project, job.jobId)).key, "bundles/now");
      assert.equal(await claimJob(staticExportKind, node, job.jobId), undefined);
    });

    test("progress never decreases, even if reported late or twice", async () => {
      await stop();
      await reopen(0);
      const { job } = await node.exports.start(project, { domain: project.domain });
      const first = await claimJob(staticExportKind, node, job.jobId);
      await using early = openProgress(async (values) => await first?.write(values));
      early.report(60, 12);
      await untilPages(node, project, job.jobId, 12);
      const second = await claimJob(staticExportKind, node, job.jobId);
      await using late = openProgress(async (values) => await second?.write(values));
      late.report(10, 2);
      await second?.write({ commit: "c".repeat(40) });
      late.report(70, 14);
      const { job: now } = await untilPages(node, project, job.jobId, 13);
      assert.deepEqual([now.progress, now.pageCount], [70, 14]);
      await second?.fail("It broke.");
      const { job: last } = await node.exports.get(project, job.jobId);
      assert.deepEqual([last.progress, last.pageCount, last.error], [70, 14, "It broke."]);
    });

    test("a worker that is stopped releases its job, and another continues from the same commit", async () => {
      renderer = halfRenderer;
      const { job } = await node.exports.start(project, { domain: project.domain });
      const { job: before } = await untilPages(node, project, job.jobId, 3);
      await stop();
      await writePlainCommit(repository, "HEAD", { "new.md": "New" });
      await reopen(0);
      const { job: between } = await node.exports.get(project, job.jobId);
      assert.equal(between.status, "running");
      assert.ok(between.progress >= before.progress);
      const { strikes } = await node.database.kysely
        .selectFrom("static_export_jobs")
        .select("strikes")
        .where("id", "=", job.jobId)
        .executeTakeFirstOrThrow();
      assert.equal(strikes, 0);
      await stop();
      renderer = plainRenderer(1);
      await reopen();
      const seen = await follow(node, project, job.jobId);
      for (const { job: now } of seen) assert.ok(now.pageCount >= before.pageCount);
      const last = seen.at(-1)?.job;
      assert.deepEqual([last?.status, last?.commit, last?.pageCount], ["completed", commit, 20]);
    });

    test("a job waits for what is away, says for what, and goes on without a strike", async () => {
      let isAway = true;
      renderer = async (settings) => {
        if (!isAway) return await plainRenderer(1)(settings);
        isAway = false;
        throw new OctavoError("unavailable", "The storage does not answer.");
      };
      const { job } = await node.exports.start(project, { domain: project.domain });
      const seen = await follow(node, project, job.jobId);
      const waits = seen.map(({ job: { waitingFor } }) => waitingFor).filter(Boolean);
      assert.deepEqual(waits, ["The storage does not answer."]);
      const last = seen.at(-1)?.job;
      assert.deepEqual([last?.status, last?.waitingFor], ["completed", undefined]);
      const { strikes } = await node.database.kysely
        .selectFrom("static_export_jobs")
        .select("strikes")
        .where("id", "=", job.jobId)
        .executeTakeFirstOrThrow();
      assert.equal(strikes, 1);
    });

    test("a job waits for a repository that does not answer, if another node has read it", async () => {
      const silent = () => {
        renderer = plainRenderer(1);
        throw new OctavoError("repository_unreachable", "It does not answer.", {
          details: { silent: repository },
        });
      };
      renderer = silent;
      const first = await node.exports.start(project, { domain: project.domain });
      assert.equal((await finish(node, project, first.job.jobId)).status, "failed");
      const second = await node.exports.start(project, { domain: project.domain });
      assert.equal((await finish(node, project, second.job.jobId)).status, "completed");
      renderer = silent;
      const third = await node.exports.start(project, { domain: project.domain });
      const seen = await follow(node, project, third.job.jobId);
      assert.deepEqual(seen.map(({ job }) => job.waitingFor).filter(Boolean), [
        "It does not answer.",
      ]);
      assert.equal(seen.at(-1)?.job.status, "completed");
    });

    test("a job waits while disk space is short, and none is accepted", async () => {
      renderer = async (settings) => {
        renderer = plainRenderer(1);
        queueMicrotask(() => shortage.abort(new OctavoError("unavailable", "No space is left.")));
        return await halfRenderer(settings);
      };
      const { job } = await node.exports.start(project, { domain: project.domain });
      const seen: StaticExportSnapshot[] = [];
      const signal = patience();
      for await (const snapshot of node.exports.watch(project, job.jobId, signal)) {
        seen.push(snapshot);
        if (snapshot.job.waitingFor === undefined) continue;
        await assert.rejects(
          node.exports.start(project, { domain: project.domain }),
          isError("unavailable", /No space/),
        );
        shortage = new AbortController();
      }
      const waits = seen.map(({ job: { waitingFor } }) => waitingFor).filter(Boolean);
      assert.deepEqual(waits, ["No space is left."]);
      assert.equal(seen.at(-1)?.job.status, "completed");
    });

    test("a job whose workers died ten times fails with a message", async () => {
      await stop();
      await reopen(0);
      const { job } = await node.exports.start(project, { domain: project.domain });
      for (let death = 0; death < 10; death++) {
        assert.ok(await claimJob(staticExportKind, node, job.jobId));
      }
      await stop();
      await reopen();
      const last = await finish(node, project, job.jobId);
      assert.equal(last.status, "failed");
      assert.match(last.error ?? "", /its worker crashed 10 times/);
    });

    test("lists are newest first, paginated, and filtered by domain and status", async () => {
      const ids: string[] = [];
      for (let index = 0; index < 5; index++) {
        ids.unshift((await node.exports.start(project, { domain: project.domain })).job.jobId);
        await nextMillisecond();
      }
      for (const id of ids) await finish(node, project, id);
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await node.exports.list(project, { limit: 2, cursor });
        assert.ok(page.jobs.length <= 2);
        seen.push(...page.jobs.map(({ job }) => job.jobId));
        cursor = page.nextCursor ?? undefined;
      } while (cursor);
      assert.deepEqual(seen, ids);
      const count = async (filter: object) =>
        (await node.exports.list(project, { limit: 100, ...filter })).jobs.length;
      assert.equal(await count({ domain: project.domain }), 5);
      assert.equal(await count({ domain: "other.example.com" }), 0);
      assert.equal(await count({ status: "completed" }), 5);
      assert.equal(await count({ status: "queued" }), 0);
      const wrong = node.exports.list(project, { limit: 2, cursor: "x" });
      await assert.rejects(wrong, isError("invalid_input", /cursor/));
    });

    test("retention removes an old bundle unless a newer export shares it", async () => {
      const { job: old } = await node.exports.start(project, { domain: project.domain });
      await finish(node, project, old.jobId);
      const { job: same } = await node.exports.start(project, { domain: project.domain });
      await finish(node, project, same.jobId);
      const { key } = await node.exports.getBundle(project, old.jobId);
      assert.equal((await node.exports.getBundle(project, same.jobId)).key, key);
      const age = async (jobId: string, days: number) =>
        node.database.kysely
          .updateTable("static_export_jobs")
          .set({ completed_at: new Date(Date.now() - days * 86_400_000) })
          .where("id", "=", jobId)
          .execute();
      const { database, storage } = node;
      const remove = () =>
        removeExpired({ database, storage, bundleDays: 30, jobDays: 100, auditDays: 365 });
      const past = new Date(Date.now() - 31 * 86_400_000);
      await age(old.jobId, 31);
      await remove();
      await assert.rejects(node.exports.getBundle(project, old.jobId), isError("gone"));
      assert.ok(await storage.stat(key));
      await age(same.jobId, 31);
      await utimes(join(dataDir, "storage", key), past, past);
      await remove();
      assert.ok(await storage.stat(key), "an export stored it again meanwhile");
      await database.kysely.updateTable("bundles").set({ stored_at: past }).execute();
      await remove();
      await assert.rejects(node.exports.getBundle(project, same.jobId), isError("gone"));
      assert.equal(existsSync(join(dataDir, "storage", key)), false);
      await age(old.jobId, 101);
      await remove();
      await assert.rejects(node.exports.get(project, old.jobId), isError("not_found"));
      assert.equal((await node.exports.get(project, same.jobId)).job.status, "completed");
    });

    test("an export of a bundle that retention is removing waits, and stores it again", async () => {
      const first = await node.exports.start(project, { domain: project.domain });
      await finish(node, project, first.job.jobId);
      const { key } = await node.exports.getBundle(project, first.job.jobId);
      const { kysely } = node.database;
      await kysely.updateTable("bundles").set({ stored_at: removalMark }).execute();
      const again = await node.exports.start(project, { domain: project.domain });
      const signal = patience();
      for await (const { job } of node.exports.watch(project, again.job.jobId, signal)) {
        if (job.progress >= 97) break;
      }
      await node.storage.delete(key);
      await kysely.deleteFrom("bundles").where("key", "=", key).execute();
      assert.equal((await finish(node, project, again.job.jobId)).status, "completed");
      assert.ok(await node.storage.stat(key));
    });

    test("many jobs in several slots each run once", async () => {
      await stop();
      const runs: string[] = [];
      renderer = watchRenderer(({ outDir }) => void runs.push(outDir));
      await reopen(4);
      await using second =
        engine === "postgres"
          ? await openExportNode({ dataDir: join(dataDir, "second"), url, slots: 4, renderSite })
          : undefined;
      const started = await Promise.all(
        Array.from({ length: 24 }, () =>
          (second ?? node).exports.start(project, { domain: project.domain }),
        ),
      );
      for (const { job } of started) {
        assert.equal((await finish(node, project, job.jobId)).status, "completed");
      }
      assert.equal(runs.length, 24);
    });

    test("a killed node's jobs are each completed once elsewhere, from the same commit", async () => {
      await stop();
      await database[Symbol.asyncDispose]();
      const killed = { dataDir, url, count: 3, caller: project, domain: project.domain };
      const script = new URL("./worker.test-process.ts", import.meta.url);
      const child = fork(script, [JSON.stringify(killed)]);
      const [ids] = (await once(child, "message")) as [string[]];
      child.kill("SIGKILL");
      await once(child, "exit");
      await writePlainCommit(repository, "HEAD", { "new.md": "New" });
      database = await openTestDatabase({ dataDir, url });
      await reopen();
      const { job: first } = await node.exports.get(project, ids[0] ?? "");
      assert.equal(first.status, "running");
      assert.ok(first.pageCount > 0);
      for (const id of ids) {
        const seen = await follow(node, project, id);
        const last = seen.at(-1)?.job;
        assert.equal(last?.status, "completed", last?.error);
        assert.equal(last?.pageCount, id === first.jobId ? 20 : 1);
        if (id !== first.jobId) continue;
        assert.equal(last?.commit, commit);
        for (const { job } of seen) assert.ok(job.progress >= first.progress);
      }
    });
  });
}
