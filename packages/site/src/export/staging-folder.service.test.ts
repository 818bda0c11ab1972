import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, readdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import { isOctavoError } from "../core/index.ts";
import { openStagingFolder, stagingName } from "./staging-folder.ts";
import { earlierFiles, newFiles } from "./staging-process.test-support.ts";

const program = fileURLToPath(import.meta.resolve("./staging-process.test-support.ts"));

function start(root: string, step: string) {
  const args = ["--disable-warning=ExperimentalWarning", program, root, step];
  return spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
}

async function filesBelow(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .filter((path) => !path.startsWith(stagingName))
    .toSorted();
  const found: Record<string, string> = {};
  for (const path of paths) found[path] = await readFile(join(folder, path), "utf8");
  return found;
}

function planOf(...stale: readonly string[]): string {
  return JSON.stringify({ obstacles: [], stale });
}

const kept = { "kept.html": "kept", ".git/HEAD": "of the publisher" };

describe("a process that is killed", () => {
  it("leaves the folder as it was before the change is committed, and complete afterwards", async () => {
    const ends: string[] = [];
    for (let step = 0; ; step++) {
      await using folder = await temporaryFolder();
      const root = folder.path;
      await writeFiles(root, earlierFiles);
      await mkdir(join(root, ".git/refs/tags"), { recursive: true });
      const child = start(root, String(step));
      const [output, [, signal]] = await Promise.all([text(child.stdout), once(child, "exit")]);
      const between = await filesBelow(root);
      openStagingFolder(root)[Symbol.dispose]();
      const after = await filesBelow(root);
      const isOld = !("more/x.html" in after);
      const expected = isOld ? earlierFiles : { ...kept, ...newFiles };
      assert.deepEqual(after, expected, `killed before call ${step}`);
      if (isOld) assert.deepEqual(between, earlierFiles);
      for (const [path, content] of Object.entries(between)) {
        assert.ok(
          [earlierFiles[path], newFiles[path]].includes(content),
          `${path} is one or the other`,
        );
      }
      assert.ok((await readdir(join(root, ".git/refs"))).includes("tags"));
      assert.ok(!(await readdir(root)).includes(stagingName), "nothing remains of it");
      ends.push(`${signal ?? output.split(" ")[0]}${isOld ? " old" : ""}`);
      if (signal === null) break;
    }
    assert.equal(ends.filter((end) => end === "SIGKILL old").length, 1, ends.join());
    assert.ok(ends.filter((end) => end === "SIGKILL").length > 12, ends.join());
  });

  it("frees the folder for the next process, which is refused before", async () => {
    await using folder = await temporaryFolder();
    const child = start(folder.path, "hold");
    await once(child.stdout, "data");
    assert.throws(
      () => openStagingFolder(folder.path),
      (error) =>
        isOctavoError(error, "conflict") && error.message.includes(`(process ${child.pid})`),
    );
    child.kill("SIGKILL");
    await once(child, "exit");
    openStagingFolder(folder.path)[Symbol.dispose]();
    assert.deepEqual(await readdir(folder.path), []);
  });
});

describe("a staging folder", () => {
  it("belongs to one export at a time, also within a process", async () => {
    await using folder = await temporaryFolder();
    using _ = openStagingFolder(folder.path);
    assert.throws(() => openStagingFolder(folder.path), { code: "conflict" });
  });

  it("changes nothing once another machine took it over", async () => {
    await using folder = await temporaryFolder();
    await writeFiles(folder.path, { "index.html": "old" });
    using staging = openStagingFolder(folder.path);
    await writeFiles(staging.files, { "index.html": "new" });
    await rm(join(folder.path, stagingName), { recursive: true });
    await mkdir(staging.files, { recursive: true });
    assert.throws(() => staging.putInPlace({ obstacles: [], stale: ["index.html"] }), {
      code: "conflict",
    });
    assert.deepEqual(await filesBelow(folder.path), { "index.html": "old" });
  });

  it("that came with a repository changes nothing outside its folder", async () => {
    await using folder = await temporaryFolder();
    const root = join(folder.path, "out");
    await writeFiles(folder.path, {
      "mine.txt": "mine",
      "elsewhere/mine.txt": "mine",
      "out/.git/config": "mine",
      "out/index.html": "old",
    });
    await symlink("../elsewhere", join(root, "link"));
    const left = (name: string) => join(root, stagingName, name);
    const mine = join(folder.path, "mine.txt");
    for (const [at, path] of [mine, "../mine.txt", ".git/config", "link/mine.txt"].entries()) {
      const files = { ".git/config": "theirs", "a.html": "theirs" };
      await writeFiles(join(left(`1-0-${at}`), "files"), files);
      await writeFiles(left(`1-0-${at}`), { "plan.json": planOf(path) });
    }
    await writeFiles(left("1-0-linked"), { "plan.json": planOf() });
    await symlink(join(folder.path, "elsewhere"), join(left("1-0-linked"), "files"));
    await writeFiles(left("1-0-through"), { "plan.json": planOf() });
    await mkdir(join(left("1-0-through"), "files"), { recursive: true });
    await writeFiles(join(left("1-0-through"), "files/link"), { "mine.txt": "theirs" });
    try {
      openStagingFolder(root)[Symbol.dispose]();
    } catch {
      // A folder cannot take the place of a link.
    }
    assert.equal(await readFile(mine, "utf8"), "mine");
    assert.equal(await readFile(join(folder.path, "elsewhere/mine.txt"), "utf8"), "mine");
    assert.equal(await readFile(join(root, ".git/config"), "utf8"), "mine");
  });
});
