import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { access, cp, mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { TestContext } from "node:test";
import { putEmptyDatabase } from "../../../../test/support/empty-database.ts";
import { complaint, folderFor, git, openAuthor } from "../../../../test/support/git-fixture.ts";
import {
  assertWhole,
  openHostedNodes,
  packRows,
  refsAt,
} from "../../../../test/support/hosted-nodes.ts";
import type { HostedNodesOptions } from "../../../../test/support/hosted-nodes.ts";
import { startPostgres } from "../../../../test/support/postgres.ts";
import { startS3 } from "../../../../test/support/s3-stand-in.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { createId } from "../core/index.ts";
import type { Database } from "../db/index.ts";
import { openDatabase } from "../db/index.ts";
import { createS3Storage } from "../storage/index.ts";

/** `npm run test:chaos` also tests nodes on one embedded database, which only tests have. */
const isAll = process.env["OCTAVO_TEST_ALL"] === "1";

const opened = new AsyncDisposableStack();
const databases = new Map<string, Database>();
before(async () => {
  const folder = opened.use(await temporaryFolder());
  const postgres = opened.use(await startPostgres());
  const url = await postgres.createDatabase();
  const dataDir = join(folder.path, "data");
  if (isAll) {
    await putEmptyDatabase(dataDir);
    databases.set("pglite", opened.use(await openDatabase({ dataDir })));
  }
  databases.set("postgres", opened.use(await openDatabase({ dataDir, url })));
});
after(() => opened.disposeAsync());

const branch = "octavo/agent-1";
const person = { name: "Ada", email: "ada@example.com" };

interface SetUpOptions extends Omit<HostedNodesOptions, "database"> {
  readonly engine?: string;
}

async function setUp(t: TestContext, { engine = "postgres", ...options }: SetUpOptions = {}) {
  const database = databases.get(engine);
  assert.ok(database);
  return await openHostedNodes(t, { ...options, database });
}

/** Returns a text of about 380 KB that hardly compresses. */
function longText(seed: number): string {
  return Array.from({ length: 40_000 }, (_, at) => Math.imul(at + 1, seed) >>> 0).join("");
}

for (const engine of isAll ? ["postgres", "pglite"] : ["postgres"]) {
  describe(`a repository on two nodes over ${engine}`, () => {
    it("has on each what was pushed to the other", async (t) => {
      const { one, two, author, folder, project } = await setUp(t, { engine });
      const first = await author.commit({ "index.mdx": "one\n" });
      await author.git("push", "--quiet", "one", "main", "main:feature");
      await git(folder, "clone", "--quiet", two.urlOf(project.id), "clone");
      assert.equal(await git(join(folder, "clone"), "rev-parse", "HEAD"), first);
      const second = await author.commit({ "index.mdx": "two\n" });
      await author.git("tag", "--annotate", "--message=Two", "v2");
      await author.git("push", "--quiet", "two", "main", "v2", ":feature");
      assert.equal(await refsAt(author, "one"), await refsAt(author, "two"));
      await git(join(folder, "clone"), "fetch", "--quiet", one.urlOf(project.id), "main");
      assert.equal(await git(join(folder, "clone"), "rev-parse", "FETCH_HEAD"), second);
      await assertWhole(one.copyOf(project.id));
      await assertWhole(two.copyOf(project.id));
    });

    it("loses no commit when both push to one branch at once", async (t) => {
      const { two, one, author, folder, project } = await setUp(t, { engine });
      const other = await openAuthor(join(folder, "other"));
      await author.commit({ "index.mdx": "one\n" });
      await author.git("push", "--quiet", "one", "main");
      await other.git("fetch", "--quiet", two.urlOf(project.id), "main");
      await other.git("reset", "--quiet", "--hard", "FETCH_HEAD");
      for (let round = 1; round <= 3; round++) {
        const mine = await author.commit({ "mine.mdx": `${round}\n` });
        const theirs = await other.commit({ "theirs.mdx": `${round}\n` });
        const [a, b] = await Promise.allSettled([
          author.git("push", "one", "main"),
          other.git("push", two.urlOf(project.id), "HEAD:main"),
        ]);
        assert.notEqual(a.status, b.status, `round ${round}`);
        const [winner, won, loser] =
          a.status === "fulfilled" ? [author, mine, other] : [other, theirs, author];
        for (const remote of ["one", "two"]) {
          assert.match(await refsAt(author, remote), new RegExp(`^${won}\trefs/heads/main$`, "m"));
        }
        await loser.git("fetch", "--quiet", one.urlOf(project.id), "main");
        await loser.git("merge", "--quiet", "--no-edit", "FETCH_HEAD");
        await loser.git("push", "--quiet", two.urlOf(project.id), "HEAD:main");
        await winner.git("fetch", "--quiet", one.urlOf(project.id), "main");
        await winner.git("reset", "--quiet", "--hard", "FETCH_HEAD");
      }
      await assertWhole(one.copyOf(project.id));
      await assertWhole(two.copyOf(project.id));
    });

    it("is served from a folder that was deleted, and by a node that was never asked", async (t) => {
      const { one, author, start, project } = await setUp(t, { engine });
      await author.commit({ "index.mdx": "one\n" });
      await author.git("push", "--quiet", "one", "main");
      await rm(one.copyOf(project.id), { recursive: true });
      const commit = await author.commit({ "index.mdx": "two\n" });
      await author.git("push", "--quiet", "one", "main");
      const three = await start("three");
      const repository = await three.host.readSource(project);
      const mirror = await three.git.fetchMirror(repository);
      assert.equal((await three.git.resolveRef(mirror)).commit, commit);
      await assertWhole(three.copyOf(project.id));
      await rm(join(three.copyOf(project.id), "objects", "pack"), { recursive: true });
      const target = join(three.copyOf(project.id), "..", "checkout");
      await three.git.checkout({ repository, directory: "." }, {}, target);
      assert.equal(await readFile(join(target, "index.mdx"), "utf8"), "two\n");
    });

    it("has a pull request that is opened on one and merged on the other", async (t) => {
      const { one, two, author, project } = await setUp(t, { engine });
      const base = await author.commit({ "index.mdx": "one\n", "b.mdx": "b\n" });
      await author.git("push", "--quiet", "one", "main");
      await author.git("checkout", "--quiet", "-b", "work");
      await author.commit({ "b.mdx": "changed\n" });
      await author.git("push", "--quiet", "two", `work:refs/heads/${branch}`);
      const wanted = { title: "Change b", body: "", head: branch, base: "main" };
      const { number } = await one.host.create(project, wanted);
      const described = await two.reviews.describe(project.id, number);
      const diff = await two.reviews.diff(project.id, { ...described, paths: [] });
      assert.match(diff ?? "", /^\+changed$/m);
      await author.git("checkout", "--quiet", "main");
      await author.commit({ "index.mdx": "two\n" });
      await author.git("push", "--quiet", "one", "main");
      assert.equal((await two.reviews.merge(project, number, person)).state, "merged");
      await author.git("fetch", "--quiet", "one", "main");
      assert.equal(await author.git("show", "FETCH_HEAD:b.mdx"), "changed");
      await author.git("merge-base", "--is-ancestor", base, "FETCH_HEAD");
      assert.equal((await one.host.get(project, number)).state, "merged");
    });

    it("takes a job's branch from one node, and from another once", async (t) => {
      const { one, two, author, project } = await setUp(t, { engine });
      const parent = await author.commit({ "index.mdx": "one\n" });
      await author.git("push", "--quiet", "one", "main");
      const next = await author.commit({ "index.mdx": "two\n" });
      await author.git("push", "--quiet", "one", "main");
      const push = { branch, commit: next, expected: null };
      const target = await two.host.preparePushTarget(project);
      await two.work.push(target, { ...push, target });
      // A worker that did not receive the confirmation of its success, and one that expects a different state.
      const again = await one.host.preparePushTarget(project);
      await one.work.push(again, { ...push, target: again });
      const late = one.work.push(again, { ...push, commit: parent, target: again });
      await assert.rejects(late, /changed by someone else/);
      await one.work.removeBranch(again, { target: again, branch, expected: next });
      await two.work.removeBranch(target, { target, branch, expected: next });
      assert.doesNotMatch(await refsAt(author, "two"), /octavo/);
    });
  });
}

describe("the packs of a repository", () => {
  it("are put into one, from which other nodes go on, and removed after a day", async (t) => {
    const { one, two, start, author, project, database, storage } = await setUp(t, {
      limits: { storedPacks: 4 },
    });
    await author.commit({ "index.mdx": "0\n" });
    await author.git("push", "--quiet", "one", "main", "main:gone");
    await git(storage, "ls-remote", two.urlOf(project.id));
    for (let count = 1; count <= 4; count++) {
      await author.commit({ "index.mdx": `${count}\n` });
      await author.git("push", "--quiet", "one", "main");
    }
    const used = async () =>
      (await packRows(database, project.id)).filter(({ generation }) => generation !== null);
    // The combining of packs begins after a push has received its response.
    while ((await used()).length !== 1) await new Promise((resolve) => setTimeout(resolve, 20));
    const three = await start("three");
    for (const node of [two, three]) {
      const mirror = await node.git.fetchMirror(await node.host.readSource(project));
      await git(mirror.path, "rev-list", "--objects", "--all");
      await assertWhole(node.copyOf(project.id));
    }
    const last = await author.commit({ "index.mdx": "last\n" });
    await author.git("push", "--quiet", "two", "main", ":gone");
    const later = new Date(Date.now() + 2 * 24 * 60 * 60 * 1000);
    const files = () => readdir(join(storage, "repositories", project.id));
    await one.hosting.removeUnusedPacks();
    assert.equal((await files()).length, 7);
    await one.hosting.removeUnusedPacks(later);
    assert.equal((await files()).length, 2);
    await rm(one.copyOf(project.id), { recursive: true });
    assert.match(await refsAt(author, "one"), new RegExp(last));
    await assertWhole(one.copyOf(project.id));
    await one.hosting.remove(project.id);
    await one.hosting.removeUnusedPacks(later);
    assert.deepEqual(await files(), []);
  });

  it("may not outgrow the limit of a repository, on whichever node", async (t) => {
    const { author } = await setUp(t, { limits: { repositoryBytes: 300_000 } });
    await author.commit({ "a.mdx": longText(2654435761) });
    await author.git("push", "--quiet", "one", "main");
    await author.commit({ "b.mdx": longText(2246822519) });
    assert.match(await complaint(author.git("push", "two", "main")), /would be larger than/);
    assert.match(await refsAt(author, "one"), /refs\/heads\/main/);
    assert.equal(await refsAt(author, "one"), await refsAt(author, "two"));
  });
});

describe("a folder from before there was a store", () => {
  it("is published at its first use, by one node; another's is set aside", async (t) => {
    const { one, two, author, project } = await setUp(t);
    const commit = await author.commit({ "index.mdx": "old\n" });
    for (const node of [one, two]) {
      await node.git.createRepository(node.copyOf(project.id));
      await author.git("push", "--quiet", node.copyOf(project.id), "main", "main:refs/pull/1/head");
    }
    const other = await author.commit({ "index.mdx": "only on the second\n" });
    await author.git("push", "--quiet", two.copyOf(project.id), "main");
    await Promise.all([refsAt(author, "one"), refsAt(author, "one")]);
    assert.match(await refsAt(author, "two"), new RegExp(`^${commit}\trefs/heads/main$`, "m"));
    assert.equal(await refsAt(author, "one"), await refsAt(author, "two"));
    await assertWhole(two.copyOf(project.id));
    const folder = join(two.copyOf(project.id), "..");
    const aside = (await readdir(folder)).find((name) => name.includes(".unpublished-"));
    assert.equal(await git(join(folder, aside ?? ""), "rev-parse", "main"), other);
  });
});

describe("a copy of an outside repository on two nodes", () => {
  it("is followed by both, and keeps what the outside loses", async (t) => {
    const outsideFolder = await folderFor(t);
    const outside = await openAuthor(join(outsideFolder, "outside"));
    await outside.commit({ "index.mdx": "one\n" });
    const repository = `file://${outside.folder}`;
    const allow = `file://${outsideFolder}`;
    const { one, two, start, project, folder } = await setUp(t, { repository, allow });
    const [target] = await Promise.all([
      one.host.preparePushTarget(project),
      two.host.preparePushTarget(project),
    ]);
    const base = await outside.git("rev-parse", "main");
    const source = await one.host.readSource(project);
    await one.git.fetchMirror(source);
    await one.work.push(source, { target, branch, commit: base, expected: null });
    // The external repository rewrites its branch; the commits that the service's own branch needs are kept.
    await outside.git("checkout", "--quiet", "--orphan", "fresh");
    const fresh = await outside.commit({ "index.mdx": "fresh\n" });
    await outside.git("branch", "--force", "main", fresh);
    await two.host.preparePushTarget(project);
    const three = await start("three");
    const refs = await git(folder, "ls-remote", three.urlOf(project.id));
    assert.match(refs, new RegExp(`^${fresh}\trefs/heads/main$`, "m"));
    assert.match(refs, new RegExp(`^${base}\trefs/heads/${branch}$`, "m"));
    for (const node of [two, three]) await assertWhole(node.copyOf(project.id));
  });
});

describe("the packs of a repository in an S3 bucket", () => {
  const deny = { status: 503, code: "SlowDown" } as const;

  it("are all that nodes share, and a fault of it is told to who pushes and harms nothing", async (t) => {
    await using server = await startS3();
    for (const [name, value] of Object.entries(server.environment)) {
      if (name.startsWith("AWS_")) process.env[name] = value;
    }
    const { bucket, region, url: endpoint } = server;
    const place = { bucket, region, endpoint, prefix: "octavo", isPathStyle: true };
    const packs = await createS3Storage({ ...place, hasDirectLinks: false });
    const { one, two, author, project } = await setUp(t, { packs });
    const base = await author.commit({ "index.mdx": "one\n" });
    await author.git("push", "--quiet", "one", "main");
    // Sent in parts.
    const next = await author.commit({ "noise.bin": randomBytes(9_000_000) });

    server.setFault(({ operation }) => (operation === "UploadPart" ? deny : undefined));
    const refused = await complaint(author.git("push", "one", "main"));
    assert.match(
      refused,
      /remote rejected\] main -> main \(The S3 storage has failed or is overloaded/,
    );
    assert.equal(await refsAt(author, "two"), `${base}\tHEAD\n${base}\trefs/heads/main`);

    server.setFault(undefined);
    await author.git("push", "--quiet", "one", "main");
    const sent = new Set(server.requests.map(({ operation }) => operation));
    assert.ok(sent.has("UploadPart"));

    server.setFault(({ operation }) => (operation === "GetObject" ? "cut" : undefined));
    await assert.rejects(refsAt(author, "two"), /hung up|error/);
    // The node loses its copy between the list of refs and the push.
    const hook = join(author.folder, ".git/hooks/pre-push");
    await writeFile(hook, `#!/bin/sh\nrm -r '${one.copyOf(project.id)}'\n`, { mode: 0o700 });
    const behind = await complaint(author.git("push", "one", "main:side"));
    assert.match(behind, /remote rejected\] main -> side \(A file from the S3 storage was cut/);
    server.setFault(undefined);
    assert.match(await refsAt(author, "two"), new RegExp(`^${next}\trefs/heads/main$`, "m"));
    for (const node of [one, two]) await assertWhole(node.copyOf(project.id));
  });
});

async function put(file: string, time?: Date): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, "");
  if (time) await utimes(file, time, time);
}

describe("what is left on a node", () => {
  const old = new Date(0);
  const uuid = "01234567-89ab-cdef-0123-456789abcdef";

  it("by dead processes and deleted projects goes at its start; what is in use stays", async (t) => {
    const { one, author, folder, project, database } = await setUp(t);
    await author.commit({ "index.mdx": "one\n" });
    await author.git("push", "--quiet", "one", "main");
    const copy = one.copyOf(project.id);
    const [gone, unpublished] = [createId("project"), createId("project")].map((id) =>
      one.copyOf(id),
    );
    assert.ok(gone !== undefined && unpublished !== undefined);
    await cp(copy, gone, { recursive: true });
    await one.git.createRepository(unpublished);
    const cache = join(folder, "one", "git");
    const mirror = join(cache, "mirrors", "0123.git");
    const leftovers = [
      join(copy, "packed-refs.lock"),
      join(copy, `HEAD.${uuid}`),
      join(copy, "objects/pack/tmp_pack_a"),
      join(copy, "objects/tmp_objdir-incoming-a/pack/tmp_idx_a"),
      join(mirror, "refs/heads/main.lock"),
      join(cache, "home", `index-${uuid}`),
    ];
    for (const file of leftovers) await put(file, old);
    await utimes(join(copy, "objects/tmp_objdir-incoming-a"), old, old);
    const inUse = [
      join(copy, "objects/pack/tmp_pack_b"),
      join(mirror, "refs/heads/other.lock"),
      join(mirror, "refs/heads/tmp_a"),
      join(mirror, `refs/heads/a.${uuid}`),
    ];
    for (const file of inUse) await put(file);
    for (const file of inUse.slice(2)) await utimes(file, old, old);
    await put(join(`${copy}.removed-${uuid}`, "HEAD"));
    const dead = { token: "", host: hostname(), pid: spawnSync("true").pid };
    for (const [name, holder] of [
      ["dead", dead],
      ["alive", { ...dead, pid: process.pid, startedAt: performance.timeOrigin }],
    ] as const) {
      await put(join(cache, "temporary", name, "HEAD"));
      await writeFile(join(cache, "temporary", `${name}.lock`), JSON.stringify(holder));
    }
    await one.hosting.removeLeftovers();

    for (const file of leftovers) await assert.rejects(access(file), file);
    for (const file of inUse) await access(file);
    assert.deepEqual((await readdir(join(cache, "temporary"))).toSorted(), ["alive", "alive.lock"]);
    const kept = [copy, unpublished].map((path) => basename(path)).toSorted();
    assert.deepEqual((await readdir(dirname(copy))).toSorted(), kept);
    await assertWhole(copy);
    await database.kysely.deleteFrom("projects").where("id", "=", project.id).execute();
    await one.hosting.removeLeftovers();
    assert.deepEqual(await readdir(dirname(copy)), [basename(unpublished)]);
  });

  it("does not keep a copy from being made whose node died while git made it", async (t) => {
    const { two, author, project } = await setUp(t);
    await put(join(two.copyOf(project.id), "config.lock"));
    await author.commit({ "index.mdx": "one\n" });
    await author.git("push", "--quiet", "two", "main");
    await assertWhole(two.copyOf(project.id));
  });
});
