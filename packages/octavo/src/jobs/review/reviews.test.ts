import assert from "node:assert/strict";
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { TestContext } from "node:test";
import { sql } from "kysely";
import { folderFor, git, openAuthor } from "../../../../../test/support/git-fixture.ts";
import { startGitea } from "../../../../../test/support/gitea-stand-in.ts";
import { useForAll } from "../../../../../test/support/same-code-host.ts";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { startTestedPostgres, testedEngine } from "../../../../../test/support/tested-engine.ts";
import { createGiteaCodeHost } from "../../codehost/index.ts";
import { parseAllowList } from "../../core/index.ts";
import { transact, type Database } from "../../db/index.ts";
import { createFileStorage } from "../../storage/index.ts";
import { openDeploymentNode, toTestOrigin } from "../deployment/node.test-support.ts";
import type { BundleComparison } from "../ports.ts";
import { openQueue } from "../queue/queue.ts";
import { removeExpired } from "../retention.ts";
import {
  addExportProject,
  addProjectTo,
  openTestDatabase,
} from "../static-export/node.test-support.ts";
import { plainRenderer } from "../static-export/plain-ports.test-support.ts";
import { reviewsChannel } from "./ask-for-reviews.ts";
import { syncReviews } from "./sync-reviews.ts";
import { reportReviews } from "./tell-reviews.ts";

const token = "hunter2notarealtoken";
const log = { info() {}, warn() {}, error() {} };
const dayMs = 24 * 60 * 60 * 1000;
const opening = new AsyncDisposableStack();
let root: string;
let database: Database;
/** A bare repository with the branch `main` and one commit. */
let template: string;
before(async () => {
  root = opening.use(await temporaryFolder()).path;
  const postgres = await startTestedPostgres();
  if (postgres) opening.use(postgres);
  const url = await postgres?.createDatabase();
  database = opening.use(await openTestDatabase({ dataDir: join(root, "data"), url }));
  const author = await openAuthor(join(root, "author"));
  await author.commit({ "guide.mdx": "a\n" });
  template = join(root, "docs.git");
  await git(root, "clone", "--quiet", "--bare", author.folder, template);
});
after(() => opening.disposeAsync());

const comparison: BundleComparison = {
  pages: [
    { path: "guide", kind: "changed" },
    { path: "a`b](x) @team", kind: "removed" },
  ],
  framed: 2,
  files: ["images/lamp.png"],
  problems: [{ severity: "error", file: "guide.mdx", line: 3, message: "No `page` @team" }],
  notChecked: ["external_links"],
};

/** Sets up a project whose site shows something, and its code host. No worker builds previews. */
async function setUp(t: TestContext) {
  const folder = await folderFor(t);
  await mkdir(join(folder, "acme"));
  await cp(template, join(folder, "acme/docs.git"), { recursive: true });
  const gitea = await startGitea({ root: folder, token, program: "Gitea" });
  t.after(async () => {
    await gitea[Symbol.asyncDispose]();
    gitea.checkExchanges();
  });
  const queue = await openQueue({ database, log, isWorker: false });
  t.after(() => queue[Symbol.asyncDispose]());
  const node = await openDeploymentNode({ database, dataDir: join(root, "data"), slots: 0, renderSite: plainRenderer(1) }); // prettier-ignore
  t.after(() => node[Symbol.asyncDispose]());
  const { organizationId } = await addExportProject({ database }, gitea.repository);
  const { id: projectId } = await addProjectTo(database, organizationId, gitea.repository);
  await database.kysely.updateTable("projects").set({ code_host: "gitea" }).where("id", "=", projectId).execute(); // prettier-ignore
  const scope = { organizationId, projectId };
  const upload = { bundleKey: `bundles/${"a".repeat(64)}.zip`, bundleBytes: 1, pages: 1, problems: null, notes: [], commit: undefined }; // prettier-ignore
  await transact(database.kysely, (tx) => node.deployments.upload(scope, upload, tx));
  const host = createGiteaCodeHost({ allow: parseAllowList(`127.0.0.1:${gitea.port}`), waitUnitMs: 1 }); // prettier-ignore
  const hosts = {
    database,
    queue,
    log,
    codeHosts: useForAll(host),
    readCredentials: async () => ({ password: token }),
  };
  const telling = {
    ...hosts,
    toOrigin: toTestOrigin,
    getDeploymentUrl: (project: string, id: string) => `https://octavo.example/${project}/${id}`,
    compareBundles: async () => comparison,
  };
  const makeDue = () => node.deployments.followPullRequests(projectId);
  return {
    gitea,
    node,
    projectId,
    sync: async () => {
      await makeDue();
      await syncReviews({ ...hosts, intervalMs: 60_000 });
    },
    /** Asks the code host. What it answered is applied when `until` resolves. */
    syncSlowly: async (until: Promise<void>, answered: () => void) => {
      await makeDue();
      const listOpen: typeof host.listOpen = async (...args) => {
        const listed = await host.listOpen(...args);
        answered();
        await until;
        return listed;
      };
      const codeHosts = useForAll({ ...host, listOpen });
      await syncReviews({ ...hosts, codeHosts, intervalMs: 60_000 });
    },
    tell: () => reportReviews(telling),
    problems: () => node.deployments.listReviewProblems(projectId),
    /** Ends all deployments that wait as if a worker had built them. */
    build: async (key = "b") => {
      await sql`
        update deployments set status = 'ready', bundle_key = 'bundles/' || repeat(${key}, 64) || '.zip',
          bundle_bytes = 1, ended_at = now(), progress = 100, page_count = 2
        where project_id = ${projectId} and status = 'queued'`.execute(database.kysely);
    },
    list: async () =>
      await database.kysely
        .selectFrom("reviews")
        .leftJoin("deployments", "deployments.id", "reviews.deployment_id")
        .select([
          "number",
          "hold",
          "status",
          "commit",
          "reviews.ended_at as endedAt",
          "is_from_fork",
        ])
        .where("reviews.project_id", "=", projectId)
        .orderBy("number")
        .execute(),
  };
}

describe(`reviews of open pull requests on ${testedEngine}`, { concurrency: 1 }, () => {
  test("a stranger's many heads wait for each other, and are told so", async (t) => {
    const { gitea, sync, tell, build, list } = await setUp(t);
    for (let count = 1; count <= 14; count += 1) await gitea.addForkPull(`theirs-${count}`);
    await sync();
    const count = async () => {
      const rows = await list();
      return [rows.filter(({ status }) => status === "queued").length, rows.filter(({ hold }) => hold !== null).length]; // prettier-ignore
    };
    assert.deepEqual(await count(), [10, 4]);
    await sync();
    assert.deepEqual(await count(), [10, 4]);
    await tell();
    const held = gitea.statuses.filter(({ description }) =>
      description.includes("already waiting"),
    );
    assert.deepEqual([gitea.statuses.length, held.length], [14, 4]);
    assert.ok(gitea.statuses.every(({ state }) => state === "pending"));
    await build();
    await sync();
    assert.deepEqual(await count(), [4, 0]);
    // The commits are the same, and so the last status of each is told once.
    await tell();
    await tell();
    assert.equal(gitea.statuses.length, 28);
  });

  test("there is one comment of a pull request, whatever was recorded before a crash", async (t) => {
    const { gitea, projectId, sync, tell, build } = await setUp(t);
    await gitea.addForkPull("theirs");
    await sync();
    const commit = await git(gitea.folder, "rev-parse", "main");
    await sql`update reviews set base_commit = ${commit} where project_id = ${projectId}`.execute(database.kysely); // prettier-ignore
    // The deployment with which it is compared is built for it, and is another one than the preview.
    await sql`update deployments set commit = repeat('c', 40) where project_id = ${projectId} and pull_request = 1`.execute(database.kysely); // prettier-ignore
    await build("b");
    await tell();
    assert.equal(gitea.pulls[0]?.comments.length, 0);
    await build("d");
    await Promise.all([tell(), tell()]);
    const forget = () => sql`update reviews set settled = null, told_comment = null, comment_id = null, told_status = null where project_id = ${projectId}`.execute(database.kysely); // prettier-ignore
    await forget();
    await Promise.all([tell(), tell()]);
    await tell();
    const origin = toTestOrigin(await readLabel(projectId));
    const [comment, ...others] = gitea.pulls[0]?.comments ?? [];
    assert.deepEqual(others, []);
    assert.equal(
      comment?.body,
      [
        `[Preview](${origin}/) of commit \`${commit.slice(0, 7)}\`.`,
        `Compared with \`main\` at \`${commit.slice(0, 7)}\`, 2 pages differ (1 changed, 1 removed):`,
        `- changed: [\`guide\`](${origin}/guide) ([difference](${origin}/guide?diff))\n- removed: \`a'b](x) @team\` ([difference](${origin}/a%60b%5D%28x%29%20%40team?diff))`,
        "On 2 pages, only parts outside the content changed, such as the navigation.",
        "Other files that changed:",
        "- `images/lamp.png`",
        "New problems:",
        "- error in `guide.mdx`, line 3: `No 'page' @team`",
        "Not checked: external links.",
        `<!-- octavo review ${projectId} -->`,
      ].join("\n\n"),
    );
  });

  test("a pull request is compared again if the preview that it waited for gives way to a newer one", async (t) => {
    const { gitea, projectId, sync, tell, build } = await setUp(t);
    const commit = (message: string) =>
      git(gitea.folder, "commit-tree", "main^{tree}", "-p", "main", "-m", message);
    await gitea.addForkPull("theirs");
    await sync();
    await build("b");
    // The head of another pull request is the base of this one.
    const base = await commit("First");
    await gitea.addForkPull("below", base);
    await sync();
    await sql`update reviews set base_commit = ${base} where project_id = ${projectId} and number = 1`.execute(database.kysely); // prettier-ignore
    await tell();
    await git(gitea.folder, "update-ref", "refs/pull/2/head", await commit("Second"));
    await sync();
    await tell();
    assert.equal(gitea.pulls[0]?.comments.length, 0);
    await build("d");
    await tell();
    const [comment] = gitea.pulls[0]?.comments ?? [];
    assert.match(comment?.body ?? "", new RegExp(`at \`${base.slice(0, 7)}\`, 2 pages differ`));
  });

  test("an answer that comes after a later one changes nothing", async (t) => {
    const { gitea, projectId, sync, syncSlowly, list } = await setUp(t);
    await gitea.addForkPull("theirs");
    await sync();
    const [answered, applied] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = syncSlowly(applied.promise, answered.resolve);
    await answered.promise;
    await gitea.end(1, "closed");
    await sync();
    const readPoll = async () => {
      const polls = database.kysely.selectFrom("review_polls").selectAll();
      return await polls.where("project_id", "=", projectId).executeTakeFirstOrThrow();
    };
    const poll = await readPoll();
    applied.resolve();
    await slow;
    assert.ok((await list())[0]?.endedAt);
    assert.deepEqual(await readPoll(), poll);
  });

  test("a host that is down is told when it is back", async (t) => {
    const { gitea, projectId, sync, tell, list, problems } = await setUp(t);
    await gitea.addForkPull("theirs");
    gitea.fail({ status: 503, times: 3 });
    await sync();
    assert.deepEqual(await list(), []);
    const [unlisted] = await problems();
    assert.equal(unlisted?.number, null);
    assert.match(unlisted?.reason ?? "", /503/);
    await sync();
    assert.deepEqual(await problems(), []);
    assert.deepEqual(
      (await list()).map(({ status }) => status),
      ["queued"],
    );
    gitea.fail({ status: 503, times: 3 });
    await tell();
    assert.deepEqual(gitea.statuses, []);
    assert.deepEqual(
      (await problems()).map(({ number }) => number),
      [1],
    );
    const makeDue = () => sql`update reviews set next_at = now() where project_id = ${projectId}`.execute(database.kysely); // prettier-ignore
    await makeDue();
    await tell();
    assert.deepEqual(
      gitea.statuses.map(({ state }) => state),
      ["pending"],
    );
  });

  test("are asked for at once where something may have changed", async (t) => {
    const { node, projectId } = await setUp(t);
    const asked = Promise.withResolvers<string>();
    t.after(() => listening[Symbol.asyncDispose]());
    const listening = await database.listen(reviewsChannel, asked.resolve);
    await node.deployments.followPullRequests(projectId);
    assert.equal(await asked.promise, projectId);
  });

  test("only members are previewed, or nobody, where the site says so", async (t) => {
    const { gitea, projectId, sync, list } = await setUp(t);
    await gitea.addForkPull("theirs");
    const choose = (whose: "none" | "members" | "all") =>
      database.kysely.updateTable("sites").set({ preview_pull_requests: whose }).where("project_id", "=", projectId).execute(); // prettier-ignore
    await choose("members");
    await sync();
    assert.deepEqual(await list(), []);
    await choose("all");
    await sync();
    assert.deepEqual((await list()).map(({ endedAt, is_from_fork }) => [endedAt, is_from_fork]), [[null, true]]); // prettier-ignore
    await choose("none");
    await sync();
    assert.ok((await list())[0]?.endedAt);
  });

  test("the preview of an ended pull request is removed after a week, and stays until then", async (t) => {
    const { gitea, sync, build, list } = await setUp(t);
    await gitea.addForkPull("theirs");
    await sync();
    await build();
    const expire = async (days: number) => {
      const storage = createFileStorage(join(root, "data", "storage"));
      const now = new Date(Date.now() + days * dayMs);
      await removeExpired({ database, storage, bundleDays: 30, jobDays: 90, auditDays: 365, now });
      return (await list())[0]?.status;
    };
    assert.equal(await expire(60), "ready");
    await gitea.end(1, "closed");
    await sync();
    assert.equal(await expire(6), "ready");
    assert.equal(await expire(8), "removed");
  });
});

async function readLabel(projectId: string): Promise<string> {
  const { slug } = await database.kysely
    .selectFrom("sites")
    .select("slug")
    .where("project_id", "=", projectId)
    .executeTakeFirstOrThrow();
  return `pr-1--${slug}`;
}
