import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { crc32 } from "node:zlib";
import { sha256 } from "../../core/index.ts";
import {
  createTestFile,
  createFilesAroundParts,
  gather,
  openMemoryCache,
} from "./archive.test-support.ts";
import type { BlockCache } from "./archive-items.ts";
import type { PackedFile } from "./packed-file.ts";
import { packTarGz } from "./tar-gz.ts";
import {
  compressionMethods,
  encodeCentralHeader,
  encodeEndOfDirectory,
  encodeLocalHeader,
  packZip,
} from "./zip.ts";

const folder = mkdtempSync(join(tmpdir(), "octavo-zip-"));
after(() => rmSync(folder, { recursive: true }));

async function packed(files: readonly PackedFile[], cache?: BlockCache): Promise<Buffer> {
  return await gather(packZip(files, cache));
}

function write(name: string, content: string | Uint8Array): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

/** Runs `script`, in which `archive` is the zip. */
function python(file: string, script: string): unknown {
  const prelude = "import json,sys,zipfile;archive=zipfile.ZipFile(sys.argv[1])\n";
  const args = ["-X", "utf8", "-c", prelude + script, file];
  return JSON.parse(execFileSync("python3", args, { encoding: "utf8" }));
}

/** Returns hashes of the contents that Python reads, after it has compared all checksums. */
function unpacked(archive: Uint8Array): Record<string, string> {
  const script =
    "import hashlib\n" +
    "assert archive.testzip() is None\n" +
    "print(json.dumps({name:hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}))";
  return python(write("archive.zip", archive), script) as Record<string, string>;
}

test("a file of many parts is packed as others are", async () => {
  const files = createFilesAroundParts(17);
  const whole = Buffer.concat(files[1]?.parts?.map((part) => part.bytes()) ?? []);
  const expected = { a: sha256("a"), "full.txt": sha256(whole), z: sha256("z") };
  assert.deepEqual(unpacked(await packed(files)), expected);
});

test("after a change of one file, its group is packed again and nothing else", async () => {
  const files = Array.from({ length: 500 }, (_, at) => createTestFile(`page-${at}.html`));
  const changed = files.with(250, createTestFile("page-250.html", " again"));
  const cache = openMemoryCache();
  await packed(files, cache);
  assert.ok(cache.puts > 5, `${cache.puts} groups`);
  cache.puts = 0;
  const again = await packed(changed, cache);
  assert.equal(cache.puts, 1);
  assert.ok(again.equals(await packed(changed)), "the bytes are those without a cache");
  assert.equal(unpacked(again)["page-250.html"], sha256("page-250.html again"));
});

test("files that are too long to be read whole stand where they belong, compressed or as they are", async () => {
  const text = "0123456789".repeat(330_000);
  const files = ["a", "long.bin", "long.png", "z"].map((path) => {
    const source = write(path, path.startsWith("long") ? text : path);
    return { path, source, fingerprint: path };
  });
  const cache = openMemoryCache();
  const archive = await packed(files, cache);
  // Two groups of a short file, and four slices of the compressed one.
  assert.equal(cache.puts, 6);
  const [long, a, z] = [text, "a", "z"].map(sha256);
  assert.deepEqual(unpacked(archive), { a, "long.bin": long, "long.png": long, z });
  assert.ok(archive.length > text.length && archive.length < 1.1 * text.length);
  assert.ok(archive.equals(await packed(files, cache)), "the bytes are the same from the cache");
  assert.equal(cache.puts, 6, "nothing is packed again");
});

for (const name of ["long.txt", "long.png"]) {
  test(`a ${name} that changes while it is packed makes no archive with a wrong checksum`, async () => {
    const source = write(name, "a".repeat(3_000_000));
    const archive = packZip([{ path: name, source }]);
    await archive.next();
    write(name, "b".repeat(3_000_000));
    await assert.rejects(Array.fromAsync(archive), /changed while it was being packed/);
  });

  test(`a ${name} that grows while it is packed is named`, async () => {
    const source = write(name, "a".repeat(3_000_000));
    const archive = packZip([{ path: name, source }]);
    await archive.next();
    write(name, "a".repeat(3_000_001));
    await assert.rejects(Array.fromAsync(archive), /long\.\w+ changed while it was being packed/);
  });

  test(`a ${name} that gets shorter while it is packed is named`, async () => {
    const source = write(name, "a".repeat(3_000_000));
    const archive = packZip([{ path: name, source }]);
    await archive.next();
    write(name, "a".repeat(2_000_000));
    await assert.rejects(Array.fromAsync(archive), /long\.\w+ changed while it was being packed/);
  });
}

test("what is packed is not taken from another version, format, path or content", async () => {
  const cache = openMemoryCache();
  const one = [createTestFile("a", "1"), createTestFile("b", "1")];
  await packed(one, cache);
  await gather(packTarGz(one, cache));
  assert.equal(cache.puts, 2);
  const [renamed, edited] = [
    [{ ...createTestFile("a", "1"), path: "c" }],
    [createTestFile("a", "2")],
  ];
  assert.deepEqual(unpacked(await packed(renamed, cache)), { c: sha256("a1") });
  assert.deepEqual(unpacked(await packed(edited, cache)), { a: sha256("a2") });
  cache.puts = 0;
  cache.version = "2";
  await packed(one, cache);
  assert.equal(cache.puts, 1);
  for (const content of ["x", "y"]) {
    const unknown = { path: "unknown", source: () => Buffer.from(content) };
    assert.deepEqual(unpacked(await packed([unknown], cache)), { unknown: sha256(content) });
  }
  assert.equal(cache.puts, 1);
});

test("a long file has the same bytes whether it is on the disk or in memory", async () => {
  const content = randomBytes(2_500_000);
  const source = write("long.html", content);
  const [disk, memory] = [source, () => content].map((from) => ({
    path: "long.html",
    fingerprint: "long",
    source: from,
  }));
  assert.ok(disk && memory);
  for (const pack of [packZip, packTarGz]) {
    const expected = await gather(pack([disk]));
    assert.ok(expected.equals(await gather(pack([memory]))));
    assert.ok(expected.equals(await gather(pack([memory], openMemoryCache()))));
  }
});

test("files of a group that are large together are packed one after the other", async () => {
  const content = randomBytes(900_000);
  const files = Array.from({ length: 30 }, (_, at) => ({
    path: `${at}.png`,
    source: () => content,
  }));
  const sizes: number[] = [];
  for await (const { length } of packZip(files)) sizes.push(length);
  assert.ok(Math.max(...sizes) < 9 * 1024 * 1024, `${Math.max(...sizes)} bytes at once`);
});

test("an entry has a mode, a system and a time that are always the same", async () => {
  const file = write("facts.zip", await packed([createTestFile("a.html")]));
  const script =
    "i=archive.infolist()[0]\nprint(json.dumps([i.external_attr>>16,i.create_system,list(i.date_time)]))";
  assert.deepEqual(python(file, script), [0o100_644, 3, [2000, 1, 1, 0, 0, 0]]);
});

test("numbers go into the field of zip64 from the first that does not fit", () => {
  const max32 = 0xffff_ffff;
  const entry = {
    path: "a",
    method: compressionMethods.store,
    crc: 1,
    bytes: 7,
    compressedBytes: 7,
  };
  for (const [bytes, compressedBytes, extra] of [
    [max32 - 1, 7, 0],
    [max32, 7, 20],
    [7, max32, 20],
    [max32 + 1, max32 + 2, 20],
  ] as const) {
    const header = encodeLocalHeader({ ...entry, bytes, compressedBytes });
    assert.equal(header.length, 31 + extra);
    assert.equal(header.readUInt16LE(4), extra > 0 ? 45 : 20);
    if (extra === 0) continue;
    assert.deepEqual([header.readUInt32LE(18), header.readUInt32LE(22)], [max32, max32]);
    const numbers = [header.readBigUInt64LE(35), header.readBigUInt64LE(43)];
    assert.deepEqual(numbers, [BigInt(bytes), BigInt(compressedBytes)]);
  }
  assert.equal(encodeCentralHeader(entry, max32 - 1).length, 47);
  assert.equal(encodeCentralHeader(entry, max32).readBigUInt64LE(51), BigInt(max32));
  const end = { bytes: 100, offset: 200 };
  assert.equal(encodeEndOfDirectory({ ...end, entries: 0xfffe }).length, 22);
  const large = encodeEndOfDirectory({ ...end, entries: 0xffff });
  assert.equal(large.length, 56 + 20 + 22);
  const counts = [large.readBigUInt64LE(24), large.readBigUInt64LE(32)];
  assert.deepEqual(counts, [0xffffn, 0xffffn]);
  assert.deepEqual([large.readBigUInt64LE(64), large.readUInt32LE(72)], [300n, 1]);
});

test("more files than a zip had numbers for at first", async () => {
  const files = Array.from({ length: 66_000 }, (_, at) => createTestFile(String(at)));
  const file = write("many.zip", await packed(files));
  const script = "print(json.dumps([len(archive.namelist()), archive.read('65999').decode()]))";
  assert.deepEqual(python(file, script), [66_000, "65999"]);
});

test("sizes and places that do not fit into 32 bits", () => {
  const store = { method: compressionMethods.store, crc: 0 };
  const huge = { ...store, path: "huge.bin", bytes: 5e9, compressedBytes: 5e9 };
  const content = Buffer.from("behind it");
  const size = content.length;
  const last = { ...store, path: "last", crc: crc32(content), bytes: size, compressedBytes: size };
  const offset = encodeLocalHeader(huge).length + 5e9;
  const directory = Buffer.concat([
    encodeCentralHeader(huge, 0),
    encodeCentralHeader(last, offset),
  ]);
  const end = offset + encodeLocalHeader(last).length + size;
  // The huge file is a hole in a sparse file.
  const file = join(folder, "huge.zip");
  const descriptor = openSync(file, "w");
  const tail = encodeEndOfDirectory({ entries: 2, bytes: directory.length, offset: end });
  const rest = Buffer.concat([encodeLocalHeader(last), content, directory, tail]);
  writeSync(descriptor, encodeLocalHeader(huge));
  writeSync(descriptor, rest, 0, rest.length, offset);
  closeSync(descriptor);
  const script =
    "print(json.dumps([[i.filename,i.file_size,i.compress_size,i.header_offset] for i in archive.infolist()]+[archive.read('last').decode()]))";
  assert.deepEqual(python(file, script), [
    ["huge.bin", 5e9, 5e9, 0],
    ["last", size, size, offset],
    "behind it",
  ]);
});
