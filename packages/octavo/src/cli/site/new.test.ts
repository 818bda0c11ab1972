import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { folderFor } from "../../../../../test/support/git-fixture.ts";
import { writeFiles } from "../../../../../test/support/temporary-folder.ts";
import { run } from "../cli.test-support.ts";

describe("octavo new", () => {
  it("creates a site without a single problem, and says what to do next", async (t) => {
    const cwd = await folderFor(t);
    const { code, stdout, stderr } = await run(["new", "my-handbook & more"], { cwd });
    assert.deepEqual([code, stderr], [0, ""]);
    const site = join(cwd, "my-handbook & more");
    assert.ok(stdout.startsWith(`Created a site of 4 pages in ${site}. Next:\n`), stdout);
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
