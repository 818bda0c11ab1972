import assert from "node:assert/strict";
import { test } from "node:test";
import { createFactCache } from "./reviews.ts";

function openCache() {
  const remember = createFactCache();
  const readings: string[] = [];
  const read = (key: string, value: unknown = key) =>
    remember(key, async () => {
      readings.push(key);
      return value;
    });
  return { remember, read, readings };
}

const refuse = () => Promise.reject(new Error("no git"));

test("a fact is read once, and again after it failed", async () => {
  const { remember, read, readings } = openCache();
  await Promise.all([read("a"), read("a")]);
  assert.equal(await read("a"), "a");
  assert.deepEqual(readings, ["a"]);
  await assert.rejects(remember("b", refuse), /no git/);
  assert.equal(await read("b"), "b");
});

test("the facts that were not asked for the longest time are forgotten first", async () => {
  const { read, readings } = openCache();
  for (let count = 0; count < 100; count++) await read(`fact ${count}`);
  await read("fact 0");
  await read("another");
  readings.length = 0;
  await read("fact 0");
  await read("fact 1");
  assert.deepEqual(readings, ["fact 1"]);
});

test("texts take no more than eight million characters, and one that is longer stays away", async () => {
  const { read, readings } = openCache();
  const long = "x".repeat(3 * 1024 * 1024);
  for (const key of ["a", "b", "c"]) await read(key, long);
  readings.length = 0;
  await read("c", long);
  await read("b", long);
  await read("a", long);
  assert.deepEqual(readings, ["a"]);
  await read("longest", "x".repeat(9 * 1024 * 1024));
  await read("longest");
  assert.deepEqual(readings, ["a", "longest", "longest"]);
});
