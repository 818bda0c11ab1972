import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { folderFor } from "../../../../../test/support/git-fixture.ts";
import { writeFiles } from "../../../../../test/support/temporary-folder.ts";
import { canRunInTerminal, run, runInTerminal } from "../cli.test-support.ts";

describe("octavo new", () => {
  it("creates a site without a single problem, and says what to do next", async (t) => {
    const cwd = await folderFor(t);
    const { code, stdout, stderr } = await run(["new", "my-handbook & more"], { cwd });
    assert.deepEqual([code, stderr], [0, ""]);
    const site = join(cwd, "my-handbook & more");
    const first = `Created the site My handbook more with 4 pages in ${site}. Next:\n`;
    assert.ok(stdout.startsWith(first), stdout);
    const config = await readFile(join(site, "docs.json"), "utf8");
    assert.equal((JSON.parse(config) as { name: string }).name, "My handbook more");
    const checked = await run(["check", site, "--strict", "--json"], { cwd });
    assert.deepEqual(JSON.parse(checked.stdout), {
      pages: 4,
      errors: 0,
      warnings: 0,
      problems: [],
    });
    const out = ["--out", "site", "--base-url", "https://docs.example.com", "--strict", "--json"];
    const exported = await run(["export", site, ...out], { cwd });
    assert.deepEqual((JSON.parse(exported.stdout) as { problems: unknown }).problems, []);
    for (const file of ["logo/light.svg", "logo/dark.svg", "index.html", "guides/write.html"]) {
      const content = await readFile(join(cwd, "site", file), "utf8");
      assert.ok(content.includes("My handbook more"), file);
      assert.ok(!content.includes("{{"), file);
    }
    const [, , ...commands] = stdout.match(/^ {2}node .*$/gm) ?? [];
    const env = { PATH: process.env["PATH"], HOME: cwd };
    const pasted = spawn("sh", ["-c", commands.join("\n")], { cwd: "/", env });
    assert.match(await text(pasted.stdout), /^Exported 4 pages to .*my-handbook & more\.zip/);
  });

  for (const [template, pages] of [
    ["guide", 4],
    ["api", 9],
    ["handbook", 7],
  ] as const) {
    it(`creates the template ${template} by its options, without a single problem`, async (t) => {
      const cwd = await folderFor(t);
      const flags = ["--name", 'Acme "Cloud" <1>', "--template", template];
      const { code, stdout, stderr } = await run(["new", "docs", ...flags], { cwd });
      assert.deepEqual([code, stderr], [0, ""]);
      assert.match(stdout, /^Created the site Acme Cloud 1 with /);
      const checked = await run(["check", "docs", "--strict", "--json"], { cwd });
      const found = JSON.parse(checked.stdout) as { problems: unknown; pages: number };
      assert.deepEqual([found.problems, found.pages], [[], pages]);
      for (const file of await readdir(join(cwd, "docs"), { recursive: true })) {
        const content = await readFile(join(cwd, "docs", file), "utf8").catch(() => "");
        assert.doesNotMatch(content, /\{\{/, file);
      }
    });
  }

  it("refuses an unknown template and a name without a letter before it creates anything", async (t) => {
    const cwd = await folderFor(t);
    const refused: [flags: string[], words: RegExp][] = [
      [["--template", "blog"], /--template takes guide, api or handbook, not "blog"/],
      [["--name", "…"], /--name needs a letter or a digit; "…" has neither/],
    ];
    for (const [flags, words] of refused) {
      const { code, stderr } = await run(["new", "docs", ...flags], { cwd });
      assert.equal(code, 2);
      assert.match(stderr, words);
    }
    assert.deepEqual(await readdir(cwd), []);
  });

  it("asks in a terminal for what its arguments do not say, until the answer is possible", async (t) => {
    if (!canRunInTerminal) return t.skip("Only script of util-linux takes a command.");
    const cwd = await folderFor(t);
    await writeFiles(cwd, { "docs/mine.txt": "mine" });
    const { code, shown } = await runInTerminal(["new"], {
      cwd,
      answers: [
        ["Folder to create (docs): ", "\n"],
        ["Folder to create (docs): ", "site\n"],
        ["Name of the site (Site): ", "…\n"],
        ["Name of the site (Site): ", "Acme\n"],
        ["Template (1): ", "4\n"],
        ["Template (1): ", "handbook\n"],
      ],
    });
    assert.equal(code, 0, shown);
    assert.match(shown, /"docs" is not empty; name a new or empty folder/);
    assert.match(shown, /The name needs a letter or a digit; "…" has neither/);
    assert.match(shown, /2 {2}api {7}an API/);
    assert.match(shown, /The template takes guide, api or handbook, not "4"/);
    assert.match(shown, /Created the site Acme with 7 pages in .*site\./);
  });

  it("creates nothing if the questions are not answered", async (t) => {
    if (!canRunInTerminal) return t.skip("Only script of util-linux takes a command.");
    const cwd = await folderFor(t);
    const { code, shown } = await runInTerminal(["new"], {
      cwd,
      answers: [["Folder to create (docs): ", "\u0004"]],
    });
    assert.equal(code, 130, shown);
    assert.match(shown, /The questions were not answered, so nothing was created/);
    assert.deepEqual(await readdir(cwd), []);
  });

  it("names the usual command if nobody can be asked for the folder", async (t) => {
    const cwd = await folderFor(t);
    const { code, stderr } = await run(["new"], { cwd });
    assert.equal(code, 2);
    assert.match(stderr, /^octavo: Name the folder to create, e\.g\. "node \S+ new docs"\.\n$/);
  });

  it("accepts an empty folder or an empty repository, and nothing else", async (t) => {
    const cwd = await folderFor(t);
    await mkdir(join(cwd, "empty/.git"), { recursive: true });
    assert.equal((await run(["new", "."], { cwd: join(cwd, "empty") })).code, 0);
    await writeFiles(cwd, { "used/mine.txt": "mine", file: "mine" });
    const refused: [folder: string, words: RegExp][] = [
      ["used", /^octavo: "used" is not empty; name a new or empty folder for the site\.\n$/],
      ["empty", /"empty" is not empty/],
      ["file", /"file" is a file; name a folder/],
      ["file/site", /cannot be created: a part of the path is a file; choose another location/],
    ];
    if (process.platform === "linux") {
      refused.push(["/proc/octavo", /cannot be created: this file system does not accept new/]);
    }
    for (const [folder, words] of refused) {
      const { code, stderr } = await run(["new", folder], { cwd });
      assert.equal(code, 2);
      assert.match(stderr, words);
    }
    assert.deepEqual(await readdir(join(cwd, "used")), ["mine.txt"]);
  });
});
