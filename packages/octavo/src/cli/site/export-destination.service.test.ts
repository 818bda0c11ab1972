import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, chown, mkdir, open, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { isReachableByAll, unprivilegedUser } from "../../../../../test/support/unprivileged.ts";
import { writeFiles } from "../../../../../test/support/temporary-folder.ts";
import { program, programArgs } from "../../../../../test/support/program.ts";
import { goodSite, runAlone, setUp } from "../cli.test-support.ts";

const long = "a".repeat(300);
const refused: [out: string, words: RegExp][] = [
  ["", /--out is empty; pass a path/],
  ["a\0b", /--out contains a NUL character; pass a path/],
  ["a\0b.zip", /--out contains a NUL character; pass a path/],
  ["file", /file is a file; name a folder, or a file with the extension \.zip/],
  [
    "file/site",
    /file\/site cannot be created: a part of the path is a file; choose another location/,
  ],
  ["file/deep/site", /cannot be created: a part of the path is a file/],
  ["file/site.zip", /file is a file, not a folder; choose another location/],
  ["nowhere", /cannot be created: a symbolic link in the path is broken/],
  ["nowhere/site.tgz", /cannot be created: a symbolic link in the path is broken/],
  ["self/site", /cannot be created: symbolic links in the path form a loop/],
  [long, /a cannot be written: the name is too long for the file system/],
  [`${long}.zip`, /a\.zip cannot be written: the name is too long for the file system/],
  ["docs", /would replace the site itself/],
  ["docs/guides/..", /would replace the site itself/],
  [".", /would replace the site itself/],
  ["..", /would replace the site itself/],
  ["/", /would replace the site itself/],
];
if (process.platform === "linux") {
  const noFiles =
    "this file system does not accept new files; choose another location for the bundle";
  refused.push(["/proc/octavo", new RegExp(`/proc/octavo cannot be created: ${noFiles}`)]);
  refused.push(["/proc/octavo/deep/er", new RegExp(`cannot be created: ${noFiles}`)]);
  refused.push(["/proc/octavo/site.zip", new RegExp(`/proc/octavo cannot be created: ${noFiles}`)]);
  refused.push(["/proc/self/site.zip", new RegExp(`/proc/self cannot be written: ${noFiles}`)]);
}

describe("an export to a place that cannot be written", () => {
  for (const [out, words] of refused) {
    it(`ends at once: ${JSON.stringify(out).slice(0, 40)}`, async (t) => {
      const { cwd, octavo } = await setUp(t);
      await writeFiles(cwd, { file: "mine" });
      await symlink("nothing", join(cwd, "nowhere"));
      await symlink("self", join(cwd, "self"));
      const before = await readdir(cwd, { recursive: true });
      const { code, stdout, stderr } = await octavo("export", "docs", "--out", out, "--no-cache");
      assert.deepEqual({ code, stdout }, { code: 2, stdout: "" });
      assert.match(stderr, words);
      assert.match(stderr, /^octavo: [^\n]*\.\n$/, "one line, no progress, no stack");
      assert.deepEqual(await readdir(cwd, { recursive: true }), before);
    });
  }
});

const isReachable = await isReachableByAll(program);

async function setUpLocked(t: TestContext) {
  const { cwd } = await setUp(t);
  await mkdir(join(cwd, "locked"));
  await chmod(join(cwd, "locked"), 0o500);
  const { uid, gid } = unprivilegedUser;
  if (uid !== undefined && gid !== undefined) {
    for (const folder of [cwd, join(cwd, "locked")]) await chown(folder, uid, gid);
  }
  const octavo = (...args: string[]) => runAlone(args, { cwd, isUnprivileged: true });
  return { cwd, octavo };
}

describe("an export by an unprivileged user", { skip: !isReachable }, () => {
  const locked: [out: string, words: RegExp][] = [
    [
      "locked",
      /locked cannot be written: permission denied; choose another location for the bundle/,
    ],
    ["locked/deep/site", /site cannot be created: permission denied; choose another location/],
    ["locked/site.zip", /locked cannot be written: permission denied; choose another location/],
    ["locked/deep/site.zip", /deep cannot be created: permission denied; choose another location/],
  ];
  for (const [out, words] of locked) {
    it(`ends at once: ${out}`, async (t) => {
      const { octavo } = await setUpLocked(t);
      const { code, stdout, stderr } = await octavo("export", "docs", "--out", out, "--no-cache");
      assert.deepEqual({ code, stdout }, { code: 2, stdout: "" });
      assert.match(stderr, words);
      assert.match(stderr, /^octavo: [^\n]*\.\n$/);
    });
  }

  it("reports files and folders of the site that cannot be read, and reads the others", async (t) => {
    const { cwd, octavo } = await setUpLocked(t);
    await writeFiles(join(cwd, "docs"), { "shut.mdx": "a", "shut/a.mdx": "a", "shut.png": "a" });
    for (const path of ["shut.mdx", "shut", "shut.png"]) await chmod(join(cwd, "docs", path), 0);
    const { stdout } = await octavo("check", "docs", "--no-cache", "--json");
    await chmod(join(cwd, "docs/shut"), 0o700);
    const { problems } = JSON.parse(stdout) as { problems: Record<string, string>[] };
    assert.deepEqual(
      problems.map(({ file, code, message }) => `${file} ${code} ${message}`),
      [
        "shut folder_unreadable This folder cannot be read: permission denied; its files are missing.",
        "shut.mdx page_unreadable This file cannot be read: permission denied.",
        "shut.png asset_unreadable This file cannot be read: permission denied.",
      ],
    );
  });

  it("reports a refusal during the export as a message, not a fault of Octavo", async (t) => {
    const { cwd, octavo } = await setUpLocked(t);
    assert.equal((await octavo("export", "docs", "--out", "site")).code, 0);
    await chmod(join(cwd, "site", "guides"), 0o500);
    await writeFiles(join(cwd, "docs"), { "guides/start.mdx": "Changed." });
    const { code, stdout, stderr } = await octavo("export", "docs", "--out", "site", "--json");
    assert.equal(code, 1);
    assert.match(stderr, /^octavo: The system refuses access to \S+: permission denied\.\n$/m);
    assert.equal((JSON.parse(stdout) as { code: string }).code, "unavailable");
  });
});

describe("a cache that cannot be written", () => {
  it("does not fail the export", { skip: process.platform !== "linux" }, async (t) => {
    const { cwd, octavo } = await setUp(t, goodSite);
    const args = ["export", "docs", "--out", "site", "--cache", "/proc/octavo"];
    const { code, stderr } = await octavo(...args);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^octavo: The cache folder \/proc\/octavo cannot be used: /m);
    assert.ok((await readdir(join(cwd, "site"))).includes("index.html"));
  });

  it("must be a folder", async (t) => {
    const { cwd, octavo } = await setUp(t, goodSite);
    await writeFile(join(cwd, "file"), "");
    for (const cache of ["file", "file/below"]) {
      const { code, stderr } = await octavo("check", "docs", "--cache", cache);
      assert.equal(code, 0, stderr);
      assert.match(stderr, /cannot be used: it is not a folder\. Every page is rendered again\.$/m);
    }
    const { stderr } = await octavo("check", "docs", "--cache", "new");
    assert.doesNotMatch(stderr, /cannot be used/);
    assert.ok((await readdir(join(cwd, "new"))).every((name) => !name.startsWith(".octavo-")));
  });

  it("is named with the reason, also by a check of other hosts", async (t) => {
    const { cwd, octavo } = await setUp(t, goodSite);
    await symlink("loop", join(cwd, "loop"));
    await writeFile(join(cwd, "file"), "");
    const { code, stderr } = await octavo("check", "docs", "--cache", "loop");
    assert.deepEqual(
      [code, /used: (.*?)\./.exec(stderr)?.[1]],
      [0, "symbolic links in the path form a loop"],
    );
    for (const home of ["file", ...(process.platform === "linux" ? ["/proc/octavo"] : [])]) {
      const env = { XDG_CACHE_HOME: home.startsWith("/") ? home : join(cwd, home) };
      const checked = await runAlone(["check", "docs", "--external"], { cwd, env });
      assert.equal(checked.code, 0, checked.stderr);
      assert.match(
        checked.stderr,
        /^octavo: The cache folder \S+\/octavo cannot be used: \S.*\.$/m,
      );
    }
  });

  it("must not have an empty path", async (t) => {
    const { octavo } = await setUp(t);
    const { code, stderr } = await octavo("export", "docs", "--out", "site", "--cache", "");
    assert.equal(code, 2);
    assert.match(stderr, /--cache is empty; pass a path/);
  });
});

describe("a full disk", { skip: process.platform !== "linux" }, () => {
  it("below the output ends the program with a sentence", async (t) => {
    const { cwd } = await setUp(t, goodSite);
    await using full = await open("/dev/full", "w");
    const ended = spawnSync(process.execPath, programArgs(["check", "docs", "--json"]), {
      cwd,
      stdio: ["ignore", full.fd, "pipe"],
      encoding: "utf8",
    });
    assert.equal(ended.status, 1);
    // Progress may come before.
    const [last] = ended.stderr.trimEnd().split("\n").slice(-1);
    assert.equal(last, "octavo: The output cannot be written: no space left on the device.");
  });
});
