import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { createKeptCheckouts } from "./kept-checkouts.ts";

const site = (id: string, directory = ".") => ({ id, repository: "local", directory });

function setUp(root: string) {
  const folder = join(root, "kept");
  const kept = createKeptCheckouts({ folder, maxBytes: 100 });
  let count = 0;
  return {
    folder,
    kept,
    checkOut: async (name: string) => {
      const path = join(root, `attempt-${count++}`);
      await mkdir(path);
      await writeFile(join(path, name), "");
      return path;
    },
    take: async (of: ReturnType<typeof site>) => {
      const path = join(root, `taken-${count++}`);
      await kept.take(of, path);
      return existsSync(path) ? await readdir(path) : undefined;
    },
  };
}

test("a kept checkout is given to one build of the same site", async () => {
  await using root = await temporaryFolder();
  const { kept, checkOut, take } = setUp(root.path);
  await kept.keep(site("a"), await checkOut("a.md"), 10);
  assert.equal(await take(site("b")), undefined);
  assert.equal(await take(site("a", "docs")), undefined);
  assert.deepEqual(await Promise.all([take(site("a")), take(site("a"))]), [["a.md"], undefined]);
});

test("of two concurrent builds of a site, the first one's checkout is kept", async () => {
  await using root = await temporaryFolder();
  const { folder, kept, checkOut, take } = setUp(root.path);
  const [first, second] = [await checkOut("first.md"), await checkOut("second.md")];
  await Promise.all([kept.keep(site("a"), first, 10), kept.keep(site("a"), second, 10)]);
  assert.equal((await readdir(folder)).length, 1);
  const third = await checkOut("third.md");
  await kept.keep(site("a"), third, 10);
  assert.ok(existsSync(third), "The folder is removed with its attempt");
  assert.equal((await take(site("a")))?.length, 1);
});

test("the least recently used checkouts are removed when they exceed the limit", async () => {
  await using root = await temporaryFolder();
  const { folder, kept, checkOut, take } = setUp(root.path);
  await kept.keep(site("a"), await checkOut("a.md"), 40);
  await kept.keep(site("b"), await checkOut("b.md"), 40);
  await kept.keep(site("large"), await checkOut("large.md"), 101);
  await kept.keep(site("c"), await checkOut("c.md"), 50);
  assert.equal((await readdir(folder)).length, 2);
  const [a, b, large, c] = [
    await take(site("a")),
    await take(site("b")),
    await take(site("large")),
    await take(site("c")),
  ];
  assert.deepEqual([a, b, large, c], [undefined, ["b.md"], undefined, ["c.md"]]);
});

test("a checkout that somebody removed is not an error", async () => {
  await using root = await temporaryFolder();
  const { folder, kept, checkOut, take } = setUp(root.path);
  await kept.keep(site("a"), await checkOut("a.md"), 10);
  const [name = ""] = await readdir(folder);
  await rm(join(folder, name), { recursive: true });
  assert.equal(await take(site("a")), undefined);
});
