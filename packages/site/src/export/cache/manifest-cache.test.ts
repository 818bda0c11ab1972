import assert from "node:assert/strict";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { emptyManifest } from "../manifest.ts";
import type { Manifest } from "../manifest.ts";
import { createManifestCache } from "./manifest-cache.ts";

const count = 100;

/** `changed` are numbers of files that were written again; file 7 consists of parts. */
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

/** What each of several exports writes, and how many bytes it writes for that. */
async function exportAll(cacheDir: string, outDir: string, manifests: readonly Manifest[]) {
  const dir = join(cacheDir, "bundles");
  const written: number[] = [];
  for (const manifest of manifests) {
    const before = await filesIn(cacheDir);
    const cache = createManifestCache(dir, "version");
    cache.read(outDir);
    cache.write(outDir, manifest);
    const after = await filesIn(cacheDir);
    written.push(
      after
        .filter(({ ino }) => before.every((file) => file.ino !== ino))
        .reduce((sum, { size }) => sum + size, 0),
    );
    assert.deepEqual(createManifestCache(dir, "version").read(outDir), manifest);
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
  const dir = join(folder.path, "bundles");
  const [one, another] = [createManifestCache(dir, "1"), createManifestCache(dir, "1")];
  one.write(folder.path, first);
  one.read(folder.path);
  another.write(folder.path, other);
  one.write(folder.path, edited);
  assert.deepEqual(createManifestCache(dir, "1").read(folder.path), other);
});

test("another version of the renderer knows no manifest", async () => {
  await using folder = await temporaryFolder();
  await exportAll(folder.path, folder.path, [first, edited]);
  const cache = createManifestCache(join(folder.path, "bundles"), "other");
  assert.deepEqual(cache.read(folder.path), emptyManifest);
});
