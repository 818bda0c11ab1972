import assert from "node:assert/strict";
import { test } from "node:test";
import { createTerm } from "./term-matches.ts";

test("a term's pattern escapes what means something in patterns, and nothing else", () => {
  const options = { to: "B", inCode: false, withPlural: false };
  const usage = {
    isVerb: false,
    isWord: false,
    isNoun: () => false,
    isCommon: false,
    takesCapital: true,
  };
  const { query } = createTerm({ from: "Acme™ C++ (v_1)", ...options }, usage);
  assert.equal(query, String.raw`Acme™(\s+C\+\+(\s+\(v_1\)|\s*$)|\s*$)`);
});
