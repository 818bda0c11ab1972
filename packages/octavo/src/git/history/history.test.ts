import assert from "node:assert/strict";
import { chmod, chown, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { folderFor, git, openAuthor } from "../../../../../test/support/git-fixture.ts";
import type { Author } from "../../../../../test/support/git-fixture.ts";
import { parseAllowList } from "../../core/index.ts";
import { createFolderHistory } from "./folder-history.ts";
import { createGit } from "../git.ts";

/** Returns the days of files as a plain object, in order. */
async function daysIn(folder: string, ...files: string[]): Promise<Record<string, string>> {
  const days = await createFolderHistory({ folder }).findLastChanges(new Set(files));
  return Object.fromEntries(days);
}

async function setUp(t: TestContext): Promise<{ folder: string; author: Author }> {
  const folder = await folderFor(t);
  return { folder, author: await openAuthor(join(folder, "author")) };
}

describe("last changes of a folder's files", () => {
  it("are the days of the last commit to touch each file, for the given folder only", async (t) => {
    const { author } = await setUp(t);
    await author.commit({ "docs/a.md": "1", "docs/b.md": "1", "a.md": "1" }, "2026-01-01");
    await author.commit({ "docs/a.md": "2" }, "2026-02-02");
    await author.commit({ "a.md": "2", "src/code.ts": "x" }, "2026-03-03");
    const docs = join(author.folder, "docs");
    assert.deepEqual(await daysIn(docs, "a.md", "b.md", "missing.md"), {
      "a.md": "2026-02-02",
      "b.md": "2026-01-01",
    });
    assert.deepEqual(await daysIn(author.folder, "a.md", "docs/a.md"), {
      "a.md": "2026-03-03",
      "docs/a.md": "2026-02-02",
    });
  });

  it("ignore uncommitted changes, and include a new commit", async (t) => {
    const { author } = await setUp(t);
    await author.commit({ "a.md": "1" }, "2026-01-01");
    const history = createFolderHistory({ folder: author.folder });
    await writeFile(join(author.folder, "a.md"), "2");
    const files = new Set(["a.md", "b.md"]);
    assert.deepEqual([...(await history.findLastChanges(files))], [["a.md", "2026-01-01"]]);
    await author.commit({ "b.md": "1" }, "2026-02-02");
    assert.deepEqual(Object.fromEntries(await history.findLastChanges(files)), {
      "a.md": "2026-02-02",
      "b.md": "2026-02-02",
    });
  });

  it("are found for unusual file names", async (t) => {
    const { author } = await setUp(t);
    const names = ["\nline.md", "ü ñ.md", ":(top)*.md", `${"0".repeat(40)} 2020-01-01`, "-x.md"];
    for (const [index, name] of names.entries()) {
      const files = { [`[docs]/${name}`]: "x", "[docs]/last.md": String(index) };
      await author.commit(files, `2026-01-0${index + 1}`);
    }
    await author.commit({ "d/trap.md": "x" }, "2026-09-09");
    const found = await daysIn(join(author.folder, "[docs]"), ...names);
    const wanted = names.map((name, index) => [name, `2026-01-0${index + 1}`]);
    assert.deepEqual(found, Object.fromEntries(wanted));
  });

  it("have the day of the branch for files that a merge brought, and of the merge for files that it changed", async (t) => {
    const { author } = await setUp(t);
    await author.commit({ "a.md": "1", "b.md": "1", "c.md": "1" }, "2026-01-01");
    await author.git("switch", "--quiet", "--create=side");
    await author.commit({ "a.md": "side", "b.md": "side" }, "2026-02-02");
    await author.git("switch", "--quiet", "main");
    await author.commit({ "b.md": "main" }, "2026-03-03");
    await author.git("merge", "--no-commit", "--strategy=ours", "--quiet", "side");
    await author.commit({ "a.md": "side", "b.md": "both" }, "2026-04-04");
    assert.deepEqual(await daysIn(author.folder, "a.md", "b.md", "c.md"), {
      "a.md": "2026-02-02",
      "b.md": "2026-04-04",
      "c.md": "2026-01-01",
    });
  });

  it("are unknown for files that a shallow clone only appears to add", async (t) => {
    const { folder, author } = await setUp(t);
    await author.commit({ "docs/old.md": "1" }, "2026-01-01");
    await author.commit({ "docs/edge.md": "1" }, "2026-02-02");
    await author.commit({ "docs/new.md": "1" }, "2026-03-03");
    const clone = join(folder, "clone");
    await git(folder, "clone", "--quiet", "--depth=2", `file://${author.folder}`, clone);
    const docs = join(clone, "docs");
    assert.deepEqual(await daysIn(docs, "old.md", "edge.md", "new.md"), { "new.md": "2026-03-03" });
    assert.equal(await createFolderHistory({ folder: docs }).isShallow(), true);
  });

  it("have no older day from beside the boundary of a shallow clone", async (t) => {
    const { folder, author } = await setUp(t);
    await author.commit({ "a.md": "1" }, "2026-01-01");
    await author.git("switch", "--quiet", "--create=side");
    await author.commit({ "a.md": "2" }, "2026-01-02");
    await author.commit({ "b.md": "1" }, "2026-01-03");
    await author.git("switch", "--quiet", "main");
    await author.commit({ "a.md": "2" }, "2026-02-02");
    await author.commit({ "c.md": "1" }, "2026-02-03");
    await author.git("merge", "--quiet", "--no-edit", "side");
    const clone = join(folder, "clone");
    await git(folder, "clone", "--quiet", `file://${author.folder}`, clone);
    const edge = await git(clone, "rev-parse", "main~1");
    await writeFile(join(clone, ".git", "shallow"), `${edge}\n`);
    assert.deepEqual(await daysIn(clone, "a.md", "b.md"), { "b.md": "2026-01-03" });
  });

  it("distinguish a shallow clone from a complete one", async (t) => {
    const { folder, author } = await setUp(t);
    await author.commit({ "docs/a.md": "1" });
    await author.commit({ "docs/a.md": "2" });
    const clone = join(folder, "clone");
    await git(folder, "clone", "--quiet", "--depth=1", `file://${author.folder}`, clone);
    assert.equal(await createFolderHistory({ folder: join(clone, "docs") }).isShallow(), true);
    assert.equal(await createFolderHistory({ folder: author.folder }).isShallow(), false);
  });

  it("are read from worktrees too", async (t) => {
    const { folder, author } = await setUp(t);
    await author.commit({ "docs/a.md": "1" }, "2026-01-01");
    await author.git("worktree", "add", "--quiet", "-b", "other", join(folder, "other"));
    assert.deepEqual(await daysIn(join(folder, "other", "docs"), "a.md"), { "a.md": "2026-01-01" });
  });

  it("are partly known if the history exceeds the limit", async (t) => {
    const { author } = await setUp(t);
    await author.commit({ "old.md": "1" }, "2026-01-01");
    const many = Array.from({ length: 2_000 }, (_, index) => [`images/${index}.png`, "x"] as const);
    await author.commit(Object.fromEntries(many), "2026-02-02");
    await author.commit({ "new.md": "1" }, "2026-03-03");
    const { folder } = author;
    const history = createFolderHistory({ folder, limits: { outputBytes: 4_000 } });
    const days = await history.findLastChanges(new Set(["old.md", "new.md"]));
    assert.deepEqual([...days], [["new.md", "2026-03-03"]]);
  });

  it("are partly known if an older part of the history is damaged", async (t) => {
    const { author } = await setUp(t);
    await author.commit({ "old.md": "1" }, "2026-01-01");
    const tree = await author.git("rev-parse", "HEAD^{tree}");
    await author.commit({ "new.md": "1" }, "2026-02-02");
    await author.commit({ "new.md": "2" }, "2026-03-03");
    await rm(join(author.folder, ".git", "objects", tree.slice(0, 2), tree.slice(2)));
    assert.deepEqual(await daysIn(author.folder, "new.md"), { "new.md": "2026-03-03" });
    assert.deepEqual(await daysIn(author.folder, "new.md", "old.md"), { "new.md": "2026-03-03" });
  });
});

describe("a folder without a history", () => {
  it("has no days and no origin, without an error", async (t) => {
    const folder = await folderFor(t);
    const plain = join(folder, "plain");
    const empty = await openAuthor(join(folder, "empty"));
    const broken = await openAuthor(join(folder, "broken"));
    await mkdir(plain);
    await broken.commit({ "a.md": "1" });
    await writeFile(join(broken.folder, ".git", "refs", "heads", "main"), `${"0".repeat(39)}1\n`);
    for (const place of [plain, empty.folder, broken.folder, join(folder, "missing")]) {
      const history = createFolderHistory({ folder: place });
      assert.deepEqual([...(await history.findLastChanges(new Set(["a.md"])))], [], place);
      assert.equal(await history.findOrigin(), undefined, place);
      assert.equal(await history.isShallow(), false, place);
    }
  });

  it("has no days if git is not installed", async (t) => {
    const { author, folder } = await setUp(t);
    await author.commit({ "a.md": "1" });
    const history = createFolderHistory({ folder: author.folder, searchPath: folder });
    assert.deepEqual([...(await history.findLastChanges(new Set(["a.md"])))], []);
    assert.equal(await history.findOrigin(), undefined);
  });

  it("does not belong to a surrounding repository of another user", async (t) => {
    if (process.getuid?.() !== 0) return t.skip("only root can give files away");
    const { author } = await setUp(t);
    await author.commit({ "docs/a.md": "1" }, "2026-01-01");
    const docs = join(author.folder, "docs");
    await chmod(author.folder, 0o755);
    for (const path of [docs, author.folder, join(author.folder, ".git")])
      await chown(path, 77, 77);
    assert.deepEqual(await daysIn(docs, "a.md"), { "a.md": "2026-01-01" });
    await chown(docs, 78, 78);
    assert.deepEqual(await daysIn(docs, "a.md"), {});
  });
});

describe("commands in a repository's configuration", () => {
  it("are not run and change no result", async (t) => {
    const { folder, author } = await setUp(t);
    await author.commit({ "docs/a.md": "1", "docs/b.md": "1" }, "2026-01-01");
    const trace = join(folder, "ran");
    const trap = join(folder, "trap");
    await writeFile(trap, `#!/bin/sh\ntouch ${trace}\n`, { mode: 0o755 });
    const settings = {
      "log.showSignature": "true",
      "gpg.program": trap,
      "core.fsmonitor": trap,
      "core.pager": trap,
      "pager.log": trap,
      "diff.external": trap,
      "core.sshCommand": trap,
      "alias.log": `!${trap}`,
      "log.showRoot": "false",
      "log.follow": "true",
      "diff.relative": "true",
      "diff.orderFile": join(folder, "missing"),
      "color.ui": "always",
      "remote.origin.promisor": "true",
      "remote.origin.url": `ext::${trap}`,
      "remote.origin.uploadpack": trap,
    };
    for (const [name, value] of Object.entries(settings)) await author.git("config", name, value);
    const docs = join(author.folder, "docs");
    assert.deepEqual(await daysIn(docs, "a.md", "b.md"), {
      "a.md": "2026-01-01",
      "b.md": "2026-01-01",
    });
    await createFolderHistory({ folder: docs }).findOrigin();
    await assert.rejects(chmod(trace, 0o600), { code: "ENOENT" });
  });
});

describe("the origin of a folder", () => {
  it("is the remote's address without credentials, the branch and the path in the repository", async (t) => {
    const { author } = await setUp(t);
    await author.commit({ "my docs/a.md": "1" });
    const cases = [
      ["https://github.com/acme/site.git", "https://github.com/acme/site.git"],
      ["https://ada:secret@github.com/acme/site", "https://github.com/acme/site"],
      ["https://secret@github.com/acme/site", "https://github.com/acme/site"],
      ["git@github.com:acme/site.git", "git@github.com:acme/site.git"],
      ["ssh://git@github.com/acme/site.git", "ssh://git@github.com/acme/site.git"],
    ] as const;
    const history = createFolderHistory({ folder: join(author.folder, "my docs") });
    assert.equal(await history.findOrigin(), undefined);
    for (const [remote, url] of cases) {
      await author.git("config", "remote.origin.url", remote);
      assert.deepEqual(await history.findOrigin(), { url, branch: "main", directory: "my docs" });
    }
    const root = createFolderHistory({ folder: author.folder });
    assert.equal((await root.findOrigin())?.directory, ".");
  });

  it("has the remote's default branch if none is checked out", async (t) => {
    const { author } = await setUp(t);
    const commit = await author.commit({ "a.md": "1" });
    await author.git("config", "remote.origin.url", "https://github.com/acme/site");
    await author.git("checkout", "--quiet", "--detach");
    const history = createFolderHistory({ folder: author.folder });
    assert.equal(await history.findOrigin(), undefined);
    await author.git("update-ref", "refs/remotes/origin/release/1", commit);
    const head = ["refs/remotes/origin/HEAD", "refs/remotes/origin/release/1"];
    await author.git("symbolic-ref", ...head);
    assert.equal((await history.findOrigin())?.branch, "release/1");
  });

  it("is undefined for a folder that is not committed", async (t) => {
    const { author } = await setUp(t);
    await author.commit({ "a.md": "1" });
    await author.git("config", "remote.origin.url", "https://github.com/acme/site");
    const made = join(author.folder, "made");
    await mkdir(made);
    assert.equal(await createFolderHistory({ folder: made }).findOrigin(), undefined);
  });
});

describe("a checkout of the service", () => {
  it("has the days of its directory as of its commit, and its branch", async (t) => {
    const { folder, author } = await setUp(t);
    await author.commit({ "docs/a.md": "1", "docs/b.md": "1" }, "2026-01-01");
    const middle = await author.commit({ "docs/a.md": "2" }, "2026-02-02");
    await author.git("tag", "v1");
    await author.commit({ "docs/a.md": "3", "docs/b.md": "3" }, "2026-03-03");
    const allow = parseAllowList(`file://${folder}`);
    const service = createGit({ cacheDir: join(folder, "cache"), allow });
    const repository = { url: `file://${author.folder}` };
    const source = { repository, directory: "docs" };
    await service.checkout(source, { commit: middle }, join(folder, "checkout"));
    const files = new Set(["a.md", "b.md"]);
    const days = await service.findLastChanges(source, { commit: middle, files });
    assert.deepEqual(Object.fromEntries(days), { "a.md": "2026-02-02", "b.md": "2026-01-01" });
    assert.equal(await service.findBranch(repository), "main");
    assert.equal(await service.findBranch(repository, "main"), "main");
    assert.equal(await service.findBranch(repository, "refs/heads/main"), "main");
    for (const ref of ["v1", middle, "gone", "--all"]) {
      assert.equal(await service.findBranch(repository, ref), undefined, ref);
    }
  });
});
