import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { isOctavoError } from "@octavo/site/core";
import { packFolder } from "../../../../test/support/pack-folder.ts";
import { createFileStorage } from "../storage/index.ts";
import type { StoredArchive } from "./archive.ts";
import { createUnpackedBundles } from "./unpacked-bundles.ts";

const contents: Readonly<Record<string, string>> = {
  "guides/a.css": "a",
  "guides/index.html": "guides",
  "guides/unknown": "bytes",
  "index.html": "start",
};

describe("an unpacked bundle", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "octavo-unpacked-"));
    for (const [path, content] of Object.entries(contents)) {
      await mkdir(dirname(join(folder, "site", path)), { recursive: true });
      await writeFile(join(folder, "site", path), content);
    }
    await writeFile(join(folder, "outside"), "secret");
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const format of ["tar.gz", "zip"] as const) {
    it(`has the files of a ${format} with their types, and no others`, async () => {
      const { unpacked, bundle } = await open(format);
      const found = ["", "guides/", "guides/index.html", "guides/a.css", "guides/unknown"].map(
        async (path) => {
          const file = await unpacked.find(bundle, path);
          const content = await text(file.open());
          assert.equal(file.bytes, content.length);
          return [content, file.contentType];
        },
      );
      assert.deepEqual(await Promise.all(found), [
        ["start", "text/html; charset=utf-8"],
        ["guides", "text/html; charset=utf-8"],
        ["guides", "text/html; charset=utf-8"],
        ["a", "text/css; charset=utf-8"],
        ["bytes", "application/octet-stream"],
      ]);
      for (const path of ["guides", "none", "../outside", "%00", "\0", "index.html/x"]) {
        await assert.rejects(unpacked.find(bundle, path), (e) => isOctavoError(e, "not_found"));
      }
    });
  }

  it("is unpacked once, and again if its folder was removed", async () => {
    const { unpacked, bundle, cache } = await open("tar.gz");
    await Promise.all([unpacked.find(bundle, ""), unpacked.find(bundle, "guides/")]);
    const [name = "", ...others] = await readdir(cache);
    assert.deepEqual(others, []);
    await rm(join(cache, name), { recursive: true });
    assert.equal(await text((await unpacked.find(bundle, "")).open()), "start");
  });

  it("takes the place of the bundle that was not used for the longest time", async () => {
    const { unpacked, bundle, cache } = await open("zip");
    await unpacked.find(bundle, "");
    const [oldest = ""] = await readdir(cache);
    for (let count = 1; count <= 8; count++) await mkdir(join(cache, `other-${count}`));
    const { unpacked: same, bundle: next } = await open("tar.gz", cache);
    await same.find(next, "");
    assert.equal((await readdir(cache)).length, 8);
    await assert.rejects(stat(join(cache, oldest)), { code: "ENOENT" });
  });

  async function open(format: StoredArchive["format"], cache?: string) {
    const stored = await mkdtemp(join(folder, "stored-"));
    const key = `site.${format}`;
    await packFolder(join(folder, "site"), format, join(stored, key));
    const { size: bytes } = await stat(join(stored, key));
    const used = cache ?? join(stored, "cache");
    const unpacked = createUnpackedBundles(createFileStorage(stored), used);
    const bundle: StoredArchive = { key, format, bytes };
    return { unpacked, bundle, cache: used };
  }
});
