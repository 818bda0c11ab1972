import { useForAll } from "../../../../../test/support/same-code-host.ts";
import assert from "node:assert/strict";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { git } from "../../../../../test/support/git-fixture.ts";
import { startModelServer } from "../../../../../test/support/model-server.ts";
import type { ModelServer } from "../../../../../test/support/model-server.ts";
import { patience } from "../../../../../test/support/patience.ts";
import type { TestPostgres } from "../../../../../test/support/postgres.ts";
import {
  describeOn,
  startTestedPostgres,
  testedEngine,
} from "../../../../../test/support/tested-engine.ts";
import { scriptedAgent } from "../../../../../test/support/scripted-agent.ts";
import { writeFiles } from "../../../../../test/support/temporary-folder.ts";
import type { CodeHost } from "../../codehost/index.ts";
import { isOctavoError } from "@octavo/site/core";
import type { ErrorCode } from "@octavo/site/core";
import { removeExpired } from "../retention.ts";
import { createFileStorage } from "../../storage/index.ts";
import type { AgentScope } from "./agent-jobs.ts";
import { syncPullRequests } from "./follow-pull-requests.ts";
import type { AgentEvent } from "./history.ts";
import type { AgentJob } from "./job.ts";
import { addAgentProject, openAgentNode } from "./node.test-support.ts";
import type { AgentTestNode } from "./node.test-support.ts";

const site = {
  "docs.json": JSON.stringify({ name: "Lantern", navigation: { pages: ["index", "guide"] } }),
  "index.mdx": "---\ntitle: Home\n---\n\nHello. Read [the guide](/guide).\n",
  "guide.mdx": "---\ntitle: Guide\n---\n\nOne two three.\n",
};
const person = { name: "Ada", email: "ada@example.com" };

let root: string;
let folder: string;
let model: ModelServer;
let postgres: TestPostgres | undefined;
before(async () => {
  root = await mkdtemp(join(tmpdir(), "octavo-agent-jobs-"));
  folder = join(root, "site");
  await writeFiles(folder, site);
  model = await startModelServer(scriptedAgent);
  postgres = await startTestedPostgres();
});
after(async () => {
  await model[Symbol.asyncDispose]();
  await postgres?.[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
});

function isError(code: ErrorCode, message?: RegExp): (error: unknown) => boolean {
  return (error) => isOctavoError(error, code) && (message?.test(error.message) ?? true);
}

function kindsOf(files: readonly { readonly kind: string; readonly path: string }[]) {
  return files.map(({ kind, path }) => ({ kind, path }));
}

const hostProject = ({ projectId }: AgentScope) => ({ id: projectId, repository: "local" });

/** Returns the exports that were started for a project's branches, in order. */
async function previewsOf(node: AgentTestNode, { projectId }: AgentScope) {
  return await node.database.kysely
    .selectFrom("static_export_jobs")
    .select(["ref", "commit", "status", "purpose"])
    .where("project_id", "=", projectId)
    .orderBy("id")
    .execute();
}

const broken = () => Promise.reject(new Error("The worker dies here."));

async function until(check: () => Promise<boolean>): Promise<void> {
  const signal = patience();
  while (!(await check())) await sleep(20, undefined, { signal });
}

// The tests run concurrently, because they mostly wait for their turn in the queue.
describe("agent jobs", { concurrency: true }, () => {
  testAgentJobs(testedEngine);
});

function testAgentJobs(engine: "pglite" | "postgres"): void {
  /** Tests behavior that does not depend on the database only once. */
  const testOnce = (name: string, body: () => Promise<void>): void => {
    if (engine === "pglite") void test(name, body);
  };
  describe(`on ${engine}`, { concurrency: 1 }, () => {
    let node: AgentTestNode;
    let model: ModelServer;
    before(async () => {
      model = await startModelServer(scriptedAgent);
      const url = await postgres?.createDatabase();
      const dataDir = join(root, engine);
      const price = { input: 3, cachedInput: 0.3, output: 15 };
      const prices = { others: undefined, byModel: new Map([["compatible/priced", price]]) };
      node = await openAgentNode({ dataDir, url, modelUrl: model.url, slots: 2, prices });
    });
    after(async () => {
      await node[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    });

    async function events(scope: AgentScope, id: string, after?: number): Promise<AgentEvent[]> {
      const signal = patience();
      return await Array.fromAsync(node.jobs.watch(scope, id, { after, signal }));
    }
    async function finish(scope: AgentScope, id: string): Promise<AgentJob> {
      const last = (await events(scope, id)).at(-1);
      assert.equal(last?.type, "job");
      assert.notEqual(last.snapshot.job.status, "active");
      return last.snapshot.job;
    }
    async function run(scope: AgentScope, prompt: string): Promise<AgentJob> {
      const { job } = await node.jobs.create(scope, prompt);
      return await finish(scope, job.id);
    }
    async function say(scope: AgentScope, id: string, prompt: string): Promise<AgentJob> {
      await node.jobs.addMessage(scope, id, { prompt });
      return await finish(scope, id);
    }
    async function branches({ projectId }: AgentScope): Promise<string[]> {
      const { path } = node.hosting.getRepository(projectId);
      const list = await git(path, "for-each-ref", "--format=%(refname:short)", "refs/heads");
      return list.split("\n");
    }
    test("a prompt becomes one pull request", async () => {
      const scope = await addAgentProject(node, folder);
      const { job: created } = await node.jobs.create(
        scope,
        "replace Hello with Bonjour in index.mdx",
      );
      assert.deepEqual(
        { ...created, id: "", createdAt: "", source: { ...created.source, ref: "" } },
        {
          id: "",
          status: "active",
          source: { repository: "local", ref: "" },
          model: "compatible/scripted",
          prLink: null,
          createdAt: "",
          archivedAt: null,
          createdBy: null,
          summary: null,
          pullRequest: null,
          usage: {
            inputTokens: 0,
            outputTokens: 0,
            cachedInputTokens: 0,
            steps: 0,
            compactions: 0,
          },
        },
      );
      assert.equal(created.source.ref, `octavo/agent-${created.id}`);
      const job = await finish(scope, created.id);
      assert.equal(job.status, "completed", job.error);
      assert.equal(job.prLink, `https://docs.example/${scope.projectId}/1`);
      assert.deepEqual(job.pullRequest, { url: job.prLink, state: "open", draft: false });
      assert.match(job.summary ?? "", /^Done: replace Hello/);
      assert.deepEqual(job.usage, {
        inputTokens: 200,
        outputTokens: 40,
        cachedInputTokens: 0,
        steps: 2,
        compactions: 0,
      });
      const page = await node.reviews.describe(scope.projectId, 1);
      assert.equal(page.pullRequest.title, "Replace Hello with Bonjour in index");
      assert.equal(page.pullRequest.base, "main");
      assert.deepEqual(kindsOf(page.files), [{ kind: "modified", path: "index.mdx" }]);
      const diff = await node.jobs.readDiff(scope, job.id);
      assert.match(diff, /^-Hello\. Read.*\n\+Bonjour\. Read/m);
      assert.deepEqual(await branches(scope), ["main", job.source.ref]);
    });

    test("a job of a model with a price says what it has cost, unless some of it is not known", async () => {
      const scope = await addAgentProject(node, folder);
      const { kysely } = node.database;
      const projects = kysely.updateTable("projects").where("id", "=", scope.projectId);
      await projects.set({ model: "compatible/priced" }).execute();
      const job = await run(scope, "replace Hello with Bonjour in index.mdx");
      // Two replies, each with 100 input and 20 output tokens.
      assert.deepEqual([job.usage.steps, job.usage.costUsd], [2, 0.0012]);
      const again = await say(scope, job.id, "replace One with Two in guide.mdx");
      assert.deepEqual([again.usage.steps, again.usage.costUsd], [4, 0.0024]);
      // The state of a job that predates prices.
      const jobs = kysely.updateTable("agent_jobs").where("id", "=", job.id);
      await jobs.set({ cost: null }).execute();
      const late = await say(scope, job.id, "replace Two with Three in guide.mdx");
      assert.deepEqual([late.usage.steps, "costUsd" in late.usage], [6, false]);
    });

    test("a list has a part of texts of any length, also those of older versions", async () => {
      const scope = await addAgentProject(node, folder);
      const { id } = await run(scope, `look ${"far ".repeat(4_000)}\u{FFFD}`);
      const text = "All is well. ".repeat(1_000_000);
      const { kysely } = node.database;
      for (const columns of [{ summary: text }, { status: "failed", error: text }] as const) {
        await kysely.updateTable("agent_jobs").set(columns).where("id", "=", id).execute();
      }
      const { jobs } = await node.jobs.list(scope, { limit: 10 });
      const end = /\n\n\(Cut here: the first 20,000 of 13,000,000 characters are shown\.\)$/;
      assert.match(jobs[0]?.job.summary ?? "", end);
      assert.match(jobs[0]?.job.error ?? "", end);
      assert.ok(JSON.stringify(jobs).length < 50_000);
    });

    test("steps and changes are streamed in one order, and again from any point", async () => {
      const scope = await addAgentProject(node, folder);
      const { job } = await node.jobs.create(scope, "replace One with Two in guide.mdx");
      const live = await events(scope, job.id);
      const steps = live.filter((event) => event.type === "step").map(({ step }) => step);
      assert.deepEqual(
        steps.map(({ type }) => type),
        ["message", "model", "tool", "model", "check", "commit", "pull_request"],
      );
      const ids = live.map(({ id }) => id);
      assert.deepEqual(
        ids,
        [...new Set(ids)].toSorted((one, other) => one - other),
      );
      assert.ok(steps.every(({ seq, at }) => ids.includes(seq) && at.endsWith("Z")));
      const all = await events(scope, job.id);
      assert.deepEqual(all.at(-1), live.at(-1));
      for (const id of [ids[0] ?? 0, ids.at(-3) ?? 0, ids.at(-1) ?? 0]) {
        assert.deepEqual(
          await events(scope, job.id, id),
          all.filter((event) => event.id > id),
        );
      }
      assert.deepEqual(await events(scope, job.id, 999_999_999), all);
    });

    testOnce(
      "the site's folder is checked out, and the instructions of the whole repository are followed",
      async () => {
        const repository = join(root, `repository-${engine}`);
        const files = Object.entries(site).map(([path, text]) => [`docs/site/${path}`, text]);
        await writeFiles(repository, {
          ...Object.fromEntries(files),
          "docs/site/AGENTS.md": "Words of the folder.",
          "docs/AGENTS.md": "Words of the folder above.",
          "docs/AGENTS.override.md": "Words of nobody.",
          ".cursor/rules/pages.mdc": "---\nglobs: *.mdx\n---\nWords of the editor's rules.",
          "other/AGENTS.md": "Words of nobody.",
          "AGENTS.md": "Words of the root.",
          ".mintlify/AGENTS.md": "Words of the root's own folder.",
          "secret.md": "Words behind a link.",
        });
        await symlink("secret.md", join(repository, "CLAUDE.md"));
        const scope = await addAgentProject(node, repository, "docs/site");
        const asked = model.requests.length;
        const job = await run(scope, "replace One with Un in guide.mdx");
        assert.equal(job.status, "completed", job.error);
        const { text } = model.requests[asked] ?? { text: "" };
        const order = [
          "of the folder.",
          "of the folder above.",
          "of the root's own folder.",
          "of the root.",
          "of the editor's rules.",
        ];
        const places = order.map((words) => text.indexOf(`Words ${words}`));
        assert.ok(
          places.every((place, at) => place > (places[at - 1] ?? 0)),
          places.join(),
        );
        assert.doesNotMatch(text, /of nobody|behind a link/);
        const page = await node.reviews.describe(scope.projectId, 1);
        assert.deepEqual(kindsOf(page.files), [{ kind: "modified", path: "docs/site/guide.mdx" }]);
      },
    );

    testOnce(
      "nothing changed: no pull request, no branch, and a summary that says so",
      async () => {
        const scope = await addAgentProject(node, folder);
        const job = await run(scope, "I want everything to be better");
        assert.equal(job.status, "completed");
        assert.equal(job.prLink, null);
        assert.match(job.summary ?? "", /^No file was changed\./);
        assert.equal(await node.jobs.readDiff(scope, job.id), "");
        assert.deepEqual(await branches(scope), ["main"]);
      },
    );

    testOnce("an edit that is taken back is none", async () => {
      const scope = await addAgentProject(node, folder);
      const job = await run(
        scope,
        "replace One with 1 in guide.mdx; replace 1 with One in guide.mdx",
      );
      assert.equal(job.status, "completed", job.error);
      assert.equal(job.prLink, null);
    });

    test("a follow-up adds to the same pull request while it is open", async () => {
      const scope = await addAgentProject(node, folder);
      const first = await run(scope, "replace Hello with Bonjour in index.mdx");
      const second = await say(scope, first.id, "replace One with Un in guide.mdx");
      assert.equal(second.status, "completed", second.error);
      assert.equal(second.prLink, first.prLink);
      assert.equal(second.source.ref, first.source.ref);
      const page = await node.reviews.describe(scope.projectId, 1);
      assert.equal(page.commits.length, 2);
      assert.match(page.pullRequest.body, /replace Hello[^]*replace One/);
      const diff = await node.jobs.readDiff(scope, first.id);
      assert.match(diff, /\+Bonjour/);
      assert.match(diff, /\+Un two/);
      const third = await say(scope, first.id, "look again");
      assert.equal(third.status, "completed");
      assert.equal(third.prLink, first.prLink);
      assert.match(third.summary ?? "", /^No file was changed/);
      assert.match(await node.jobs.readDiff(scope, first.id), /\+Un two/);
    });

    testOnce(
      "the branch of each turn is exported to be looked at, and the one before no more",
      async () => {
        const scope = await addAgentProject(node, folder);
        const first = await run(scope, "replace Hello with Bonjour in index.mdx");
        const page = await node.reviews.describe(scope.projectId, 1);
        const address = `https://docs.example/previews/${first.id}/1/`;
        for (const part of [`(${address})`, `[\`Home\`](${address}index)`]) {
          assert.ok(page.pullRequest.body.includes(part), part);
        }
        const known = { ref: first.source.ref, purpose: "preview" };
        assert.deepEqual(await previewsOf(node, scope), [
          { ...known, commit: page.headCommit, status: "queued" },
        ]);
        // Jobs that people start come first.
        const { rows: entries } = await node.database.queue.executeSql(
          `select is_urgent from pgboss.job join queue_lanes on lane = priority
            where data ->> 'jobId' = any(select id from static_export_jobs where ref = $1)`,
          [first.source.ref],
        );
        assert.deepEqual(entries, [{ is_urgent: false }]);
        await say(scope, first.id, "look");
        assert.equal((await previewsOf(node, scope)).length, 1);
        await say(scope, first.id, "replace One with Un in guide.mdx");
        const { headCommit } = await node.reviews.describe(scope.projectId, 1);
        assert.deepEqual(await previewsOf(node, scope), [
          { ...known, commit: page.headCommit, status: "failed" },
          { ...known, commit: headCommit, status: "queued" },
        ]);
      },
    );

    for (const ending of ["merged", "closed"] as const) {
      testOnce(`a follow-up to one that was ${ending} makes another`, async () => {
        const scope = await addAgentProject(node, folder);
        const first = await run(scope, "replace Hello with Bonjour in index.mdx");
        const project = hostProject(scope);
        if (ending === "merged") await node.reviews.merge(project, 1, person);
        else await node.reviews.close(scope.projectId, 1);
        const word = ending === "merged" ? "Bonjour" : "Hello";
        const second = await say(scope, first.id, `replace ${word} with Salut in index.mdx`);
        assert.equal(second.status, "completed", second.error);
        assert.equal(second.source.ref, `${first.source.ref}-2`);
        assert.equal(second.prLink, `https://docs.example/${scope.projectId}/2`);
        assert.deepEqual(second.pullRequest, { url: second.prLink, state: "open", draft: false });
        const open = await node.reviews.list(scope.projectId, { state: "open", limit: 10 });
        assert.deepEqual(
          open.map(({ number }) => number),
          [2],
        );
        const page = await node.reviews.describe(scope.projectId, 2);
        assert.doesNotMatch(page.pullRequest.body, /replace Hello with Bonjour/);
        assert.match(await node.jobs.readDiff(scope, first.id), new RegExp(`-${word}.*\n\\+Salut`));
        const third = await say(scope, first.id, "replace One with Un in guide.mdx");
        assert.equal(third.prLink, second.prLink);
      });
    }

    test("the state of a pull request is refreshed from time to time", async () => {
      const scope = await addAgentProject(node, folder);
      const { id } = await run(scope, "replace Hello with Bonjour in index.mdx");
      await node.reviews.merge(hostProject(scope), 1, person);
      const { revision } = await node.jobs.get(scope, id);
      await syncPullRequests({
        database: node.database,
        gitWork: node.work,
        codeHosts: useForAll(node.host),
        readCredentials: () => Promise.resolve(undefined),
        log: { info() {}, warn() {}, error() {} },
      });
      const seen = await node.jobs.get(scope, id);
      assert.equal(seen.job.pullRequest?.state, "merged");
      assert.ok(seen.revision > revision);
    });

    test("a message to an active job waits for its turn", async () => {
      const scope = await addAgentProject(node, folder);
      const { job } = await node.jobs.create(scope, "replace Hello with Bonjour in index.mdx");
      const queued = await node.jobs.addMessage(scope, job.id, {
        prompt: "replace One with Un in guide.mdx",
      });
      assert.equal(queued.job.status, "active");
      const ended = await finish(scope, job.id);
      assert.equal(ended.status, "completed", ended.error);
      assert.match(ended.summary ?? "", /replace One/);
      const page = await node.reviews.describe(scope.projectId, 1);
      assert.equal(page.commits.length, 2);
    });

    test("cancelling aborts a running model call, and drops waiting messages", async () => {
      const scope = await addAgentProject(node, folder);
      const asked = model.requests.length;
      const { job } = await node.jobs.create(scope, "wait");
      await until(async () => model.requests.length > asked);
      await node.jobs.addMessage(scope, job.id, { prompt: "replace One with Un in guide.mdx" });
      const cancelled = await node.jobs.cancel(scope, job.id);
      assert.equal(cancelled.job.status, "failed");
      assert.match(cancelled.job.error ?? "", /^Cancelled/);
      assert.equal(cancelled.job.prLink, null);
      await assert.rejects(node.jobs.cancel(scope, job.id), isError("conflict", /failed/));
      const steps = (await events(scope, job.id)).filter((event) => event.type === "step");
      assert.deepEqual(
        steps.flatMap(({ step }) => (step.type === "dropped" ? [step.details] : [])),
        [{ prompt: "replace One with Un in guide.mdx" }],
      );
      const again = await say(scope, job.id, "replace One with Un in guide.mdx");
      assert.equal(again.status, "completed", again.error);
      assert.equal(again.error, undefined);
      assert.match(await node.jobs.readDiff(scope, job.id), /\+Un two/);
    });

    for (const prompt of ["wait", "begin"]) {
      testOnce(`cancelling closes the connection to the model's server: ${prompt}`, async () => {
        const scope = await addAgentProject(node, folder);
        const asked = model.requests.length;
        const { job } = await node.jobs.create(scope, prompt);
        await until(async () => model.requests.length > asked);
        await node.jobs.cancel(scope, job.id);
        // One second is promised, and the benchmarks measure it. A busy machine gets more time. Without the promised
        // behavior, the call would wait for minutes.
        const late = sleep(60_000, "late", { ref: false });
        assert.notEqual(await Promise.race([model.requests[asked]?.abandoned, late]), "late");
      });
    }

    test("a failed job says why, drops waiting messages, and can be continued", async () => {
      const scope = await addAgentProject(node, folder);
      const job = await run(scope, "refuse");
      assert.equal(job.status, "failed");
      assert.match(job.error ?? "", /OCTAVO_MODEL_KEY/);
      const again = await say(scope, job.id, "replace One with Un in guide.mdx");
      assert.equal(again.status, "completed", again.error);
    });

    testOnce("a change that brings errors which nobody mends fails the job", async () => {
      const scope = await addAgentProject(node, folder);
      const job = await run(scope, "replace (/guide) with (/nowhere) in index.mdx");
      assert.equal(job.status, "failed");
      assert.match(job.error ?? "", /new errors/);
      assert.deepEqual(await branches(scope), ["main"]);
    });

    test("only jobs that have ended can be archived, and for good", async () => {
      const scope = await addAgentProject(node, folder);
      const asked = model.requests.length;
      const { job } = await node.jobs.create(scope, "wait");
      await until(async () => model.requests.length > asked);
      await assert.rejects(node.jobs.archive(scope, job.id), isError("conflict", /active/));
      await node.jobs.cancel(scope, job.id);
      const first = await node.jobs.archive(scope, job.id);
      assert.equal(first.job.status, "archived");
      assert.ok(first.job.archivedAt);
      assert.equal("error" in first.job, false);
      assert.deepEqual(await node.jobs.archive(scope, job.id), first);
      const prompt = "go on";
      await assert.rejects(node.jobs.addMessage(scope, job.id, { prompt }), isError("conflict"));
      await assert.rejects(node.jobs.cancel(scope, job.id), isError("conflict", /archived/));
    });

    test("jobs are visible only to their own organization and project", async () => {
      const scope = await addAgentProject(node, folder);
      const other = await addAgentProject(node, folder);
      const { id } = await run(scope, "look");
      for (const stranger of [other, { ...scope, organizationId: other.organizationId }]) {
        await assert.rejects(node.jobs.get(stranger, id), isError("not_found"));
        await assert.rejects(node.jobs.cancel(stranger, id), isError("not_found"));
        await assert.rejects(node.jobs.readDiff(stranger, id), isError("not_found"));
        assert.deepEqual((await node.jobs.list(stranger, { limit: 10 })).jobs, []);
      }
      await assert.rejects(node.jobs.get(scope, "aj_x"), isError("not_found"));
    });

    test("of hundreds of concurrent creations exactly 100 are accepted", async () => {
      await using idle = await openIdle(node, engine);
      const scope = await addAgentProject(idle, folder);
      // The embedded database runs them one after another.
      const each = engine === "postgres" ? 50 : 20;
      // There are only a few callers, because a caller that waits ten seconds for a connection is rejected.
      const start = performance.now();
      const callers = Array.from({ length: 10 }, async () => {
        const results = [];
        for (let count = 0; count < each; count += 1) {
          results.push(...(await Promise.allSettled([idle.jobs.create(scope, "look")])));
        }
        return results;
      });
      const results = (await Promise.all(callers)).flat();
      const fewest = 3_600 - (performance.now() - start) / 1_000 - 1;
      const refused = results.filter((result) => result.status === "rejected");
      assert.equal(refused.length, 10 * each - 100);
      for (const { reason } of refused) {
        assert.ok(isOctavoError(reason, "rate_limited"), String(reason));
        const seconds = reason.details["retryAfterSeconds"];
        assert.ok(typeof seconds === "number" && seconds >= fewest && seconds <= 3_600);
      }
      const { jobs } = await idle.jobs.list(scope, { limit: 100 });
      assert.equal(jobs.length, 100);
      assert.equal((await idle.jobs.readRate(scope.projectId, "jobs")).remaining, 0);
      assert.equal((await idle.jobs.readRate(scope.projectId, "messages")).remaining, 100);
      // The window slides, so calls older than 60 minutes make room for as many new ones.
      await idle.database.kysely
        .updateTable("agent_uses")
        .set({ used_at: new Date(Date.now() - 3_600_000) })
        .where("project_id", "=", scope.projectId)
        .execute();
      assert.deepEqual(await idle.jobs.readRate(scope.projectId, "jobs"), {
        remaining: 100,
        resetSeconds: undefined,
      });
      await idle.jobs.create(scope, "look");
      for (const { job } of (await idle.jobs.list(scope, { limit: 100 })).jobs) {
        // The embedded database's own worker is not idle, and may have ended a job in the meantime.
        await idle.jobs.cancel(scope, job.id).catch((error: unknown) => {
          if (!isOctavoError(error, "conflict")) throw error;
        });
      }
    });

    testOnce("what is over its limits ends with a reason", async () => {
      const scope = await addAgentProject(node, folder);
      const first = await run(scope, "look");
      // Sets tomorrow's total too, because the day may end during the test.
      await sql`insert into agent_tokens (project_id, day, tokens)
        select ${scope.projectId}, (now() at time zone 'utc')::date + days, 1000000
        from generate_series(0, 1) as days
        on conflict (project_id, day) do update set tokens = excluded.tokens`.execute(
        node.database.kysely,
      );
      const job = await say(scope, first.id, "look again");
      assert.equal(job.status, "failed");
      assert.match(job.error ?? "", /1000000 of 1000000 tokens.*tomorrow/);
    });

    test("retention removes jobs that ended long ago, unless their pull request is open", async () => {
      const scope = await addAgentProject(node, folder);
      const open = await run(scope, "replace One with Un in guide.mdx");
      const plain = await run(scope, "look");
      const storage = createFileStorage(join(root, "storage"));
      const later = new Date(Date.now() + 3 * 24 * 60 * 60 * 1000);
      await removeExpired({
        database: node.database,
        storage,
        bundleDays: 2,
        jobDays: 2,
        auditDays: 365,
        now: later,
      });
      await assert.rejects(node.jobs.get(scope, plain.id), isError("not_found"));
      const kept = await node.jobs.get(scope, open.id);
      assert.equal(kept.job.prLink, open.prLink);
      const left = await events(scope, open.id);
      assert.deepEqual(
        left.map(({ type }) => type),
        ["job"],
      );
      const again = await say(scope, open.id, "replace two with deux in guide.mdx");
      assert.equal(again.prLink, open.prLink, again.error);
    });
  });
}

/**
 * Opens a second connection to the same tables on PostgreSQL. The embedded database supports only one connection, and
 * its worker ignores canceled jobs.
 */
async function openIdle(
  node: AgentTestNode,
  engine: "pglite" | "postgres",
): Promise<AgentTestNode> {
  if (engine === "pglite") return { ...node, [Symbol.asyncDispose]: () => Promise.resolve() };
  return await openAgentNode({
    dataDir: join(root, "idle"),
    url: await postgres?.createDatabase(),
    modelUrl: model.url,
    slots: 0,
  });
}

const unchanged = (host: CodeHost): CodeHost => host;

describeOn("pglite", "a crashed attempt is repeated:", () => {
  /** The code host as this test's worker sees it. */
  let seenAs = unchanged;
  const wrapHost = (host: CodeHost): CodeHost =>
    new Proxy(host, { get: (target, key) => Reflect.get(seenAs(target), key) as unknown });
  let node: AgentTestNode;
  before(async () => {
    node = await openAgentNode({ dataDir: join(root, "crashes"), modelUrl: model.url, wrapHost });
  });
  after(() => node[Symbol.asyncDispose]());
  afterEach(() => (seenAs = unchanged));

  type Fault = (host: CodeHost) => Partial<CodeHost>;
  /** Faults before and after each step outside the database. Each occurs only the first time. */
  const faults: [name: string, fault: Fault][] = [
    ["before the checkout", () => ({ preparePushTarget: broken })],
    ["before the push", () => ({ find: broken })],
    ["after the push, before the pull request", () => ({ create: broken })],
    [
      "after the pull request was created",
      (host) => ({
        async create(...wanted) {
          await host.create(...wanted);
          return await broken();
        },
      }),
    ],
    [
      "after it was created and merged at once",
      (host) => ({
        async create(project, wanted) {
          const { number } = await host.create(project, wanted);
          await node.reviews.merge(project, number, person);
          return await broken();
        },
      }),
    ],
  ];
  for (const [name, fault] of faults) {
    test(name, async () => {
      let count = 0;
      seenAs = (host) => {
        const faulty = { ...host, ...fault(host) };
        const once = Object.keys(fault(host))[0] as keyof CodeHost;
        return new Proxy(host, {
          get: (target, key, receiver) =>
            key === once && count++ === 0 ? faulty[once] : Reflect.get(target, key, receiver),
        });
      };
      const scope = await addAgentProject(node, folder);
      const asked = model.requests.length;
      const { job: created } = await node.jobs.create(scope, "replace One with Un in guide.mdx");
      const signal = patience();
      const events = await Array.fromAsync(node.jobs.watch(scope, created.id, { signal }));
      const last = events.at(-1);
      assert.ok(last?.type === "job" && last.snapshot.job.status === "completed", name);
      assert.ok(count > 0, "it broke off");
      assert.equal(model.requests.length - asked, 2);
      const steps = events.flatMap((event) => (event.type === "step" ? [event.step.type] : []));
      assert.deepEqual(
        steps.filter((type) => type !== "check"),
        ["message", "model", "tool", "model", "commit", "pull_request"],
      );
      const pulls = await node.reviews.list(scope.projectId, { limit: 10 });
      assert.equal(pulls.length, 1);
      assert.equal(pulls[0]?.state, last.snapshot.job.pullRequest?.state);
      const previews = await previewsOf(node, scope);
      assert.deepEqual(
        previews.map(({ ref, status }) => [ref, status]),
        pulls[0]?.state === "open" ? [[created.source.ref, "queued"]] : [],
      );
    });
  }

  test("a pull request that is closed during a follow-up gets a successor", async () => {
    let isClosing = false;
    seenAs = (host) => ({
      ...host,
      async find(project, query, signal) {
        if (isClosing) await node.reviews.close(project.id, 1);
        isClosing = false;
        return await host.find(project, query, signal);
      },
    });
    const scope = await addAgentProject(node, folder);
    const signal = patience();
    const finish = async (id: string) => {
      const last = (await Array.fromAsync(node.jobs.watch(scope, id, { signal }))).at(-1);
      assert.ok(last?.type === "job");
      return last.snapshot.job;
    };
    const { job } = await node.jobs.create(scope, "replace One with Un in guide.mdx");
    await finish(job.id);
    isClosing = true;
    await node.jobs.addMessage(scope, job.id, { prompt: "replace two with deux in guide.mdx" });
    const second = await finish(job.id);
    assert.equal(second.status, "completed", second.error);
    assert.equal(second.source.ref, `${job.source.ref}-2`);
    const open = await node.reviews.list(scope.projectId, { state: "open", limit: 10 });
    assert.deepEqual(
      open.map(({ number, head }) => [number, head]),
      [[2, second.source.ref]],
    );
  });

  test("a job whose attempts all crash fails with a reason", async () => {
    seenAs = (host) => ({ ...host, preparePushTarget: broken });
    const scope = await addAgentProject(node, folder);
    const { job } = await node.jobs.create(scope, "look");
    await until(async () => (await node.jobs.get(scope, job.id)).job.status === "failed");
    const ended = await node.jobs.get(scope, job.id);
    assert.match(ended.job.error ?? "", /failed 3 times because of an error in the service/);
    assert.doesNotMatch(ended.job.error ?? "", /dies here/);
  });
});
