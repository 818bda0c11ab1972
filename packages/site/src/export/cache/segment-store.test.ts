import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { writeSite } from "../../../../../test/sites/temporary-site.ts";
import { sha256 } from "../../core/index.ts";
import { openSegmentStore, maxUnusedMs } from "./segment-store.ts";
import type { SegmentStore } from "./segment-store.ts";

const parts = ["html", "", "größe"].map((text) => Buffer.from(text));

function put(folder: string, ...names: string[]): void {
  const store = openSegmentStore(folder);
  for (const name of names) store.append(sha256(name), Buffer.from(`head of ${name}`), parts);
  store.close();
}

function read(store: SegmentStore, name: string): string | undefined {
  const record = store.find(sha256(name));
  return record && [record.head, ...[0, 1, 2, 3].map((part) => record.readPart(part))].join("|");
}

const whole = (name: string) => `head of ${name}|html||größe|`;

async function segmentsIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith(".segment"));
}

async function setUp(t: TestContext): Promise<string> {
  return join(await writeSite(t, {}), "pages");
}

describe("openSegmentStore", () => {
  it("finds the records of an earlier store, and no others", async (t) => {
    const folder = await setUp(t);
    put(folder, "a", "b");
    put(folder, "c");
    const store = openSegmentStore(folder);
    const found = ["a", "b", "c", "d"].map((name) => read(store, name));
    store.close();
    assert.deepEqual(found, [whole("a"), whole("b"), whole("c"), undefined]);
    assert.equal((await readdir(folder)).length, 2, "something was left beside the segments");
  });

  it("finds the newest of equal keys", async (t) => {
    const folder = await setUp(t);
    for (const text of ["older", "newer"]) {
      const store = openSegmentStore(folder);
      store.append(sha256("a"), Buffer.from(text), []);
      store.close();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const store = openSegmentStore(folder);
    assert.equal(store.find(sha256("a"))?.head.toString(), "newer");
    store.close();
  });

  it("lets two stores write at once, and reads a segment that another removed", async (t) => {
    const folder = await setUp(t);
    put(folder, "a");
    const [one, other] = [openSegmentStore(folder), openSegmentStore(folder)];
    one.append(sha256("b"), Buffer.from("head of b"), parts);
    other.append(sha256("c"), Buffer.from("head of c"), parts);
    one.flush();
    other.flush();
    const third = openSegmentStore(folder);
    for (const name of await readdir(folder)) await rm(join(folder, name));
    assert.deepEqual(
      ["a", "b", "c"].map((name) => read(third, name)),
      ["a", "b", "c"].map(whole),
    );
    for (const store of [one, other, third]) store.close();
  });

  const harms: [what: string, harm: (bytes: Buffer) => Buffer][] = [
    ["is empty", () => Buffer.alloc(0)],
    ["was cut by a byte", (bytes) => bytes.subarray(0, -1)],
    ["was cut in its records", (bytes) => bytes.subarray(0, 3)],
    ["has lost its beginning", (bytes) => bytes.subarray(2)],
    ["is something else", () => randomBytes(5_000)],
    ["has another head", (bytes) => changed(bytes, bytes.indexOf("head of a"))],
    ["has another key", (bytes) => changed(bytes, bytes.indexOf(sha256("a")))],
    ["promises more than it has", (bytes) => changed(bytes, bytes.length - 13)],
  ];
  for (const [what, harm] of harms) {
    it(`ignores a segment that ${what}`, async (t) => {
      const folder = await setUp(t);
      put(folder, "a");
      const [name = ""] = await readdir(folder);
      const file = join(folder, name);
      await writeFile(file, harm(await readFile(file)));
      put(folder, "b");
      const store = openSegmentStore(folder);
      const found = ["a", "b"].map((name) => read(store, name));
      store.close();
      assert.deepEqual(found, [undefined, whole("b")]);
    });
  }

  it("throws for a damaged part, and removes the segment", async (t) => {
    const folder = await setUp(t);
    put(folder, "a");
    const [name = ""] = await readdir(folder);
    const file = join(folder, name);
    const bytes = await readFile(file);
    await writeFile(file, changed(bytes, bytes.indexOf("html")));
    const store = openSegmentStore(folder);
    const record = store.find(sha256("a"));
    assert.equal(record?.readPart(2).toString(), "größe");
    assert.throws(() => record?.readPart(0), /damaged/);
    store.close();
    assert.deepEqual(await readdir(folder), []);
  });

  it("stores nothing if it cannot write, and never throws", async (t) => {
    const folder = await writeSite(t, { file: "no folder" });
    put(join(folder, "file"), "a");
    const store = openSegmentStore(join(folder, "file"));
    assert.equal(read(store, "a"), undefined);
    store.compact(Date.now());
    store.close();
  });

  it("merges many small segments, and loses nothing", async (t) => {
    const folder = await setUp(t);
    const names = Array.from({ length: 17 }, (_, at) => `page ${at}`);
    for (const name of names) put(folder, name, "in all");
    const store = openSegmentStore(folder);
    store.compact(Date.now());
    assert.equal((await segmentsIn(folder)).length, 1);
    assert.equal(read(store, "page 3"), whole("page 3"), "what is open can be read on");
    store.close();
    const joined = openSegmentStore(folder);
    for (const name of [...names, "in all"]) assert.equal(read(joined, name), whole(name));
    joined.close();
  });

  it("keeps what was appended before segments are merged", async (t) => {
    const folder = await setUp(t);
    for (let at = 0; at < 17; at++) put(folder, `page ${at}`);
    const store = openSegmentStore(folder);
    store.append(sha256("last"), Buffer.from("head of last"), parts);
    store.compact(Date.now());
    store.close();
    const again = openSegmentStore(folder);
    assert.equal(read(again, "last"), whole("last"));
    again.close();
    assert.deepEqual(await readdir(folder), await segmentsIn(folder));
  });

  it("drops unused records from old segments of which some are used", async (t) => {
    const folder = await setUp(t);
    put(folder, "a", "b", "c");
    const later = Date.now() + maxUnusedMs + 1_000;
    const unused = openSegmentStore(folder);
    unused.compact(later);
    unused.close();
    const store = openSegmentStore(folder);
    assert.equal(read(store, "b"), whole("b"));
    store.compact(later);
    store.close();
    const after = openSegmentStore(folder);
    const found = ["a", "b", "c"].map((name) => read(after, name));
    after.close();
    assert.deepEqual(found, [undefined, whole("b"), undefined]);
  });

  it("marks a segment as used once a day", async (t) => {
    const folder = await setUp(t);
    put(folder, "a");
    const [name = ""] = await readdir(folder);
    const file = join(folder, name);
    const recently = new Date(Date.now() - 60 * 60 * 1_000);
    const longAgo = new Date(Date.now() - maxUnusedMs / 2);
    for (const [time, isTouched] of [
      [recently, false],
      [longAgo, true],
    ] as const) {
      await utimes(file, time, time);
      const store = openSegmentStore(folder);
      store.find(sha256("a"));
      store.close();
      assert.equal((await stat(file)).mtimeMs !== time.getTime(), isTouched);
    }
  });
});

function changed(bytes: Buffer, at: number): Buffer {
  const other = Buffer.from(bytes);
  other[at] = (other[at] ?? 0) ^ 1;
  return other;
}
