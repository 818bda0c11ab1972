import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { isOctavoError } from "@octavo/site/core";
import type { Storage } from "./storage.ts";

function isRefused(error: unknown): boolean {
  return isOctavoError(error, "invalid_input");
}

/** Defines the tests that every storage must pass. `open` returns an empty storage. */
export function storageContract(name: string, open: (folder: string) => Promise<Storage>): void {
  describe(`${name} fulfills the contract of Storage`, () => {
    let folder: string;
    let storage: Storage;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), "octavo-storage-"));
      storage = await open(folder);
    });
    after(() => rm(folder, { recursive: true, force: true }));

    const source = async (content: string | Uint8Array) => {
      const file = join(folder, `source-${randomBytes(6).toString("hex")}`);
      await writeFile(file, content);
      return file;
    };

    test("a stored file can be read, whole and in parts", async () => {
      const content = randomBytes(200_000);
      await storage.put("bundles/a.tar.gz", await source(content));
      assert.equal((await storage.stat("bundles/a.tar.gz"))?.bytes, content.length);
      assert.deepEqual(await buffer(await storage.read("bundles/a.tar.gz")), content);
      const ranges = [
        { start: 0, end: 0 },
        { start: 10, end: 99_999 },
        { start: 199_999, end: 199_999 },
      ];
      for (const range of ranges) {
        const part = await buffer(await storage.read("bundles/a.tar.gz", range));
        assert.deepEqual(part, content.subarray(range.start, range.end + 1));
      }
    });

    test("an empty file can be stored", async () => {
      await storage.put("empty", await source(""));
      assert.equal((await storage.stat("empty"))?.bytes, 0);
      assert.equal((await buffer(await storage.read("empty"))).length, 0);
    });

    test("putting an existing key changes neither its bytes nor its time", async () => {
      await storage.put("twice", await source("same"));
      const first = await storage.stat("twice");
      await storage.put("twice", await source("same"));
      assert.equal(String(await buffer(await storage.read("twice"))), "same");
      assert.deepEqual(await storage.stat("twice"), first);
    });

    test("concurrent puts of the same key store a complete file", async () => {
      const content = randomBytes(300_000);
      const sources = await Promise.all(Array.from({ length: 8 }, () => source(content)));
      await Promise.all(sources.map((file) => storage.put("race/b.zip", file)));
      assert.deepEqual(await buffer(await storage.read("race/b.zip")), content);
    });

    test("a source that cannot be read stores nothing", async () => {
      await assert.rejects(storage.put("nothing", join(folder, "absent")));
      assert.equal(await storage.stat("nothing"), undefined);
    });

    test("a missing key is not found, and deleting it does nothing", async () => {
      assert.equal(await storage.stat("absent/file"), undefined);
      await assert.rejects(storage.read("absent/file"), (error) => {
        return isOctavoError(error, "not_found");
      });
      await storage.delete("absent/file");
    });

    test("a file that is deleted while it is read can be read to its end", async () => {
      const content = randomBytes(400_000);
      await storage.put("fading", await source(content));
      const stream = await storage.read("fading");
      await storage.delete("fading");
      assert.equal(await storage.stat("fading"), undefined);
      assert.deepEqual(await buffer(stream), content);
    });

    test("a key cannot point outside the storage", async () => {
      const outside = ["", ".", "..", "../x", "a/../../x", "/etc/passwd", "a//b", "a\0b", "a\\b"];
      for (const key of outside) {
        const file = await source("x");
        await assert.rejects(storage.put(key, file), isRefused, key);
        await assert.rejects(storage.stat(key), isRefused, key);
        await assert.rejects(storage.read(key), isRefused, key);
        await assert.rejects(storage.delete(key), isRefused, key);
      }
    });

    test("a file of many parts is stored whole", async () => {
      const content = randomBytes(20_000_000);
      await storage.put("large", await source(content));
      assert.equal((await storage.stat("large"))?.bytes, content.length);
      assert.deepEqual(await buffer(await storage.read("large")), content);
      const range = { start: 8_388_600, end: 16_777_300 };
      const part = await buffer(await storage.read("large", range));
      assert.deepEqual(part, content.subarray(range.start, range.end + 1));
    });

    test("a reader that stops early does no harm", async () => {
      await storage.put("half-read", await source(randomBytes(3_000_000)));
      for (let round = 0; round < 60; round++) {
        const stream = await storage.read("half-read");
        for await (const _ of stream) break;
      }
      assert.equal((await storage.stat("half-read"))?.bytes, 3_000_000);
    });

    test("removing unfinished puts does not affect stored files", async () => {
      await storage.put("finished", await source("bytes"));
      await storage.removeUnfinished(new Date(Date.now() + 60_000));
      assert.equal((await storage.stat("finished"))?.bytes, 5);
    });

    test("ping responds", () => storage.ping());
  });
}
