import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { patience } from "../../../../../test/support/patience.ts";
import { temporaryFolder, writeFiles } from "../../../../../test/support/temporary-folder.ts";
import { loadSite } from "../../load/index.ts";
import { openPool } from "./pool.ts";
import { describeExit } from "../../sandbox/index.ts";
import { openRenderChildren, type RenderChildren } from "./render-children.ts";
import { createTestSetup } from "./render-setup.test-support.ts";

const neverMs = 2 ** 31 - 1;

/** Opens children and records which were taken. */
function watched(idleMs?: number) {
  const children = openRenderChildren(idleMs);
  const taken: ChildProcess[] = [];
  return {
    ...children,
    taken,
    take() {
      const child = children.take();
      taken.push(child);
      return child;
    },
  };
}

/** Renders the page of a site of one page, which shows the site's name. */
async function documentOf(name: string, children: RenderChildren): Promise<string> {
  await using folder = await temporaryFolder();
  const config = { name, navigation: { pages: ["index"] } };
  await writeFiles(folder.path, { "docs.json": JSON.stringify(config), "index.mdx": "" });
  const site = await loadSite(folder.path, {});
  await using pool = openPool({
    setup: createTestSetup(site),
    readFile: () => Promise.reject(new Error("The page shows no snippet.")),
    children,
    workers: 1,
  });
  const [page] = site.pages;
  assert.ok(page);
  const outcome = await pool.render({ page, source: "" });
  assert.equal(outcome.type, "rendered");
  return Buffer.from(outcome.page.html).toString();
}

test("pools one after the other share a child, and nothing of their sites", async () => {
  await using children = watched(neverMs);
  assert.match(await documentOf("First", children), /First/);
  const second = await documentOf("Second", children);
  assert.match(second, /Second/);
  assert.doesNotMatch(second, /First/);
  const [one, two] = children.taken;
  assert.equal(children.taken.length, 2);
  assert.equal(one, two);
});

test("a child that died while it waited is not handed out", async () => {
  await using children = watched(neverMs);
  await documentOf("First", children);
  const [first] = children.taken;
  assert.ok(first);
  const exit = once(first, "exit");
  first.kill("SIGKILL");
  await exit;
  assert.match(await documentOf("Second", children), /Second/);
  assert.notEqual(children.taken[1], first);
});

test("a child that is still at work is ended with its pool", async () => {
  await using children = watched(neverMs);
  await using folder = await temporaryFolder();
  await writeFiles(folder.path, { "index.mdx": 'import A from "/snippets/a.mdx"\n\n<A />\n' });
  const site = await loadSite(folder.path, {});
  const asked = Promise.withResolvers<void>();
  const pool = openPool({
    setup: createTestSetup(site),
    readFile: () => {
      asked.resolve();
      return new Promise(() => {});
    },
    children,
    workers: 1,
  });
  const [page] = site.pages;
  assert.ok(page);
  const source = await readFile(join(folder.path, page.file), "utf8");
  const refused = assert.rejects(pool.render({ page, source }), /pool was closed/);
  await asked.promise;
  await pool[Symbol.asyncDispose]();
  await refused;
  assert.equal(howEnded(children.taken[0]), "SIGKILL");
  assert.match(await documentOf("Next", children), /Next/);
  assert.notEqual(children.taken[1], children.taken[0]);
});

test("children that nobody takes are ended: in time, and with their owner", async () => {
  await using children = watched(1);
  await documentOf("First", children);
  const [first] = children.taken;
  assert.ok(first);
  if (howEnded(first) === undefined) await once(first, "exit");
  assert.equal(howEnded(first), "SIGKILL");

  const others = watched(neverMs);
  await documentOf("Second", others);
  await others[Symbol.asyncDispose]();
  assert.equal(howEnded(others.taken[0]), "SIGKILL");
});

const isLinux = process.platform === "linux";

/** Returns the processes that a process has started and that have not been waited for. */
async function processesOf(pid: number): Promise<readonly number[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return list.split(" ").filter(Boolean).map(Number);
}

async function onlyProcessOf(pid: number | undefined): Promise<number> {
  assert.ok(pid);
  const [started, ...others] = await processesOf(pid);
  assert.ok(started);
  assert.deepEqual(others, []);
  return started;
}

/**
 * Reports whether a process runs. One that was adopted by a process that does not wait for it has no command line any
 * more.
 */
function isRunning(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "";
  } catch {
    return false;
  }
}

for (const isAsleep of [true, false]) {
  const state = isAsleep ? "asleep" : "awake";
  const title = `a prepared process that is ${state} becomes the next child, and no other is started`;
  test(title, { skip: !isLinux }, async () => {
    await using children = watched(neverMs);
    children.prepare({ isAsleep });
    children.prepare({ isAsleep });
    const pid = await onlyProcessOf(process.pid);
    assert.match(await documentOf("First", children), /First/);
    assert.match(await documentOf("Second", children), /Second/);
    assert.deepEqual(
      children.taken.map((child) => child.pid),
      [pid, pid],
    );
    assert.equal(await onlyProcessOf(process.pid), pid);
  });
}

test("a prepared process that died is not handed out", { skip: !isLinux }, async () => {
  await using children = watched(neverMs);
  children.prepare({ isAsleep: true });
  const pid = await onlyProcessOf(process.pid);
  process.kill(pid, "SIGKILL");
  const signal = patience();
  while ((await processesOf(process.pid)).length > 0) await wait(5, undefined, { signal });
  assert.match(await documentOf("First", children), /First/);
  assert.notEqual(children.taken[0]?.pid, pid);
});

test("a prepared process that nobody needed ends with its owner", { skip: !isLinux }, async () => {
  const children = watched(neverMs);
  children.prepare({ isAsleep: true });
  await onlyProcessOf(process.pid);
  await children[Symbol.asyncDispose]();
  assert.deepEqual(await processesOf(process.pid), []);
  children.prepare({ isAsleep: true });
  assert.deepEqual(await processesOf(process.pid), []);
});

test("a prepared process ends with the one that it waits for", { skip: !isLinux }, async (t) => {
  const program = `
    import { openRenderChildren } from ${JSON.stringify(new URL("render-children.ts", import.meta.url).href)};
    openRenderChildren().prepare({ isAsleep: true });
    setInterval(() => {}, 1000);
    console.log("prepared");
  `;
  const owner = spawn(
    process.execPath,
    [...process.execArgv, "--input-type=module", "--eval", program],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  t.after(() => owner.kill("SIGKILL"));
  const signal = patience();
  await once(owner.stdout, "data", { signal });
  const pid = await onlyProcessOf(owner.pid);
  owner.kill("SIGKILL");
  await once(owner, "exit");
  while (isRunning(pid)) await wait(5, undefined, { signal });
});

test("a child receives a site that is larger than what the pipe holds, each time anew", async () => {
  await using folder = await temporaryFolder();
  const names = Array.from({ length: 3_000 }, (_, number) => `page-${number}`);
  const files = Object.fromEntries(names.map((name) => [`${name}.md`, `# Title of ${name}\n`]));
  await writeFiles(folder.path, files);
  const site = await loadSite(folder.path, {});
  const named = (name: string) => createTestSetup({ ...site, config: { ...site.config, name } });
  await using pool = openPool({
    setup: named("First"),
    readFile: () => Promise.reject(new Error("The page shows no snippet.")),
    workers: 1,
  });
  const page = site.pages.at(-1);
  assert.ok(page);
  for (const name of ["First", "Second", "Third"]) {
    pool.renew(named(name));
    const outcome = await pool.render({ page, source: "[Another](page-1500.md)\n" });
    assert.equal(outcome.type, "rendered");
    const html = Buffer.from(outcome.page.html).toString();
    assert.match(html, new RegExp(name));
    assert.match(html, /href="page-1500\.html"/);
  }
});

function howEnded(child: ChildProcess | undefined): string | undefined {
  const { exitCode = null, signalCode = null } = child ?? {};
  return exitCode === null && signalCode === null ? undefined : describeExit(exitCode, signalCode);
}
