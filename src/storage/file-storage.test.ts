import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isOctavoError } from "../core/index.ts";
import { createFileStorage } from "./index.ts";
import { storageContract } from "./storage.contract.ts";

storageContract("file storage", async (folder) => createFileStorage(join(folder, "stored")));

test("a source on another file system arrives whole and leaves no part behind", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "octavo-storage-"));
  const elsewhere = await mkdtemp("/dev/shm/octavo-").catch(() => undefined);
  t.after(() => rm(dir, { recursive: true }));
  if (elsewhere === undefined) return t.skip("/dev/shm is not there");
  t.after(() => rm(elsewhere, { recursive: true }));
  await writeFile(join(elsewhere, "source"), "bytes");
  const storage = createFileStorage(dir);
  await storage.put("bundles/a", join(elsewhere, "source"));
  assert.equal((await storage.stat("bundles/a"))?.bytes, 5);
  assert.deepEqual(await readdir(join(dir, ".parts")).catch(() => []), []);
});

test("a folder that cannot be written is unavailable", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "octavo-storage-"));
  t.after(() => rm(dir, { recursive: true }));
  await writeFile(join(dir, "file"), "");
  const storage = createFileStorage(join(dir, "file"));
  await assert.rejects(storage.ping(), (error) => isOctavoError(error, "unavailable"));
});
