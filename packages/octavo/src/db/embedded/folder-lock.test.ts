import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isOctavoError } from "@octavo/site/core";
import { lockByPidFile, lockBySocketFile, lockFolder } from "./folder-lock.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "octavo-lock-"));
});
afterEach(() => rm(folder, { recursive: true }));

const ways = { lockFolder, lockBySocketFile, lockByPidFile };
for (const [name, lock] of Object.entries(ways)) {
  describe(name, { skip: name === "lockBySocketFile" && process.platform !== "linux" }, () => {
    test("refuses a second holder, with the first's process ID, until it is released", async () => {
      const first = await lock(folder);
      await assert.rejects(lock(folder), (error) => {
        assert.ok(isOctavoError(error, "conflict"));
        assert.equal(error.details["pid"], process.pid);
        return true;
      });
      await first[Symbol.asyncDispose]();
      await (await lock(folder))[Symbol.asyncDispose]();
      assert.deepEqual(await readdir(folder), []);
    });

    test("locks a path that is longer than a socket's address may be", async () => {
      const deep = join(folder, "a".repeat(100), "b".repeat(100));
      await mkdir(deep, { recursive: true });
      await using _ = await lock(deep);
      await assert.rejects(lock(deep), (error) => isOctavoError(error, "conflict"));
    });
  });
}

test("another path to the same folder has the same lock", async () => {
  await using _ = await lockFolder(folder);
  const link = join(folder, "link");
  await symlink(folder, link);
  await assert.rejects(lockFolder(link), (error) => isOctavoError(error, "conflict"));
});

test("the lock of a dead process is taken over", async () => {
  const script = `require("node:net").createServer().listen("octavo.lock", () => process.kill(process.pid, "SIGKILL"))`;
  const { pid, signal } = spawnSync(process.execPath, ["-e", script], { cwd: folder });
  assert.equal(signal, "SIGKILL");
  assert.deepEqual(await readdir(folder), ["octavo.lock"]);
  await using _ = await lockBySocketFile(folder);
  await writeFile(join(folder, "octavo.pid"), String(pid));
  await using __ = await lockByPidFile(folder);
});

/** The socket of a process that is no more. */
async function leaveDeadSocket(): Promise<void> {
  const server = createServer().listen(join(folder, "octavo.lock"));
  await once(server, "listening");
  await rename(join(folder, "octavo.lock"), join(folder, "kept"));
  server.close();
  await once(server, "close");
  await rename(join(folder, "kept"), join(folder, "octavo.lock"));
}

/** Writes the PID of a process that never existed. */
const leaveDeadPid = () => writeFile(join(folder, "octavo.pid"), String(2 ** 22 + 1));

for (const [lock, leaveDead] of [
  [lockBySocketFile, leaveDeadSocket],
  [lockByPidFile, leaveDeadPid],
] as const) {
  test(
    `${lock.name}: exactly one of two processes takes over a dead lock, however their steps interleave`,
    { skip: lock === lockBySocketFile && process.platform !== "linux" },
    async () => {
      for (let round = 0; round < 200; round += 1) {
        await leaveDead();
        const second = nextTurns(round % 10).then(() => lock(folder));
        const takers = await Promise.allSettled([lock(folder), second]);
        const held = takers.flatMap((taker) => (taker.status === "fulfilled" ? [taker.value] : []));
        for (const one of held) await one[Symbol.asyncDispose]();
        assert.equal(held.length, 1, `round ${round}`);
      }
      assert.deepEqual(await readdir(folder), []);
    },
  );
}

async function nextTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
}

test("a holder that does not identify itself counts as alive", async (t) => {
  const silent = createServer(() => undefined).listen(join(folder, "octavo.lock"));
  t.after(() => silent.close());
  await new Promise((resolve) => silent.once("listening", resolve));
  await assert.rejects(lockBySocketFile(folder, 100), (error) => isOctavoError(error, "conflict"));
});
