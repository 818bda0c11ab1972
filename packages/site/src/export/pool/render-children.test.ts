import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { allWords } from "../../../../../test/support/all-words.ts";
import { temporaryFolder, writeFiles } from "../../../../../test/support/temporary-folder.ts";
import { loadSite } from "../../load/load-site.ts";
import { openPool } from "./pool.ts";
import { describeExit } from "./contained-program.ts";
import { openRenderChildren, type RenderChildren } from "./render-children.ts";

const neverMs = 2 ** 31 - 1;

/** Children of which a test sees which were taken. */
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

/** The page of a site of one page, which shows the site's name. */
async function documentOf(name: string, children: RenderChildren): Promise<string> {
  await using folder = await temporaryFolder();
  const config = { name, navigation: { pages: ["index"] } };
  await writeFiles(folder.path, { "docs.json": JSON.stringify(config), "index.mdx": "" });
  const site = await loadSite(folder.path, {});
  await using pool = openPool({
    setup: {
      site,
      words: allWords,
      isForCheck: false,
      remoteMedia: "keep",
      remoteOrigins: [],
      hasRemotePictures: false,
    },
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
    setup: {
      site,
      words: allWords,
      isForCheck: false,
      remoteMedia: "keep",
      remoteOrigins: [],
      hasRemotePictures: false,
    },
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

function howEnded(child: ChildProcess | undefined): string | undefined {
  const { exitCode = null, signalCode = null } = child ?? {};
  return exitCode === null && signalCode === null ? undefined : describeExit(exitCode, signalCode);
}
