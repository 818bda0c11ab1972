import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { extract, pack } from "tar-stream";
import {
  createTestFile,
  createFilesAroundParts,
  gather,
  openMemoryCache,
} from "./archive.test-support.ts";
import type { BlockCache } from "./archive-items.ts";
import { entryMode, entryYear } from "./packed-file.ts";
import type { PackedFile } from "./packed-file.ts";
import { packTarGz } from "./tar-gz.ts";

async function packed(files: readonly PackedFile[], cache?: BlockCache): Promise<Buffer> {
  return await gather(packTarGz(files, cache));
}

async function unpacked(archive: Buffer): Promise<Map<string, string>> {
  const contents = new Map<string, string>();
  const entries = extract();
  entries.end(gunzipSync(archive));
  for await (const entry of entries) {
    const chunks = await Array.fromAsync(entry as AsyncIterable<Buffer>);
    contents.set(entry.header.name, Buffer.concat(chunks).toString("latin1"));
  }
  return contents;
}

test("a file of many parts is packed as others are", async () => {
  const files = createFilesAroundParts(17);
  const contents = await unpacked(await packed(files));
  assert.deepEqual([...contents.keys()], ["a", "full.txt", "z"]);
  const whole = Buffer.concat(files[1]?.parts?.map((part) => part.bytes()) ?? []);
  assert.equal(contents.get("full.txt"), whole.toString("latin1"));
});

for (const bytes of [3 * 1024 * 1024, 3 * 1024 * 1024 + 1]) {
  test(`a file of ${bytes} bytes, which is packed piece by piece, makes the tar that others make`, async () => {
    const long = { path: "long.bin", source: () => Buffer.alloc(bytes, "abc") };
    const files = [createTestFile("a"), long, createTestFile("z")];
    const expected = pack();
    for (const { path, source } of files) {
      const content = Buffer.from(typeof source === "string" ? source : source());
      expected.entry(
        { name: path, mode: entryMode, mtime: new Date(Date.UTC(entryYear, 0, 1)) },
        content,
      );
    }
    expected.finalize();
    const chunks = await Array.fromAsync(expected as AsyncIterable<Buffer>);
    assert.ok(gunzipSync(await packed(files)).equals(Buffer.concat(chunks)));
  });
}

test("a file on the disk is never in memory as a whole, if it is long", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "octavo-tar-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const source = join(folder, "film.mp4");
  const content = randomBytes(5_000_000);
  writeFileSync(source, content);
  const files = [
    createTestFile("a"),
    { path: "film.mp4", source, fingerprint: "film" },
    createTestFile("z"),
  ];
  const cache = openMemoryCache();
  const chunks = await Array.fromAsync(packTarGz(files, cache));
  assert.ok(Math.max(...chunks.map(({ length }) => length)) < 1.1 * 1024 * 1024);
  assert.equal(cache.puts, 2, "nor is it cached");
  const contents = await unpacked(Buffer.concat(chunks));
  assert.deepEqual([...contents.keys()], ["a", "film.mp4", "z"]);
  assert.equal(contents.get("film.mp4"), content.toString("latin1"));
});

for (const [change, length] of [
  ["changes", 3_000_000],
  ["grows", 3_000_001],
  ["gets shorter", 2_000_000],
] as const) {
  test(`a long file that ${change} while it is packed is named`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "octavo-tar-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const source = join(folder, "long.txt");
    writeFileSync(source, "a".repeat(3_000_000));
    const archive = packTarGz([{ path: "long.txt", source }]);
    // The header of the stream, the header of the file, and the file's first piece.
    for (let piece = 1; piece <= 3; piece++) await archive.next();
    writeFileSync(source, "b".repeat(length));
    await assert.rejects(Array.fromAsync(archive), /^OctavoError: long\.txt changed while/);
  });
}

test("a file of many parts has the same bytes if nothing is known of them", async () => {
  const files = createFilesAroundParts().map(({ parts, ...file }) => ({
    ...file,
    parts: parts?.map((part) => ({ name: part.name, bytes: () => part.bytes() })),
  }));
  assert.ok(
    (await packed(files)).equals(await packed(createFilesAroundParts(), openMemoryCache())),
  );
});
