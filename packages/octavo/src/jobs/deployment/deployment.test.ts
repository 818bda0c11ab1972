import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { sql } from "kysely";
import { OctavoError, isOctavoError, type ErrorCode } from "@octavo/site/core";
import { patience } from "../../../../../test/support/patience.ts";
import type { TestPostgres } from "../../../../../test/support/postgres.ts";
import { startTestedPostgres, testedEngine } from "../../../../../test/support/tested-engine.ts";
import { createId, defaultQuotas } from "../../core/index.ts";
import { transact, type Database } from "../../db/index.ts";
import { createSites, lockSite, openRouteTable } from "../../publish/index.ts";
import type { RepositoryRef, RouteTable, VersionRule } from "../../publish/index.ts";
import { createFileStorage } from "../../storage/index.ts";
import type { ProjectScope } from "../lifecycle/job-store.ts";
import type { RenderSite } from "../ports.ts";
import { removeExpired } from "../retention.ts";
import {
  addExportProject,
  addProjectTo,
  openTestDatabase,
} from "../static-export/node.test-support.ts";
import { plainRenderer, writePlainCommit } from "../static-export/plain-ports.test-support.ts";
import type { Deployment } from "./job.ts";
import { openDeploymentNode, toTestOrigin, type DeploymentNode } from "./node.test-support.ts";

const sitesDomain = () => ({ protocol: "https:" as const, name: "sites.example", port: undefined });
const dayMs = 24 * 60 * 60 * 1000;

let root: string;
let postgres: TestPostgres | undefined;
let dataDir: string;
let database: Database;
before(async () => {
  root = await mkdtemp(join(tmpdir(), "octavo-deployments-"));
  postgres = await startTestedPostgres();
  dataDir = join(root, "data");
  database = await openTestDatabase({ dataDir, url: await postgres?.createDatabase() });
});
after(async () => {
  await database[Symbol.asyncDispose]();
  await postgres?.[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

/** Removes what is no longer needed after some days. */
async function expire(days: number): Promise<void> {
  const storage = createFileStorage(join(dataDir, "storage"));
  const now = new Date(Date.now() + days * dayMs);
  await removeExpired({ database, storage, bundleDays: 30, jobDays: 90, auditDays: 365, now });
}

describe(`deployments on ${testedEngine}`, { concurrency: 1 }, () => {
  let node: DeploymentNode;
  let nodes: AsyncDisposableStack;
  let scope: ProjectScope;
  let project: { readonly id: string; readonly domain: string; readonly name: string };
  let slug: string;
  let repository: string;
  let renderer: RenderSite;
  let count = 0;
  const renderSite: RenderSite = (request) => renderer(request);
  const open = async (slots: number, quotas = defaultQuotas) =>
    nodes.use(await openDeploymentNode({ database, dataDir, slots, renderSite, quotas }));
  const openTable = async (): Promise<RouteTable> =>
    nodes.use(
      await openRouteTable({
        database,
        domain: sitesDomain,
        siteSecret: () => new Uint8Array(32).fill(7),
        signInUrl: () => "https://octavo.example/open-site",
        onStale: () => undefined,
      }),
    );

  beforeEach(async () => {
    nodes = new AsyncDisposableStack();
    repository = join(root, `repository-${++count}`);
    renderer = plainRenderer(1);
    const { organizationId } = await addExportProject({ database }, repository);
    const { id: projectId, domain } = await addProjectTo(database, organizationId, repository);
    scope = { organizationId, projectId };
    project = { id: projectId, domain, name: "Docs" };
    ({ slug } = await sites().read(project));
  });
  afterEach(() => nodes.disposeAsync());

  const commit = (text: string, ref = "HEAD") =>
    writePlainCommit(repository, ref, { "index.md": `# ${text} ${count}` });
  const start = async (ref?: string) => {
    // IDs from the same millisecond do not show their order.
    await sleep(2);
    return (await node.deployments.start(scope, { trigger: "api", ref })).job.id;
  };
  const finish = async (id: string): Promise<Deployment> => {
    const states = await Array.fromAsync(node.deployments.watch(scope, id, patience()));
    const last = states.at(-1)?.job;
    assert.ok(last);
    return last;
  };
  const deploy = async (text: string, ref?: string) => {
    await commit(text, ref);
    return await finish(await start(ref));
  };
  const get = async (id: string) => (await node.deployments.get(scope, id)).job;
  const liveId = async () => (await node.deployments.findLive(scope.projectId))?.job.id;

  const makePollDue = () => sql`update repository_polls set next_at = now() - interval '1 second' where project_id = ${scope.projectId}`.execute(database.kysely); // prettier-ignore
  const readPoll = async () => {
    const { rows } = await sql<{ minutes: number; failures: number; error: string | null }>`
      select extract(epoch from next_at - asked_at)::float8 / 60 as minutes, failures, error
      from repository_polls where project_id = ${scope.projectId}`.execute(database.kysely);
    return rows[0];
  };
  const readNewest = async () => (await node.deployments.list(scope, { limit: 1 })).jobs[0]?.job;

  test("is built at a commit, goes live, and is at an address of its own for ever", async () => {
    node = await open(1);
    const hash = await commit("First");
    const id = await start();
    const states = await Array.fromAsync(node.deployments.watch(scope, id, patience()));
    for (const [index, { revision }] of states.entries()) {
      assert.ok(revision > (states[index - 1]?.revision ?? 0));
    }
    const { createdAt, updatedAt, endedAt, publishedAt, label, sizeBytes, ...rest } = await get(id);
    for (const time of [createdAt, updatedAt, endedAt, publishedAt]) assert.ok(time);
    assert.match(label ?? "", new RegExp(`^[0-9a-f]{12}--${slug}$`));
    assert.ok(Number(sizeBytes) > 0);
    assert.deepEqual(rest, {
      id,
      projectId: scope.projectId,
      kind: "production",
      status: "ready",
      progress: 100,
      trigger: "api",
      ref: null,
      pullRequest: null,
      commit: hash,
      subject: "Write the manual",
      author: "Ada",
      createdBy: null,
      pages: 1,
      problems: { errors: 0, warnings: 0 },
      isLive: true,
      publishedBy: null,
    });
    assert.equal(await liveId(), id);
  });

  test("is superseded by a newer one before it is built, and then never runs", async () => {
    node = await open(0);
    await commit("First");
    const [first, second, third] = [await start(), await start(), await start()];
    const branch = await start("work");
    assert.equal((await get(first)).status, "superseded");
    assert.equal((await get(second)).status, "superseded");
    await commit("Branch", "work");
    node = await open(1);
    assert.equal((await finish(third)).status, "ready");
    assert.equal((await finish(branch)).status, "ready");
    assert.equal((await get(first)).pages, 0);
    const { jobs } = await node.deployments.list(scope, { limit: 10, status: "superseded" });
    assert.deepEqual(new Set(jobs.map(({ job }) => job.id)), new Set([first, second]));
  });

  test("never replaces a newer one, however long it takes", async () => {
    node = await open(2);
    const entered = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    renderer = async (request) => {
      entered.resolve();
      await released.promise;
      return await plainRenderer(1)(request);
    };
    await commit("Slow");
    const slow = await start();
    await entered.promise;
    renderer = plainRenderer(1);
    const fast = await deploy("Fast");
    assert.ok(fast.isLive);
    released.resolve();
    const late = await finish(slow);
    assert.deepEqual([late.status, late.isLive], ["ready", false]);
    assert.equal(await liveId(), fast.id);
  });

  test("leaves what is live if it fails or changes nothing", async () => {
    node = await open(1);
    const first = await deploy("First");
    const again = await deploy("First");
    assert.deepEqual([again.status, again.isLive, again.publishedAt], ["ready", false, null]);
    assert.equal(again.label, first.label);
    await writePlainCommit(repository, "HEAD", { "empty.txt": "" });
    const failed = await finish(await start());
    assert.deepEqual([failed.status, failed.error], ["failed", "The site has no pages."]);
    assert.equal(await liveId(), first.id);
  });

  test("that was live is live again without a build, and then stays", async () => {
    node = await open(1);
    const actor = { type: "key" as const, id: "key_1", name: "CI" };
    const first = await deploy("First");
    const second = await deploy("Second");
    assert.ok(second.isLive && !(await get(first.id)).isLive);
    const { job: back } = await node.deployments.publish({ ...scope, actor }, first.id);
    assert.deepEqual([back.isLive, back.publishedBy], [true, actor]);
    assert.deepEqual([await liveId(), (await get(second.id)).isLive], [first.id, false]);
    assert.equal((await sites().read(project)).isAutomatic, false);
    const third = await deploy("Third");
    assert.deepEqual([third.status, third.isLive], ["ready", false]);
    await sites().change(scope, project, { isAutomatic: true });
    await node.deployments.resume(scope);
    assert.equal(await liveId(), third.id);
    assert.ok((await deploy("Fourth")).isLive);
  });

  test("of another ref is a preview, and cannot be published", async () => {
    node = await open(1);
    const live = await deploy("First");
    const preview = await deploy("Branch", "work");
    assert.deepEqual([preview.kind, preview.isLive], ["preview", false]);
    const newest = await node.deployments.findNewest(scope.projectId);
    assert.equal(newest?.job.id, live.id);
    await assert.rejects(node.deployments.publish(scope, preview.id), isCode("conflict"));
    await writePlainCommit(repository, "HEAD", { "empty.txt": "" });
    const failed = await finish(await start());
    await assert.rejects(node.deployments.publish(scope, failed.id), isCode("conflict"));
    const other = { ...scope, projectId: createId("project") };
    await assert.rejects(node.deployments.publish(other, live.id), isCode("not_found"));
    assert.equal(await liveId(), live.id);
  });

  test("is started by a push to the branch that the project publishes", async () => {
    node = await open(1);
    const { projectId } = scope;
    const [main, work] = [await commit("Main"), await commit("Work", "work")];
    await database.kysely.insertInto("hosted_repositories").values({ project_id: projectId, head: "refs/heads/main" }).execute(); // prettier-ignore
    await database.kysely.insertInto("hosted_refs").values([{ project_id: projectId, name: "refs/heads/main", commit: main }, { project_id: projectId, name: "refs/heads/work", commit: work }]).execute(); // prettier-ignore
    const list = async () => (await node.deployments.list(scope, { limit: 10 })).jobs;
    await node.deployments.followRefs({ projectId, refs: ["refs/heads/work"] });
    assert.deepEqual(await list(), []);
    await node.deployments.followRefs({ projectId, refs: ["refs/heads/work", "refs/heads/main"] });
    const [started, ...others] = await list();
    assert.deepEqual([started?.job.trigger, started?.job.commit, others], ["push", main, []]);
    assert.ok((await finish(started?.job.id ?? "")).isLive);
    // A push that no node followed.
    const next = await commit("Next");
    await database.kysely.updateTable("hosted_refs").set({ commit: next }).where("project_id", "=", projectId).where("name", "=", "refs/heads/main").execute(); // prettier-ignore
    await node.deployments.followMissedRefs();
    await node.deployments.followMissedRefs();
    const [missed, ...older] = await list();
    assert.deepEqual([missed?.job.commit, older.length], [next, 1]);
    await finish(missed?.job.id ?? "");
    // A site that somebody has rolled back does not follow.
    await node.deployments.publish(scope, started?.job.id ?? "");
    await commit("Later");
    await node.deployments.followRefs({ projectId, refs: ["refs/heads/main"] });
    await node.deployments.followMissedRefs();
    assert.equal((await list()).length, 2);
  });

  const heads = "refs/heads/main";
  const setRefs = async (refs: Readonly<Record<string, string>>) => {
    const { projectId } = scope;
    await database.kysely.deleteFrom("hosted_refs").where("project_id", "=", projectId).execute();
    const rows = Object.entries(refs).map(([name, text]) => ({ project_id: projectId, name, commit: text })); // prettier-ignore
    await database.kysely.insertInto("hosted_refs").values(rows).execute();
  };
  const setRules = async (versionRules: readonly VersionRule[]) => {
    await sites().change(scope, project, { versionRules });
    await node.deployments.followVersions(scope.projectId);
    await finishAll();
  };
  const finishAll = async () => {
    const { jobs } = await node.deployments.list(scope, { limit: 50 });
    for (const { job } of jobs) await finish(job.id);
  };
  const tag = async (name: string) => {
    await mkdir(join(repository, "refs/tags"), { recursive: true });
    return await commit(name, `refs/tags/${name}`);
  };
  /** The paths of the site's versions with their states. */
  const served = async (): Promise<Record<string, string>> => {
    await using table = await openTable();
    const versions = table.find(`${slug}.sites.example`)?.versions ?? [];
    return Object.fromEntries(
      versions.map(({ slug: path, isDefault, isHidden, state }) => [
        path,
        `${state}${isDefault ? ", at the root" : ""}${isHidden ? ", hidden" : ""}`,
      ]),
    );
  };
  const allTags: VersionRule = { type: "tag", pattern: "v*", action: "publish" };

  test("that waits builds what is pushed meanwhile, and is not superseded by the push", async () => {
    node = await open(0);
    await database.kysely.insertInto("hosted_repositories").values({ project_id: scope.projectId, head: heads }).execute(); // prettier-ignore
    const waiting = await start();
    const pushed = await commit("Pushed");
    await setRefs({ [heads]: pushed });
    await node.deployments.followRefs({ projectId: scope.projectId, refs: [heads] });
    await node.deployments.followMissedRefs();
    assert.equal((await node.deployments.list(scope, { limit: 10 })).jobs.length, 1);
    node = await open(1);
    const { commit: built, isLive } = await finish(waiting);
    assert.deepEqual([built, isLive], [pushed, true]);
  });

  describe("of versions", () => {
    beforeEach(async () => {
      node = await open(1);
      await mkdir(join(repository, "refs/heads"), { recursive: true });
      await database.kysely.insertInto("hosted_repositories").values({ project_id: scope.projectId, head: heads }).execute(); // prettier-ignore
      await deploy("Main");
    });

    test("are made of the tags that a rule names, and taken offline when it goes", async () => {
      const [one, two] = [await tag("v1.0.0"), await tag("v2.0.0")];
      await setRefs({ [heads]: "a", "refs/tags/v1.0.0": one, "refs/tags/v2.0.0": two });
      assert.deepEqual(await served(), { latest: "current, at the root" });
      await setRules([allTags]);
      assert.deepEqual(await served(), {
        latest: "current, at the root",
        "v2.0.0": "current",
        "v1.0.0": "old",
        stable: "current, hidden",
      });
      const [version] = await sites().listVersions(scope.projectId);
      assert.deepEqual(version && { ...version, deploymentId: version.deploymentId !== null }, { slug: "v2.0.0", ref: "v2.0.0", type: "tag", isDefault: false, isHidden: false, problem: null, deploymentId: true }); // prettier-ignore
      await setRules([{ ...allTags, range: "*", pattern: undefined, action: "default" }]);
      assert.deepEqual((await served())["v2.0.0"], "current, at the root");
      assert.equal((await served())["latest"], "unreleased");
      await setRules([]);
      assert.deepEqual(await served(), { latest: "current, at the root" });
      assert.deepEqual(await sites().listVersions(scope.projectId), []);
    });

    test("are built once, and again only when their ref moves", async () => {
      const count = async () => (await node.deployments.list(scope, { limit: 50 })).jobs.length;
      await setRefs({ [heads]: "a", "refs/tags/v1.0.0": await tag("v1.0.0") });
      await setRules([allTags]);
      assert.equal(await count(), 2);
      await node.deployments.followMissedRefs();
      await finishAll();
      const built = await count();
      await node.deployments.followVersions(scope.projectId);
      assert.equal(await count(), built);
      const moved = await commit("Other", "refs/tags/v1.0.0");
      await setRefs({ [heads]: "a", "refs/tags/v1.0.0": moved });
      await node.deployments.followRefs({ projectId: scope.projectId, refs: ["refs/tags/v1.0.0"] });
      await finishAll();
      const { jobs } = await node.deployments.list(scope, { limit: 50 });
      const versions = jobs.filter(({ job }) => job.kind === "version").map(({ job }) => job);
      assert.deepEqual(versions.map(({ ref, commit: at, isLive }) => [ref, at === moved, isLive]), [["v1.0.0", true, true], ["v1.0.0", false, false]]); // prettier-ignore
      await assert.rejects(
        node.deployments.publish(scope, versions[1]?.id ?? ""),
        isCode("conflict"),
      );
      const again = await finish(await start("v1.0.0"));
      assert.deepEqual([again.kind, again.status, again.isLive], ["version", "ready", false]);
    });

    test("are followed although another site's cannot be", async () => {
      const { id } = await addProjectTo(database, scope.organizationId, repository);
      await database.kysely.insertInto("hosted_repositories").values({ project_id: id, head: heads }).execute(); // prettier-ignore
      const name = "refs/tags/v1.0.0";
      await database.kysely.insertInto("hosted_refs").values({ project_id: id, name, commit: await tag("v1.0.0") }).execute(); // prettier-ignore
      await sites().change(scope, { ...project, id }, { versionRules: [allTags] });
      await setRefs({ [heads]: "a", [name]: await tag("v1.0.0") });
      await sql`update sites set version_rules = '[null]' where project_id = ${scope.projectId}`.execute(database.kysely); // prettier-ignore
      await assert.rejects(node.deployments.followMissedRefs());
      await sql`update sites set version_rules = '[]' where project_id in (${scope.projectId}, ${id})`.execute(database.kysely); // prettier-ignore
      assert.deepEqual((await sites().listVersions(id)).map(({ ref }) => ref), ["v1.0.0"]); // prettier-ignore
    });

    test("do not hide a page, and go with their ref", async () => {
      await setRefs({ [heads]: "a", "refs/tags/index": await tag("index"), "refs/tags/v3": await tag("v3") }); // prettier-ignore
      await setRules([{ ...allTags, pattern: "*" }]);
      const versions = await sites().listVersions(scope.projectId);
      assert.deepEqual(versions.map(({ ref, slug: path }) => [ref, path]), [["v3", "v3"], ["index", null]]); // prettier-ignore
      assert.match(versions[1]?.problem ?? "", /belongs to a page or folder/);
      await setRefs({ [heads]: "a" });
      await node.deployments.followRefs({ projectId: scope.projectId, refs: ["refs/tags/v3"] });
      assert.deepEqual(await served(), { latest: "current, at the root" });
      const { jobs } = await node.deployments.list(scope, { limit: 50 });
      const id = jobs.find(({ job }) => job.ref === "v3")?.job.id ?? "";
      assert.equal((await get(id)).status, "ready");
      await expire(8);
      assert.equal((await get(id)).status, "removed");
    });
  });

  test("of a branch is started by its pushes, if the site wants previews of it", async () => {
    node = await open(1);
    await mkdir(join(repository, "docs"), { recursive: true });
    await database.kysely.insertInto("hosted_repositories").values({ project_id: scope.projectId, head: heads }).execute(); // prettier-ignore
    await deploy("Main");
    const [one, two] = ["refs/heads/docs/one", "refs/heads/docs/two"];
    for (const name of ["docs/one", "docs/two"]) await commit(name, name);
    await setRefs({ [heads]: "a", [one]: "b", [two]: "c", "refs/tags/docs/three": "d" });
    const push = async (...refs: readonly string[]) => {
      await node.deployments.followRefs({ projectId: scope.projectId, refs });
      await finishAll();
      const { jobs } = await node.deployments.list(scope, { limit: 50 });
      return jobs.flatMap(({ job }) =>
        job.kind === "preview" ? [`${job.ref} ${job.status}`] : [],
      );
    };
    assert.deepEqual(await push(one, two), []);
    await sites().change(scope, project, { previewBranches: ["docs/*"] });
    const gone = "refs/heads/docs/gone";
    assert.deepEqual(await push(one, "refs/tags/docs/three", gone, heads), ["docs/one ready"]);
    assert.deepEqual(await push(two), ["docs/two ready", "docs/one ready"]);
    await setRules([{ type: "branch", pattern: "docs/two", action: "publish" }]);
    assert.equal((await push(two)).length, 2);
    await sites().change(scope, project, { previewBranches: [] });
    assert.equal((await push(one)).length, 2);
  });

  test("is for members only if the repository is not public, unless somebody chose otherwise", async () => {
    let asked = 0;
    let isPublic = false;
    const options = { database, dataDir, slots: 1, renderSite };
    node = nodes.use(
      await openDeploymentNode({
        ...options,
        async isPublic() {
          asked += 1;
          return isPublic;
        },
      }),
    );
    const visibility = async () => (await sites().read(project)).visibility;
    await deploy("One");
    assert.deepEqual([await visibility(), asked], ["members", 1]);
    await sites().change(scope, project, { visibility: "public" });
    await deploy("Two");
    assert.deepEqual([await visibility(), asked], ["public", 1]);
    await sql`update sites set is_visibility_settled = false where project_id = ${scope.projectId}`.execute(database.kysely); // prettier-ignore
    isPublic = true;
    await deploy("Three");
    await deploy("Four");
    assert.deepEqual([await visibility(), asked], ["public", 2]);
  });

  test("is announced to webhooks when it is ready, when it is published and when it fails", async () => {
    node = await open(1);
    const events = ["deployment.ready", "deployment.published", "deployment.failed"];
    await database.kysely.insertInto("webhooks").values({ id: createId("webhook"), organization_id: scope.organizationId, url: "https://hooks.example", events, secret: new Uint8Array(1), created_by: null, disabled_at: null }).execute(); // prettier-ignore
    const { id, label } = await deploy("First");
    await deploy("First");
    await writePlainCommit(repository, "HEAD", { "empty.txt": "" });
    await finish(await start());
    const messages = await database.kysely.selectFrom("webhook_deliveries").select(["event", "job_id", "body"]).where("project_id", "=", scope.projectId).orderBy("id").execute(); // prettier-ignore
    const sent = messages.map(({ event }) => event).toSorted();
    assert.deepEqual(sent, ["deployment.failed", "deployment.published", "deployment.ready", "deployment.ready"]); // prettier-ignore
    const published = messages.find(({ event }) => event === "deployment.published");
    const { type, data } = JSON.parse(published?.body ?? "{}");
    assert.deepEqual([type, data.id, data.isLive], ["deployment.published", id, true]);
    assert.deepEqual([data.url, data.label], [toTestOrigin(label ?? ""), undefined]);
  });

  test("fails if its bundle exceeds the quota, and what is live stays", async () => {
    node = await open(1);
    const first = await deploy("First");
    await nodes.disposeAsync();
    nodes = new AsyncDisposableStack();
    const enterprise = { ...defaultQuotas.enterprise, bundleMb: 0.000_001 };
    node = await open(1, { ...defaultQuotas, enterprise });
    await assert.rejects(start(), isCode("rate_limited"));
    assert.equal(await liveId(), first.id);
  });

  test("is removed on request, unless it is live", async () => {
    node = await open(1);
    const [first, second] = [await deploy("First"), await deploy("Second")];
    await assert.rejects(node.deployments.remove(scope, second.id), isCode("conflict"));
    const { job } = await node.deployments.remove(scope, first.id);
    assert.deepEqual([job.status, job.label], ["removed", null]);
    await assert.rejects(node.deployments.publish(scope, first.id), isCode("conflict"));
    await assert.rejects(node.deployments.remove(scope, first.id), isCode("conflict"));
  });

  test("stays in the storage while it is live, recent or among the last of its branch", async () => {
    node = await open(1);
    const made: Deployment[] = [];
    for (let number = 1; number <= 13; number++) made.push(await deploy(`Version ${number}`));
    const preview = await deploy("Branch", "work");
    const oldest = made[0]?.id ?? "";
    await node.deployments.publish(scope, oldest);
    const ready = async () => {
      const { jobs } = await node.deployments.list(scope, { limit: 50, status: "ready" });
      return new Set(jobs.map(({ job }) => job.id));
    };
    await expire(1);
    assert.equal((await ready()).size, 14);
    await expire(8);
    const kept = [oldest, ...made.slice(3).map(({ id }) => id), preview.id];
    assert.deepEqual(await ready(), new Set(kept));
    await expire(31);
    assert.deepEqual(await ready(), new Set(kept.slice(0, -1)));
    const keys = await database.kysely.selectFrom("deployments").select("bundle_key").where("project_id", "=", scope.projectId).where("bundle_key", "is not", null).execute(); // prettier-ignore
    const storage = createFileStorage(join(dataDir, "storage"));
    for (const { bundle_key: key } of keys) assert.ok(await storage.stat(key ?? ""), key ?? "");
    await expire(400);
    assert.deepEqual(await ready(), new Set(kept.slice(0, -1)));
    assert.equal(await liveId(), oldest);
  });

  test("is found by its hosts in the table of every node, as soon as it is published", async () => {
    node = await open(1);
    const table = await openTable();
    const find = (label: string) => table.find(`${label}.sites.example`);
    assert.equal(find(slug), undefined);
    const first = await deploy("First");
    await until(() => getShownId(find(slug)) === first.id);
    const shown = find(slug);
    assert.deepEqual([shown?.kind, shown?.origin, shown?.note], ["production", toTestOrigin(slug), undefined]); // prettier-ignore
    assert.deepEqual(shown?.access, { kind: "public" });
    assert.equal(shown?.versions[0]?.deployment.archive.format, "zip");
    const second = await deploy("Second");
    await until(() => getShownId(find(slug)) === second.id);
    assert.deepEqual(
      find(slug)?.recent.map(({ id }) => id),
      [first.id],
    );
    assert.equal(getShownId(find(first.label ?? "")), first.id);
    const preview = await deploy("Branch", "Feature_x");
    await until(() => getShownId(find(`feature-x--${slug}`)) === preview.id);
    assert.equal(find(`feature-x--${slug}`)?.kind, "preview");
    assert.match(
      find(preview.label ?? "")?.note?.text ?? "",
      /^One deployment, of commit [0-9a-f]{7}/,
    );
  });

  test("is compared with the published deployment at the hosts of all others", async () => {
    node = await open(1);
    const table = await openTable();
    const findBase = (label: string | null) => table.find(`${label}.sites.example`)?.base;
    const first = await deploy("First");
    const second = await deploy("Second");
    await deploy("Branch", "Feature_x");
    await until(() => findBase(`feature-x--${slug}`) !== undefined);
    const name = `the published version at commit ${second.commit?.slice(0, 7)}`;
    assert.equal(findBase(`feature-x--${slug}`)?.name, name);
    assert.equal(findBase(first.label)?.name, name);
    assert.equal(findBase(second.label), undefined);
    assert.equal(findBase(slug), undefined);
    // The preview of a pull request whose base has no deployment yet.
    const preview = await deploy("Review", "Feature_y");
    await sql`with preview as (update deployments set pull_request = 7 where id = ${preview.id})
      update sites set revision = revision + 1 where project_id = ${scope.projectId}`.execute(database.kysely); // prettier-ignore
    await until(() => findBase(`pr-7--${slug}`) !== undefined);
    assert.equal(
      findBase(`pr-7--${slug}`)?.name,
      `${name}, because no deployment shows the commit where the pull request branched off`,
    );
  });

  test("a table tells hosts of sites from all others", async () => {
    const table = await openTable();
    for (const host of [
      "sites.example",
      `x.${slug}.sites.example`,
      "other.example",
      `${slug}.sites.example.org`,
    ]) {
      assert.equal(table.find(host), undefined);
    }
    for (const host of ["x.sites.example", "X.SITES.example.:443", "a.b.sites.example"]) assert.ok(table.ownsHost(host), host); // prettier-ignore
    for (const host of ["sites.example", "xsites.example", "", "x.sites.example.org"]) assert.ok(!table.ownsHost(host), host); // prettier-ignore
  });

  test("is found by its hosts after a rollback and changes of its site", async () => {
    node = await open(1);
    const table = await openTable();
    const find = (label: string) => table.find(`${label}.sites.example`);
    const first = await deploy("First");
    const second = await deploy("Second");
    await until(() => getShownId(find(slug)) === second.id);
    const before = find(slug);
    await node.deployments.publish(scope, first.id);
    await until(() => getShownId(find(slug)) === first.id);
    assert.notEqual(find(slug), before);
    assert.equal(find(slug), find(slug));
    await sites().change(scope, project, { slug: `new-${count}` });
    await until(() => find(`new-${count}`) !== undefined);
    assert.equal(find(slug), undefined);
    await sites().change(scope, project, { visibility: "password", password: "open sesame" });
    await until(() => find(`new-${count}`)?.access.kind === "closed");
    await database.kysely.deleteFrom("projects").where("id", "=", scope.projectId).execute();
    await until(() => find(`new-${count}`) === undefined);
  });

  test("a table without notifications asks, and without a database stays as it is", async () => {
    node = await open(1);
    let isAway = false;
    let told = 0;
    const kysely = new Proxy(database.kysely, {
      get(target, name) {
        if (isAway) throw new Error("The database is away.");
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const table = nodes.use(
      await openRouteTable({ database: { kysely, listen: listenToNothing }, domain: sitesDomain, siteSecret: () => new Uint8Array(32), signInUrl: () => "https://octavo.example/open-site", onStale: () => (told += 1) }), // prettier-ignore
    );
    const shown = () => getShownId(table.find(`${slug}.sites.example`));
    const first = await deploy("First");
    await until(() => shown() === first.id);
    isAway = true;
    await until(() => table.staleSince !== undefined);
    const second = await deploy("Second");
    assert.ok(second.isLive);
    assert.equal(await table.renew(), false);
    assert.deepEqual([shown(), told], [first.id, 1]);
    isAway = false;
    while (!(await table.renew())) await sleep(10);
    assert.equal(shown(), second.id);
    assert.equal(table.staleSince, undefined);
  });

  test("slugs are taken once, and a site says why one is refused", async () => {
    await assert.rejects(sites().change(scope, project, { slug: "a--b" }), isCode("invalid_input"));
    const { id } = await addProjectTo(database, scope.organizationId, repository);
    const other = await transact(database.kysely, (transaction) => lockSite(transaction, id));
    await assert.rejects(sites().change(scope, project, { slug: other.slug }), isCode("conflict"));
    assert.equal((await sites().read(project)).slug, slug);
    // Two projects whose domains suggest the same slug.
    const taken = await sites().read({ id: "pr_none", domain: `docs.${other.slug}.example` });
    assert.equal(taken.slug, `${other.slug}-2`);
    const domains = await sql<{ slug: string }>`select slug from sites where slug is not null`.execute(database.kysely); // prettier-ignore
    assert.equal(new Set(domains.rows.map((row) => row.slug)).size, domains.rows.length);
  });

  describe("of a repository that is asked for new commits", () => {
    const intervalMs = 60_000;
    let tip: string | Error | undefined;
    let tags: Readonly<Record<string, string>> = {};
    let asked: string[];
    /** Happens before the repository answers. */
    let meanwhile: () => Promise<void>;
    const poll = async () => {
      await node.deployments.pollRepositories({
        intervalMs,
        log: { info() {} },
        async readRefs({ projectId, patterns }) {
          asked.push(`${projectId} ${patterns.join(" ")}`);
          await meanwhile();
          if (tip instanceof Error) throw tip;
          const listed = { HEAD: tip, "refs/heads/main": tip, ...tags };
          const refs = Object.entries(listed).map(([name, target]) => ({ name, target }));
          return tip === undefined
            ? undefined
            : { head: "refs/heads/main", refs: refs as RepositoryRef[] };
        },
      });
    };
    beforeEach(async () => {
      await sql`delete from repository_polls`.execute(database.kysely);
      await sql`update sites set is_automatic = false, version_rules = '[]', preview_branches = '[]' where project_id <> ${scope.projectId}`.execute(database.kysely); // prettier-ignore
      await sql`delete from site_versions`.execute(database.kysely);
      await sql`update projects set repository = 'https://git.example/docs' where id = ${scope.projectId}`.execute(database.kysely); // prettier-ignore
      asked = [];
      meanwhile = async () => undefined;
      tags = {};
    });

    test("is asked once it was published, and its new commits are deployed, once", async () => {
      node = await open(0);
      tip = "a".repeat(40);
      await poll();
      assert.deepEqual(asked, []);
      const id = await start();
      await sql`update deployments set status = 'ready', commit = ${tip}, ended_at = now(), bundle_key = ${`bundles/${count}.zip`}, bundle_bytes = 1 where id = ${id}`.execute(database.kysely); // prettier-ignore
      await poll();
      assert.deepEqual(asked, [`${scope.projectId} HEAD`]);
      assert.equal((await readNewest())?.id, id);
      tip = "b".repeat(40);
      await poll();
      assert.equal(asked.length, 1, "it is not due");
      await makePollDue();
      await poll();
      const found = await readNewest();
      assert.deepEqual([found?.trigger, found?.kind, found?.status], ["poll", "production", "queued"]); // prettier-ignore
      await makePollDue();
      await poll();
      assert.deepEqual([asked.length, (await readNewest())?.id], [3, found?.id]);
      assert.deepEqual(await readPoll(), { minutes: 1, failures: 0, error: null });
    });

    test("has versions, which are looked for soon after their rules changed", async () => {
      node = await open(0);
      await start();
      tip = "a".repeat(40);
      tags = { "refs/tags/v1.0.0": "b".repeat(40), "refs/tags/draft": "c".repeat(40) };
      await poll();
      assert.deepEqual(await node.deployments.listKnownRefs(scope.projectId), []);
      await sites().change(scope, project, { versionRules: [allTags] });
      await node.deployments.followVersions(scope.projectId);
      await poll();
      assert.equal(asked[1], `${scope.projectId} HEAD refs/heads/* refs/tags/*`);
      const found = await readNewest();
      assert.deepEqual([found?.kind, found?.trigger, found?.ref], ["version", "poll", "v1.0.0"]);
      const known = await node.deployments.listKnownRefs(scope.projectId);
      assert.deepEqual(known.map(({ name }) => name), ["refs/heads/main", "refs/tags/v1.0.0", "refs/tags/draft"]); // prettier-ignore
      const versions = await sites().listVersions(scope.projectId);
      assert.deepEqual(
        versions.map(({ ref, slug: path }) => [ref, path]),
        [["v1.0.0", "v1.0.0"]],
      );
      await makePollDue();
      await poll();
      assert.equal((await readNewest())?.id, found?.id);
    });

    test("has previews of branches that move after they were first seen", async () => {
      node = await open(0);
      await start();
      tip = "a".repeat(40);
      tags = { "refs/heads/docs/one": "b".repeat(40), "refs/tags/docs/two": "c".repeat(40) };
      await sites().change(scope, project, { previewBranches: ["docs/*"] });
      await node.deployments.followVersions(scope.projectId);
      const previews = async () => {
        await makePollDue();
        await poll();
        const { jobs } = await node.deployments.list(scope, { limit: 50 });
        return jobs.flatMap(({ job }) =>
          job.kind === "preview" ? [`${job.ref} ${job.trigger}`] : [],
        );
      };
      assert.deepEqual(await previews(), []);
      assert.deepEqual(await previews(), []);
      tags = {
        ...tags,
        "refs/heads/docs/one": "d".repeat(40),
        "refs/tags/docs/two": "e".repeat(40),
      };
      assert.deepEqual(await previews(), ["docs/one poll"]);
      assert.deepEqual(await previews(), ["docs/one poll"]);
      tags = { ...tags, "refs/heads/docs/new": "f".repeat(40), "refs/heads/other": "f".repeat(40) };
      assert.deepEqual(await previews(), ["docs/new poll", "docs/one poll"]);
    });

    test("is asked again at once if its rules changed before it answered", async () => {
      node = await open(0);
      await start();
      tip = "a".repeat(40);
      tags = { "refs/tags/v1.0.0": "b".repeat(40) };
      meanwhile = async () => {
        meanwhile = async () => undefined;
        await sites().change(scope, project, { versionRules: [allTags] });
        await node.deployments.followVersions(scope.projectId);
      };
      await poll();
      assert.deepEqual(await sites().listVersions(scope.projectId), []);
      await poll();
      assert.equal(asked.length, 2);
      const versions = await sites().listVersions(scope.projectId);
      assert.deepEqual(versions.map(({ ref }) => ref), ["v1.0.0"]); // prettier-ignore
      await poll();
      assert.equal(asked.length, 2);
    });

    test("is asked by one node at a time, and later the more often it does not answer", async () => {
      node = await open(0);
      await start();
      tip = undefined;
      await Promise.all([poll(), poll(), poll()]);
      assert.equal(asked.length, 1);
      tip = new OctavoError("repository_unreachable", "The repository cannot be read.");
      for (const minutes of [2, 4, 8]) {
        await makePollDue();
        await poll();
        const { minutes: waited, error } = (await readPoll()) ?? {};
        assert.deepEqual([Math.round(waited ?? 0), error], [minutes, "The repository cannot be read."]); // prettier-ignore
      }
      await sql`update repository_polls set failures = 100`.execute(database.kysely);
      await makePollDue();
      await poll();
      assert.equal((await readPoll())?.minutes, 360);
      tip = "c".repeat(40);
      await makePollDue();
      await poll();
      assert.deepEqual(await readPoll(), { minutes: 1, failures: 0, error: null });
    });

    test("is left alone while its site does not follow it, and after somebody brought a site", async () => {
      node = await open(0);
      await start();
      tip = "d".repeat(40);
      await sites().change(scope, project, { isAutomatic: false });
      await poll();
      await sites().change(scope, project, { isAutomatic: true });
      const upload = { bundleKey: `bundles/u${count}.zip`, bundleBytes: 1, pages: 1, problems: null, notes: [], commit: undefined }; // prettier-ignore
      await sleep(2);
      await database.kysely.transaction().execute((tx) => node.deployments.upload(scope, upload, tx)); // prettier-ignore
      await poll();
      assert.deepEqual(asked, []);
    });
  });
});

/** Returns the ID of the deployment that a host shows at its root. */
function getShownId(site: ReturnType<RouteTable["find"]>): string | undefined {
  return site?.versions[0]?.deployment.id;
}

function sites() {
  return createSites({ db: database.kysely, domain: sitesDomain });
}

async function listenToNothing(): Promise<AsyncDisposable> {
  return { async [Symbol.asyncDispose]() {} };
}

async function until(isTrue: () => boolean): Promise<void> {
  const signal = patience();
  while (!isTrue()) await sleep(10, undefined, { signal });
}

function isCode(code: ErrorCode) {
  return (error: unknown) => isOctavoError(error, code);
}
