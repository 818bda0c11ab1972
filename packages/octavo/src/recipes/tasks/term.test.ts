import assert from "node:assert/strict";
import { test } from "node:test";
import { createTerm } from "./term.ts";

test("a term's pattern escapes what `search` takes for a sign, and nothing else", () => {
  const options = { to: "B", inCode: false, withPlural: false };
  const usage = { isVerb: false, isWord: false, isNoun: () => false, isCommon: false };
  const { query } = createTerm({ from: "Acme™ C++ (v_1)", ...options }, usage);
  assert.equal(query, String.raw`Acme™(\s+C\+\+(\s+\(v\_1\)|\s*$)|\s*$)`);
});
