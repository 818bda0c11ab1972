import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { extract } from "tar-stream";
import { isOctavoError, sha256 } from "../../core/index.ts";
import { packFolder } from "../../../../../test/support/pack-folder.ts";
import { packFiles } from "./pack-files.ts";

const run = promisify(execFile);
const formats = ["tar.gz", "zip"] as const;

/** A long name, non-ASCII names, an empty file, one that is streamed, one already compressed. */
const contents: Readonly<Record<string, string | Buffer>> = {
  "index.html": "<h1>Start</h1>",
  "Zebra.html": "capital letters sort first",
  "guides/start.html": "<p>Guide</p>".repeat(500),
  "guides.html": "beside its folder",
  "empty.txt": "",
  "指南/開始 %20.html": "日本語",
  [`${"deep/".repeat(40)}${"n".repeat(120)}.html`]: "far below",
  "images/photo.png": Buffer.alloc(300_000, 7),
  "big.bin": Buffer.alloc(3_000_000, "0123456789"),
  "größer.bin": Buffer.alloc(1_200_000, "abc"),
  [`long/${"n".repeat(120)}.bin`]: Buffer.alloc(1_200_000, "def"),
  "PHOTO.PNG": Buffer.alloc(2_000, 9),
  "middle.txt": Buffer.from(Array.from({ length: 40_000 }, (_, at) => at * 7919).join(" ")),
};

let folder: string;

async function fill(name: string, files = contents): Promise<string> {
  const root = join(folder, name);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}

async function readTar(file: string) {
  const entries: { path: string; content: Buffer; header: object }[] = [];
  const archive = extract();
  archive.end(gunzipSync(await readFile(file)));
  for await (const entry of archive) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    const { name, mode, uid, gid, mtime, type } = entry.header;
    entries.push({
      path: name,
      content: Buffer.concat(chunks),
      header: { mode, uid, gid, mtime: mtime.toISOString(), type },
    });
  }
  return entries;
}

describe("packFiles", () => {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "octavo-pack-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("packs a tar.gz in the order of code units, with fixed owner, mode and time", async () => {
    const out = join(folder, "site.tar.gz");
    const packed = await packFolder(await fill("a"), "tar.gz", out);
    const bytes = await readFile(out);
    assert.deepEqual(packed, { bytes: bytes.length, sha256: sha256(bytes) });
    const entries = await readTar(out);
    assert.deepEqual(
      entries.map((entry) => entry.path),
      Object.keys(contents).toSorted(),
    );
    for (const { path, content, header } of entries) {
      assert.ok(content.equals(Buffer.from(contents[path] ?? "missing")), path);
      assert.deepEqual(header, {
        mode: 0o644,
        uid: 0,
        gid: 0,
        mtime: "2000-01-01T00:00:00.000Z",
        type: "file",
      });
    }
  });

  it("names neither a time nor a system in the gzip header", async () => {
    const out = join(folder, "site.tar.gz");
    await packFolder(await fill("a"), "tar.gz", out);
    const header = (await readFile(out)).subarray(0, 10);
    assert.equal(header.toString("hex"), "1f8b08000000000000ff");
  });

  for (const format of formats) {
    it(`fails when a file for a ${format} is gone, and leaves nothing`, async () => {
      const files = [{ path: "gone.html", source: join(folder, "gone.html") }];
      const out = join(folder, "site");
      await assert.rejects(packFiles(files, format, out), /gone\.html/);
      assert.deepEqual(await readdir(folder), []);
    });
  }

  it("packs a zip that other programs unpack", async () => {
    const out = join(folder, "site.zip");
    const packed = await packFolder(await fill("a"), "zip", out);
    const bytes = await readFile(out);
    assert.deepEqual(packed, { bytes: bytes.length, sha256: sha256(bytes) });
    const script =
      "import sys,zipfile;z=zipfile.ZipFile(sys.argv[1]);z.extractall(sys.argv[2]);print('\\n'.join(z.namelist()))";
    const unpacked = join(folder, "unpacked");
    const { stdout } = await run("python3", ["-X", "utf8", "-c", script, out, unpacked]);
    assert.deepEqual(stdout.trimEnd().split("\n"), Object.keys(contents).toSorted());
    for (const [path, content] of Object.entries(contents)) {
      assert.ok((await readFile(join(unpacked, path))).equals(Buffer.from(content)), path);
    }
  });

  for (const format of formats) {
    it(`packs the same ${format} for the same content, whatever the times and the time zone`, async (t) => {
      const first = await packFolder(await fill("a"), format, join(folder, "first"));
      const other = await fill("b", Object.fromEntries(Object.entries(contents).toReversed()));
      await utimes(join(other, "index.html"), 1, 1);
      const zone = process.env["TZ"];
      t.after(() => {
        if (zone === undefined) delete process.env["TZ"];
        else process.env["TZ"] = zone;
      });
      process.env["TZ"] = "Pacific/Kiritimati";
      const second = await packFolder(other, format, join(folder, "second"));
      assert.deepEqual(second, first);
      await writeFile(join(other, "index.html"), "<h1>Other</h1>");
      const third = await packFolder(other, format, join(folder, "third"));
      assert.notEqual(third.sha256, first.sha256);
    });

    it(`packs no files as ${format}`, async () => {
      await mkdir(join(folder, "empty"));
      const { bytes } = await packFolder(join(folder, "empty"), format, join(folder, "out"));
      assert.ok(bytes > 0);
    });

    it(`leaves nothing behind when a ${format} is cancelled`, async () => {
      const root = await fill("a");
      await assert.rejects(
        packFolder(root, format, join(folder, "out"), { signal: AbortSignal.abort() }),
        (error) => isOctavoError(error, "cancelled"),
      );
      assert.deepEqual(await readdir(folder), ["a"]);
    });
  }
});
