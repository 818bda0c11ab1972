import assert from "node:assert/strict";
import { test } from "node:test";
import { growthOf } from "./growth.ts";
import type { Held } from "./growth.ts";

const held: Held = { rss: 2e8, heapUsed: 6e7, handles: 11, descriptors: 28, folders: 77 };
const readings = (change: (minute: number) => Partial<Held>) =>
  Array.from({ length: 60 }, (_, minute) => ({ ...held, ...change(minute) }));
const grown = (change: (minute: number) => Partial<Held>) =>
  growthOf(readings(change)).flatMap(({ measure, isTooMuch }) => (isTooMuch ? [measure] : []));

test("finds no growth in what comes and goes", () => {
  assert.deepEqual(
    grown(() => ({})),
    [],
  );
  assert.deepEqual(
    grown((minute) => ({ handles: 8 + ((minute * 7) % 4), descriptors: 27 + (minute % 3) })),
    [],
  );
  assert.deepEqual(
    grown((minute) => ({ handles: minute === 18 ? 9 : 11 })),
    [],
  );
  assert.deepEqual(
    grown((minute) => ({ rss: 2e8 * (1 + minute / 2_000) })),
    [],
  );
});

test("finds a single handle, descriptor or folder that stays where the count is steady otherwise", () => {
  for (const measure of ["handles", "descriptors", "folders"] as const)
    assert.deepEqual(
      grown((minute) => ({ [measure]: held[measure] + (minute >= 40 ? 1 : 0) })),
      [measure],
    );
});

test("finds a handle lost every five minutes among connections that come and go", () => {
  assert.deepEqual(
    grown((minute) => ({ handles: 8 + (minute % 4) + Math.floor(minute / 5) })),
    ["handles"],
  );
});

test("finds memory that grows by more than a twentieth", () => {
  assert.deepEqual(
    grown((minute) => ({ rss: 2e8 * (1 + minute / 400), heapUsed: 6e7 * (1 + minute / 400) })),
    ["rss", "heapUsed"],
  );
});
