import assert from "node:assert/strict";
import { mkdir, readdir, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { emptyManifest } from "../manifest.ts";
import type { Manifest } from "../manifest.ts";
import { createManifestCache } from "./export-cache.ts";
import { maxUnusedMs } from "./segment-store.ts";
import { openPageCache } from "./page-cache.ts";

const count = 100;

/** `changed` lists the numbers of rewritten files; file 7 consists of parts. */
function manifestOf(version: string, changed: readonly number[], length = count): Manifest {
  const numbers = Array.from({ length }, (_, number) => number);
  const isChanged = (number: number) => changed.includes(number);
  return {
    files: {
      paths: numbers.map((number) => `pages/${number}.html`),
      fingerprints: numbers.map((number) => (isChanged(number) ? version : "first")),
      stats: Float64Array.from(
        numbers.flatMap((number) => [number, isChanged(number) ? 2 : 1, 3, 4]),
      ),
      parts: new Map([[7, [["part", isChanged(7) ? 2 : 1]]]]),
    },
    folders: new Map([["pages", [0, changed.length, 0, 1]]]),
  };
}

/** Returns the result of each of several exports, and how many bytes it writes. */
async function exportAll(cacheDir: string, outDir: string, manifests: readonly Manifest[]) {
  const written: number[] = [];
  for (const manifest of manifests) {
    const before = await filesIn(cacheDir);
    const cache = createManifestCache(cacheDir, "version");
    cache.read(outDir);
    cache.write(outDir, manifest);
    const after = await filesIn(cacheDir);
    written.push(
      after
        .filter(({ ino }) => before.every((file) => file.ino !== ino))
        .reduce((sum, { size }) => sum + size, 0),
    );
    assert.deepEqual(createManifestCache(cacheDir, "version").read(outDir), manifest);
  }
  return written;
}

async function filesIn(folder: string): Promise<{ ino: number; size: number }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return await Promise.all(files.map((file) => stat(join(file.parentPath, file.name))));
}

const [first, edited, other] = [
  manifestOf("", []),
  manifestOf("second", [3, 7]),
  manifestOf("third", [5]),
];

test("a manifest that differs in few files is written as what differs", async () => {
  await using folder = await temporaryFolder();
  const written = await exportAll(folder.path, folder.path, [first, edited, edited, other, first]);
  const [whole = 0, ...changes] = written;
  for (const bytes of changes) assert(bytes > 0 && bytes < whole / 5, `${bytes} of ${whole} bytes`);
});

test("a manifest of other files, or that differs in many, is written as a whole", async () => {
  await using folder = await temporaryFolder();
  const more = manifestOf("second", [], count + 1);
  const many = manifestOf("third", [1, 2, 3, 4, 5, 6, 7], count + 1);
  const written = await exportAll(folder.path, folder.path, [first, edited, more, many]);
  const [whole = 0, , ...others] = written;
  for (const bytes of others) assert(bytes > whole / 2, `${bytes} of ${whole} bytes`);
});

test("what differs from a manifest that another export has replaced is not taken for the new one's", async () => {
  await using folder = await temporaryFolder();
  const [one, another] = [1, 2].map(() => createManifestCache(folder.path, "1"));
  assert(one && another);
  one.write(folder.path, first);
  one.read(folder.path);
  another.write(folder.path, other);
  one.write(folder.path, edited);
  assert.deepEqual(createManifestCache(folder.path, "1").read(folder.path), other);
});

test("another version of the renderer knows no manifest", async () => {
  await using folder = await temporaryFolder();
  await exportAll(folder.path, folder.path, [first, edited]);
  const cache = createManifestCache(folder.path, "other");
  assert.deepEqual(cache.read(folder.path), emptyManifest);
});

test("a manifest that is used stays, however long ago and however many others were written", async () => {
  await using folder = await temporaryFolder();
  const outDir = (name: string) => join(folder.path, name);
  const others = Array.from({ length: 12 }, (_, number) => `other-${number}`);
  await makeFolders(folder.path, ["used", ...others]);
  const cacheDir = join(folder.path, "cache");
  await mkdir(cacheDir);
  await exportAll(cacheDir, outDir("used"), [first]);
  for (const [number, other] of others.entries()) {
    await age(cacheDir, 60_000);
    await exportAll(cacheDir, outDir("used"), [number % 2 === 0 ? edited : first]);
    await exportAll(cacheDir, outDir(other), [first]);
  }
  const pages = openPageCache(cacheDir, "1");
  await age(cacheDir, maxUnusedMs + 1_000);
  createManifestCache(cacheDir, "version").read(outDir("used"));
  await pages.prune();
  pages[Symbol.dispose]();
  const cache = createManifestCache(cacheDir, "version");
  assert.deepEqual(cache.read(outDir("used")), first);
  assert.deepEqual(cache.read(outDir("other-11")), emptyManifest, "what nobody used stayed");
});

async function makeFolders(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) await mkdir(join(folder, name));
}

/** Makes all files of a folder older. */
async function age(folder: string, ms: number): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const { mtimeMs } = await stat(file);
    await utimes(file, (mtimeMs - ms) / 1_000, (mtimeMs - ms) / 1_000);
  }
}
