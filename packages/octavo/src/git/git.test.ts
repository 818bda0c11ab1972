import assert from "node:assert/strict";
import {
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  truncate,
  writeFile,
} from "node:fs/promises";
import { join, relative } from "node:path";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { fails } from "../../../../test/support/fails.ts";
import { parseAllowList } from "../core/index.ts";
import { git as plainGit, openAuthor, folderFor } from "../../../../test/support/git-fixture.ts";
import { createGit } from "./git.ts";
import type { GitLimits } from "./program/tools.ts";

interface SetUpOptions {
  readonly allow?: string;
  readonly limits?: Partial<GitLimits>;
}

/** Sets up an author's repository, the service's git, and a folder for checkouts. */
async function setUp(t: TestContext, { allow, limits = {} }: SetUpOptions = {}) {
  const folder = await folderFor(t);
  const author = await openAuthor(join(folder, "author"));
  const cacheDir = join(folder, "cache");
  const logged: string[] = [];
  const git = createGit({
    cacheDir,
    allow: parseAllowList(allow ?? `file://${folder}`),
    limits,
    log: (message) => logged.push(message),
  });
  let count = 0;
  return {
    folder,
    author,
    git,
    logged,
    cacheDir,
    repository: { url: `file://${author.folder}` },
    target: () => join(folder, `checkout-${count++}`),
  };
}

/** Returns every path below `folder`, without folders, sorted. */
async function paths(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted();
}

async function mirrorFolders(cacheDir: string): Promise<string[]> {
  return await readdir(join(cacheDir, "mirrors"));
}

describe("checkout", () => {
  it("lists refs without fetching anything", async (t) => {
    const { author, git, repository, cacheDir } = await setUp(t);
    const main = await author.commit({ "index.md": "# First\n" });
    await author.git("branch", "feature/main");
    await author.git("tag", "--annotate", "v1", "--message", "One");
    const next = await author.commit({ "index.md": "# Second\n" });
    const head = { name: "HEAD", target: next };
    assert.deepEqual(await git.readRefs(repository, ["HEAD"]), {
      head: "refs/heads/main",
      refs: [head],
    });
    const { refs } = await git.readRefs(repository, ["HEAD", "refs/heads/*", "refs/tags/*"]);
    assert.deepEqual(refs, [
      head,
      { name: "refs/heads/feature/main", target: main },
      { name: "refs/heads/main", target: next },
      { name: "refs/tags/v1", target: await author.git("rev-parse", "v1") },
    ]);
    const gone = await git.readRefs(repository, ["refs/heads/gone"]);
    assert.deepEqual(gone, { head: undefined, refs: [] });
    await assert.rejects(mirrorFolders(cacheDir));
    await assert.rejects(
      git.readRefs({ url: `${repository.url}-gone` }, ["HEAD"]),
      fails("repository_unreachable", /cannot be read/),
    );
  });

  it("writes one directory of the branch, and follows the branch after a force push", async (t) => {
    const { author, git, repository, target } = await setUp(t);
    await author.commit({ "docs/index.mdx": "one", "docs/a/b.mdx": "b", "src/code.ts": "x" });
    await author.commit({ "docs/index.mdx": "two" });
    const first = target();
    const before = await git.checkout({ repository, directory: "docs" }, { ref: "main" }, first);
    assert.deepEqual(before, {
      dir: first,
      commit: await author.git("rev-parse", "main"),
      ref: "main",
    });
    assert.deepEqual(await paths(first), ["a/b.mdx", "index.mdx"]);
    assert.equal(await readFile(join(first, "index.mdx"), "utf8"), "two");

    await author.git("reset", "--quiet", "--hard", "HEAD~1");
    const moved = await author.commit({ "docs/index.mdx": "three" });
    const second = target();
    const after = await git.checkout({ repository, directory: "docs" }, { ref: "main" }, second);
    assert.equal(after.commit, moved);
    assert.equal(await readFile(join(second, "index.mdx"), "utf8"), "three");

    // Overwritten commits remain readable for the job that began with them.
    const third = target();
    await git.checkout({ repository, directory: "docs" }, { commit: before.commit }, third);
    assert.equal(await readFile(join(third, "index.mdx"), "utf8"), "two");
  });

  it("fetches a commit that no branch contains from a new remote", async (t) => {
    const { author, git, repository, target } = await setUp(t);
    await author.commit({ "index.mdx": "one" });
    const orphan = await author.commit({ "index.mdx": "two" });
    await author.git("reset", "--quiet", "--hard", "HEAD~1");
    const dir = target();
    await git.checkout({ repository, directory: "." }, { commit: orphan }, dir);
    assert.equal(await readFile(join(dir, "index.mdx"), "utf8"), "two");
  });

  it("needs no remote for a commit that the mirror contains", async (t) => {
    const { author, git, repository, target } = await setUp(t);
    const commit = await author.commit({ "index.mdx": "one" });
    await git.fetchMirror(repository);
    await plainGit(author.folder, "branch", "-m", "other");
    await writeFile(join(author.folder, ".git", "HEAD"), "broken");
    await git.checkout({ repository, directory: "." }, { commit }, target());
  });

  it("writes symbolic links as they are, and no submodules", async (t) => {
    const { author, git, repository, target } = await setUp(t);
    const commit = await author.commit({
      "index.mdx": "text",
      passwd: { link: "/etc/passwd" },
      up: { link: "../../../.." },
      ".gitmodules": '[submodule "sub"]\n\tpath = sub\n\turl = ext::touch% mark\n',
    });
    await author.git("update-index", "--add", "--cacheinfo", `160000,${commit},sub`);
    await author.git("commit", "--quiet", "--message=Submodule");
    const dir = target();
    await git.checkout({ repository, directory: "." }, {}, dir);
    assert.deepEqual(await paths(dir), [".gitmodules", "index.mdx", "passwd", "up"]);
    assert.ok((await lstat(join(dir, "up"))).isSymbolicLink());
    assert.equal(await readlink(join(dir, "passwd")), "/etc/passwd");
  });

  it("runs neither filters nor hooks, and changes no byte", async (t) => {
    const { author, git, repository, folder, target } = await setUp(t);
    const mark = join(folder, "mark");
    const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
    await author.commit({
      ".gitattributes":
        "* filter=mark text eol=crlf ident\n*.bin filter=lfs diff=lfs merge=lfs\n*.u16 working-tree-encoding=UTF-16LE\n",
      "index.mdx": "one\ntwo $Id$\n",
      "photo.bin": pointer,
      "text.u16": "a\n",
    });
    for (const hook of ["post-checkout", "post-merge", "reference-transaction", "pre-auto-gc"]) {
      const file = join(author.folder, ".git", "hooks", hook);
      await mkdir(join(author.folder, ".git", "hooks"), { recursive: true });
      await writeFile(file, `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
    }
    await author.git("config", "filter.mark.smudge", `touch '${mark}'`);
    await author.git("config", "uploadpack.packObjectsHook", `touch '${mark}'; exec`);
    const dir = target();
    await git.checkout({ repository, directory: "." }, {}, dir);
    assert.equal(await readFile(join(dir, "index.mdx"), "utf8"), "one\ntwo $Id$\n");
    assert.equal(await readFile(join(dir, "photo.bin"), "utf8"), pointer);
    // Git stores UTF-8; it is not converted to the encoding that the author requests.
    assert.equal(await readFile(join(dir, "text.u16"), "utf8"), "\u0a61");
    assert.ok(!(await readdir(folder)).includes("mark"));
  });

  const missing: string[] = ["nowhere", "docs/index.mdx", "../..", "docs/../../x", "a\nb", "link"];
  for (const directory of missing) {
    it(`refuses the directory ${JSON.stringify(directory)}`, async (t) => {
      const { author, git, repository, target } = await setUp(t);
      await author.commit({ "docs/index.mdx": "text", link: { link: "/etc" } });
      await assert.rejects(
        git.checkout({ repository, directory }, {}, target()),
        fails("site_invalid", /There is no folder ".+main/),
      );
    });
  }

  it("refuses a repository without commits until something is pushed", async (t) => {
    const { author, git, repository, target } = await setUp(t);
    const source = { repository, directory: "." };
    await assert.rejects(git.checkout(source, {}, target()), fails("site_invalid", /no commits/));
    await assert.rejects(
      git.checkout(source, { ref: "main" }, target()),
      fails("site_invalid", /no commits/),
    );
    await author.commit({ "index.mdx": "text" });
    assert.equal((await git.checkout(source, {}, target())).ref, "main");
  });

  it("refuses a tree that is small to fetch but huge to write", async (t) => {
    const { author, git, repository, target } = await setUp(t, {
      limits: { checkoutFiles: 5_000 },
    });
    // Ten names that all point to one tree, in four levels: 10,000 files from five objects.
    await author.commit({ "f/0": "x" });
    let tree = (await author.git("rev-parse", "HEAD:f/0")) ?? "";
    let mode = "100644 blob";
    for (let level = 0; level < 4; level++) {
      const lines = Array.from({ length: 10 }, (_, name) => `${mode} ${tree}\t${name}`);
      await writeFile(join(author.folder, ".git", "tree"), `${lines.join("\n")}\n`);
      tree = await plainGit(author.folder, "-c", `alias.make=!git mktree < .git/tree`, "make");
      mode = "040000 tree";
    }
    const commit = await author.git("commit-tree", tree, "-m", "Bomb");
    await author.git("update-ref", "refs/heads/bomb", commit);
    const dir = target();
    await assert.rejects(
      git.checkout({ repository, directory: "." }, { ref: "bomb" }, dir),
      fails("too_large", /5,000 files/),
    );
    await assert.rejects(readdir(dir), { code: "ENOENT" });
  });
});

/** Returns each path below `folder` with its content, mode or link target. */
async function readAll(folder: string): Promise<Record<string, string>> {
  const read = async (path: string) => {
    const file = join(folder, path);
    const { mode } = await lstat(file);
    const isLink = (mode & 0o170000) === 0o120000;
    const content = isLink ? await readlink(file) : await readFile(file, "latin1");
    return [path, `${mode.toString(8)} ${content}`];
  };
  return Object.fromEntries(await Promise.all((await paths(folder)).map(read)));
}

describe("updateCheckout", () => {
  it("leaves the files of a new checkout, whatever was there before", async (t) => {
    const { author, git, repository, folder, target } = await setUp(t);
    const commits = [
      await author.commit({ "docs/a.md": "one", "docs/b/c.md": "c", "docs/l": { link: "b" } }),
      await author.commit({ "docs/a.md": "two", "docs/b/c.md": undefined, "docs/b/d/e.md": "e" }),
      await author.commit({ "docs/l": undefined }),
      await author.commit({ "docs/l/x.md": "under a former link" }),
    ];
    await author.git("rm", "-r", "--quiet", "docs/b");
    commits.push(
      await author.commit({ "docs/b": "a file now" }),
      await author.commit({ "docs/b": undefined }),
      await author.commit({ "docs/b/é.md": "back", "docs/A.md": "case" }),
      await author.commit({
        "docs/.gitattributes": "* text eol=crlf ident\n",
        "docs/a.md": "$Id$",
      }),
      await author.commit({ "docs/a.md": { link: "/etc/passwd" } }),
    );
    await author.git("update-index", "--add", "--cacheinfo", `160000,${commits[0]},docs/sub`);
    await author.git("update-index", "--chmod=+x", "docs/A.md");
    await author.git("commit", "--quiet", "--message=Submodule");
    commits.push(await author.git("rev-parse", "HEAD"));
    commits.push(await author.commit({ "docs/sub/s.md": "a folder now" }));
    const source = { repository, directory: "docs" };
    const reused = { targetDir: join(folder, "kept"), indexFile: join(folder, "kept-index") };
    // Contains each pair in both directions.
    const order = commits.flatMap((one, index) =>
      commits.slice(index + 1).flatMap((other) => [one, other]),
    );
    const expected = new Map<string, Record<string, string>>();
    for (const commit of commits) {
      const dir = target();
      await git.checkout(source, { commit }, dir);
      expected.set(commit, await readAll(dir));
    }
    for (const commit of order) {
      const updated = await git.updateCheckout(source, { commit }, reused);
      assert.equal(updated.commit, commit);
      assert.deepEqual(await readAll(reused.targetDir), expected.get(commit));
    }
  });

  it("writes only files that differ, and restores files that something else changed", async (t) => {
    const { author, git, repository, folder } = await setUp(t);
    await author.commit({ "a.md": "one", "b.md": "two", "c.md": "x".repeat(5_000) });
    const source = { repository, directory: "." };
    const first = { targetDir: join(folder, "first"), indexFile: join(folder, "first-index") };
    const moved = { targetDir: join(folder, "moved"), indexFile: join(folder, "moved-index") };
    const { diskBytes } = await git.updateCheckout(source, {}, first);
    assert.equal(diskBytes, 4 * 4096);
    const before = await lstat(join(first.targetDir, "b.md"));
    await rename(first.targetDir, moved.targetDir);
    await rename(first.indexFile, moved.indexFile);
    await writeFile(join(moved.targetDir, "c.md"), "y".repeat(5_000));
    await author.commit({ "a.md": "three" });
    await git.updateCheckout(source, {}, moved);
    assert.equal(await readFile(join(moved.targetDir, "a.md"), "utf8"), "three");
    assert.equal(await readFile(join(moved.targetDir, "c.md"), "utf8"), "x".repeat(5_000));
    const after = await lstat(join(moved.targetDir, "b.md"));
    assert.deepEqual([after.ino, after.ctimeMs], [before.ino, before.ctimeMs]);
  });

  it("writes all files if the record of the earlier checkout is damaged or missing", async (t) => {
    const { author, git, repository, folder, cacheDir } = await setUp(t);
    await author.commit({ "a.md": "one" });
    const source = { repository, directory: "." };
    const reused = { targetDir: join(folder, "kept"), indexFile: join(folder, "kept-index") };
    await git.updateCheckout(source, {}, reused);
    const mirrors = await mirrorFolders(cacheDir);
    await author.commit({ "a.md": undefined, "b.md": "two" });
    await writeFile(reused.indexFile, "damaged");
    await git.updateCheckout(source, {}, reused);
    assert.deepEqual(await paths(reused.targetDir), ["b.md"]);
    assert.deepEqual(await mirrorFolders(cacheDir), mirrors);
    await rm(reused.indexFile);
    await git.updateCheckout(source, {}, reused);
    assert.deepEqual(await paths(reused.targetDir), ["b.md"]);
  });
});

describe("resolveRef", () => {
  it("resolves branches, tags, commits and the remote's HEAD", async (t) => {
    const { author, git, repository } = await setUp(t);
    const old = await author.commit({ "index.mdx": "one" });
    await author.git("tag", "--annotate", "v1", "--message=One");
    await author.git("tag", "both");
    const now = await author.commit({ "index.mdx": "two" });
    await author.git("branch", "both");
    await author.git("branch", "feature/a.b");
    const mirror = await git.fetchMirror(repository);
    const expected: [ref: string | undefined, commit: string, shown: string][] = [
      [undefined, now, "main"],
      ["HEAD", now, "main"],
      ["main", now, "main"],
      ["feature/a.b", now, "feature/a.b"],
      ["v1", old, "v1"],
      ["both", now, "both"],
      ["refs/tags/both", old, "both"],
      ["refs/heads/both", now, "both"],
      [old, old, old],
      [old.toUpperCase(), old, old],
      [old.slice(0, 7), old, old],
    ];
    for (const [ref, commit, shown] of expected) {
      assert.deepEqual(await git.resolveRef(mirror, ref), { commit, ref: shown }, ref);
    }
  });

  it("finds the branch of the remote's HEAD even if two branches are at its commit", async (t) => {
    const { author, git, repository } = await setUp(t);
    await author.commit({ "index.mdx": "one" });
    await author.git("checkout", "--quiet", "-b", "develop");
    const head = async () => (await git.resolveRef(await git.fetchMirror(repository))).ref;
    assert.equal(await head(), "develop");
    await author.git("checkout", "--quiet", "main");
    assert.equal(await head(), "main");
    const commit = await author.git("rev-parse", "HEAD");
    await author.git("checkout", "--quiet", "--detach");
    assert.equal(await head(), commit);
    await author.git("checkout", "--quiet", "--orphan", "unborn");
    await assert.rejects(
      head(),
      fails("ref_not_found", /default branch has no commits.*"develop"/),
    );
    await author.git("checkout", "--quiet", "--force", "main");
    assert.equal(await head(), "main");
  });

  const hostile = [
    "--upload-pack=touch mark",
    "-h",
    "main..v1",
    "main~1",
    "main^",
    "main:docs",
    "@{upstream}",
    "a b",
    "a\nmain",
    "a\0b",
    ".hidden",
    "a/.b",
    "a//b",
    "a.lock",
    "a/",
    "*",
    "",
    "x".repeat(300),
  ];
  it("refuses what is not a ref name", async (t) => {
    const { author, git, repository } = await setUp(t);
    await author.commit({ "index.mdx": "one" });
    const mirror = await git.fetchMirror(repository);
    for (const ref of hostile) {
      await assert.rejects(
        git.resolveRef(mirror, ref),
        fails("ref_not_found", /cannot be the name/),
      );
    }
  });

  it("suggests similar names, or those that exist", async (t) => {
    const { author, git, repository } = await setUp(t);
    await author.commit({ "index.mdx": "one" });
    await author.git("branch", "release-2");
    const mirror = await git.fetchMirror(repository);
    const hints: [ref: string, words: RegExp][] = [
      ["mian", /Did you mean|Existing names include "main", "release-2"/],
      ["Main", /Did you mean "main"\?/],
      ["release-3", /Did you mean "release-2"\?/],
      ["release", /Did you mean "release-2"\?/],
      ["zzzzzz", /Existing names include "main", "release-2"\./],
      ["0".repeat(40), /no branch, tag or commit "0{40}"/],
    ];
    for (const [ref, words] of hints) {
      await assert.rejects(git.resolveRef(mirror, ref), fails("ref_not_found", words));
    }
  });

  it("removes refs from the mirror that were removed from the remote", async (t) => {
    const { author, git, repository } = await setUp(t);
    await author.commit({ "index.mdx": "one" });
    await author.git("branch", "topic");
    await author.git("tag", "v1");
    await git.fetchMirror(repository);
    // A branch that is replaced by a folder of branches is also fetched.
    await author.git("branch", "--delete", "topic");
    await author.git("branch", "topic/one");
    await author.git("tag", "--delete", "v1");
    const mirror = await git.fetchMirror(repository);
    assert.equal((await git.resolveRef(mirror, "topic/one")).ref, "topic/one");
    await assert.rejects(git.resolveRef(mirror, "v1"), fails("ref_not_found", /"v1"/));
  });
});

describe("fetchMirror", () => {
  it("makes one mirror for concurrent calls", async (t) => {
    const { author, git, repository, cacheDir, target } = await setUp(t);
    const commit = await author.commit({ "index.mdx": "one" });
    // A second service on the same folder, like two processes of one machine.
    const other = createGit({ cacheDir, allow: parseAllowList(`file://${author.folder}`) });
    const checkouts = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        (index % 2 ? git : other).checkout({ repository, directory: "." }, {}, target()),
      ),
    );
    assert.deepEqual(new Set(checkouts.map((checkout) => checkout.commit)), new Set([commit]));
    assert.equal((await mirrorFolders(cacheDir)).length, 1);
  });

  it("overwrites nothing that another git process may be reading", async (t) => {
    const { author, git, repository, cacheDir } = await setUp(t);
    await author.commit({ "index.mdx": "one" });
    const mirror = await git.fetchMirror(repository);
    const home = join(cacheDir, "home");
    const files = [join(home, "config"), join(home, "login"), join(mirror.path, "info/attributes")];
    for (const file of files) await writeFile(file, "# of an earlier version\n");
    const handles = await Promise.all(files.map((file) => open(file)));
    const later = createGit({ cacheDir, allow: parseAllowList(`file://${author.folder}`) });
    await later.fetchMirror(repository);
    for (const [index, handle] of handles.entries()) {
      await using _handle = handle;
      assert.equal(await handle.readFile("utf8"), "# of an earlier version\n");
      assert.notEqual(await readFile(files[index] ?? "", "utf8"), "# of an earlier version\n");
    }
  });

  it("takes over the lock of a process that died", async (t) => {
    const { author, git, repository, cacheDir } = await setUp(t);
    await author.commit({ "index.mdx": "one" });
    const mirror = await git.fetchMirror(repository);
    const dead = { token: "dead", host: (await import("node:os")).hostname(), pid: 2 ** 22 + 1 };
    await writeFile(`${mirror.path}.lock`, JSON.stringify(dead));
    await git.fetchMirror(repository);
    assert.equal((await mirrorFolders(cacheDir)).length, 1);
  });

  it("discards a damaged mirror and fetches it again", async (t) => {
    const { author, git, repository, logged, target } = await setUp(t);
    await author.commit({ "index.mdx": "one" });
    const mirror = await git.fetchMirror(repository);
    const source = { repository, directory: "." };

    await writeFile(join(mirror.path, "HEAD"), "garbage");
    assert.equal((await git.checkout(source, {}, target())).ref, "main");
    assert.equal(logged.length, 1);

    const packs = join(mirror.path, "objects", "pack");
    for (const name of await readdir(packs)) await truncate(join(packs, name), 40);
    assert.equal((await git.checkout(source, {}, target())).ref, "main");
    assert.equal(logged.length, 2);
  });

  it("refuses a repository that is too large, and leaves nothing of it behind", async (t) => {
    const { author, git, repository, cacheDir } = await setUp(t, {
      limits: { mirrorBytes: 50_000 },
    });
    const { randomBytes } = await import("node:crypto");
    await author.commit({ "big.bin": randomBytes(100_000) });
    await assert.rejects(git.fetchMirror(repository), fails("too_large", /larger than/));
    assert.deepEqual(await mirrorFolders(cacheDir), []);
  });

  it("reads no folder that the operator did not allow, by name or through a link", async (t) => {
    const { author, folder, git } = await setUp(t, { allow: "file:///srv/git" });
    await author.commit({ "index.mdx": "one" });
    const sentence = /OCTAVO_ALLOW/;
    for (const path of [author.folder, join(folder, "missing"), "/srv/git", "/srv/git/../.."]) {
      await assert.rejects(
        git.fetchMirror({ url: `file://${path}` }),
        fails("repository_unreachable", sentence),
      );
    }
  });

  it("says that a folder is not a repository", async (t) => {
    const { folder, git } = await setUp(t);
    await mkdir(join(folder, "plain"));
    await assert.rejects(
      git.fetchMirror({ url: `file://${folder}/plain` }),
      fails("repository_unreachable", /no repository at this address/),
    );
  });

  it("ends at once if it was cancelled before it began", async (t) => {
    const { author, git, repository } = await setUp(t);
    await author.commit({ "index.mdx": "one" });
    await assert.rejects(
      git.fetchMirror(repository, AbortSignal.abort()),
      fails("cancelled", /Cancelled/),
    );
  });
});

describe("createRepository", () => {
  it("creates an empty repository that can be pushed to and checked out", async (t) => {
    const { author, git, folder, target } = await setUp(t);
    const path = join(folder, "hosted", "a.git");
    await git.createRepository(path);
    const source = { repository: { path }, directory: "docs" };
    await assert.rejects(git.checkout(source, {}, target()), fails("site_invalid", /no commits/));
    const commit = await author.commit({ "docs/index.mdx": "one" });
    await author.git("push", "--quiet", path, "main");
    const dir = target();
    assert.deepEqual(await git.checkout(source, {}, dir), { dir, commit, ref: "main" });
    // Creating it again does not lose anything.
    await git.createRepository(path);
    assert.equal((await git.checkout(source, { commit }, target())).commit, commit);
  });
});
