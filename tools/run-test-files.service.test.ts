import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { folderFor } from "../test/support/git-fixture.ts";
import { writeFiles } from "../test/support/temporary-folder.ts";

const head = 'import { after, test } from "node:test";\n';
const passing = `${head}test("passes", () => {});\n`;

/** Runs test files by their names and texts, with short limits. */
async function run(t: TestContext, files: Readonly<Record<string, string>>) {
  const folder = await folderFor(t);
  const runner = resolve(import.meta.dirname, "run-test-files.ts");
  const limits = "timeoutMs: 20_000, fileTimeoutMs: 1_000, lingerMs: 1_000";
  await writeFiles(folder, {
    "package.json": '{ "type": "module" }',
    "run.ts":
      `import { runTestFiles } from ${JSON.stringify(runner)};\n` +
      `const isGood = await runTestFiles(process.argv.slice(2), { output: process.stdout, ${limits} });\n` +
      "process.exitCode = isGood ? 0 : 1;\n",
    ...files,
  });
  const args = ["--disable-warning=ExperimentalWarning", "run.ts", ...Object.keys(files)];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  return { output, code: Number(code) };
}

test("files that share a process have hooks and variables of their own", async (t) => {
  const { output, code } = await run(t, {
    "a.test.ts": `${head}process.env.LEFT = "a"; let open = true; after(() => { open = false; });
      test("is open", () => { if (!open) throw new Error(); process.env.CHANGED = "a"; });`,
    "b.test.ts": `${head}test("knows nothing of it", () => {
      if (process.env.CHANGED !== undefined) throw new Error("left"); });`,
  });
  assert.equal(code, 0, output);
  assert.match(output, /tests 2\n.*suites 2\n.*pass 2\n.*fail 0\n/);
});

const bad: readonly [name: string, source: string, words: RegExp][] = [
  ["fails", `test("bad", () => { throw new Error("no"); });`, /✖ bad /],
  [
    "waits without end",
    `test("waits", () => new Promise((done) => setTimeout(done, 1e8).unref()));`,
    /✖ waits/,
  ],
  ["computes without end", `test("computes", () => { for (;;); });`, /process ended in it/],
  [
    "crashes",
    `test("crashes", () => process.kill(process.pid, "SIGKILL"));`,
    /process ended in it/,
  ],
  ["does not load", `throw new Error("at its top");`, /at its top/],
  ["awaits at its top", `await 0; test("never", () => {});`, /top-level await/],
];
for (const [name, source, words] of bad) {
  test(`a file that ${name} is named, and hides no other`, async (t) => {
    const files = { "a.test.ts": passing, "b.test.ts": `${head}${source}`, "c.test.ts": passing };
    const { output, code } = await run(t, files);
    assert.equal(code, 1, output);
    const [, failures = ""] = output.split("failing tests:");
    assert.match(failures, /b\.test\.ts/);
    assert.match(failures, words);
    // The last one ran, or is said not to have run.
    assert.match(output, /✔ c\.test\.ts|✖ c\.test\.ts/);
  });
}

const leak =
  'import { createServer } from "node:net"; test("leaks", () => { createServer().listen(0); });';
test("what keeps a process after its tests is said, with the files in it", async (t) => {
  const { output, code } = await run(t, { "a.test.ts": passing, "b.test.ts": `${head}${leak}` });
  assert.equal(code, 1, output);
  assert.match(output, /keeps their process running: .*TCPServerWrap/);
  assert.match(output, /✖ a\.test\.ts, b\.test\.ts/);
});

test("a file of its own that leaves something running is named, even if it ignores signals", async (t) => {
  const deaf = `process.on("SIGTERM", () => {}); ${leak}`;
  const { output, code } = await run(t, { "a.service.test.ts": `${head}${deaf}` });
  assert.equal(code, 1, output);
  assert.match(output, /keeps their process running: .*TCPServerWrap/);
  assert.match(output, /✖ a\.service\.test\.ts/);
});

test("a file of its own that computes without end is named", async (t) => {
  const { output, code } = await run(t, {
    "a.service.test.ts": `${head}test("computes", () => { for (;;); });`,
  });
  assert.equal(code, 1, output);
  assert.match(output, /✖ a\.service\.test\.ts/);
});
