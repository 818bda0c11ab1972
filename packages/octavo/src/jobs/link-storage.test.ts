import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { isOctavoError } from "@octavo/site/core";
import { putEmptyDatabase } from "../../../../test/support/empty-database.ts";
import type { TestPostgres } from "../../../../test/support/postgres.ts";
import { startTestedPostgres, testedEngine } from "../../../../test/support/tested-engine.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openDatabase } from "../db/index.ts";
import { createFileStorage } from "../storage/index.ts";
import { linkStorage } from "./link-storage.ts";

let postgres: TestPostgres | undefined;
before(async () => {
  postgres = await startTestedPostgres();
});
after(() => postgres?.[Symbol.asyncDispose]());

/** Creates a new installation: a folder, and a database that was never used by a service. */
async function install() {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const url = await postgres?.createDatabase();
  if (url === undefined) await putEmptyDatabase(folder.path);
  const database = stack.use(await openDatabase({ url, dataDir: folder.path }));
  const storageAt = (name: string) => createFileStorage(join(folder.path, name));
  return {
    database,
    storageAt,
    identityAt: (name: string) => join(folder.path, name, "octavo-storage.json"),
    link: (name: string) => linkStorage(database, storageAt(name)),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

for (const engine of [testedEngine]) {
  describe(`a storage and its database, ${engine}`, () => {
    test("nodes that start at once with one storage all start, and again later", async () => {
      await using own = await install();
      const names = ["shared", "shared", "shared", "shared"];
      const linked = await Promise.all(names.map(own.link));
      for (const storage of linked) await storage.ping();
      await own.link("shared");
      const text = await readFile(own.identityAt("shared"), "utf8");
      assert.deepEqual(Object.keys(JSON.parse(text) as object), ["installation", "storage"]);
    });

    test("of nodes that start at once with a storage each one starts, the same one later", async () => {
      await using own = await install();
      const names = ["a", "b", "c"];
      const first = await Promise.allSettled(names.map(own.link));
      const started = (results: readonly PromiseSettledResult<unknown>[]) =>
        names.filter((_, index) => results[index]?.status === "fulfilled");
      assert.equal(started(first).length, 1);
      const refused = first.find((result) => result.status === "rejected");
      assert.ok(
        isRefused(refused?.reason, /All nodes that use a database need the same storage: S3, or/),
      );
      assert.deepEqual(started(await Promise.allSettled(names.map(own.link))), started(first));
    });

    test("a node that died with the claim does not keep others from starting", async () => {
      await using own = await install();
      await own.link("first");
      const died = { is_storage_linked: false, storage_claimed_at: new Date(Date.now() - 120_000) };
      await own.database.kysely.updateTable("installation").set(died).execute();
      await own.link("second");
      await assert.rejects(own.link("first"), (error) => isRefused(error, /not the one/));
    });

    test("the storage of another database is refused, at the start and later", async () => {
      await using own = await install();
      await using other = await install();
      const storage = await own.link("storage");
      const foreign = own.storageAt("storage");
      const message = /belongs to another database.*remove octavo-storage\.json/s;
      await assert.rejects(linkStorage(other.database, foreign), (e) => isRefused(e, message));
      await rm(own.identityAt("storage"));
      await assert.rejects(storage.ping(), (error) =>
        isUnready(error, /All nodes that use a database/),
      );
      const linked = await linkStorage(other.database, foreign);
      await linked.ping();
      await assert.rejects(storage.ping(), (error) => isUnready(error, message));
    });

    test("a storage that was lost is replaced with the words of the message", async () => {
      await using own = await install();
      await own.link("lost");
      const error = await own.link("new").then(
        () => assert.fail("another storage was accepted"),
        (error: Error) => error,
      );
      const [words = ""] = /\{.*\}/.exec(error.message) ?? [];
      await own.storageAt("new").ping();
      await writeFile(own.identityAt("new"), "{");
      await assert.rejects(own.link("new"), (error) => isRefused(error, /is damaged/));
      await writeFile(own.identityAt("new"), words);
      await (await own.link("new")).ping();
    });
  });
}

function isRefused(error: unknown, message: RegExp): boolean {
  return isOctavoError(error, "invalid_input") && message.test(error.message);
}

function isUnready(error: unknown, message: RegExp): boolean {
  return isOctavoError(error, "unavailable") && message.test(error.message);
}
