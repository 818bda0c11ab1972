import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { isOctavoError } from "@octavo/site/core";
import { packFolder } from "../../../../test/support/pack-folder.ts";
import { createFileStorage } from "../storage/index.ts";
import { readArchive } from "./archive.ts";

type Format = "tar.gz" | "zip";

const directoryEntry = Buffer.from("PK\u0001\u0002", "latin1");
/** More entries than are read from a zip's directory at the same time. */
const pages = Array.from({ length: 900 }, (_, index) => `pages/${"deep/".repeat(8)}${index}.html`);
const contents: Readonly<Record<string, string>> = {
  "a/empty.css": "",
  "b/\u00E4 \u6F22.html": "text",
  "c/large.json": JSON.stringify(Array.from({ length: 30_000 }, (_, index) => index * 7_919)),
  ...Object.fromEntries(pages.map((path) => [path, path])),
};

describe("the files of an archive", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "octavo-archive-"));
    for (const [path, content] of Object.entries(contents)) {
      await mkdir(dirname(join(folder, "site", path)), { recursive: true });
      await writeFile(join(folder, "site", path), content);
    }
    for (const format of ["tar.gz", "zip"] as const) {
      await packFolder(join(folder, "site"), format, join(folder, `site.${format}`));
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function open(format: Format, change: (archive: Buffer) => Buffer = (archive) => archive) {
    const archive = change(await readFile(join(folder, `site.${format}`)));
    const stored = await mkdtemp(join(folder, "stored-"));
    await writeFile(join(stored, "bundle"), archive);
    return readArchive(createFileStorage(stored), { key: "bundle", format, bytes: archive.length });
  }

  async function readAll(format: Format, change?: (archive: Buffer) => Buffer) {
    const read: Record<string, string> = {};
    for await (const file of await open(format, change)) {
      const content = await buffer(await file.open());
      assert.equal(content.length, file.bytes, file.path);
      read[file.path] = content.toString();
    }
    return read;
  }

  for (const format of ["tar.gz", "zip"] as const) {
    it(`are read as they were packed into a ${format}`, async () => {
      assert.deepEqual(await readAll(format), contents);
    });

    it(`may be left unread, as may the rest of a ${format}`, async () => {
      const paths: string[] = [];
      for await (const { path } of await open(format)) {
        paths.push(path);
        if (paths.length === 3) break;
      }
      assert.deepEqual(paths, Object.keys(contents).slice(0, 3));
    });

    it(`are refused if a ${format} is truncated or is not one`, async () => {
      for (const change of [
        (archive: Buffer) => archive.subarray(0, archive.length >> 1),
        () => Buffer.from("no archive"),
        () => Buffer.alloc(0),
      ]) {
        await assert.rejects(readAll(format, change), isUnavailable);
      }
    });

    it(`are refused if the content of a ${format} is damaged`, async () => {
      await assert.rejects(readAll(format, overwritten), isUnavailable);
    });
  }

  it("are read from a zip in any order", async () => {
    const files = await Array.fromAsync(await open("zip"));
    for (const file of [...files.slice(0, 3), ...files.slice(-3)].toReversed()) {
      assert.equal((await buffer(await file.open())).toString(), contents[file.path]);
    }
  });

  it("are no larger than the zip says", async () => {
    await assert.rejects(readAll("zip", withSmallSizes), isUnavailable);
  });

  it("are refused if a path in a zip leads out of its folder", async () => {
    await assert.rejects(
      readAll("zip", (archive) => replaced(archive, "a/empty.css", "../mpty.css")),
      isUnavailable,
    );
  });

  it("are not found if the archive is missing", async () => {
    const files = readArchive(createFileStorage(folder), {
      key: "none",
      format: "zip",
      bytes: 100,
    });
    await assert.rejects(files.next(), (error) => isOctavoError(error, "not_found"));
  });
});

function isUnavailable(error: unknown): boolean {
  return isOctavoError(error, "unavailable");
}

function overwritten(archive: Buffer): Buffer {
  return Buffer.concat([
    archive.subarray(0, 2_000),
    Buffer.alloc(2_000, 0xff),
    archive.subarray(4_000),
  ]);
}

/** Changes each file's size in the directory to one byte. */
function withSmallSizes(archive: Buffer): Buffer {
  for (let at = archive.indexOf(directoryEntry); at !== -1;) {
    if (archive.readUInt32LE(at + 24) > 1) archive.writeUInt32LE(1, at + 24);
    at = archive.indexOf(directoryEntry, at + 1);
  }
  return archive;
}

function replaced(archive: Buffer, from: string, to: string): Buffer {
  return Buffer.from(archive.toString("latin1").replaceAll(from, to), "latin1");
}
