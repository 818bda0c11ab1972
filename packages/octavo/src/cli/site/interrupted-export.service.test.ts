import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile, readdir } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { writeFiles } from "../../../../../test/support/temporary-folder.ts";
import { goodSite, run, setUp, start } from "../cli.test-support.ts";

/** A host that takes requests and says nothing: an export that wants something from it goes on until it is ended. */
async function silentHost(t: TestContext) {
  const server = createServer().listen(0, "127.0.0.1");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return { server, place: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Resolves when the export waits for the host; throws if it has ended without. */
async function atWork(running: ReturnType<typeof start>, asked: Promise<unknown>): Promise<void> {
  const ended = running.end().then(({ code, stderr }) => {
    throw new Error(`The export ended with ${code}: ${stderr}`);
  });
  ended.catch(() => {});
  await Promise.race([asked, ended]);
}

async function contentOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const found: Record<string, string> = {};
  for (const { parentPath, name } of files) {
    const file = join(parentPath, name);
    if (file.includes(".octavo-export")) continue;
    found[file.slice(folder.length + 1)] = await readFile(file, "base64");
  }
  return found;
}

/** A site that was exported, and that changed since: a page is new, one is gone, and one waits for the host. */
async function changedSite(t: TestContext, out: string) {
  const { cwd } = await setUp(t, { ...goodSite, "old.mdx": "Old" });
  assert.equal((await run(["export", "docs", "--out", out], { cwd })).code, 0);
  const { server, place } = await silentHost(t);
  await writeFiles(join(cwd, "docs"), {
    "old.mdx": "---\nhidden: true\n---\n\nNo longer old",
    "new.mdx": "New",
    "index.mdx": `---\ntitle: Home\n---\n\n![Boat](http://${place}/boat.png)`,
  });
  return { cwd, server, env: { OCTAVO_ALLOW: place } };
}

const ends: [signal: NodeJS.Signals, code: number | null][] = [
  ["SIGINT", 130],
  ["SIGTERM", 130],
  ["SIGKILL", null],
];

describe("an export that is interrupted", () => {
  for (const [signal, expected] of ends) {
    it(`by ${signal} leaves the folder as it was, and the next one replaces it`, async (t) => {
      const { cwd, server, env } = await changedSite(t, "site");
      const before = await contentOf(join(cwd, "site"));
      const asked = once(server, "request");
      const args = ["export", "docs", "--out", "site", "--remote-media", "vendor"];
      const running = start(args, { cwd, env });
      await atWork(running, asked);
      const second = await run(["export", "docs", "--out", "site"], { cwd });
      assert.equal(second.code, 1);
      assert.match(
        second.stderr,
        /^octavo: Another export \(process \d+\) is writing to \S+site; wait/,
      );
      running.child.kill(signal);
      assert.equal((await running.end()).code, expected);
      assert.deepEqual(await contentOf(join(cwd, "site")), before);
      const names = await readdir(join(cwd, "site"));
      assert.equal(names.includes(".octavo-export"), signal === "SIGKILL");
      assert.equal((await run(["export", "docs", "--out", "site"], { cwd })).code, 0);
      assert.equal(
        (await run(["export", "docs", "--out", "fresh", "--no-cache"], { cwd })).code,
        0,
      );
      assert.deepEqual(await contentOf(join(cwd, "site")), await contentOf(join(cwd, "fresh")));
      assert.ok(!(await readdir(join(cwd, "site"))).includes(".octavo-export"));
    });

    it(`by ${signal} leaves the archive as it was`, async (t) => {
      const { cwd, server, env } = await changedSite(t, "site.zip");
      const before = await readFile(join(cwd, "site.zip"));
      const asked = once(server, "request");
      const args = ["export", "docs", "--out", "site.zip", "--remote-media", "vendor"];
      const running = start(args, { cwd, env });
      await atWork(running, asked);
      running.child.kill(signal);
      assert.equal((await running.end()).code, expected);
      assert.ok(before.equals(await readFile(join(cwd, "site.zip"))));
    });
  }

  it("leaves no folder that was not there", async (t) => {
    const { cwd, server, env } = await changedSite(t, "site");
    const asked = once(server, "request");
    const args = ["export", "docs", "--out", "deep/er/site", "--remote-media", "vendor"];
    const running = start(args, { cwd, env });
    await atWork(running, asked);
    running.child.kill("SIGINT");
    assert.equal((await running.end()).code, 130);
    assert.ok(!(await readdir(cwd)).includes("deep"));
  });

  it("that was killed does not prevent the next one", async (t) => {
    const { cwd, server, env } = await changedSite(t, "site");
    const asked = once(server, "request");
    const args = ["export", "docs", "--out", "other", "--remote-media", "vendor"];
    const running = start(args, { cwd, env });
    await atWork(running, asked);
    running.child.kill("SIGKILL");
    await running.end();
    assert.deepEqual(await readdir(join(cwd, "other")), [".octavo-export"]);
    assert.equal((await run(["export", "docs", "--out", "other"], { cwd })).code, 0);
    assert.ok(!(await readdir(join(cwd, "other"))).includes(".octavo-export"));
  });
});

describe("an export that fails", () => {
  it("leaves the folder as it was", async (t) => {
    const { cwd } = await changedSite(t, "site");
    const before = await contentOf(join(cwd, "site"));
    await writeFiles(join(cwd, "docs"), { "docs.json": "{" });
    assert.equal((await run(["export", "docs", "--out", "site"], { cwd })).code, 1);
    assert.deepEqual(await contentOf(join(cwd, "site")), before);
  });
});
