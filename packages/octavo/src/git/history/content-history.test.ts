import assert from "node:assert/strict";
import { access, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { folderFor, git, openAuthor } from "../../../../../test/support/git-fixture.ts";
import type { Author } from "../../../../../test/support/git-fixture.ts";
import { parseAllowList } from "../../core/index.ts";
import type { ContentHistory } from "./content-history.ts";
import { createFolderHistory } from "./folder-history.ts";
import { createGit } from "../git.ts";
import { ownProcesses } from "../program/processes.ts";
import { runGit } from "../program/tools.ts";

async function setUp(t: TestContext): Promise<{ folder: string; author: Author }> {
  const folder = await folderFor(t);
  return { folder, author: await openAuthor(join(folder, "author")) };
}

async function contentOf(folder: string): Promise<ContentHistory> {
  const history = await createFolderHistory({ folder }).readContentHistory();
  assert.ok(history);
  return history;
}

const words = "Fill the lamp before dusk.\nTrim its wick.\nLight it with a long match.\n";

function numberedPage(page: number): string {
  return `# Lamp ${page}\n\n${words}Number ${page} stands on the pier.\n`;
}

function pageOf(headings: readonly string[], words: string): string {
  const sections = headings.map((name) => `## ${name}\n\n${`${words} ${name}. `.repeat(20)}\n`);
  return sections.join("\n");
}

describe("files that are gone", () => {
  it("are followed from one rename to the next, or said to be deleted", async (t) => {
    const { author } = await setUp(t);
    await author.commit({ "docs/a.md": words, "docs/gone.md": "1\n", "docs/b.md": "2\n" });
    await author.git("mv", "docs/a.md", "docs/c.md");
    await author.commit({}, "2026-02-02");
    await mkdir(join(author.folder, "docs/new"));
    await author.git("mv", "docs/c.md", "docs/new/d.md");
    await author.commit(
      { "docs/new/d.md": `${words}And more.\n`, "docs/gone.md": undefined },
      "2026-03-03",
    );
    const history = await contentOf(join(author.folder, "docs"));
    const a = await history.findLost("a.md");
    assert.deepEqual(
      [a?.renamedTo, a?.removal.date, a?.removal.subject],
      ["new/d.md", "2026-02-02", "Change"],
    );
    assert.ok(a !== undefined && a.similarity > 0.5 && a.similarity < 1);
    assert.equal((await history.findLost("c.md"))?.renamedTo, "new/d.md");
    const gone = await history.findLost("gone.md");
    assert.deepEqual([gone?.renamedTo, gone?.removal.date], [undefined, "2026-03-03"]);
    for (const path of ["b.md", "never.md", "new/d.md"]) {
      assert.equal(await history.findLost(path), undefined, path);
    }
  });

  it("tell of no folder but the one asked for", async (t) => {
    const { author } = await setUp(t);
    await author.commit({ "docs/a.md": words, "private/b.md": `${words}Private.\n` });
    await mkdir(join(author.folder, "elsewhere"));
    await author.git("mv", "docs/a.md", "elsewhere/a.md");
    await author.commit({});
    await author.git("mv", "private/b.md", "docs/b.md");
    await author.commit({});
    const history = await contentOf(join(author.folder, "docs"));
    const lost = await history.findLost("a.md");
    assert.deepEqual([lost?.renamedTo, lost?.removal.subject], [undefined, "Change"]);
    assert.equal(await history.findLost("../private/b.md"), undefined);
    const { commits, isWhole } = await history.listChanges("b.md", { limit: 10 });
    assert.deepEqual([commits.length, commits[0]?.from, isWhole], [1, undefined, true]);
  });

  it("begin where a commit put the file, whatever its name and content", async (t) => {
    const { author } = await setUp(t);
    const name = 'x/ä "q".md';
    const imitation = `/${"a".repeat(40)} 2026-01-01 No\n:0 1 a b A\tx/y.md\n`;
    await author.commit({ [name]: `# A\n${imitation}` });
    await author.commit({ [name]: `# B\n${imitation}${imitation}` });
    const history = await contentOf(author.folder);
    for (const searchText of [undefined, "# "]) {
      const { commits, isWhole } = await history.listChanges(name, {
        limit: 10,
        searchText,
      });
      assert.deepEqual([commits.length, isWhole], [2, true]);
      if (searchText !== undefined)
        assert.deepEqual(commits[0]?.hunks, [{ removed: ["# A"], added: ["# B"] }]);
    }
  });

  it("keep their names, where a commit moved more than can be compared", async (t) => {
    const { author } = await setUp(t);
    const numbers = Array.from({ length: 600 }, (_, index) => index);
    const before = numbers.map((page) => [`old/page-${page}.md`, numberedPage(page)]);
    await author.commit(Object.fromEntries(before));
    await author.git("mv", "old", "new");
    const after = numbers.map((page) => [
      `new/page-${page}.md`,
      `${numberedPage(page)}It is lit.\n`,
    ]);
    await author.git("mv", "new/page-7.md", "new/seventh.md");
    await author.commit({
      ...Object.fromEntries(after),
      "new/page-7.md": undefined,
      "new/seventh.md": `${numberedPage(7)}It is lit.\n`,
    });
    const history = await contentOf(author.folder);
    assert.equal((await history.findLost("old/page-0.md"))?.renamedTo, "new/page-0.md");
    assert.equal((await history.findLost("old/page-599.md"))?.renamedTo, "new/page-599.md");
    assert.equal((await history.findLost("old/page-7.md"))?.renamedTo, undefined);
  });

  it("did not become one of two files with their content", async (t) => {
    const { author } = await setUp(t);
    await author.commit({ "a.md": words, "b/c.md": `${words}\nMore.\n` });
    await author.commit({
      "a.md": undefined,
      "d.md": words,
      "e.md": words,
      "b/c.md": undefined,
      "f/c.md": `${words}\nMore.\n`,
      "f/g.md": `${words}\nMore.\n`,
    });
    const history = await contentOf(author.folder);
    assert.equal((await history.findLost("a.md"))?.renamedTo, undefined);
    assert.equal((await history.findLost("b/c.md"))?.renamedTo, "f/c.md");
  });

  it("are told to be merged into the one page that has most of their lines", async (t) => {
    const { author } = await setUp(t);
    const lines = [
      "First, fill the lamp up to its brim.",
      "Then trim the wick of the lamp.",
      "Light it with a match.",
    ];
    const text = `# Lamps\n\n${lines.join("\n\n")}\n`;
    await author.commit({
      "docs/a.md": text,
      "docs/b.md": "# B\n",
      "docs/c.md": text,
      "docs/d.md": "# D\n",
    });
    await author.commit({
      "docs/a.md": undefined,
      "docs/b.md": `# B\n\n## Lamps\n\n${lines.join("\n\n")}\n`,
    });
    await author.commit({
      "docs/c.md": undefined,
      "docs/b.md": `# B\n\n${lines[0]}\n`,
      "docs/d.md": `# D\n\n${lines[1]}\n`,
    });
    await author.git("mv", "docs/b.md", "docs/e.md");
    await author.commit({});
    const history = await contentOf(join(author.folder, "docs"));
    const a = await history.findLost("a.md");
    assert.deepEqual([a?.renamedTo, a?.mergedInto], [undefined, "e.md"]);
    const c = await history.findLost("c.md");
    assert.deepEqual([c?.renamedTo, c?.mergedInto], [undefined, undefined]);
  });

  it("may come back under their name", async (t) => {
    const { author } = await setUp(t);
    await author.commit({ "a.md": words });
    await author.commit({ "a.md": undefined });
    await author.commit({ "a.md": words });
    assert.equal(await (await contentOf(author.folder)).findLost("a.md"), undefined);
  });
});

function pageWith(heading: string): string {
  return `# Lamp\n\n${words}\n## ${heading}\n\n${words}`;
}

describe("changes of a file", () => {
  it("are its commits, newest first, with the lines that were asked for", async (t) => {
    const { author } = await setUp(t);
    await author.commit({ "a.md": pageWith("Wick") }, "2026-01-01");
    await author.commit({ "a.md": pageWith("The wick") }, "2026-02-02");
    await author.git("mv", "a.md", "b.md");
    await author.commit({}, "2026-03-03");
    const history = await contentOf(author.folder);
    const { commits, isWhole } = await history.listChanges("b.md", { limit: 10, searchText: "# " });
    assert.deepEqual(
      commits.map(({ date, from, hunks }) => [date, from, hunks]),
      [
        ["2026-03-03", "a.md", []],
        ["2026-02-02", undefined, [{ removed: ["## Wick"], added: ["## The wick"] }]],
        ["2026-01-01", undefined, [{ removed: [], added: ["# Lamp", "## Wick"] }]],
      ],
    );
    assert.ok(isWhole);
    const last = await history.listChanges("b.md", { limit: 1 });
    assert.deepEqual([last.commits.length, last.isWhole], [1, false]);
    assert.deepEqual(await history.listChanges("none.md", { limit: 1 }), {
      commits: [],
      isWhole: false,
    });
  });

  it("begin with the file, where it was made after another one that stayed", async (t) => {
    const { author } = await setUp(t);
    await author.commit({ "a.md": pageWith("Wick") });
    await author.commit({ "b.md": pageWith("Wick") });
    const { commits, isWhole } = await (
      await contentOf(author.folder)
    ).listChanges("b.md", { limit: 10 });
    assert.deepEqual([commits.length, commits[0]?.from, isWhole], [1, undefined, true]);
  });

  it("hold what a rename reworded", async (t) => {
    const { author } = await setUp(t);
    await author.commit({ "a.md": pageWith("Wick") });
    await author.git("mv", "a.md", "b.md");
    await author.commit({ "b.md": pageWith("The wick") });
    const history = await contentOf(author.folder);
    const { commits } = await history.listChanges("b.md", { limit: 10, searchText: "# " });
    assert.deepEqual(
      commits.map(({ from, hunks }) => [from, hunks]),
      [
        ["a.md", [{ removed: ["## Wick"], added: ["## The wick"] }]],
        [undefined, [{ removed: [], added: ["# Lamp", "## Wick"] }]],
      ],
    );
  });

  it("pair no lines of a text that replaced another", async (t) => {
    const { author } = await setUp(t);
    await author.commit({ "a.md": pageOf(["Templates", "Both", "Wildcards"], "A resource has") });
    await author.commit({ "a.md": pageOf(["Backends", "Both", "Workers"], "The task waits for") });
    const history = await contentOf(author.folder);
    const { commits } = await history.listChanges("a.md", { limit: 1, searchText: "# " });
    assert.deepEqual(commits[0]?.hunks, [
      { removed: [], added: ["## Backends", "## Workers"] },
      { removed: ["## Templates", "## Wildcards"], added: [] },
    ]);
  });

  it("take nothing in a file or a message for a commit", async (t) => {
    const { author } = await setUp(t);
    const trap = `/${"a".repeat(40)} 2026-01-01 trap`;
    const name = "with\nline.md";
    await author.commit({ "a.md": `${trap}\n# One\n`, [name]: "x" });
    await author.commit({ "a.md": `${trap}\n--- # two\n+++ # two\n@@ # two\n# Two\n` });
    await author.git("commit", "--quiet", "--allow-empty", `--message=x\n\n${trap}`);
    await author.git("mv", name, "plain.md");
    await author.git("commit", "--quiet", `--message=${trap}`);
    const history = await contentOf(author.folder);
    const { commits } = await history.listChanges("a.md", { limit: 10, searchText: "# " });
    assert.equal(commits.length, 2);
    assert.deepEqual(commits[0]?.hunks, [
      { removed: ["# One"], added: ["--- # two", "+++ # two", "@@ # two", "# Two"] },
    ]);
    assert.equal((await history.findLost(name))?.renamedTo, "plain.md");
  });
});

describe("the commits of lines", () => {
  it("are told in runs, without who wrote them", async (t) => {
    const { author } = await setUp(t);
    await author.commit({ "docs/a.md": "1\n2\n3\n4\n" }, "2026-01-01");
    await author.commit({ "docs/a.md": "1\ntwo\n3\n4\n" }, "2026-02-02");
    const history = await contentOf(join(author.folder, "docs"));
    const runs = await history.blame("a.md", { from: 1, to: 9 });
    assert.deepEqual(
      runs.map(({ from, to, by }) => [from, to, by?.date, by?.subject]),
      [
        [1, 1, "2026-01-01", "Change"],
        [2, 2, "2026-02-02", "Change"],
        [3, 4, "2026-01-01", "Change"],
      ],
    );
    assert.ok(!JSON.stringify(runs).includes("Ada"));
    assert.deepEqual(await history.blame("none.md", { from: 1, to: 2 }), []);
    assert.deepEqual(await history.blame("a.md", { from: 8, to: 9 }), []);
  });

  it("are unknown where a shallow clone does not hold them", async (t) => {
    const { folder, author } = await setUp(t);
    await author.commit({ "a.md": "1\n2\n" });
    await author.commit({ "a.md": "1\n2\n", "b.md": "1\n" });
    await author.commit({ "a.md": "1\ntwo\n" }, "2026-02-02");
    const clone = join(folder, "clone");
    await git(folder, "clone", "--quiet", "--depth=2", `file://${author.folder}`, clone);
    const history = await contentOf(clone);
    const runs = await history.blame("a.md", { from: 1, to: 2 });
    assert.deepEqual(
      runs.map(({ by }) => by?.date),
      [undefined, "2026-02-02"],
    );
    assert.equal((await history.listChanges("a.md", { limit: 5 })).commits.length, 1);
    assert.equal(await history.isComplete(), false);
  });
});

describe("a history", () => {
  it("is read with no more memory than it may have", async (t) => {
    if (process.platform !== "linux") return t.skip("Only Linux limits a program's memory.");
    const command = { args: ["version"], env: {}, timeoutMs: 60_000, maxOutputBytes: 1_000 };
    assert.equal((await runGit(ownProcesses, { ...command, memoryBytes: 1024 ** 3 })).exitCode, 0);
    assert.notEqual(
      (await runGit(ownProcesses, { ...command, memoryBytes: 1024 ** 2 })).exitCode,
      0,
    );
  });

  it("runs nothing that the repository asks for", async (t) => {
    const { author } = await setUp(t);
    const { folder } = author;
    const ran = join(folder, "ran");
    const command = `touch ${ran}`;
    await author.commit({ "a.md": "1\n", ".gitattributes": "*.md diff=evil filter=evil\n" });
    await author.commit({ "a.md": "2\n" });
    await writeFile(
      join(folder, ".git/config"),
      `[diff]\nexternal = ${command}\n[diff "evil"]\ntextconv = ${command}\ncommand = ${command}\n[filter "evil"]\nclean = ${command}\nsmudge = ${command}\n[core]\nfsmonitor = ${command}\npager = ${command}\n[blame]\nignoreRevsFile = /dev/zero\n[diff]\norderFile = ${ran}\n[log]\nshowSignature = true\n[gpg]\nprogram = ${command}\n`,
    );
    const history = await contentOf(folder);
    assert.equal(
      (await history.listChanges("a.md", { limit: 5, searchText: "1" })).commits.length,
      2,
    );
    assert.equal((await history.blame("a.md", { from: 1, to: 1 })).length, 1);
    assert.equal(await history.findLost("b.md"), undefined);
    await assert.rejects(access(ran), { code: "ENOENT" });
  });

  it("is there for a checkout of the service, and not for a folder in no repository", async (t) => {
    const { folder, author } = await setUp(t);
    await author.commit({ "docs/a.md": words, "docs/b.md": "1\n" });
    await author.git("mv", "docs/a.md", "docs/c.md");
    const commit = await author.commit({});
    const service = createGit({ cacheDir: join(folder, "cache"), allow: parseAllowList("file:") });
    const source = { repository: { url: `file://${author.folder}` }, directory: "docs" };
    const history = await service.readContentHistory(source, commit);
    assert.equal((await history.findLost("a.md"))?.renamedTo, "c.md");
    await mkdir(join(folder, "plain"));
    assert.equal(
      await createFolderHistory({ folder: join(folder, "plain") }).readContentHistory(),
      undefined,
    );
  });

  it("ends when it is cancelled", async (t) => {
    const { author } = await setUp(t);
    await author.commit({ "a.md": "1\n" });
    const history = await contentOf(author.folder);
    const asked = history.listChanges("a.md", { limit: 1, signal: AbortSignal.abort() });
    await assert.rejects(asked, { code: "cancelled" });
  });
});
