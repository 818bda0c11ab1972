import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isOctavoError } from "@octavo/site/core";
import { openDiskSpace } from "./disk.ts";

test("a disk with too little space left is a shortage", async (t) => {
  const path = await mkdtemp(join(tmpdir(), "octavo-space-"));
  t.after(() => rm(path, { recursive: true }));
  using space = await openDiskSpace({
    folders: [{ name: "data", path }],
    minFreeBytes: Number.MAX_SAFE_INTEGER,
  });
  assert.ok((space.freeSpace[0]?.freeBytes ?? 0) > 0);
  const says =
    /^The disk of the service's data folder has only \d+ MB left, but the service needs \d+ MB\./;
  assert.throws(
    () => space.shortage.throwIfAborted(),
    (error) => isOctavoError(error, "unavailable") && says.test(error.message),
  );
});

test("a shortage ends, and the next one has a signal of its own", async (t) => {
  const root = await mkdtemp(join(tmpdir(), "octavo-space-"));
  t.after(() => rm(root, { recursive: true }));
  const path = join(root, "storage");
  await mkdir(path);
  const folders = [{ name: "storage", path }];
  using space = await openDiskSpace({ folders, minFreeBytes: 1, checkIntervalMs: 3_600_000 });
  const [before] = [space.shortage];
  await space.check();
  await rm(path, { recursive: true });
  await assert.rejects(
    space.check(),
    /The service's storage folder cannot be used: it does not exist/,
  );
  assert.equal(before.aborted, true);
  await mkdir(path);
  await space.check();
  assert.equal(before.aborted, true);
  assert.equal(space.shortage.aborted, false);
});
