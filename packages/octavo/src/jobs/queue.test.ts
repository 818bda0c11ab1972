import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startPostgres } from "../../../../test/support/postgres.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openDatabase } from "../db/open-database.ts";
import { openQueue } from "./queue.ts";

const quiet = { info() {}, warn() {}, error() {} };

test("entries of one group never take all slots, however many there are", async () => {
  await using folder = await temporaryFolder();
  await using postgres = await startPostgres();
  const url = await postgres.createDatabase();
  await using database = await openDatabase({ dataDir: folder.path, url });
  await using queue = await openQueue({ database, log: quiet, isWorker: true });
  const entries = Array.from({ length: 40 }, (_, index) => index);
  for (const index of entries) {
    await queue.enqueue(database.kysely, "webhook", `crowd/${index}`, { group: "crowd" });
  }
  const finished = new EventTarget();
  // Before the work begins: the last entry may be done when its enqueuing is acknowledged.
  const all = once(finished, "all", { signal: AbortSignal.timeout(60_000) });
  const seen = { atOnce: 0, most: 0, done: 0 };
  await queue.work("webhook", 8, async (id) => {
    if (id.startsWith("crowd")) seen.atOnce += 1;
    seen.most = Math.max(seen.most, seen.atOnce);
    await sleep(5);
    if (id.startsWith("crowd")) seen.atOnce -= 1;
    seen.done += 1;
    if (seen.done === entries.length + 1) finished.dispatchEvent(new Event("all"));
  });
  await queue.enqueue(database.kysely, "webhook", "single", { group: "single" });
  await all;
  assert.ok(seen.most <= 2, `${seen.most} at once`);
});
