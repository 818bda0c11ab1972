import assert from "node:assert/strict";
import { test } from "node:test";
import { findPhrasalVerbs, listRelatedWords } from "./client/related-words.ts";

test("words for the same idea are related in both directions, and none to itself", () => {
  assert.ok(listRelatedWords("delete").includes("remove"));
  assert.ok(listRelatedWords("remove").includes("delete"));
  assert.ok(!listRelatedWords("delete").includes("delete"));
  assert.deepEqual(listRelatedWords("unheard"), []);
});

test("a phrasal verb is found with its object between", () => {
  const words = findPhrasalVerbs(["turn", "the", "search", "off"]).get("turn") ?? [];
  assert.equal(words[0], "disable");
  assert.ok(words.includes("deactivate"));
  assert.equal(findPhrasalVerbs(["turn", "it", "and", "then", "off"]).size, 0);
  assert.equal(findPhrasalVerbs(["off", "turn"]).size, 0);
});
