import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { collectArrayBuffers } from "../../../../../test/support/collect-garbage.ts";
import { writeSite } from "../../../../../test/sites/temporary-site.ts";
import { createStoreFile, openStoreFile } from "./search-index-cache.ts";
import type { StoreFile } from "./search-index-cache.ts";

const megabyte = 1024 * 1024;

/** Returns bytes that differ at each position and are never the same in two blocks. */
function pattern(length: number): Buffer {
  const numbers = Uint32Array.from({ length: length / 4 }, (_, at) => Math.imul(at, 2_654_435_761));
  return Buffer.from(numbers.buffer);
}

/** Creates a store with `content`, appended in pieces that do not align with blocks. */
function storeOf(content: Buffer, partial: string): StoreFile {
  const store = createStoreFile(() => partial);
  for (let at = 0; at < content.length; at += 10_001) {
    store.append(content.subarray(at, at + 10_001));
  }
  return store;
}

async function partialIn(t: TestContext): Promise<string> {
  return join(await writeSite(t, {}), "x.part");
}

function fail(): Error {
  return new Error("It is damaged.");
}

test("reads what was appended, in memory and out of a file", async (t) => {
  for (const size of [0, 1_000, megabyte, 9 * megabyte]) {
    const content = pattern(size);
    const partial = await partialIn(t);
    using store = storeOf(content, partial);
    assert.equal(store.length, size);
    assert.equal(existsSync(partial), size > 8 * megabyte);
    const places = [0, size / 4, size / 2, size].map((place) => place - (place % 4));
    const ranges = places.flatMap((from) => places.map((to) => [from, to] as const));
    for (const [from, to] of ranges.filter(([from, to]) => from <= to)) {
      assert.ok(content.subarray(from, to).equals(store.read(from, to)), `${from} to ${to}`);
    }
  }
});

test("numbers that are read are aligned", async (t) => {
  using store = storeOf(pattern(9 * megabyte), await partialIn(t));
  for (const from of [0, 4, 65_532, 65_536, 8 * megabyte - 4]) {
    assert.equal(store.read(from, from + 8).byteOffset % 4, 0);
  }
});

test("holds a few blocks of a large store in memory", async (t) => {
  const partial = await partialIn(t);
  using store = createStoreFile(() => partial);
  const piece = pattern(megabyte);
  const before = await collectArrayBuffers(0);
  for (let count = 0; count < 100; count += 1) store.append(piece);
  for (let at = 0; at < store.length; at += megabyte) store.read(at, at + 1_000);
  const limit = before + 2 * megabyte;
  assert.ok((await collectArrayBuffers(limit)) < limit);
});

test("a store that is kept can be opened again, another leaves nothing", async (t) => {
  const folder = await writeSite(t, {});
  for (const size of [1_000, 9 * megabyte]) {
    const content = pattern(size);
    const name = join(folder, `kept-${size}`);
    const store = storeOf(content, join(folder, "x.part"));
    const stored = store.persist(name);
    assert.ok(content.equals(store.read(0, size)), "before it is closed");
    store[Symbol.dispose]();
    using opened = openStoreFile(name, stored, fail);
    assert.ok(content.equals(opened.read(0, size)));
  }
  storeOf(pattern(9 * megabyte), join(folder, "x.part"))[Symbol.dispose]();
  assert.deepEqual((await readdir(folder)).toSorted(), ["kept-1000", "kept-9437184"]);
});

test("a damaged or truncated block is noticed where it is read", async (t) => {
  const folder = await writeSite(t, {});
  const name = join(folder, "kept");
  const store = storeOf(pattern(megabyte), join(folder, "x.part"));
  const stored = store.persist(name);
  store[Symbol.dispose]();
  const bytes = await readFile(name);
  bytes[megabyte / 2] = (bytes[megabyte / 2] ?? 0) ^ 1;
  await writeFile(name, bytes.subarray(0, -1));
  using opened = openStoreFile(name, stored, fail);
  opened.read(0, 1_000);
  for (const from of [megabyte / 2, megabyte - 4]) {
    assert.throws(() => opened.read(from, from + 4), /damaged/);
  }
});

test("stays in memory where the disk refuses, and cannot be kept", async (t) => {
  const folder = await writeSite(t, {});
  const content = pattern(9 * megabyte);
  using store = storeOf(content, join(folder, "missing", "x.part"));
  assert.ok(content.equals(store.read(0, content.length)));
  assert.throws(() => store.persist(join(folder, "kept")), /cannot be written/);
});
