import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { folderFor, git, openAuthor } from "../support/git-fixture.ts";
import type { Author } from "../support/git-fixture.ts";
import { programArgs } from "../support/program.ts";

const configured = {
  name: "Kiln",
  metadata: { timestamp: true },
  feedback: { suggestEdit: true, raiseIssue: true },
  navigation: { pages: ["index", "guides/ash"] },
};

function siteFiles(configuration: object): Record<string, string> {
  return {
    "docs/docs.json": JSON.stringify(configuration),
    "docs/index.mdx": "---\ntitle: Load the kiln\n---\n\nSlowly.",
    "docs/guides/ash.mdx": "---\ntitle: Ash & glaze\n---\n\nSift it.",
  };
}

async function setUp(t: TestContext, configuration: object) {
  const cwd = await folderFor(t);
  const author = await openAuthor(join(cwd, "repository"));
  await author.commit(siteFiles(configuration), "2026-01-02");
  await author.commit(
    { "docs/guides/ash.mdx": "---\ntitle: Ash & glaze\n---\n\nSieve it." },
    "2026-03-04",
  );
  return { cwd, author };
}

/** Runs an export, with git's own tale of what was run in `trace`. */
async function exportSite({ cwd, author }: { cwd: string; author: Author }, ...args: string[]) {
  const trace = join(cwd, "trace");
  await writeFile(trace, "");
  const bin = join(cwd, "git");
  const real = (await git(cwd, "--exec-path")).trim();
  await writeFile(bin, `#!/bin/sh\necho "$*" >> ${trace}\nexec ${real}/git "$@"\n`);
  await chmod(bin, 0o755);
  const docs = join(author.folder, "docs");
  const command = programArgs(["export", docs, "--out", "site", "--json", ...args]);
  const child = spawn(process.execPath, command, {
    cwd,
    env: { PATH: `${cwd}:${process.env["PATH"]}`, HOME: join(cwd, "home") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return {
    code: code as number,
    stderr,
    result: (stdout === "" ? {} : JSON.parse(stdout)) as { readonly rendered?: number },
    runs: (await readFile(trace, "utf8")).split("\n").filter(Boolean),
    async source(page: string) {
      const html = await readFile(join(cwd, "site", `${page}.html`), "utf8");
      const [line = ""] = /<div id="page-source">.*?<\/div>/.exec(html) ?? [];
      return {
        html,
        day: /<time datetime="([^"]+)"/.exec(line)?.[1],
        links: Array.from(line.matchAll(/<a href="([^"]+)"/g), ([, address = ""]) => address),
      };
    },
  };
}

describe("a site in a repository", () => {
  it("tells below each page when Git last saw it change, and leads to its source", async (t) => {
    const place = await setUp(t, configured);
    await place.author.git(
      "config",
      "remote.origin.url",
      "https://oskar:hunter2@github.com/acme/manual.git",
    );
    const exported = await exportSite(place, "--base-url", "https://docs.example.com");
    assert.equal(exported.code, 0, exported.stderr);
    const home = await exported.source("index");
    const ash = await exported.source("guides/ash");
    const repository = "https://github.com/acme/manual";
    assert.equal(home.day, "2026-01-02");
    assert.equal(ash.day, "2026-03-04");
    assert.deepEqual(ash.links, [
      `${repository}/edit/main/docs/guides/ash.mdx`,
      `${repository}/issues/new?title=Ash%20%26%20glaze`,
    ]);
    assert.match(ash.html, /"dateModified":"2026-03-04"/);
    const sitemap = await readFile(join(place.cwd, "site", "sitemap.xml"), "utf8");
    assert.match(sitemap, /guides\/ash\.html<\/loc><lastmod>2026-03-04<\/lastmod>/);
    for (const { html } of [home, ash]) assert.doesNotMatch(html, /hunter2|oskar/);
    assert.equal(exported.runs.filter((line) => / log /.test(line)).length, 1, "one pass for all");
  });

  it("renders again what has another date, and nothing else", async (t) => {
    const place = await setUp(t, { ...configured, feedback: {} });
    assert.equal((await exportSite(place)).result.rendered, 2);
    assert.equal((await exportSite(place)).result.rendered, 0);
    await place.author.commit({ "docs/index.mdx": "changed and changed back" }, "2026-05-06");
    await place.author.commit({ "docs/index.mdx": siteFiles({})["docs/index.mdx"] }, "2026-05-07");
    const exported = await exportSite(place);
    assert.equal(exported.result.rendered, 1);
    assert.equal((await exported.source("index")).day, "2026-05-07");
  });

  it("is not asked of Git for what no page shows", async (t) => {
    const { metadata: _, feedback: __, ...plain } = configured;
    const place = await setUp(t, plain);
    const exported = await exportSite(place);
    assert.deepEqual(exported.runs, []);
    assert.deepEqual((await exported.source("index")).links, []);
    const linked = await exportSite(place, "--edit-url", "https://wiki.example.com/{path}?edit");
    assert.deepEqual(linked.runs, []);
    const ash = await linked.source("guides/ash");
    assert.deepEqual(ash.links, ["https://wiki.example.com/guides/ash.mdx?edit"]);
  });

  it("asks only for pages that want a date and say none", async (t) => {
    const place = await setUp(t, { ...configured, metadata: {}, feedback: {} });
    const dated = "---\ntitle: Home\ntimestamp: true\nlastUpdatedDate: 2020-02-02\n---\n\nSlowly.";
    await place.author.commit({ "docs/index.mdx": dated }, "2026-05-06");
    const quiet = await exportSite(place);
    assert.deepEqual(quiet.runs, []);
    assert.equal((await quiet.source("index")).day, "2020-02-02");
    await place.author.commit(
      { "docs/index.mdx": dated.replace(/lastUpdated.*\n/, "") },
      "2026-06-07",
    );
    const asked = await exportSite(place);
    assert.equal((await asked.source("index")).day, "2026-06-07");
    assert.equal((await asked.source("guides/ash")).day, undefined);
  });

  it("says why pages have no date in a shallow clone, and no links without a known host", async (t) => {
    const place = await setUp(t, configured);
    const folder = join(place.cwd, "clone");
    const from = `file://${place.author.folder}`;
    await git(place.cwd, "clone", "--quiet", "--depth=1", from, folder);
    const exported = await exportSite({ ...place, author: { ...place.author, folder } });
    assert.equal(exported.code, 0);
    const ash = await exported.source("guides/ash");
    assert.equal(ash.day, undefined);
    assert.deepEqual(ash.links, []);
    assert.match(
      exported.stderr,
      /^Some pages have no date of last change because the repository is a shallow clone/m,
    );
    assert.match(exported.stderr, /^Pages have no links to their source because .* --edit-url\.$/m);
  });

  for (const address of [
    "wiki.example.com/{path}",
    "https://a.example/edit",
    "javascript:{path}",
    "https://u:p@a.example/{path}",
  ]) {
    it(`refuses --edit-url ${address}`, async (t) => {
      const exported = await exportSite(await setUp(t, configured), "--edit-url", address);
      assert.equal(exported.code, 2);
      assert.match(
        exported.stderr,
        /^octavo: --edit-url must be an http or https address with \{path\}/m,
      );
    });
  }
});
