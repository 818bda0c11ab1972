import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { git, openAuthor } from "../../../../../test/support/git-fixture.ts";
import { writeFiles } from "../../../../../test/support/temporary-folder.ts";
import { run, setUp } from "../cli.test-support.ts";

const pages = (text: string) => ({
  "docs.json": JSON.stringify({ name: "Lamps", navigation: { pages: ["index", "oil", "wicks"] } }),
  "index.mdx": "---\ntitle: Home\n---\n\nText.\n",
  "oil.mdx": text,
  "wicks.mdx": text,
});

it("check puts errors first, and what is equal in one place", async (t) => {
  const { octavo } = await setUp(t, pages("A [link](#gone).\n\n![x](/x.png)\n\n[y](/y)\n"));
  const { stdout } = await octavo("check", "docs");
  const lines = stdout.trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => line.replace(/ {2}.*\[(.*)\]$/, " $1")),
    [
      "oil.mdx:3:1 media_missing",
      "    ![x](/x.png)",
      "    ^",
      "    and in 1 more location: wicks.mdx:3:1",
      "oil.mdx:5:1 link_broken",
      "    [y](/y)",
      "    ^",
      "    and in 1 more location: wicks.mdx:5:1",
      "oil.mdx:1:3 anchor_broken",
      "    A [link](#gone).",
      "      ^",
      "    and in 1 more location: wicks.mdx:1:3",
    ],
  );
});

it("check --accessibility lists pictures without a text, and headings that skip a level", async (t) => {
  const pictures =
    '![](/x.svg)\n\n![A dot](/x.svg)\n\n<img src="/x.svg" alt="" />\n\n<Frame><img src="/x.svg" /></Frame>\n';
  const headings = "## Two\n\n### Three\n\n## Two again\n\n#### Four\n";
  const { octavo } = await setUp(t, {
    ...pages("Text.\n"),
    "oil.mdx": `${pictures}\n${headings}`,
    "x.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
  });
  const plain = await octavo("check", "docs", "--strict");
  assert.deepEqual([plain.code, plain.stdout], [0, ""]);
  const { code, stdout } = await octavo("check", "docs", "--accessibility", "--json");
  const { problems } = JSON.parse(stdout) as { problems: { line: number; code: string }[] };
  assert.equal(code, 0);
  assert.deepEqual(
    problems.map((problem) => `${problem.line} ${problem.code}`),
    ["1 picture_without_text", "7 picture_without_text", "15 heading_level_skipped"],
  );
});

async function repository(t: TestContext) {
  const { cwd } = await setUp(t, {});
  const author = await openAuthor(join(cwd, "repo"));
  await author.commit({ "docs/docs.json": pages("")["docs.json"], "docs/index.mdx": "Text.\n" });
  await author.commit({ "docs/oil.mdx": "[y](/y)\n", "docs/wicks.mdx": "Text.\n" });
  await git(author.folder, "checkout", "--quiet", "-b", "change");
  return { author, check: (...args: string[]) => run(["check", "repo/docs", ...args], { cwd }) };
}

describe("check --since", () => {
  it("lists problems of files that the branch changed, committed or not", async (t) => {
    const { author, check } = await repository(t);
    const none = await check("--since", "main");
    assert.deepEqual([none.code, none.stdout], [0, ""]);
    assert.match(none.stderr, /no problems\. Not listed: 1 problem in unchanged files\./);
    await author.commit({ "docs/wicks.mdx": "[z](/z)\n" });
    assert.match(
      (await check("--since", "main")).stdout,
      /^wicks\.mdx:1:1 .*\n {4}\[z\].*\n {4}\^\n$/,
    );
    await writeFiles(author.folder, { "docs/index.mdx": "[x](/x)\n" });
    const { code, stdout } = await check("--since", "main");
    assert.equal(code, 1);
    assert.match(
      stdout,
      /^index\.mdx:1:1 .*\n {4}\[x\].*\n {4}\^\nwicks\.mdx:1:1 .*\n {4}\[z\].*\n {4}\^\n$/,
    );
    // Changes that reached the other branch meanwhile do not belong to this one.
    await git(author.folder, "stash", "--quiet", "--include-untracked");
    await git(author.folder, "checkout", "--quiet", "main");
    await author.commit({ "docs/oil.mdx": "Text.\n" });
    await git(author.folder, "checkout", "--quiet", "change");
    assert.match(
      (await check("--since", "main")).stdout,
      /^wicks\.mdx:1:1 .*\n {4}\[z\].*\n {4}\^\n$/,
    );
  });

  it("says what it cannot compare with", async (t) => {
    const { check } = await repository(t);
    const unknown = await check("--since", "nowhere");
    assert.deepEqual([unknown.code, unknown.stdout], [2, ""]);
    assert.match(unknown.stderr, /The repository has no branch, tag or commit "nowhere"\./);
    assert.equal((await check("--since", "--all")).code, 2);
    const { octavo } = await setUp(t);
    assert.match(
      (await octavo("check", "docs", "--since", "main")).stderr,
      /requires a Git repository/,
    );
  });
});

it("check --external lists what other hosts do not have", async (t) => {
  const asked: string[] = [];
  const server = createServer(({ method, url = "" }, response) => {
    asked.push(`${method} ${url}`);
    if (url === "/gone") response.statusCode = 404;
    if (url === "/private") response.statusCode = 403;
    if (url === "/broken") response.statusCode = 500;
    if (url === "/no-head" && method === "HEAD") response.statusCode = 404;
    if (url === "/moved") response.writeHead(301, { location: "/there" });
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const host = `127.0.0.1:${port}`;
  const paths = ["gone", "private", "broken", "no-head", "moved", "there#part", "there"];
  const links = paths.map((path) => `[x](http://${host}/${path})\n\n`).join("");
  const others = "[e](https://example.com/x) [l](http://localhost:1/) [s](//127.0.0.1/)\n";
  const { cwd } = await setUp(t, pages(links + others));
  const options = { cwd, env: { OCTAVO_ALLOW: host } };
  const check = async () => await run(["check", "docs", "--external", "--json"], options);

  const { code, stdout } = await check();
  const { problems } = JSON.parse(stdout) as {
    problems: { severity: string; code: string; message: string; file: string; line: number }[];
  };
  assert.equal(code, 1);
  const ofOne = problems.filter(({ file }) => file === "oil.mdx");
  assert.equal(problems.length, 2 * ofOne.length);
  assert.deepEqual(
    ofOne.map((problem) => [problem.line, problem.severity, problem.message]),
    [
      [1, "error", `The address "http://${host}/gone" does not work: ${host} responded with 404.`],
      [
        5,
        "warning",
        `The address "http://${host}/broken" does not work: ${host} responded with 500.`,
      ],
    ],
  );
  const first = asked.splice(0);
  assert.equal(first.filter((request) => request === "HEAD /there").length, 2);
  assert.ok(first.includes("GET /no-head"));
  // Known targets are cached for a day.
  await check();
  assert.deepEqual(asked.toSorted(), ["GET /broken", "GET /gone", "HEAD /broken", "HEAD /gone"]);
});
