import assert from "node:assert/strict";
import { test } from "node:test";
import { planProcesses, testKindOf, testKinds } from "./test-kinds.ts";

test("a file's name says its kind", () => {
  assert.equal(testKindOf("packages/site/src/load/load-site.test.ts").isQuick, true);
  for (const word of testKinds.keys()) {
    if (word !== "") assert.equal(testKindOf(`test/e2e/a.${word}.test.ts`).isQuick, false, word);
  }
});

test("a name with another word is refused, and so is a file that is no test", () => {
  for (const name of [
    "a/b.foo.test.ts",
    "a/b.postgres.foo.test.ts",
    "a/b.Stress.test.ts",
    "a/b.ts",
  ]) {
    assert.throws(() => testKindOf(name), /does not name a test kind.*stress, browser/);
  }
});

test("each file is in one process, quick ones together and in their order, slow ones alone", () => {
  const quick = Array.from({ length: 101 }, (_, index) => `a/${index}.test.ts`);
  const processes = planProcesses(["x.stress.test.ts", ...quick, "y.postgres.test.ts"]);
  assert.deepEqual(processes.slice(0, 2), [["x.stress.test.ts"], ["y.postgres.test.ts"]]);
  assert.deepEqual(processes.slice(2).flat(), quick);
  assert.ok(processes.length < 10 && processes.every((files) => files.length <= 24));
  assert.deepEqual(planProcesses([]), []);
});
