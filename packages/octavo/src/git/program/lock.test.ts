import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { folderFor } from "../../../../../test/support/git-fixture.ts";
import { patience } from "../../../../../test/support/patience.ts";
import { acquireLock } from "./lock.ts";

/** A process that no longer exists. */
const dead = { token: "dead", host: hostname(), pid: 2 ** 22 + 1, startedAt: 0 };

it("exactly one of two processes takes over a dead lock, however their steps interleave", async (t) => {
  const folder = await folderFor(t);
  const file = join(folder, "a.lock");
  for (let round = 0; round < 200; round++) {
    await writeFile(file, JSON.stringify(dead));
    await using locks = new AsyncDisposableStack();
    const waiting = new AbortController();
    let held = 0;
    const takers = Array.from({ length: 2 }, async () => {
      locks.use(await acquireLock(file, waiting.signal));
      held += 1;
    });
    await Promise.any(takers);
    waiting.abort();
    await Promise.allSettled(takers);
    assert.equal(held, 1);
  }
  assert.deepEqual(await readdir(folder), []);
});

it("is taken over from a process whose number this one has, as after the restart of a container", async (t) => {
  const file = join(await folderFor(t), "a.lock");
  await writeFile(file, JSON.stringify({ ...dead, pid: process.pid }));
  await using _lock = await acquireLock(file, patience());
});
