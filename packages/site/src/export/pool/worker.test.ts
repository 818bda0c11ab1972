import assert from "node:assert/strict";
import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { test } from "node:test";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { temporaryFolder, writeFiles } from "../../../../../test/support/temporary-folder.ts";
import type { NavDivision, SitePage } from "../../site/index.ts";
import { bulkDescriptor, ignorePipeErrors } from "../../sandbox/index.ts";
import type { RenderSetup } from "./protocol.ts";
import { startWorker } from "./worker.ts";
import type { WorkerExit } from "./worker.ts";

/**
 * A child that answers for the first page while the parent is still handling its earlier request, and then for no
 * other.
 */
const program = `
  import { writeFileSync } from "node:fs";
  process.on("message", ({ type, id }) => {
    if (type === "setup") process.send({ type: "ready" });
    if (type !== "render" || id > 1) return;
    process.send({ type: "read", request: 1, path: "a" });
    const answered = () => writeFileSync(new URL("answered", import.meta.url), "");
    process.send({ type: "rendered", id, page: {} }, answered);
  });
`;

const noPages = { pages: [] as readonly SitePage[], navigation: {} as NavDivision };
const setup = { site: noPages } as RenderSetup;

function startProgram(path: string): ChildProcess {
  const stdio: StdioOptions = ["ignore", "ignore", "pipe", "ipc", "pipe"];
  const child = spawn(process.execPath, [path], { env: {}, stdio, serialization: "advanced" });
  ignorePipeErrors(child);
  return child;
}

test("a page is not to blame for the time of the one before it, whose result came as its child was ended", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.mock.method(performance, "now", () => 0);
  await using folder = await temporaryFolder();
  await writeFiles(folder.path, { "child.mjs": program });
  const rendered: string[] = [];
  const end = await new Promise<WorkerExit>((onEnd) => {
    const worker = startWorker<string>({
      child: startProgram(join(folder.path, "child.mjs")),
      setup,
      async readFile() {
        const nothing = new Int32Array(new SharedArrayBuffer(4));
        while (!existsSync(join(folder.path, "answered"))) Atomics.wait(nothing, 0, 0, 5);
        t.mock.timers.tick(1_500);
        return undefined;
      },
      pageTimeoutMs: 1_500,
      onRendered: (job) => rendered.push(job),
      onFailed: (job) => assert.fail(job),
      onEnd,
    });
    worker.assign("first", {} as never);
    worker.assign("second", {} as never);
  });
  assert.deepEqual(rendered, ["first"]);
  assert.equal(end.kind, "late");
});

/** A child that renders a page when it has received the file that it requests. */
const askingProgram = `
  process.on("message", ({ type, id, request }) => {
    if (type === "setup") process.send({ type: "ready" });
    if (type === "render") process.send({ type: "read", request: id, path: "a" });
    if (type === "file") process.send({ type: "rendered", id: request, page: {} });
  });
`;

test("a page has its time once more where this process stood still, as its child did", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  t.mock.method(performance, "now", () => now);
  await using folder = await temporaryFolder();
  await writeFiles(folder.path, { "child.mjs": askingProgram });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const worker = startWorker<string>({
    child: startProgram(join(folder.path, "child.mjs")),
    setup,
    async readFile() {
      now += 30_000;
      t.mock.timers.tick(1_500);
      return undefined;
    },
    pageTimeoutMs: 1_500,
    onRendered: resolve,
    onFailed: (_, reason) => reject(new Error(reason)),
    onEnd: ({ reason }) => reject(new Error(reason)),
  });
  worker.assign("first", {} as never);
  assert.equal(await promise, "first");
  await worker.stop();
});

/** A child whose answer arrives after its end: from a process that it started, once its end was reported. */
const lateProgram = `
  import { spawn } from "node:child_process";
  import { existsSync, writeFileSync } from "node:fs";
  const place = (name) => new URL(name, import.meta.url);
  if (process.argv[2] === "late") {
    const looking = setInterval(() => {
      if (!existsSync(place("told"))) return;
      clearInterval(looking);
      process.send({ type: "rendered", id: 1, page: {} }, () => {
        writeFileSync(place("answered"), "");
        process.exit();
      });
    }, 5);
  } else {
    process.on("message", ({ type }) => {
      if (type === "setup") return process.send({ type: "ready" });
      const env = { NODE_CHANNEL_FD: "3", NODE_CHANNEL_SERIALIZATION_MODE: "advanced" };
      const stdio = ["ignore", "ignore", "ignore", 3];
      spawn(process.execPath, [process.argv[1], "late"], { env, stdio });
      process.exit();
    });
  }
`;

test("a result that arrives after its child's end is ignored: its page went to another child", async () => {
  await using folder = await temporaryFolder();
  await writeFiles(folder.path, { "child.mjs": lateProgram });
  const rendered: string[] = [];
  const jobs = await new Promise<readonly string[]>((resolve) => {
    const worker = startWorker<string>({
      child: startProgram(join(folder.path, "child.mjs")),
      setup,
      readFile: () => Promise.resolve(undefined),
      pageTimeoutMs: 20_000,
      onRendered: (job) => rendered.push(job),
      onFailed: (job) => assert.fail(job),
      onEnd: () => resolve(worker.jobs),
    });
    worker.assign("first", {} as never);
    worker.assign("second", {} as never);
  });
  writeFileSync(join(folder.path, "told"), "");
  while (!existsSync(join(folder.path, "answered"))) await wait(5);
  // After the turn that reads the messages that have arrived by now.
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  assert.deepEqual([rendered, jobs], [[], ["first", "second"]]);
});

/** A child that answers each page, and at the same time misuses the bulk pipe as only a hostile child would. */
const programWith = (mischief: string) => `
  import { closeSync, write } from "node:fs";
  const junk = Buffer.alloc(1 << 20);
  ${mischief}
  process.on("message", ({ type, id }) => {
    if (type === "setup") process.send({ type: "ready" });
    if (type === "render") process.send({ type: "rendered", id, page: {} });
  });
`;

for (const [what, mischief] of [
  ["writes into it without end", "(function flood() { write(4, junk, flood); })();"],
  ["closes it", "closeSync(4);"],
] as const) {
  test(`the bulk pipe of a child that ${what} costs its parent nothing`, async () => {
    await using folder = await temporaryFolder();
    await writeFiles(folder.path, { "child.mjs": programWith(mischief) });
    const child = startProgram(join(folder.path, "child.mjs"));
    const { promise: done, resolve, reject } = Promise.withResolvers<void>();
    const pages = 50;
    const rendered: string[] = [];
    const worker = startWorker<string>({
      child,
      setup,
      readFile: () => Promise.resolve(undefined),
      pageTimeoutMs: 60_000,
      onRendered: (job) => rendered.push(job) === pages && resolve(),
      onFailed: reject,
      onEnd: ({ reason }) => reject(new Error(reason)),
    });
    for (let page = 0; page < pages; page += 1) worker.assign(`page ${page}`, {} as never);
    await done;
    const pipe = child.stdio[bulkDescriptor] as Readable;
    assert(pipe.readableLength < 1 << 18, `${pipe.readableLength} bytes were read`);
    await worker.stop();
  });
}
