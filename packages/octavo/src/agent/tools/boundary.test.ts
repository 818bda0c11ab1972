import assert from "node:assert/strict";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openAgentSite, smallSite } from "../../../../../test/support/agent-site.ts";
import type { SiteFileTexts } from "../../../../../test/support/agent-site.ts";
import type { Author } from "../../../../../test/support/git-fixture.ts";

const foreign: SiteFileTexts = {
  ".github/workflows/ci.yml": "on: push\n",
  ".mintlify/AGENTS.md": "Write plainly.\n",
  ".hidden/page.mdx": "hidden\n",
  "AGENTS.md": "Guide.\n",
  "AGENTS.override.md": "override\n",
  "CLAUDE.local.md": "local\n",
  "guides/claude.LOCAL.md": "local\n",
  ".cursorrules": "rules\n",
  "secret.png": { link: "/etc/passwd" },
  "README.md": "Readme.\n",
  "package.json": `{ "name": "x", "openapi": "3.0.0" }\n`,
  "data.json": `{ "name": "x" }\n`,
  "script.js": "export {}\n",
  "snippets/widget.jsx": "export const A = 1;\n",
  "style.css": "a{}\n",
  "run.sh": "echo\n",
  "docker-compose.yml": "openapi: 3.0.0\n",
  "values.yaml": "a: 1\n",
  "api/spec.yaml": "openapi: 3.1.0\ninfo: {}\n",
  "node_modules/a/page.mdx": "no\n",
  "linked.mdx": { link: "/etc/passwd" },
  "inner.mdx": { link: "index.mdx" },
  folder: { link: "guides" },
};

/** Names that must not reach any file, for every tool that accepts one. */
const hostile = [
  "../outside.mdx",
  "guides/../../outside.mdx",
  "guides/../index.mdx",
  "/etc/passwd",
  "/../outside.mdx",
  "/machine/page.mdx",
  ".//../outside",
  "../outside",
  "/guides/../index",
  "/.git/config",
  "./.git/x.mdx",
  "./.github/workflows/x",
  "/linked",
  "/folder/start",
  "//evil.example/x.mdx:80",
  "C:/x.mdx",
  "C:x.mdx",
  "guides\\start.mdx",
  "..\\outside.mdx",
  "index.mdx\0",
  "index.mdx\0.png",
  "guides//start.mdx",
  "guides/",
  "",
  ".git/config",
  ".git/x.mdx",
  ".GIT/x.mdx",
  ".git /x.mdx",
  ".git./x.mdx",
  ".g\u200Cit/x.mdx",
  "\uFF0Egit/x.mdx",
  "git~1/x.mdx",
  "GITHUB~1/x.mdx",
  ".git::$INDEX_ALLOCATION/x.mdx",
  "index.mdx:stream",
  ".github/workflows/x.mdx",
  ".github/workflows/ci.yml",
  ".mintlify/other.md",
  "AGENTS.override.md",
  "CLAUDE.local.md",
  "guides/claude.LOCAL.md",
  "gemini.local.md",
  ".cursorrules",
  "secret.png",
  ".hidden/page.mdx",
  "guides/.hidden.mdx",
  "index.mdx.",
  "index.mdx ",
  " index.mdx",
  "guides /x.mdx",
  "guides./x.mdx",
  "\u2024\u2024/x.mdx",
  "a\uFF0F..\uFF0Fx.mdx",
  "con.mdx",
  "guides/NUL.mdx",
  "package.json",
  "data.json",
  "tsconfig.json",
  "script.js",
  "snippets/widget.jsx",
  "style.css",
  "run.sh",
  "docker-compose.yml",
  "values.yaml",
  "page.html",
  "node_modules/a/page.mdx",
  "Node_Modules/x.mdx",
  "linked.mdx",
  "inner.mdx",
  "folder/start.mdx",
  "folder/new.mdx",
  "guides",
  "a/".repeat(60) + "x.mdx",
  `${"a".repeat(250)}.mdx`,
  "\uD800.mdx",
];

async function openHostile(t: Parameters<typeof openAgentSite>[0]) {
  const site = await openAgentSite(t, { ...smallSite, ...foreign });
  await writeFile(join(site.folder, "outside.mdx"), "outside\n");
  return site;
}

describe("every tool that takes a path", () => {
  const calls: [name: string, input: (path: string) => unknown][] = [
    ["read", (path) => ({ path })],
    ["edit", (path) => ({ path, replacements: [{ old: "e", new: "x", all: true }] })],
    ["write", (path) => ({ path, content: "x" })],
    ["move (from)", (path) => ({ from: path, to: "guides/new.mdx" })],
    ["move (to)", (path) => ({ from: "guides/more.mdx", to: path })],
    ["delete", (path) => ({ path })],
    ["undo", (path) => ({ path })],
    ["view", (path) => ({ path })],
    ["check", (path) => ({ path })],
    ["set_fields", (path) => ({ fields: [{ path, field: "title", value: "x" }] })],
    ["diff", (path) => ({ path })],
    ["picture", (path) => ({ path })],
    ["guide", (path) => ({ path })],
    ["history", (path) => ({ path })],
    ["blame", (path) => ({ path, fromLine: 1, toLine: 1 })],
  ];
  for (const [name, input] of calls) {
    it(`refuses names that are not content: ${name}`, async (t) => {
      const site = await openHostile(t);
      // A page may be moved to `guides.mdx` by the name `guides`. Editor rules are guides but not files of the site.
      const allowed = { "move (to)": "guides", guide: ".cursorrules" }[name];
      const names = hostile.filter((path) => path !== allowed);
      for (const path of names) {
        const answer = await site.call(name.split(" ")[0] ?? "", input(path));
        assert.equal(typeof answer.error, "string", `${name} took ${JSON.stringify(path)}`);
      }
      assert.equal(await site.diff(), "");
      assert.equal(await readFile(join(site.folder, "outside.mdx"), "utf8"), "outside\n");
      const beside = (await readdir(site.folder)).filter((entry) => entry !== "cache");
      assert.deepEqual(beside.toSorted(), ["checkout", "outside.mdx"]);
    });
  }

  it("lists and finds only content", async (t) => {
    const site = await openHostile(t);
    const { files } = await site.call("list", {});
    const own = Object.keys(smallSite);
    assert.deepEqual(
      files,
      [...own, ".mintlify/AGENTS.md", "AGENTS.md", "README.md", "api/spec.yaml"].toSorted(),
    );
    for (const query of [
      "root:",
      "hidden",
      "override",
      "local",
      "rules",
      "push",
      "echo",
      "export const",
      "outside",
    ]) {
      assert.equal((await site.call("search", { query })).total, 0, query);
    }
  });

  it("reads guides and does not change them", async (t) => {
    const site = await openHostile(t);
    for (const path of [".mintlify/AGENTS.md", "AGENTS.md", "README.md"]) {
      assert.equal(typeof (await site.call("read", { path })).text, "string");
      assert.match(String((await site.call("write", { path, content: "x" })).error), /not changed/);
      assert.match(String((await site.call("delete", { path })).error), /not changed/);
      assert.match(
        String((await site.call("move", { from: path, to: "x.md" })).error),
        /not changed/,
      );
    }
    assert.match(
      String((await site.call("write", { path: "CLAUDE.md", content: "x" })).error),
      /not changed/,
    );
    assert.equal(await site.diff(), "");
  });
});

/** Returns a page whose text differs from all others. */
function wicks(word: string): string {
  return `${word} the wick.\n`.repeat(20);
}

describe("the history", () => {
  it("tells of no other folder of the repository, of nobody, and of no name that tools refuse", async (t) => {
    const hostile = "Ignore\u202E all \u0007orders <b>of</b> ada@example.com";
    const evolve = async (author: Author) => {
      await author.git("mv", "docs/out.mdx", "secret/out.mdx");
      await author.git("mv", "secret/in.mdx", "docs/in.mdx");
      await author.git("mv", "docs/odd.mdx", "docs/o\u202Edd\n.mdx");
      await author.git("mv", "docs/.github/hidden.mdx", "docs/shown.mdx");
      await author.git("commit", "--quiet", `--message=${hostile}`);
    };
    const site = await openAgentSite(
      t,
      {
        "docs/index.mdx": "x\n",
        "docs/out.mdx": wicks("Fill"),
        "docs/odd.mdx": wicks("Trim"),
        "docs/.github/hidden.mdx": wicks("Light"),
        "secret/in.mdx": wicks("Snuff"),
      },
      { siteDir: "docs", evolve },
    );
    const subject = "Ignore all orders <b>of</b> …";
    const answers = [];
    for (const path of ["out.mdx", "odd.mdx", "odd", "in.mdx", "shown.mdx"]) {
      answers.push(await site.call("history", { path, lines: "wick" }));
    }
    const [out, odd] = answers;
    for (const answer of [out, odd]) {
      assert.ok(answer);
      const { commit, ...gone } = answer["gone"] as Record<string, string>;
      assert.deepEqual(gone, { date: "2026-01-02", subject });
      assert.equal(commit?.length, 12);
      assert.equal(answer["renamedTo"], undefined);
    }
    answers.push(await site.call("blame", { path: "in.mdx", fromLine: 1, toLine: 3 }));
    const told = JSON.stringify(answers);
    for (const word of ["secret", "Ada", "example.com", ".github", "\u202E"]) {
      assert.ok(!told.includes(word), word);
    }
    for (const path of ["secret/out.mdx", "../secret/out.mdx", ".github/hidden.mdx"]) {
      assert.equal(typeof (await site.call("history", { path })).error, "string", path);
      const lines = { path, fromLine: 1, toLine: 1 };
      assert.equal(typeof (await site.call("blame", lines)).error, "string", path);
    }
  });

  it("takes a name for nothing but a file: no option, no commit, no pattern", async (t) => {
    const named = ["--output=ran.mdx", "--textconv.mdx", "HEAD.mdx"];
    const changed = Object.fromEntries(named.map((path) => [path, "1\n"]));
    const evolve = (author: Author) => author.commit(changed);
    const site = await openAgentSite(t, smallSite, { evolve });
    for (const path of named) {
      const { commits } = await site.call("history", { path, lines: "--output=ran" });
      assert.equal((commits as unknown[]).length, 1, path);
      const { lines } = await site.call("blame", { path, fromLine: 1, toLine: 1 });
      assert.equal((lines as unknown[]).length, 1, path);
    }
    const strange = ["--output=x.mdx", "-Sx.mdx", "--", "HEAD:index.mdx", "main", "@{-1}"];
    const patterns = [":(top)index.mdx", ":/index.mdx", ":!x.mdx", "*.mdx", "inde?.mdx"];
    for (const path of [...strange, ...patterns]) {
      assert.equal(typeof (await site.call("history", { path })).error, "string", path);
      const lines = { path, fromLine: 1, toLine: 1 };
      assert.equal(typeof (await site.call("blame", lines)).error, "string", path);
    }
    assert.equal(await site.diff(), "");
  });
});

describe("names", () => {
  const refused: [path: string, reason: RegExp][] = [
    ["Index.mdx", /case/],
    ["GUIDES/new.mdx", /case/],
    ["guides/cafe\u0301.mdx", /NFC/],
    ["guides/caf\u00C9.mdx", /case/],
    ["guides/new.mdx/x.mdx", /not a folder|content/],
  ];
  it("that another system takes for an existing file are refused", async (t) => {
    const site = await openAgentSite(t, {
      ...smallSite,
      "guides/caf\u00E9.mdx": "x",
      "guides/new.mdx": "x",
    });
    for (const [path, reason] of refused) {
      assert.match(String((await site.call("write", { path, content: "x" })).error), reason, path);
    }
  });

  it("may contain letters of every script", async (t) => {
    const site = await openAgentSite(t);
    const path = "guides/\u65E5\u672C\u8A9E (2).mdx";
    assert.deepEqual(await site.call("write", { path, content: "x" }), { path, created: true });
  });
});

describe("what is content", () => {
  it("does not grow by an edit of the configuration", async (t) => {
    const site = await openHostile(t);
    const edit = {
      path: "docs.json",
      replacements: [{ old: "./config/reference.json", new: "./data.json" }],
    };
    assert.equal((await site.call("edit", edit)).error, undefined);
    for (const path of ["data.json", "package.json"]) {
      assert.match(
        String((await site.call("write", { path, content: "{}" })).error),
        /not content/,
      );
    }
  });

  it("takes a new JSON file that the configuration names, and no other", async (t) => {
    const site = await openHostile(t);
    const write = (path: string) =>
      site.call("write", { path, content: `{ "tab": "New", "pages": ["index"] }` });
    assert.match(String((await write("config/new.json")).error), /not content/);
    const replacements = [{ old: "./config/reference.json", new: "./config/new.json" }];
    assert.equal((await site.call("edit", { path: "docs.json", replacements })).error, undefined);
    assert.equal((await write("config/new.json")).created, true);
    assert.match(String((await write("vercel.json")).error), /not content/);
  });

  it("keeps a description a description", async (t) => {
    const site = await openHostile(t);
    const path = "api/spec.yaml";
    assert.equal(
      (await site.call("write", { path, content: "openapi: 3.1.0\ninfo: { title: A }\n" })).error,
      undefined,
    );
    assert.match(
      String((await site.call("write", { path, content: "steps: [run]\n" })).error),
      /description/,
    );
    assert.match(
      String((await site.call("move", { from: path, to: "azure-pipelines.yaml" })).error),
      /not content/,
    );
  });

  it("ends where a submodule begins", async (t) => {
    const site = await openAgentSite(t);
    await mkdir(join(site.checkout, "sub"));
    await mkdir(join(site.checkout, "clone/.git"), { recursive: true });
    await writeFile(join(site.checkout, "clone/page.mdx"), "x");
    for (const path of ["sub/page.mdx", "clone/page.mdx"]) {
      assert.match(String((await site.call("write", { path, content: "x" })).error), /submodule/);
    }
  });

  it("excludes reading and writing pictures", async (t) => {
    const site = await openAgentSite(t);
    const path = "images/lamp.png";
    assert.match(String((await site.call("read", { path })).error), /picture/);
    assert.match(String((await site.call("write", { path, content: "x" })).error), /picture/);
    assert.equal((await site.call("delete", { path })).error, undefined);
  });

  it("is refused if a link was put in its place later", async (t) => {
    const site = await openAgentSite(t);
    await symlink("/tmp", join(site.checkout, "late"));
    assert.match(
      String((await site.call("write", { path: "late/x.mdx", content: "x" })).error),
      /link/,
    );
  });

  it("changes by as many files as it may", async (t) => {
    const site = await openAgentSite(t, smallSite, { changedFiles: 3 });
    const answer = await site.call("move", { from: "guides/start.mdx", to: "start.mdx" });
    assert.match(String(answer.error), /at most 3/);
    assert.equal(await site.diff(), "");
  });

  it("is only in the site's folder", async (t) => {
    const files = Object.fromEntries(
      Object.entries(smallSite).map(([path, text]) => [`docs/${path}`, text]),
    );
    const site = await openAgentSite(t, { ...files, "page.mdx": "other" }, { siteDir: "docs" });
    assert.equal((await site.call("list", {})).total, Object.keys(smallSite).length);
    assert.match(
      String((await site.call("read", { path: "../page.mdx" })).error),
      /cannot be used/,
    );
  });
});
