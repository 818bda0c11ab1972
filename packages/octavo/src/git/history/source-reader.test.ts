import assert from "node:assert/strict";
import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { fails } from "../../../../../test/support/fails.ts";
import { folderFor, openAuthor } from "../../../../../test/support/git-fixture.ts";
import type { Author, FixtureChange } from "../../../../../test/support/git-fixture.ts";
import { parseAllowList } from "../../core/index.ts";
import { createGit } from "../git.ts";

const secretWords = "what lies outside";

/** Opens a repository with the files, read at its current commit. */
async function openSource(
  t: TestContext,
  files: Readonly<Record<string, FixtureChange>>,
  {
    directory = ".",
    evolve,
  }: { directory?: string; evolve?: (author: Author) => Promise<void> } = {},
) {
  const folder = await folderFor(t);
  const author = await openAuthor(join(folder, "author"));
  await author.commit(files, "2026-01-01");
  await evolve?.(author);
  const git = createGit({
    cacheDir: join(folder, "cache"),
    allow: parseAllowList(`file://${folder}`),
  });
  const repository = { url: `file://${author.folder}` };
  const reader = await git.openSource({ repository, directory }, { ref: "main" });
  const { commit } = reader.at;
  return {
    author,
    git,
    repository,
    reader,
    commit,
    paths: async () => (await reader.listFiles(commit)).files.map(({ path }) => path),
    read: (path: string) => reader.readText(commit, path),
  };
}

interface TreeEntry {
  readonly mode: string;
  readonly name: string;
  readonly object: string;
}

/** Writes a tree as git stores it, because a checkout cannot create it. */
async function makeTree(author: Author, entries: readonly TreeEntry[]): Promise<string> {
  const file = join(author.folder, ".git/tree");
  const parts = entries.map(({ mode, name, object }) => [
    Buffer.from(`${mode} ${name}\0`),
    Buffer.from(object, "hex"),
  ]);
  await writeFile(file, Buffer.concat(parts.flat()));
  return await author.git("hash-object", "-t", "tree", "-w", file);
}

/** Creates a branch of a million files: six levels of folders, each with ten names for the same folder below it. */
async function makeBomb(author: Author, branch: string, mode: string): Promise<void> {
  const object = await author.git("rev-parse", "HEAD:a.ts");
  let tree = await makeTree(author, [{ mode, name: "f.ts", object }]);
  for (let depth = 0; depth < 6; depth++) {
    const folders = Array.from({ length: 10 }, (_, index) => `d${index}`);
    const entries = folders.map((name) => ({ mode: "40000", name, object: tree }));
    tree = await makeTree(author, entries);
  }
  await author.git("branch", branch, await author.git("commit-tree", "-m", "Bomb", tree));
}

describe("a source", () => {
  it("is read in its directory alone, by paths from the repository's root", async (t) => {
    const files = {
      "src/a.ts": "a\n",
      "src/b/c.ts": "c\n",
      'src/ü "x" [y].ts': "u\n",
      "other.ts": secretWords,
    };
    const { paths, read } = await openSource(t, files, { directory: "src" });
    assert.deepEqual(await paths(), ["src/a.ts", "src/b/c.ts", 'src/ü "x" [y].ts']);
    assert.equal(await read('src/ü "x" [y].ts'), "u\n");
    assert.equal(await read("src/b/c.ts"), "c\n");
    await assert.rejects(read("other.ts"), fails("invalid_input", /is not in src/));
    await assert.rejects(read("src/../other.ts"), fails("invalid_input", /not a path/));
    await assert.rejects(read("srcs/a.ts"), fails("invalid_input", /is not in src/));
  });

  it("stays at its commit when the repository moves on, and reads others by name", async (t) => {
    const { author, git, repository, reader, commit, read } = await openSource(
      t,
      { "a.ts": "one\n" },
      { evolve: (own) => own.git("tag", "v1.0").then(() => undefined) },
    );
    const later = await author.commit({ "a.ts": "two\n" });
    await git.fetchMirror(repository);
    assert.equal(await read("a.ts"), "one\n");
    assert.deepEqual(await reader.resolveRef("v1.0"), { commit, ref: "v1.0" });
    assert.equal(await reader.readText((await reader.resolveRef("main")).commit, "a.ts"), "two\n");
    assert.equal((await reader.resolveRef(later.slice(0, 8))).commit, later);
    await assert.rejects(reader.resolveRef("v1.1"), fails("ref_not_found", /Did you mean "v1\.0"/));
    await assert.rejects(
      reader.resolveRef("--output=x"),
      fails("ref_not_found", /cannot be the name/),
    );
  });

  it("follows no link and enters no submodule", async (t) => {
    const { paths, read } = await openSource(
      t,
      {
        "a.ts": "a\n",
        passwd: { link: "/etc/passwd" },
        up: { link: ".." },
        inner: { link: "a.ts" },
        ".gitmodules": '[submodule "sub"]\n\tpath = sub\n\turl = ext::touch% mark\n',
      },
      {
        async evolve(author) {
          const head = await author.git("rev-parse", "HEAD");
          await author.git("update-index", "--add", "--cacheinfo", `160000,${head},sub`);
          await author.git("commit", "--quiet", "--message=Submodule");
        },
      },
    );
    assert.deepEqual(await paths(), [".gitmodules", "a.ts"]);
    const links: [path: string, reason: RegExp][] = [
      ["passwd", /symbolic link/],
      ["inner", /symbolic link/],
      ["up/author/a.ts", /no file/],
      ["sub", /submodule/],
      ["sub/a.ts", /no file/],
      [".git/config", /no file/],
      ["/etc/passwd", /not a path/],
      ["a.ts/", /not a path/],
      ["A.TS", /no file/],
      ["*.ts", /no file/],
      [":(top)a.ts", /no file/],
      ["a\n.ts", /not a path/],
    ];
    for (const [path, reason] of links) {
      await assert.rejects(read(path), { name: "OctavoError", message: reason }, path);
    }
  });

  it("gives no bytes for text, no pointers for files, and not the largest", async (t) => {
    const { reader, commit, read } = await openSource(t, {
      "binary.ts": new Uint8Array([0x61, 0, 0x62]),
      "latin.ts": new Uint8Array([0x61, 0xe4]),
      "picture.psd": "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 9\n",
      "huge.ts": "x".repeat(4 * 1024 * 1024 + 1),
      "large.ts": `${"x".repeat(79)}\n`.repeat(20_000),
      "a.ts": "a\n",
      "empty.ts": "",
      "z.ts": "z\n",
    });
    await assert.rejects(read("binary.ts"), fails("invalid_input", /not text/));
    await assert.rejects(read("latin.ts"), fails("invalid_input", /not text/));
    await assert.rejects(read("picture.psd"), fails("invalid_input", /Git LFS/));
    await assert.rejects(read("huge.ts"), fails("too_large", /larger than 4 MB/));
    assert.equal((await read("large.ts")).length, 1_600_000);
    const { files, isWhole } = await reader.listFiles(commit);
    assert.ok(isWhole);
    const seen: [string, string][] = [];
    const isScanned = await reader.scan(files, (path, text) => seen.push([path, text]) > 0);
    assert.deepEqual(seen, [
      ["a.ts", "a\n"],
      ["empty.ts", ""],
      ["z.ts", "z\n"],
    ]);
    assert.equal(isScanned, false);
    assert.equal(await reader.scan(files.slice(0, 1), () => true), true);
    assert.equal(await reader.scan(files.slice(0, 1), () => false), false);
  });

  it("reads texts whole however git's output is cut into pieces", async (t) => {
    const texts = Array.from({ length: 40 }, (_, index) => "é\n".repeat(index * 701));
    const files = Object.fromEntries(
      texts.map((text, index) => [`${String(index).padStart(2, "0")}.ts`, text]),
    );
    const { reader, commit } = await openSource(t, files);
    const seen: string[] = [];
    const listing = await reader.listFiles(commit);
    assert.equal(await reader.scan(listing.files, (_, text) => seen.push(text) > 0), true);
    assert.deepEqual(seen, texts);
  });

  it("tells what changed since a tag: commits, files, lines", async (t) => {
    const { reader, commit } = await openSource(
      t,
      { "src/a.ts": "one\n", "src/gone.ts": "gone for good\n", "docs/x.md": "x\n" },
      {
        directory: "src",
        async evolve(author) {
          await author.git("tag", "v2.1");
          await author.commit({ "docs/x.md": "y\n" }, "2026-02-02");
          await author.commit({ "src/a.ts": "two\n", "src/new.ts": "new\n" }, "2026-02-03");
          await author.git("mv", "src/gone.ts", "src/moved.ts");
          await author.git("commit", "--quiet", "--message=Move\n\nFor good.");
          await author.git("tag", "--annotate", "--message=Release", "v2.2");
        },
      },
    );
    const { commit: from } = await reader.resolveRef("v2.1");
    const commits = await reader.listCommits({ from, to: commit, limit: 10 });
    assert.deepEqual(
      commits.map(({ subject, body, tags }) => [subject, body, tags]),
      [
        ["Move", "For good.", ["v2.2"]],
        ["Change", "", []],
      ],
    );
    assert.deepEqual((await reader.listChanges({ from, to: commit })).files, [
      { kind: "modified", path: "src/a.ts" },
      { kind: "renamed", path: "src/moved.ts", from: "src/gone.ts" },
      { kind: "added", path: "src/new.ts" },
    ]);
    const patch = await reader.readPatch({ from, to: commit, path: "src/a.ts" }, 10_000);
    assert.match(patch.text, /^-one\n\+two$/m);
    assert.equal(patch.isWhole, true);
    const cut = await reader.readPatch({ from, to: commit }, 100);
    assert.equal(cut.isWhole, false);
    assert.ok(cut.text.length <= 100 && cut.text.endsWith("\n"));
    assert.deepEqual([...(await reader.listTags())].toSorted(), ["v2.1", "v2.2"]);
    await assert.rejects(
      reader.listChanges({ from, to: commit, path: "docs/x.md" }),
      fails("invalid_input", /is not in src/),
    );
  });

  it("compares no file of more than a megabyte line by line", async (t) => {
    const { reader, commit } = await openSource(
      t,
      { "big.ts": "x\n".repeat(1_000_000) },
      {
        evolve: (author) =>
          author.commit({ "big.ts": "y\n".repeat(1_000_000) }).then(() => undefined),
      },
    );
    const [, first] = await reader.listCommits({ to: commit, limit: 2 });
    const patch = await reader.readPatch({ from: first?.commit ?? "", to: commit }, 100_000);
    assert.match(patch.text, /Binary files a\/big\.ts and b\/big\.ts differ/);
  });

  it("runs nothing that the repository names for its files", async (t) => {
    const folder = await folderFor(t);
    const mark = join(folder, "mark");
    const attributes = "*.ts filter=trap diff=trap merge=trap eol=crlf export-subst ident\n";
    const { reader, commit, read } = await openSource(
      t,
      { ".gitattributes": attributes, "a.ts": "$Id$ $Format:%H$ one\n" },
      {
        async evolve(author) {
          await author.git("branch", "before");
          await author.commit({ "a.ts": "$Id$ $Format:%H$ two\n" });
          for (const setting of [
            "diff.trap.textconv",
            "diff.trap.command",
            "diff.external",
            "filter.trap.smudge",
            "filter.trap.process",
            "core.fsmonitor",
            "core.pager",
            "gpg.program",
            "uploadpack.packObjectsHook",
          ]) {
            await author.git("config", setting, `touch '${mark}'; exec`);
          }
        },
      },
    );
    const { commit: from } = await reader.resolveRef("before");
    assert.equal(await read("a.ts"), "$Id$ $Format:%H$ two\n");
    const { text } = await reader.readPatch({ from, to: commit }, 10_000);
    assert.match(text, /^-\$Id\$ \$Format:%H\$ one\n\+\$Id\$ \$Format:%H\$ two$/m);
    assert.equal((await reader.listCommits({ to: commit, limit: 10 })).length, 2);
    const seen: string[] = [];
    await reader.scan((await reader.listFiles(commit)).files, (_, found) => seen.push(found) > 0);
    assert.deepEqual(seen, [attributes, "$Id$ $Format:%H$ two\n"]);
    await assert.rejects(access(mark), { code: "ENOENT" });
  });

  it("is listed in part, and not compared, where few trees stand for a million files", async (t) => {
    const { reader, commit, read } = await openSource(
      t,
      { "a.ts": "a\n" },
      {
        async evolve(author) {
          await makeBomb(author, "files", "100644");
          await makeBomb(author, "links", "120000");
        },
      },
    );
    const { commit: bomb } = await reader.resolveRef("files");
    const listed = await reader.listFiles(bomb);
    assert.deepEqual([listed.files.length, listed.isWhole], [100_000, false]);
    const links = await reader.listFiles((await reader.resolveRef("links")).commit);
    assert.deepEqual([links.files.length, links.isWhole], [0, false]);
    const range = { from: commit, to: bomb };
    await assert.rejects(reader.listChanges(range), fails("too_large", /more than 500,000 files/));
    await assert.rejects(reader.readPatch(range, 1_000), fails("too_large", /name a folder/));
    const path = "d0/d1/d2/d3/d4/d5";
    assert.equal((await reader.listChanges({ ...range, path })).files.length, 1);
    assert.equal((await reader.listCommits({ to: bomb, limit: 10, path })).length, 1);
    await assert.rejects(read(`${"d0/".repeat(2_000)}f.ts`), fails("not_found", /no file/));
  });

  it("must have its directory", async (t) => {
    const { git, repository } = await openSource(t, { "src/a.ts": "a\n", link: { link: "src" } });
    for (const directory of ["lib", "link", "src/a.ts"]) {
      await assert.rejects(
        git.openSource({ repository, directory }, { ref: "main" }),
        fails("not_found", /There is no folder .* in the repository at main/),
      );
    }
  });
});
