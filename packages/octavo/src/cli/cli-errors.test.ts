import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { OctavoError } from "@octavo/site/core";
import { folderFor } from "../../../../test/support/git-fixture.ts";
import { writeFiles } from "../../../../test/support/temporary-folder.ts";
import { brokenSite, goodSite, run, runAlone, setUp } from "./cli.test-support.ts";
import { describeCommandFailure } from "./program.ts";

describe("with --json an error is an object on standard output, and a message on standard error", () => {
  const cases: [args: string, exitCode: number, code: string, words: RegExp][] = [
    ["export nowhere --out site --json", 2, "invalid_input", /"nowhere" does not exist/],
    ["check docs --json --fromat text", 2, "invalid_input", /unknown option '--fromat'/],
    ["check --json", 2, "invalid_input", /"\." has no docs\.json, but "docs" has one/],
    ["check empty --json", 1, "site_invalid", /folder has no pages/],
    ["projects show prj_x --data data --json", 2, "invalid_input", /no Octavo data in/],
  ];
  for (const [args, exitCode, code, words] of cases) {
    it(`octavo ${args}`, async (t) => {
      const { cwd, octavo } = await setUp(t);
      await mkdir(join(cwd, "empty"));
      const ended = await octavo(...args.split(" "));
      const answer = JSON.parse(ended.stdout) as { error: string; code: string };
      assert.deepEqual(Object.keys(answer), ["error", "code"]);
      assert.deepEqual([ended.code, answer.code], [exitCode, code]);
      assert.match(answer.error, words);
      assert.equal(ended.stderr, `octavo: ${answer.error}\n`);
    });
  }

  it("not for a word that is not an option", async (t) => {
    const { octavo } = await setUp(t);
    assert.equal((await octavo("check", "nowhere", "--", "--json")).stdout, "");
  });
});

it("what could not be closed after a failure does not hide the failure", () => {
  const failure = new OctavoError("unavailable", "The database does not answer; try again.");
  const ends = [new Error("x"), new Error("y")];
  const error = ends.reduce<Error>(
    (suppressed, end) => new SuppressedError(end, suppressed),
    failure,
  );
  assert.equal(describeCommandFailure(error).message, failure.message);
});

describe("an error of the system", () => {
  it("names the file if it is known", () => {
    const full = Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
    assert.deepEqual(describeCommandFailure(Object.assign(full, { path: "/site/index.html" })), {
      message: "The system refuses access to /site/index.html: no space left on the device.",
      code: "unavailable",
      exitCode: 1,
    });
    assert.equal(describeCommandFailure(new TypeError("x")).code, "internal");
  });
});

/** Removes the progress that commands show after ten seconds. */
function withoutProgress<T extends { readonly stderr: string }>(ended: T): T {
  return { ...ended, stderr: ended.stderr.replaceAll(/^Rendering: .*\n/gm, "") };
}

describe("the program says, and exits with, what its command gives", () => {
  const cases: [args: string, exitCode: number][] = [
    ["check docs --strict", 0],
    ["check broken --json", 1],
    ["chekc docs", 2],
    ["export docs --json", 2],
  ];
  for (const [args, exitCode] of cases) {
    it(`octavo ${args}`, async (t) => {
      const { cwd, octavo } = await setUp(t);
      await writeFiles(join(cwd, "broken"), brokenSite);
      const alone = await runAlone(args.split(" "), { cwd });
      const inTests = await octavo(...args.split(" "));
      assert.deepEqual(withoutProgress(alone), withoutProgress(inTests));
      assert.equal(alone.code, exitCode);
    });
  }
});

async function nestedIn(t: TestContext, folder: string) {
  const cwd = await folderFor(t);
  await writeFiles(cwd, { "project/README.md": "# Project" });
  await writeFiles(join(cwd, "project", folder), goodSite);
  return { cwd, octavo: (...args: string[]) => run(args, { cwd }) };
}

describe("a folder without configuration, with one in a subfolder", () => {
  for (const folder of ["docs", "packages/the docs"]) {
    it(`stops at ${folder} with a command that works`, async (t) => {
      const { cwd, octavo } = await nestedIn(t, folder);
      const { code, stderr } = await octavo("check", "project", "--strict");
      assert.equal(code, 2);
      assert.ok(stderr.includes(`but "project/${folder}" has one. Run \``), stderr);
      const command = /Run `(.*?)`/.exec(stderr)?.[1] ?? "";
      const site = join(cwd, "project", folder);
      const word = folder.includes(" ") ? `'${site}'` : site;
      assert.ok(command.endsWith(`octavo.js check ${word} --strict`), command);
    });
  }

  for (const folder of ["node_modules/docs", ".hidden", "a/b/c"]) {
    it(`does not look into ${folder}`, async (t) => {
      const { octavo } = await nestedIn(t, folder);
      assert.match((await octavo("check", "project")).stderr, /Checked \d pages?: /);
    });
  }

  it("continues with --as-folder, or if the docs.json belongs to another program", async (t) => {
    const { cwd, octavo } = await nestedIn(t, "docs");
    const { stdout } = await octavo("check", "project", "--as-folder", "--json");
    assert.equal((JSON.parse(stdout) as { pages: number }).pages, 3);
    await writeFiles(join(cwd, "project/docs"), { "docs.json": '{"components": []}' });
    assert.match((await octavo("check", "project")).stderr, /Checked 3 pages: /);
  });

  it("names all of a few", async (t) => {
    const { cwd, octavo } = await nestedIn(t, "docs");
    await writeFiles(join(cwd, "project/other"), goodSite);
    const { stderr } = await octavo("export", "project", "--out", "site");
    assert.match(
      stderr,
      /but "project\/docs", "project\/other" have\. Run `[^`]*project\/docs --out/,
    );
  });
});
