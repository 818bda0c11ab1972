import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { appendFile, readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { openStagedDist } from "../../tools/build/staged-dist.ts";
import { bundleFiles } from "../support/bundle-files.ts";
import { folderFor } from "../support/git-fixture.ts";
import { runtimeFlags } from "../support/program.ts";
import { writeFiles } from "../support/temporary-folder.ts";

const repository = resolve(import.meta.dirname, "../..");

async function textsIn(folder: string): Promise<Record<string, string>> {
  const files = await bundleFiles(folder);
  return Object.fromEntries([...files].map(([path, bytes]) => [path, bytes.toString()]));
}

describe("a staged dist that is put in place", () => {
  const former = { "a.js": "1", "b/c.js": "2", "b/gone.js": "3", "d/e.js": "4", f: "5" };
  const made = { "a.js": "1", "b/c.js": "6", d: "7", "f/g.js": "8", "new/h/i.js": "9" };

  it("replaces the previous one, and keeps files with the same bytes", async (t) => {
    const folder = await folderFor(t);
    await writeFiles(join(folder, "dist"), former);
    const same = await stat(join(folder, "dist/a.js"));
    {
      using staged = openStagedDist(folder);
      await writeFiles(staged.path, made);
      staged.putInPlace();
    }
    assert.deepEqual(await textsIn(join(folder, "dist")), made);
    assert.deepEqual(await readdir(folder), ["dist"]);
    assert.equal((await stat(join(folder, "dist/a.js"))).ino, same.ino, "the same file");
  });

  it("becomes the first one", async (t) => {
    const folder = await folderFor(t);
    using staged = openStagedDist(folder);
    await writeFiles(staged.path, made);
    staged.putInPlace();
    assert.deepEqual(await textsIn(join(folder, "dist")), made);
  });

  it("leaves the previous one if the build fails, and removes what a killed build left", async (t) => {
    const folder = await folderFor(t);
    await writeFiles(folder, { "dist/a.js": "1", "dist-killed/a.js": "2" });
    {
      using staged = openStagedDist(folder);
      await writeFiles(staged.path, made);
    }
    assert.deepEqual(await textsIn(folder), { "dist/a.js": "1" });
  });
});

const fromSource = "--conditions=@octavo/source";

/** Starts a process; `nextLine` resolves with the next line of its output. */
function startNode(t: TestContext, ...args: string[]) {
  const child = spawn(process.execPath, [...runtimeFlags, ...args], { cwd: repository });
  t.after(() => child.kill("SIGKILL"));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const nextLine = async (): Promise<unknown> => (await lines.next()).value;
  return { child, nextLine };
}

describe("builds of a checkout", () => {
  const holder = join(import.meta.dirname, "hold-lock.ts");
  const ends: [name: string, end: (child: ChildProcess) => void][] = [
    ["ends", (child) => child.stdin?.end()],
    ["is killed", (child) => child.kill("SIGKILL")],
  ];
  for (const [name, end] of ends) {
    it(`wait until the previous one ${name}`, async (t) => {
      const file = join(await folderFor(t), "deep/lock");
      const first = startNode(t, fromSource, holder, file);
      assert.equal(await first.nextLine(), "held");
      const second = startNode(t, fromSource, holder, file);
      assert.equal(await second.nextLine(), "waiting");
      end(first.child);
      assert.equal(await second.nextLine(), "held");
    });
  }
});

const skip = process.env["OCTAVO_TEST_ALL"] === "1" ? false : "npm run test:install builds";
const folders = ["site", "octavo"].map((name) => join(repository, "packages", name));
const program = "packages/octavo/dist/cli/main.js";

function build(t: TestContext): ChildProcess {
  return startNode(t, fromSource, "tools/build/main.ts").child;
}

async function endOf(child: ChildProcess) {
  const said = child.stderr ? text(child.stderr) : "";
  const [code] = (await once(child, "exit")) as [number | null];
  return `${code} ${await said}`.trim();
}

async function readDists() {
  return await Promise.all(folders.map((folder) => textsIn(join(folder, "dist"))));
}

/** Changes each module so that a build has to replace it, and it still runs. */
async function changeDists(): Promise<void> {
  for (const dist of folders.map((folder) => join(folder, "dist"))) {
    const modules = [...(await bundleFiles(dist)).keys()].filter((path) => path.endsWith(".js"));
    for (const path of modules) await appendFile(join(dist, path), "\n");
  }
}

/** Resolves when a build has started to write. */
async function untilBegun(child: ChildProcess): Promise<void> {
  for (let names: string[] = []; !names.some((name) => name.startsWith("dist-"));) {
    assert.equal(child.exitCode, null, "the build ended");
    names = (await Promise.all(folders.map((folder) => readdir(folder)))).flat();
  }
}

describe("npm run build", { skip }, () => {
  it("succeeds twice at once, while programs run from dist/", async (t) => {
    assert.equal(await endOf(build(t)), "0");
    const expected = await readDists();
    await changeDists();
    const state = { isDone: false };
    const builds = Promise.all([endOf(build(t)), endOf(build(t))]);
    const ended = builds.finally(() => (state.isDone = true));
    while (!state.isDone) {
      const { child } = startNode(t, program, "check", "docs", "--no-cache");
      assert.match(await endOf(child), /^0 /);
    }
    assert.deepEqual(new Set(await ended), new Set(["0", "0 Another build of this checkout is running; waiting for it to end."])); // prettier-ignore
    assert.deepEqual(await readDists(), expected);
  });

  it("leaves the previous dist/ if it is killed", async (t) => {
    assert.equal(await endOf(build(t)), "0");
    const expected = await readDists();
    await changeDists();
    const former = await readDists();
    const killed = build(t);
    await untilBegun(killed);
    killed.kill("SIGKILL");
    await once(killed, "exit");
    assert.deepEqual(await readDists(), former);
    assert.equal(await endOf(build(t)), "0");
    assert.deepEqual(await readDists(), expected);
  });
});
