import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { crc32 } from "node:zlib";
import { sha256 } from "../../core/index.ts";
import { fileOf, filesAroundParts, openMemoryCache } from "./archive.test-support.ts";
import type { BlockCache } from "./block-cache.ts";
import type { PackedFile } from "./packed-file.ts";
import { directoryEnd, directoryEntry, fileHeader, methods } from "./zip-records.ts";
import { zip } from "./zip.ts";

const folder = mkdtempSync(join(tmpdir(), "octavo-zip-"));
after(() => rmSync(folder, { recursive: true }));

async function packed(files: readonly PackedFile[], cache?: BlockCache): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(zip(files, cache)));
}

function write(name: string, content: string | Uint8Array): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

/** Runs `script`, for which `archive` is the zip. */
function python(file: string, script: string): unknown {
  const prelude = "import json,sys,zipfile;archive=zipfile.ZipFile(sys.argv[1])\n";
  const args = ["-X", "utf8", "-c", prelude + script, file];
  return JSON.parse(execFileSync("python3", args, { encoding: "utf8" }));
}

/** Hashes of what Python reads, after it compared all checksums. */
function unpacked(archive: Uint8Array): Record<string, string> {
  const script =
    "import hashlib\n" +
    "assert archive.testzip() is None\n" +
    "print(json.dumps({name:hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}))";
  return python(write("archive.zip", archive), script) as Record<string, string>;
}

test("a file of many parts is packed as others are", async () => {
  const files = filesAroundParts(17);
  const whole = Buffer.concat(files[1]?.parts?.map((part) => part.bytes()) ?? []);
  const expected = { a: sha256("a"), "full.txt": sha256(whole), z: sha256("z") };
  assert.deepEqual(unpacked(await packed(files)), expected);
});

test("after a change of one part, what is around it is compressed again and nothing else", async () => {
  const cache = openMemoryCache();
  await packed(filesAroundParts(), cache);
  cache.puts = 0;
  const again = await packed(filesAroundParts(2_500), cache);
  // A part may end a group or not: the change joins or splits at most two.
  assert.ok(cache.puts >= 1 && cache.puts <= 2, `${cache.puts} blocks`);
  assert.ok(
    again.equals(await packed(filesAroundParts(2_500))),
    "the bytes are those without a cache",
  );
});

test("after a change of one file, its group is packed again and nothing else", async () => {
  const files = Array.from({ length: 500 }, (_, at) => fileOf(`page-${at}.html`));
  const changed = files.with(250, fileOf("page-250.html", " again"));
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
  const [long, a, z] = [text, "a", "z"].map(sha256);
  assert.deepEqual(unpacked(archive), { a, "long.bin": long, "long.png": long, z });
  assert.ok(archive.length > text.length && archive.length < 1.1 * text.length);
  assert.ok(archive.equals(await packed(files, cache)), "the bytes are the same from the cache");
});

for (const name of ["long.txt", "long.png"]) {
  test(`a ${name} that changes while it is packed makes no archive with a wrong checksum`, async () => {
    const source = write(name, "a".repeat(3_000_000));
    const archive = zip([{ path: name, source }]);
    await archive.next();
    write(name, "b".repeat(3_000_000));
    await assert.rejects(Array.fromAsync(archive), /changed while it was packed/);
  });

  test(`a ${name} that gets shorter while it is packed is named`, async () => {
    const source = write(name, "a".repeat(3_000_000));
    const archive = zip([{ path: name, source }]);
    await archive.next();
    write(name, "a".repeat(2_000_000));
    await assert.rejects(Array.fromAsync(archive), /long\.\w+ changed while it was packed/);
  });
}

test("more files than a zip had numbers for at first", async () => {
  const files = Array.from({ length: 66_000 }, (_, at) => fileOf(String(at)));
  const file = write("many.zip", await packed(files));
  const script = "print(json.dumps([len(archive.namelist()), archive.read('65999').decode()]))";
  assert.deepEqual(python(file, script), [66_000, "65999"]);
});

test("sizes and places that do not fit into 32 bits", () => {
  const store = { method: methods.store, crc: 0 };
  const huge = { ...store, path: "huge.bin", bytes: 5e9, compressedBytes: 5e9 };
  const content = Buffer.from("behind it");
  const size = content.length;
  const last = { ...store, path: "last", crc: crc32(content), bytes: size, compressedBytes: size };
  const offset = fileHeader(huge).length + 5e9;
  const directory = Buffer.concat([directoryEntry(huge, 0), directoryEntry(last, offset)]);
  const end = offset + fileHeader(last).length + size;
  // The huge file is a hole in a sparse one.
  const file = join(folder, "huge.zip");
  const descriptor = openSync(file, "w");
  const tail = directoryEnd({ entries: 2, bytes: directory.length, offset: end });
  const rest = Buffer.concat([fileHeader(last), content, directory, tail]);
  writeSync(descriptor, fileHeader(huge));
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
