import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isOctavoError } from "@octavo/site/core";
import { createFileStorage } from "./file-storage.ts";
import { storageContract } from "./storage.contract.ts";

storageContract("file storage", async (folder) => createFileStorage(join(folder, "stored")));

test("a source on another file system is stored whole and leaves no partial file", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "octavo-storage-"));
  t.after(() => rm(dir, { recursive: true }));
  const elsewhere = await makeFolderOnAnotherDevice(dir);
  if (elsewhere === undefined) return t.skip("there is no other file system");
  t.after(() => rm(elsewhere, { recursive: true }));
  await writeFile(join(elsewhere, "source"), "bytes");
  const storage = createFileStorage(dir);
  await storage.put("bundles/a", join(elsewhere, "source"));
  assert.equal((await storage.stat("bundles/a"))?.bytes, 5);
  assert.deepEqual(await readdir(join(dir, ".parts")).catch(() => []), []);
});

test("a folder that cannot be written to is unavailable", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "octavo-storage-"));
  t.after(() => rm(dir, { recursive: true }));
  await writeFile(join(dir, "file"), "");
  const storage = createFileStorage(join(dir, "file"));
  await assert.rejects(storage.ping(), (error) => isOctavoError(error, "unavailable"));
});

test("copies that did not end are removed when they are old", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "octavo-storage-"));
  t.after(() => rm(dir, { recursive: true }));
  const storage = createFileStorage(dir);
  await storage.ping();
  await writeFile(join(dir, ".parts", "part"), "half");
  await storage.removeUnfinished(new Date(0));
  assert.deepEqual(await readdir(join(dir, ".parts")), ["part"]);
  await storage.removeUnfinished(new Date(Date.now() + 60_000));
  assert.deepEqual(await readdir(join(dir, ".parts")), []);
});

/** Creates a folder in memory or on the disk, whichever `folder` is not on. */
async function makeFolderOnAnotherDevice(folder: string): Promise<string | undefined> {
  const { dev } = await stat(folder);
  for (const root of ["/dev/shm", "/var/tmp"]) {
    const found = await stat(root).catch(() => undefined);
    if (found !== undefined && found.dev !== dev) return mkdtemp(join(root, "octavo-"));
  }
  return undefined;
}
