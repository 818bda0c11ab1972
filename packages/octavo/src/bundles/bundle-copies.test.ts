import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { isOctavoError } from "@octavo/site/core";
import { packFolder } from "../../../../test/support/pack-folder.ts";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import { createFileStorage, type Storage } from "../storage/index.ts";
import { createBundleCopies } from "./bundle-copies.ts";
import { getGzipSize, readEntry, type OpenBundle } from "./open-bundle.ts";
import type { StoredArchive } from "./archive.ts";

const noise = randomBytes(700_000);
const files: Readonly<Record<string, string | Uint8Array>> = {
  "empty.css": "",
  "\u00E4 \u6F22.html": "text".repeat(50),
  "long.json": JSON.stringify(Array.from({ length: 200_000 }, (_, index) => index * 7_919)),
  "noise.png": noise,
  ...Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`pages/${at}.html`, `page ${at}`])),
};

describe("copies of bundles", () => {
  let root: Awaited<ReturnType<typeof temporaryFolder>>;
  let storage: Storage;
  let archives: readonly StoredArchive[];
  let reads: string[] = [];
  let isAway = false;

  before(async () => {
    root = await temporaryFolder();
    const stored = createFileStorage(join(root.path, "stored"));
    storage = {
      ...stored,
      async read(key, range) {
        reads.push(key);
        if (isAway) throw new Error("The storage is away.");
        return await stored.read(key, range);
      },
    };
    archives = await Promise.all(
      [1, 2, 3].map(async (number) => {
        const site = join(root.path, `site-${number}`);
        await writeFiles(site, { ...files, "number.txt": String(number) });
        const packed = await packFolder(site, "zip", `${site}.zip`);
        const archive = {
          key: `bundles/${packed.sha256}.zip`,
          format: "zip",
          bytes: packed.bytes,
        } as const;
        await stored.put(archive.key, `${site}.zip`);
        return archive;
      }),
    );
  });
  after(() => root[Symbol.asyncDispose]());

  let count = 0;
  function open(maxBytes = 1e9, folder = join(root.path, `copies-${(count += 1)}`)) {
    [reads, isAway] = [[], false];
    return { copies: createBundleCopies(storage, { folder, maxBytes }), folder };
  }
  const archiveAt = (at: number): StoredArchive => archives[at] ?? assert.fail();

  it("have the files of the archive, plain and as gzip", async () => {
    using copies = open().copies;
    const bundle = await copies.open(archiveAt(0));
    for (const [path, content] of Object.entries(files)) {
      const entry = bundle.entries.get(path) ?? assert.fail(`no ${path}`);
      assert.equal(entry.bytes, Buffer.byteLength(content), path);
      assert.deepEqual(await readEntry(bundle, entry, 1e8), Buffer.from(content), path);
      if (!entry.isDeflated) continue;
      const packed = await buffer(bundle.readGzip(entry));
      assert.equal(packed.length, getGzipSize(entry), path);
      assert.deepEqual(gunzipSync(packed), Buffer.from(content), path);
    }
  });

  it("have ranges of stored and deflated files", async () => {
    using copies = open().copies;
    const bundle = await copies.open(archiveAt(0));
    for (const path of ["long.json", "noise.png"]) {
      const entry = bundle.entries.get(path) ?? assert.fail();
      const content = Buffer.from(files[path] ?? "");
      for (const [start, end] of [
        [0, 0],
        [1, 300_000],
        [299_999, content.length - 1],
        [content.length - 1, content.length - 1],
      ] as const) {
        const part = await buffer(bundle.read(entry, { start, end }));
        assert.deepEqual(part, content.subarray(start, end + 1), `${path} ${start}-${end}`);
      }
    }
  });

  it("are fetched once for all who ask, and not again by another process", async () => {
    const { copies, folder } = open();
    await Promise.all(Array.from({ length: 20 }, () => copies.open(archiveAt(0))));
    using other = createBundleCopies(storage, { folder, maxBytes: 1e9 });
    assert.equal(await readText(await other.open(archiveAt(0)), "number.txt"), "1");
    assert.deepEqual(reads, [archiveAt(0).key]);
    copies[Symbol.dispose]();
  });

  it("stay readable without the storage, and without their folder while they are open", async () => {
    const { copies, folder } = open();
    await copies.open(archiveAt(0));
    isAway = true;
    await rm(folder, { recursive: true });
    assert.equal(await readText(await copies.open(archiveAt(0)), "number.txt"), "1");
    await assert.rejects(copies.open(archiveAt(1)), /away/);
    isAway = false;
    assert.equal(await readText(await copies.open(archiveAt(1)), "number.txt"), "2");
    copies[Symbol.dispose]();
  });

  it("are removed, the least recently used first, when they take too much space", async () => {
    const { copies, folder } = open(archiveAt(0).bytes * 2.5);
    for (const at of [0, 1]) await copies.open(archiveAt(at));
    const first = await copies.open(archiveAt(0));
    const reading = first.read(first.entries.get("long.json") ?? assert.fail());
    // Another process used the first copy later than the second.
    const [older] = await readdir(folder);
    await utimes(join(folder, older ?? ""), 1, 1);
    await copies.open(archiveAt(2));
    assert.equal((await readdir(folder)).length, 2);
    assert.ok(!(await readdir(folder)).includes(older ?? ""));
    assert.equal((await buffer(reading)).toString(), files["long.json"]);
    copies[Symbol.dispose]();
  });

  it("are fetched again when they are not whole", async () => {
    const { copies, folder } = open();
    await copies.open(archiveAt(0));
    copies[Symbol.dispose]();
    const [name] = await readdir(folder);
    const file = join(folder, name ?? "");
    await writeFile(file, (await readFile(file)).subarray(0, 1000));
    using other = createBundleCopies(storage, { folder, maxBytes: 1e9 });
    assert.equal(await readText(await other.open(archiveAt(0)), "number.txt"), "1");
    assert.equal(reads.length, 2);
  });

  it("are not made of damaged archives", async () => {
    const key = `bundles/${"0".repeat(64)}.zip`;
    await writeFile(
      join(root.path, "other.zip"),
      await readFile(join(root.path, "site-1.zip")).catch(() => noise),
    );
    await storage.put(key, join(root.path, "other.zip"));
    const { copies, folder } = open();
    const opening = copies.open({ key, format: "zip", bytes: noise.length });
    await assert.rejects(opening, (error) => isOctavoError(error, "unavailable"));
    assert.deepEqual(await readdir(folder), []);
    copies[Symbol.dispose]();
  });
});

async function readText(bundle: OpenBundle, path: string): Promise<string> {
  const entry = bundle.entries.get(path) ?? assert.fail(`no ${path}`);
  return (await readEntry(bundle, entry, 1e8)).toString();
}
