import assert from "node:assert/strict";
import { mkdir, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import { fails } from "../../../../../test/support/fails.ts";
import { isOctavoError } from "@octavo/site/core";
import { parseAllowList } from "../../core/index.ts";
import {
  git as plainGit,
  openAuthor,
  serveFixture,
  folderFor,
} from "../../../../../test/support/git-fixture.ts";
import type { FixtureChange as AuthorChange } from "../../../../../test/support/git-fixture.ts";
import { makeSigningKey, verifyCommit } from "../../../../../test/support/signing-key.ts";
import { writeFiles } from "../../../../../test/support/temporary-folder.ts";
import { watchProcesses } from "../../../../../test/support/process-watch.ts";
import { createGit } from "../git.ts";
import { diffFolders } from "./compare.ts";
import { createGitWork } from "./work.ts";
import type { NewCommit } from "./commit.ts";

const person = { name: "Octavo", email: "octavo@example.com" };
const at = new Date("2026-03-04T05:06:07Z");
const secret = "hunter2-not-a-real-token";

const start = {
  "docs/index.mdx": "one\n",
  "docs/old.mdx": "line\n".repeat(30),
  "docs/run.sh": "#!/bin/sh\n",
  "docs/.gitignore": "built/\n",
  "src/code.ts": "x\n",
};

/** Sets up an author's bare remote, and a checkout of its `docs` folder. */
async function setUp(t: TestContext, files: Readonly<Record<string, AuthorChange>> = start) {
  const folder = await folderFor(t);
  const author = await openAuthor(join(folder, "author"));
  await author.commit(files);
  const remote = join(folder, "remote.git");
  await plainGit(folder, "clone", "--quiet", "--bare", author.folder, remote);
  const options = { cacheDir: join(folder, "cache"), allow: parseAllowList(`file://${folder}`) };
  const [git, work] = [createGit(options), createGitWork(options)];
  const repository = { url: `file://${remote}` };
  const dir = join(folder, "checkout");
  const checkout = await git.checkout({ repository, directory: "docs" }, {}, dir);
  const plan = (changes: Partial<NewCommit>): NewCommit => ({
    parent: checkout.commit,
    dir,
    directory: "docs",
    paths: [],
    message: "Change",
    at,
    author: person,
    committer: person,
    ...changes,
  });
  const state = { commit: checkout.commit, dir, directory: "docs" };
  return { folder, author, remote, git, work, repository, dir, state, plan, base: checkout.commit };
}

describe("the changes of a checkout", () => {
  it("are empty at first, and then list each file by its kind, ignored ones too", async (t) => {
    const { work, repository, dir, state } = await setUp(t);
    assert.deepEqual(await work.findChanges(repository, state), []);
    await writeFile(join(dir, "index.mdx"), "two\n");
    await rename(join(dir, "old.mdx"), join(dir, "new.mdx"));
    await mkdir(join(dir, "built"));
    await writeFile(join(dir, "built", "page.mdx"), "");
    assert.deepEqual(await work.findChanges(repository, state), [
      { kind: "added", path: "built/page.mdx" },
      { kind: "modified", path: "index.mdx" },
      { kind: "added", path: "new.mdx" },
      { kind: "deleted", path: "old.mdx" },
    ]);
  });

  it("include files that the repository's own attributes would hide", async (t) => {
    const { work, repository, dir, state } = await setUp(t, {
      "docs/.gitattributes": "* text eol=crlf filter=lfs ident\n",
      "docs/a.mdx": "a\n$Id$\n",
    });
    assert.deepEqual(await work.findChanges(repository, state), []);
    await writeFile(join(dir, "a.mdx"), "a\r\n$Id$\r\n");
    assert.deepEqual(await work.findChanges(repository, state), [
      { kind: "modified", path: "a.mdx" },
    ]);
  });

  it("leave out submodules", async (t) => {
    const { author, work, git, repository, remote, folder } = await setUp(t);
    const head = await author.git("rev-parse", "HEAD");
    await author.git("update-index", "--add", "--cacheinfo", `160000,${head},docs/sub`);
    await author.git("commit", "--quiet", "--message=Submodule");
    await author.git("push", "--quiet", remote, "main");
    const dir = join(folder, "other");
    const { commit } = await git.checkout({ repository, directory: "docs" }, {}, dir);
    assert.deepEqual(await work.findChanges(repository, { commit, dir, directory: "docs" }), []);
  });
});

describe("a file at a commit", () => {
  it("is read if it is a regular file, whatever part is checked out", async (t) => {
    const { author, work, git, repository, remote } = await setUp(t);
    const commit = await author.commit({
      "AGENTS.md": "Say lämp.\n",
      "CLAUDE.md": { link: "AGENTS.md" },
      secret: { link: "docs" },
      "large.md": "a".repeat(1_001),
    });
    await author.git("push", "--quiet", remote, "main");
    await git.fetchMirror(repository);
    const read = (path: string, at = commit) =>
      work.readFile(repository, { commit: at, path, maxBytes: 1_000 });
    assert.equal(await read("AGENTS.md"), "Say lämp.\n");
    assert.equal(await read("docs/index.mdx"), "one\n");
    const others = ["CLAUDE.md", "secret/index.mdx", "docs", "missing.md", "large.md", "", "."];
    for (const path of [...others, "../AGENTS.md", "/AGENTS.md", "docs/../AGENTS.md", "AGENTS*"]) {
      assert.equal(await read(path), undefined, path);
    }
    assert.equal(await read("AGENTS.md", "main"), undefined);
    const list = (folder: string, at = commit) =>
      work.listFolder(repository, { commit: at, folder });
    assert.deepEqual(await list("docs"), {
      files: [".gitignore", "index.mdx", "old.mdx", "run.sh"],
      folders: [],
    });
    const root = await list("");
    assert.ok(root.files.includes("AGENTS.md"));
    assert.ok(!root.files.includes("CLAUDE.md"), "a link is no file");
    assert.deepEqual(root.folders, ["docs", "src"], "nor a folder");
    const nothing = { files: [], folders: [] };
    for (const folder of ["missing", "AGENTS.md", "../docs", "/docs", "docs/", "."]) {
      assert.deepEqual(await list(folder), nothing, folder);
    }
    assert.deepEqual(await list("docs", "main"), nothing);
  });
});

describe("a commit", () => {
  it("contains only the given paths, and keeps modes and the rest of the repository", async (t) => {
    const { work, repository, dir, plan, base, git, remote } = await setUp(t);
    await writeFile(join(dir, "index.mdx"), "two\n");
    await writeFile(join(dir, "run.sh"), "#!/bin/sh\nexit\n");
    await writeFile(join(dir, "not-given.mdx"), "");
    await rm(join(dir, "old.mdx"));
    await mkdir(join(dir, "guides"));
    await writeFile(join(dir, 'guides/"ü".mdx'), "new\n");
    const paths = ["index.mdx", "run.sh", "old.mdx", 'guides/"ü".mdx'];
    const commit = await work.commit(repository, plan({ paths, message: "Say\n\nmore\n" }));
    assert.ok(commit);
    const changes = await work.listChangedFiles(repository, { from: base, to: commit });
    assert.deepEqual(changes, [
      { kind: "added", path: 'docs/guides/"ü".mdx' },
      { kind: "modified", path: "docs/index.mdx" },
      { kind: "deleted", path: "docs/old.mdx" },
      { kind: "modified", path: "docs/run.sh" },
    ]);
    const mirror = await git.fetchMirror(repository);
    const shown = await plainGit(mirror.path, "cat-file", "commit", commit);
    assert.match(shown, /^author Octavo <octavo@example.com> 1772600767 \+0000$/m);
    assert.match(shown, /\n\nSay\n\nmore$/);
    // Nothing has moved on the remote yet.
    assert.equal(await plainGit(remote, "rev-parse", "main"), base);
  });

  it("has the same ID if it is made again, and is not made if nothing changed", async (t) => {
    const { work, repository, dir, plan } = await setUp(t);
    assert.equal(await work.commit(repository, plan({ paths: ["index.mdx"] })), undefined);
    await writeFile(join(dir, "index.mdx"), "two\n");
    const first = await work.commit(repository, plan({ paths: ["index.mdx"] }));
    assert.match(first ?? "", /^[0-9a-f]{40}$/);
    assert.equal(await work.commit(repository, plan({ paths: ["index.mdx"] })), first);
  });

  it("replaces a file by a folder of the same name", async (t) => {
    const { work, repository, dir, plan, base } = await setUp(t);
    await rm(join(dir, "index.mdx"));
    await mkdir(join(dir, "index.mdx"));
    await writeFile(join(dir, "index.mdx", "a.mdx"), "a\n");
    const paths = ["index.mdx/a.mdx"];
    const commit = (await work.commit(repository, plan({ paths }))) ?? "";
    const changes = await work.listChangedFiles(repository, { from: base, to: commit });
    assert.deepEqual(changes.map(({ path }) => path).toSorted(), [
      "docs/index.mdx",
      "docs/index.mdx/a.mdx",
    ]);
  });

  it("refuses files behind a link, from outside the checkout or in Git's own folder", async (t) => {
    const { work, repository, dir, plan, folder } = await setUp(t);
    await writeFile(join(folder, "secret"), "secret");
    await symlink(join(folder, "secret"), join(dir, "link.mdx"));
    await symlink(folder, join(dir, "linked"));
    await mkdir(join(dir, ".GIT"));
    await writeFile(join(dir, ".GIT", "config"), "");
    const refused = ["link.mdx", "linked/secret", "../secret", ".GIT/config", "a\nb", "C:/a", "."];
    for (const path of refused) {
      await assert.rejects(
        work.commit(repository, plan({ paths: [path] })),
        fails("invalid_input", /committed/),
        path,
      );
    }
  });

  it("needs an author and a message, and keeps line breaks out of its headers", async (t) => {
    const { work, repository, dir, plan, git } = await setUp(t);
    await writeFile(join(dir, "index.mdx"), "two\n");
    const paths = ["index.mdx"];
    for (const wrong of [
      { message: " \n" },
      { message: "a\0b" },
      { author: { name: "<>", email: "a@b" } },
      { committer: { name: "A", email: "\n" } },
      { parent: "main" },
    ]) {
      await assert.rejects(work.commit(repository, plan({ paths, ...wrong })), (error) =>
        isOctavoError(error, "invalid_input"),
      );
    }
    const author = { name: "A\ncommitter <x@y>", email: "a@b> 0\nparent" };
    const commit = (await work.commit(repository, plan({ paths, author }))) ?? "";
    const { path } = await git.fetchMirror(repository);
    const shown = await plainGit(path, "log", "-1", "--format=%an|%ae|%cn", commit);
    assert.equal(shown, "Acommitter x@y|a@b 0parent|Octavo");
  });
});

async function commitOf(setup: Awaited<ReturnType<typeof setUp>>, text: string) {
  await writeFile(join(setup.dir, "index.mdx"), text);
  const commit = await setup.work.commit(setup.repository, setup.plan({ paths: ["index.mdx"] }));
  return commit ?? "";
}

describe("a push", () => {
  it("creates a branch, can be repeated, and rewrites the branch only from its expected commit", async (t) => {
    const setup = await setUp(t);
    const { work, repository, remote, base } = setup;
    const [one, two] = [await commitOf(setup, "one!\n"), await commitOf(setup, "two!\n")];
    const push = { target: repository, branch: "octavo/agent-1", commit: one, expected: null };
    await work.push(repository, push);
    await work.push(repository, push);
    const refs = "for-each-ref --format=%(refname)=%(objectname)".split(" ");
    const expected = [`refs/heads/main=${base}`, `refs/heads/octavo/agent-1=${one}`];
    assert.deepEqual((await plainGit(remote, ...refs)).split("\n"), expected);

    const changed = fails("conflict", /changed by someone else/);
    await assert.rejects(work.push(repository, { ...push, commit: two }), changed);
    await assert.rejects(work.push(repository, { ...push, commit: two, expected: base }), changed);
    await work.push(repository, { ...push, commit: two, expected: one });
    assert.equal(await plainGit(remote, "rev-parse", "octavo/agent-1"), two);
  });

  it("deletes its branch, can be repeated, and does so only at the expected commit", async (t) => {
    const setup = await setUp(t);
    const { folder, git, work, repository, remote, base } = setup;
    const [one, two] = [await commitOf(setup, "one!\n"), await commitOf(setup, "two!\n")];
    const branch = "octavo/agent-1";
    const removal = { target: repository, branch, expected: one };
    await work.removeBranch(repository, removal);
    await work.push(repository, { target: repository, branch, commit: two, expected: null });
    const changed = fails("conflict", /changed by someone else/);
    await assert.rejects(work.removeBranch(repository, removal), changed);
    // Another process is about to fetch into the copy of the repository.
    const { path } = await git.fetchMirror(repository);
    await writeFile(join(path, "config.lock"), "");
    await assert.rejects(work.removeBranch(repository, removal), changed);
    // The copy can be lost at any time.
    await rm(join(folder, "cache", "mirrors"), { recursive: true });
    await work.removeBranch(repository, { ...removal, expected: two });
    await work.removeBranch(repository, { ...removal, expected: two });
    assert.equal(await plainGit(remote, "for-each-ref", "--format=%(refname)"), "refs/heads/main");
    const main = { target: repository, branch: "main", expected: base };
    await assert.rejects(work.removeBranch(repository, main), (error) =>
      isOctavoError(error, "invalid_input"),
    );
  });

  it("is refused for a branch that people work on", async (t) => {
    const setup = await setUp(t);
    const { work, repository, base, remote } = setup;
    const commit = await commitOf(setup, "two\n");
    const names =
      "main|octavo|octavo/|Octavo/a|refs/heads/octavo/a|/octavo/a|octavo/../main|octavo/a:main|" +
      "octavo/a b|+octavo/a|octavo/a\n|octavo/-a.lock|octavo/*";

    for (const branch of names.split("|")) {
      await assert.rejects(
        work.push(repository, { target: repository, branch, commit, expected: null }),
        fails("invalid_input", /begin with octavo\//),
        branch,
      );
    }
    const whole = { target: repository, branch: "octavo/a", expected: null };
    await assert.rejects(work.push(repository, { ...whole, commit: "main" }), (error) =>
      isOctavoError(error, "invalid_input"),
    );
    assert.equal(await plainGit(remote, "for-each-ref", "--format=%(objectname)"), base);
  });

  it("runs no hook of a folder on this machine", async (t) => {
    const setup = await setUp(t);
    const { work, repository, remote, folder } = setup;
    const mark = join(folder, "mark");
    for (const hook of ["pre-receive", "update", "post-receive", "post-update"]) {
      const script = `#!/bin/sh\ntouch '${mark}'\n`;
      await mkdir(join(remote, "hooks"), { recursive: true });
      await writeFile(join(remote, "hooks", hook), script, { mode: 0o755 });
    }
    const commit = await commitOf(setup, "two\n");
    await work.push(repository, { target: repository, branch: "octavo/a", commit, expected: null });
    await assert.rejects(plainGit(folder, "hash-object", mark));
  });

  it("distinguishes a branch that moves at the same moment from one that the server refuses", async (t) => {
    const setup = await setUp(t);
    const { base, folder, remote, repository } = setup;
    const branch = "octavo/agent-1";
    const commit = await commitOf(setup, "two\n");
    await using server = await serveFixture({ root: folder });
    const allow = parseAllowList(`127.0.0.1:${server.port}`);
    const work = createGitWork({ cacheDir: join(folder, "cache"), allow });
    const target = { url: `${server.url}/remote.git` };
    const ref = `refs/heads/${branch}`;
    const pushWhile = async (script: string, expected: string | null) => {
      // Runs after the push has been read and before it is finished.
      await mkdir(join(remote, "hooks"), { recursive: true });
      await writeFile(join(remote, "hooks/pre-receive"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      await work.push(repository, { target, branch, commit, expected });
    };
    const changed = fails("conflict", /changed by someone else/);
    const asOther = "env -u GIT_QUARANTINE_PATH -u GIT_OBJECT_DIRECTORY git";
    const change = `${asOther} update-ref ${ref} $(${asOther} commit-tree -m Other HEAD^{tree})`;
    await assert.rejects(pushWhile(change, null), changed);
    await plainGit(remote, "update-ref", ref, base);
    await assert.rejects(pushWhile(change, base), changed);
    await plainGit(remote, "update-ref", ref, base);
    await assert.rejects(pushWhile(`${asOther} update-ref -d ${ref}`, base), changed);
    const begin = `mkdir -p refs/heads/octavo && touch ${ref}.lock`;
    await assert.rejects(pushWhile(begin, null), changed);
    await rm(join(remote, `${ref}.lock`));
    await assert.rejects(
      pushWhile("exit 1", null),
      fails("forbidden", /pre-receive hook declined/),
    );
  });

  it("goes over HTTP with credentials that no file contains, and says if they may not write", async (t) => {
    const folder = await folderFor(t);
    const author = await openAuthor(join(folder, "author"));
    await author.commit({ "index.mdx": "one\n" });
    const bare = join(folder, "docs.git");
    await plainGit(folder, "clone", "--quiet", "--bare", author.folder, bare);
    let isReadOnly = false;
    using watch = watchProcesses(process.pid);
    const server = await serveFixture({
      root: folder,
      login: { user: "octo", password: secret },
      intercept(request, response) {
        watch.look();
        if (!isReadOnly || !/receive-pack/.test(request.url ?? "")) return false;
        response.writeHead(403).end();
        return true;
      },
    });
    t.after(() => server[Symbol.asyncDispose]());
    const allow = parseAllowList(`127.0.0.1:${server.port}`);
    const options = { cacheDir: join(folder, "cache"), allow };
    const repository = {
      url: `${server.url}/docs.git`,
      credentials: { username: "octo", password: secret },
    };
    const [git, work] = [createGit(options), createGitWork(options)];
    const dir = join(folder, "checkout");
    const { commit: parent } = await git.checkout({ repository, directory: "." }, {}, dir);
    await writeFile(join(dir, "index.mdx"), "two\n");
    const people = { author: person, committer: person };
    const plan = { parent, dir, directory: ".", paths: ["index.mdx"], message: "Change", at };
    const commit = (await work.commit(repository, { ...plan, ...people })) ?? "";
    const push = { target: repository, branch: "octavo/agent-1", commit, expected: null };

    isReadOnly = true;
    await assert.rejects(work.push(repository, push), fails("forbidden", /do not allow pushes/));
    isReadOnly = false;
    const wrong = { ...repository, credentials: { username: "octo", password: "hunter2-wrong" } };
    await assert.rejects(
      work.push(repository, { ...push, target: wrong }),
      fails("forbidden", /do not allow pushes/),
    );
    await work.push(repository, push);
    assert.equal(await plainGit(bare, "rev-parse", "octavo/agent-1"), commit);
    assert.ok(!server.requests.join("\n").includes("hunter2"));
    const commands = watch.seen().map(({ command }) => command);
    assert.ok(!commands.join("\n").includes("hunter2"));
    assert.match(commands.join("\n"), /\bpush\b/);

    await server[Symbol.asyncDispose]();
    const named = { ...repository, url: `${server.url}/read-only.git` };
    await assert.rejects(
      work.push(repository, { ...push, target: named }),
      fails("repository_unreachable", /does not respond/),
    );
  });
});

describe("a branch that others have continued", () => {
  const record = { author: person, committer: person, message: "Again", at };

  it("gets a commit on top, with the same ID however often it is made", async (t) => {
    const { author, dir, git, plan, remote, repository, work } = await setUp(t);
    await writeFile(join(dir, "old.mdx"), `${"line\n".repeat(30)}more\n`);
    const commit = (await work.commit(repository, plan({ paths: ["old.mdx"] }))) ?? "";
    const onto = await author.commit({ "docs/index.mdx": "two\n" });
    await author.git("push", "--quiet", remote, "main");
    const { path } = await git.fetchMirror(repository);
    const made = await work.rebase(repository, { ...record, commit, onto });
    assert.equal(await work.rebase(repository, { ...record, commit, onto }), made);
    const shown = await plainGit(path, "log", "-1", "--format=%P %an %s", made);
    assert.equal(shown, `${onto} Octavo Again`);
    const files = await plainGit(path, "diff", "--name-only", onto, made);
    assert.equal(files, "docs/old.mdx");
  });

  it("gets no commit if it contains the changes already, squashed or not", async (t) => {
    const setup = await setUp(t);
    const { author, git, remote, repository, work } = setup;
    const commit = await commitOf(setup, "two\n");
    assert.equal(await work.rebase(repository, { ...record, commit, onto: commit }), commit);
    const onto = await author.commit({ "docs/index.mdx": "two\n", "docs/new.mdx": "new\n" });
    await author.git("push", "--quiet", remote, "main");
    await git.fetchMirror(repository);
    assert.equal(await work.rebase(repository, { ...record, commit, onto }), onto);
  });

  it("is left alone if both changed the same lines, and the conflict is reported", async (t) => {
    const setup = await setUp(t);
    const { author, git, remote, repository, work } = setup;
    const commit = await commitOf(setup, "two\n");
    const onto = await author.commit({ "docs/index.mdx": "three\n" });
    await author.git("push", "--quiet", remote, "main");
    await git.fetchMirror(repository);
    await assert.rejects(
      work.rebase(repository, { ...record, commit, onto }),
      fails("conflict", /same lines in the meantime, in "docs\/index\.mdx"/),
    );
  });
});

describe("a comparison", () => {
  it("shows renames, names binary files and is limited in size", async (t) => {
    const { work, repository, dir, plan, base } = await setUp(t);
    await rename(join(dir, "old.mdx"), join(dir, "moved.mdx"));
    await writeFile(join(dir, "photo.png"), Buffer.from([0, 1, 2, 3]));
    const paths = ["old.mdx", "moved.mdx", "photo.png"];
    const to = (await work.commit(repository, plan({ paths, message: "Move\n\nBody" }))) ?? "";
    const range = { from: base, to };
    const text = await work.diff(repository, { ...range, maxBytes: 10_000 });
    assert.match(text, /^rename from docs\/old.mdx\nrename to docs\/moved.mdx$/m);
    assert.match(text, /^Binary files \/dev\/null and b\/docs\/photo.png differ$/m);
    await assert.rejects(
      work.diff(repository, { ...range, maxBytes: 100 }),
      fails("too_large", /diff is larger/),
    );
    assert.deepEqual(await work.listChangedFiles(repository, range), [
      { kind: "renamed", path: "docs/moved.mdx", from: "docs/old.mdx" },
      { kind: "added", path: "docs/photo.png" },
    ]);
    const measured = await work.measureChanges(repository, range);
    assert.deepEqual(
      measured.map(({ kind, path, from, added, removed }) => [kind, path, from, added, removed]),
      [
        ["renamed", "docs/moved.mdx", "docs/old.mdx", 0, 0],
        ["added", "docs/photo.png", undefined, undefined, undefined],
      ],
    );
    assert.match(measured[1]?.object ?? "", /^[0-9a-f]{40}$/);
    assert.deepEqual(await work.listCommits(repository, { ...range, limit: 10 }), [
      {
        commit: to,
        parents: [base],
        authorName: person.name,
        authorEmail: person.email,
        at,
        subject: "Move",
      },
    ]);
    assert.equal(await work.findMergeBase(repository, range), base);
    for (const wrong of ["main", "--output=/tmp/x", ""]) {
      await assert.rejects(work.listChangedFiles(repository, { from: wrong, to }), (error) =>
        isOctavoError(error, "invalid_input"),
      );
    }
  });
});

describe("a comparison of two folders", () => {
  it("is the same as that of two commits with their files, whatever the names", async (t) => {
    const folder = await folderFor(t);
    const lines = "line\n".repeat(30);
    const same = { "same.mdx": lines };
    const before = {
      ...same,
      "old name.mdx": lines.replace("line", "first"),
      "a/a b/a/gone.mdx": "gone\n",
      "changed b/x.mdx": "rename from a/x\ndiff --git a/x a/x\n",
      "photo.png": "\0\u0001",
    };
    const after = {
      ...same,
      'b/ä "q".mdx': `${lines.replace("line", "first")}more\n`,
      "b/b b/b/new.mdx": "new",
      "changed b/x.mdx": "rename to b/x\ndiff --git b/x b/x\n",
      "photo.png": "\0\u0002",
    };
    await writeFiles(join(folder, "a"), before);
    await writeFiles(join(folder, "b"), after);
    const author = await openAuthor(join(folder, "author"));
    await author.commit(before);
    const from = await author.git("rev-parse", "HEAD");
    for (const path of Object.keys(before)) await rm(join(author.folder, path));
    const to = await author.commit(after);
    const expected = await author.git("diff", "--find-renames", from.trim(), to);
    const found = await diffFolders({ folder, maxBytes: 10_000 });
    const files = [expected, found].map((text) => text.trim().split(/^(?=diff --git)/m));
    assert.equal(files[0]?.length, 5);
    assert.deepEqual(files[1]?.toSorted(), files[0]?.toSorted());
    const short = diffFolders({ folder, maxBytes: 100 });
    await assert.rejects(short, fails("too_large", /diff is larger/));
  });

  it("is empty for equal folders", async (t) => {
    const folder = await folderFor(t);
    for (const side of ["a", "b"]) await writeFiles(join(folder, side), { "x.mdx": "x\n" });
    assert.equal(await diffFolders({ folder, maxBytes: 100 }), "");
  });
});

describe("a commit that is signed with an SSH key", () => {
  for (const type of ["ed25519", "rsa"]) {
    it(`of ${type} is verified by git, and is the same one each time`, async (t) => {
      const { work, repository, dir, plan, base, folder, remote, author } = await setUp(t);
      const { privateKey, publicKey } = await makeSigningKey(folder, { type });
      await writeFile(join(dir, "index.mdx"), "two\n");
      const signed = plan({ paths: ["index.mdx"], signingKey: privateKey });
      const commit = (await work.commit(repository, signed)) ?? assert.fail("nothing to commit");
      assert.equal(await work.commit(repository, signed), commit);
      assert.notEqual(await work.commit(repository, plan({ paths: ["index.mdx"] })), commit);

      await author.commit({ "src/code.ts": "y\n" });
      await author.git("push", "--quiet", remote, "HEAD:refs/heads/main");
      const theirs = await author.git("rev-parse", "HEAD");
      await createGit({
        cacheDir: join(folder, "cache"),
        allow: parseAllowList(`file://${folder}`),
      }).fetchMirror(repository);
      const record = { author: person, committer: person, message: "Merge", at };
      const all = { ...record, signingKey: privateKey };
      const merged = await work.merge(repository, { ...all, ours: commit, theirs });
      assert.deepEqual(merged?.conflicts, []);
      const rebased = await work.rebase(repository, { ...all, commit, onto: theirs });
      const trust = { folder, email: person.email, publicKey };
      for (const [name, one] of Object.entries({ commit, merged: merged.commit, rebased })) {
        const branch = `octavo/${name}`;
        await work.push(repository, { target: repository, branch, commit: one, expected: null });
        const said = await verifyCommit(remote, one, trust);
        assert.match(said, /^Good "git" signature for octavo@example\.com with/, name);
      }
      const stranger = await makeSigningKey(await folderFor(t));
      await assert.rejects(
        verifyCommit(remote, commit, { ...trust, publicKey: stranger.publicKey }),
      );
      await assert.rejects(verifyCommit(remote, base, trust), "the author's is not signed");
      const left = await readdir(join(folder, "cache", "home"));
      assert.deepEqual(
        left.filter((name) => name.startsWith("ssh-")),
        [],
      );
    });
  }

  it("is seen by nobody in an argument, and is not made with a key that is none", async (t) => {
    const { work, repository, dir, plan, folder } = await setUp(t);
    const { privateKey } = await makeSigningKey(folder);
    await writeFile(join(dir, "index.mdx"), "two\n");
    const secretPart = privateKey.split("\n")[2] ?? "";
    assert.ok(secretPart.length > 50);
    using watch = watchProcesses(process.pid);
    const signed = plan({ paths: ["index.mdx"], signingKey: privateKey });
    // A call takes milliseconds, so it is repeated until one has been observed.
    const isSeen = () => watch.seen().some(({ command }) => command.includes("commit-tree -S"));
    for (let count = 0; !isSeen() && count < 500; count++) {
      const done = new AbortController();
      const committing = work.commit(repository, signed).finally(() => done.abort());
      while (!done.signal.aborted) {
        watch.look();
        await nextTick();
      }
      await committing;
    }
    assert.ok(isSeen());
    assert.ok(!JSON.stringify(watch.seen()).includes(secretPart));
    const wrong = work.commit(repository, plan({ paths: ["index.mdx"], signingKey: "none" }));
    await assert.rejects(wrong, fails("internal", /could not be signed with the project's key/));
  });
});
