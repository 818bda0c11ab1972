import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { fails } from "../../../../test/support/fails.ts";
import { complaint, git as plainGit } from "../../../../test/support/git-fixture.ts";
import { openServedHost, pushBranch, useDatabase } from "../../../../test/support/served-host.ts";
import { createGit } from "../git/index.ts";
import type { MeasuredChange } from "../git/index.ts";

const branch = "octavo/agent-1";
const person = { name: "Ada", email: "ada@example.com" };
const wanted = { title: "Mend links", body: "Two.", head: branch, base: "main" };

const database = useDatabase();

function measureOf({ kind, path, added, removed }: MeasuredChange): string {
  return `${kind} ${path} +${added} -${removed}`;
}

function nameOf({ kind, path }: MeasuredChange): string {
  return `${kind} ${path}`;
}

describe("a pull request on the embedded host", () => {
  it("shows its commits, files and difference, and whether it can be merged", async (t) => {
    const setup = await openServedHost(t, { database: database() });
    const { reviews, host, project, author } = setup;
    const base = await author.git("rev-parse", "main");
    const head = await pushBranch(setup, branch, { "index.mdx": "two\n", "new.mdx": "new\n" });
    await host.create(project, wanted);
    const page = await reviews.describe(project.id, 1);
    const { headCommit, baseCommit, mergeability } = page;
    assert.deepEqual([headCommit, baseCommit, page.author], [head, base, "Octavo"]);
    assert.deepEqual(mergeability, { canMerge: true });
    assert.deepEqual(
      page.commits.map(({ commit, subject }) => [commit, subject]),
      [[head, "Change"]],
    );
    assert.deepEqual(page.files.map(measureOf), [
      "modified index.mdx +1 -1",
      "added new.mdx +1 -0",
    ]);
    const { object = "" } = page.files[1] ?? {};
    assert.equal(await author.git("cat-file", "blob", object), "new");
    const diff = await reviews.diff(project.id, { ...page, paths: [] });
    assert.match(diff ?? "", /^-one\n\+two$[^]*^\+new$/m);
    const part = await reviews.diff(project.id, { ...page, paths: ["index.mdx"] });
    assert.match(part ?? "", /^-one\n\+two$/m);
    assert.doesNotMatch(part ?? "", /new/);
    const file = { commit: head, path: "new.mdx", maxBytes: 100 };
    assert.equal(await reviews.readFile(project.id, file), "new\n");
    assert.equal(await reviews.readFile(project.id, { ...file, maxBytes: 2 }), undefined);

    await author.commit({ "index.mdx": "otherwise\n" });
    await author.git("push", "--quiet", "origin", "main");
    const later = await reviews.describe(project.id, 1);
    assert.deepEqual(later.mergeability, {
      canMerge: false,
      reason: "Both sides changed the same lines.",
      conflicts: ["index.mdx"],
    });
    assert.equal(await reviews.diff(project.id, { ...later, paths: [] }), diff);
    await assert.rejects(reviews.merge(project, 1, person), fails("conflict", /"index.mdx"/));
    assert.equal((await host.get(project, 1)).state, "open");
  });

  it("says which files it changes even if it is too large to show", async (t) => {
    const setup = await openServedHost(t, { database: database() });
    await pushBranch(setup, branch, { "big.mdx": randomBytes(700_000).toString("hex") });
    await setup.host.create(setup.project, wanted);
    const page = await setup.reviews.describe(setup.project.id, 1);
    assert.equal(await setup.reviews.diff(setup.project.id, { ...page, paths: [] }), undefined);
    assert.deepEqual(page.files.map(nameOf), ["added big.mdx"]);
  });

  it("is merged by a merge commit in a person's name, once, and stays so", async (t) => {
    const setup = await openServedHost(t, { database: database() });
    const { reviews, hosting, host, project, author } = setup;
    await pushBranch(setup, branch, { "index.mdx": "two\n" });
    await host.create(project, wanted);
    await author.commit({ "b.mdx": "other\n" });
    await author.git("push", "--quiet", "origin", "main");
    assert.equal((await reviews.merge(project, 1, person)).state, "merged");
    const { path } = hosting.getRepository(project.id);
    const shown = await plainGit(path, "log", "-1", "--format=%an|%s|%b", "main");
    assert.equal(shown, `Ada|Merge pull request #1 from ${branch}|Mend links`);
    const main = await plainGit(path, "rev-parse", "main");
    assert.equal((await reviews.merge(project, 1, person)).state, "merged");
    assert.equal(await plainGit(path, "rev-parse", "main"), main);
    await assert.rejects(reviews.close(project.id, 1), fails("conflict", /was merged/));
    // Its branch may be deleted; its commits stay.
    await author.git("push", "--quiet", "origin", `:${branch}`);
    const page = await reviews.describe(project.id, 1);
    assert.equal(page.pullRequest.state, "merged");
    assert.deepEqual(page.files.map(nameOf), ["modified index.mdx"]);
  });

  it("is undone by a pull request, which keeps what was changed later", async (t) => {
    const setup = await openServedHost(t, { database: database() });
    const { reviews, hosting, host, project, author } = setup;
    await pushBranch(setup, branch, { "index.mdx": "two\n", "new.mdx": "new\n" });
    await host.create(project, wanted);
    await assert.rejects(reviews.revert(project, 1, person), fails("conflict", /1 is open/));
    await reviews.merge(project, 1, person);
    await author.git("pull", "--quiet", "origin", "main");
    await author.commit({ "later.mdx": "later\n" });
    await author.git("push", "--quiet", "origin", "HEAD:main");

    const opened = await reviews.revert(project, 1, person);
    assert.deepEqual(
      [opened.number, opened.title, opened.head, opened.base],
      [2, "Revert “Mend links”", "octavo/revert-1", "main"],
    );
    assert.equal((await reviews.revert(project, 1, person)).number, 2);
    const page = await reviews.describe(project.id, 2);
    assert.deepEqual(page.files.map(nameOf), ["modified index.mdx", "deleted new.mdx"]);
    assert.equal(page.commits[0]?.authorName, "Ada");

    // A branch that an earlier attempt left is used again.
    await reviews.close(project.id, 2);
    assert.equal((await reviews.revert(project, 1, person)).number, 3);
    await reviews.merge(project, 3, person);
    const { path } = hosting.getRepository(project.id);
    assert.equal(await plainGit(path, "show", "main:index.mdx"), "one");
    const kept = await plainGit(path, "ls-tree", "--name-only", "main", "new.mdx", "later.mdx");
    assert.equal(kept, "later.mdx");
    await assert.rejects(
      reviews.revert(project, 1, person),
      fails("conflict", /already been undone/),
    );
  });

  it("is not undone over later changes to the same lines", async (t) => {
    const setup = await openServedHost(t, { database: database() });
    const { reviews, host, project, author } = setup;
    await pushBranch(setup, branch, { "index.mdx": "two\n" });
    await host.create(project, wanted);
    await reviews.merge(project, 1, person);
    await author.git("pull", "--quiet", "origin", "main");
    await author.commit({ "index.mdx": "three\n" });
    await author.git("push", "--quiet", "origin", "HEAD:main");
    await assert.rejects(reviews.revert(project, 1, person), fails("conflict", /"index\.mdx"/));
    assert.equal((await reviews.list(project.id, { limit: 5 })).length, 1);
  });

  it("follows what people do with git alone", async (t) => {
    const setup = await openServedHost(t, { database: database() });
    const { reviews, host, project, author } = setup;
    const one = await pushBranch(setup, "octavo/one", { "one.mdx": "1\n" });
    await pushBranch(setup, "octavo/two", { "two.mdx": "2\n" });
    await pushBranch(setup, "octavo/three", { "three.mdx": "3\n" });
    for (const head of ["octavo/one", "octavo/two", "octavo/three"]) {
      await host.create(project, { ...wanted, head });
    }
    await author.git("merge", "--quiet", "--ff-only", one);
    await author.git("push", "--quiet", "origin", "main", ":octavo/one", ":octavo/two");
    const states = async () =>
      (await reviews.list(project.id, { limit: 10 })).map(({ number, state }) => [number, state]);
    // The list is updated soon after the push, before anyone reads each pull request. They end one after the other.
    while ((await states()).filter(([, state]) => state === "open").length > 1) await sleep(20);
    assert.deepEqual(await states(), [
      [3, "open"],
      [2, "closed"],
      [1, "merged"],
    ]);
    assert.deepEqual((await reviews.describe(project.id, 2)).files.map(nameOf), ["added two.mdx"]);
    assert.deepEqual(
      (await reviews.list(project.id, { state: "closed", before: 3, limit: 1 })).map(
        (p) => p.number,
      ),
      [2],
    );

    // New commits on the branch become part of it; a branch that is reset to its base is not merged.
    await author.git("checkout", "--quiet", "work");
    const more = await author.commit({ "more.mdx": "more\n" });
    await author.git("push", "--quiet", "origin", "work:octavo/three");
    assert.equal((await reviews.describe(project.id, 3)).headCommit, more);
    await author.git("push", "--quiet", "--force", "origin", "main:octavo/three");
    assert.equal((await host.get(project, 3)).state, "open");
    assert.equal((await reviews.describe(project.id, 3)).headCommit, more);
  });

  it("is completed by the next reader if the service died while merging", async (t) => {
    const setup = await openServedHost(t, { database: database() });
    const { reviews, host, project, hosting } = setup;
    const head = await pushBranch(setup, branch, { "index.mdx": "two\n" });
    await host.create(project, wanted);
    // Merged, but stopped before the merge was recorded.
    const repository = hosting.getRepository(project.id);
    await hosting.updateRef(repository, { name: "refs/heads/main", to: head });
    // Created, but stopped before its commits were preserved.
    await hosting.updateRef(repository, { name: "refs/pull/1/head", to: null });
    assert.equal((await reviews.merge(project, 1, person)).state, "merged");
  });

  it("keeps drafts from being merged until they are ready, and comments by their authors", async (t) => {
    const setup = await openServedHost(t, { database: database() });
    const { reviews, host, project } = setup;
    await pushBranch(setup, branch, { "index.mdx": "two\n" });
    await host.create(project, { ...wanted, isDraft: true });
    await assert.rejects(reviews.merge(project, 1, person), fails("conflict", /is a draft/));
    for (const _ of [1, 2]) assert.equal((await reviews.markReady(project.id, 1)).isDraft, false);
    await reviews.addComment(project.id, 1, { author: "Ada", body: "Looks good" });
    await host.addComment(project, 1, { body: "Thanks" });
    const comments = await reviews.listComments(project.id, 1, 10);
    assert.deepEqual(
      comments.map(({ author, body }) => [author, body]),
      [
        ["Ada", "Looks good"],
        ["Octavo", "Thanks"],
      ],
    );
    assert.equal((await reviews.merge(project, 1, person)).state, "merged");
    await assert.rejects(reviews.markReady(project.id, 1), fails("conflict", /was merged/));
  });
});

describe("the work of a job", () => {
  for (const isCopy of [false, true]) {
    it(`becomes one pull request, and a second commit is part of it (${isCopy ? "copy" : "kept here"})`, async (t) => {
      const { reviews, host, project, folder, gitOptions, work } = await openServedHost(t, {
        database: database(),
        isCopy,
      });
      const git = createGit(gitOptions);
      const people = { author: person, committer: person, at: new Date(0) };
      const push = async (ref: string, content: string, expected: string | null) => {
        const repository = await host.preparePushTarget(project);
        const dir = join(folder, `checkout-${content}`);
        const { commit: parent } = await git.checkout({ repository, directory: "." }, { ref }, dir);
        await writeFile(join(dir, "index.mdx"), content);
        const state = { commit: parent, dir, directory: "." };
        const paths = (await work.findChanges(repository, state)).map(({ path }) => path);
        const plan = { parent, dir, directory: ".", paths, message: "Mend", ...people };
        const commit = (await work.commit(repository, plan)) ?? "";
        await work.push(repository, { target: repository, branch, commit, expected });
        return commit;
      };
      const first = await push("main", "two", null);
      assert.equal((await host.create(project, wanted)).number, 1);
      const second = await push(branch, "three", first);
      assert.equal((await host.create(project, wanted)).number, 1);
      const page = await reviews.describe(project.id, 1);
      assert.deepEqual(
        page.commits.map(({ commit }) => commit).toSorted(),
        [first, second].toSorted(),
      );
      assert.deepEqual(page.files.map(nameOf), ["modified index.mdx"]);
    });
  }
});

/** Opens a pull request on a copy of `outside.git`, of which no branch is checked out. */
async function openProposal(t: TestContext) {
  const setup = await openServedHost(t, { database: database(), isCopy: true });
  const { hosting, host, folder, author, outside } = setup;
  const bare = join(folder, "outside.git");
  await plainGit(folder, "clone", "--quiet", "--bare", outside.folder, bare);
  const project = { ...setup.project, repository: `file://${bare}` };
  const target = await host.preparePushTarget(project);
  assert.ok("path" in target);
  assert.equal(target.path, hosting.getRepository(project.id).path);
  await author.git("fetch", "--quiet", "origin");
  await author.git("checkout", "--quiet", "-B", "main", "origin/main");
  const commit = await author.commit({ "index.mdx": "two\n" });
  await author.git("push", "--quiet", "origin", `main:refs/heads/${branch}`);
  await host.create(project, wanted);
  const push = async (path: string): Promise<string> => {
    const pushed = await outside.commit({ [path]: "other\n" });
    await outside.git("push", "--quiet", bare, "main");
    return pushed;
  };
  return { ...setup, project, bare, commit, push };
}

describe("a copy of an outside repository", () => {
  it("takes the service's branches alone, and follows what is merged where the repository is", async (t) => {
    const { reviews, host, project, author, outside, bare, commit } = await openProposal(t);
    assert.match(await complaint(author.git("push", "origin", "main")), /this is a copy/);
    const page = await reviews.describe(project.id, 1);
    assert.match((await reviews.diff(project.id, { ...page, paths: [] })) ?? "", /^\+two$/m);

    await outside.git("fetch", "--quiet", author.folder, commit);
    await outside.git("push", "--quiet", bare, `${commit}:main`);
    assert.equal((await host.get(project, 1)).state, "open");
    await host.preparePushTarget(project);
    assert.equal((await host.get(project, 1)).state, "merged");
  });

  it("is merged into the outside repository in a person's name, with what is new there", async (t) => {
    const { reviews, hosting, project, bare, commit, push } = await openProposal(t);
    assert.ok((await reviews.describe(project.id, 1)).mergeability.canMerge);
    const theirs = await push("b.mdx");
    const acts: string[] = [];
    const record = async () => void acts.push("merged");
    assert.equal((await reviews.merge(project, 1, person, record)).state, "merged");
    const format = "--format=%an <%ae>|%cn|%P";
    const shown = await plainGit(bare, "log", "-1", format, "main");
    assert.equal(shown, `Ada <ada@example.com>|Ada|${theirs} ${commit}`);
    // The copy has it immediately, and the second call does nothing.
    const { path } = hosting.getRepository(project.id);
    const tip = await plainGit(bare, "rev-parse", "main");
    assert.equal(await plainGit(path, "rev-parse", "main"), tip);
    assert.equal((await reviews.merge(project, 1, person, record)).state, "merged");
    assert.equal(await plainGit(bare, "rev-parse", "main"), tip);
    assert.deepEqual(acts, ["merged"]);
    // The service's own branch stays here.
    assert.equal(await plainGit(bare, "for-each-ref", "--format=%(refname)"), "refs/heads/main");

    await reviews.revert(project, 1, person);
    await reviews.merge(project, 2, person);
    assert.equal(await plainGit(bare, "show", "main:index.mdx"), "one");
    assert.equal(await plainGit(bare, "show", "main:b.mdx"), "other");
  });

  it("is not merged over a conflict, as a draft, or where the outside refuses the push", async (t) => {
    const { reviews, host, project, bare, push } = await openProposal(t);
    await push("index.mdx");
    const before = await plainGit(bare, "rev-parse", "main");
    await assert.rejects(reviews.merge(project, 1, person), fails("conflict", /index\.mdx/));
    assert.equal(await plainGit(bare, "rev-parse", "main"), before);
    assert.equal((await host.get(project, 1)).state, "open");

    // Git refuses to move a branch that is checked out.
    const other = await openProposal(t);
    const { folder } = other.outside;
    const refusing = { ...other.project, repository: `file://${folder}` };
    const tip = await plainGit(folder, "rev-parse", "main");
    await assert.rejects(
      other.reviews.merge(refusing, 1, person),
      fails("forbidden", /rejected the branch main: .*merge the pull request's branch there/),
    );
    assert.equal(await plainGit(folder, "rev-parse", "main"), tip);
    assert.equal((await other.host.get(refusing, 1)).state, "open");
  });
});
