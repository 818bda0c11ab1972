import assert from "node:assert/strict";
import { test } from "node:test";
import type { Problem } from "@octavo/site/core";
import { folderFor } from "../../../../../test/support/git-fixture.ts";
import { writeFiles } from "../../../../../test/support/temporary-folder.ts";
import { createExcerptReader } from "./problem-lines.ts";

const problem = { severity: "error", code: "link_broken", message: "x" } as const;

function problemAt(file: string, line: number, column: number): Problem {
  return { ...problem, file, line, column };
}

test("an excerpt shows the line, with a caret below the position", async (t) => {
  const folder = await folderFor(t);
  await writeFiles(folder, {
    "a.mdx": `one\n  \ttwo [x](/y)\r\n${"a".repeat(80)}[x](/y)${"b".repeat(200)}\n港の[案内](/y)\n\n`,
  });
  const read = createExcerptReader(folder);
  assert.deepEqual(read(problemAt("a.mdx", 1, 1)), ["    one", "    ^"]);
  assert.deepEqual(read(problemAt("a.mdx", 2, 8)), ["    two [x](/y)", "        ^"]);
  const [long = "", caret = ""] = read(problemAt("a.mdx", 3, 81));
  assert.equal(long[caret.indexOf("^")], "[");
  assert.ok(long.startsWith("    …a") && long.endsWith("b…") && long.length < 110, long);
  assert.deepEqual(read(problemAt("a.mdx", 4, 3)), ["    港の[案内](/y)", "        ^"]);
  for (const none of [
    { ...problem, file: "a.mdx" },
    problemAt("a.mdx", 5, 1),
    problemAt("a.mdx", 99, 1),
    problemAt("gone.mdx", 1, 1),
  ]) {
    assert.deepEqual(read(none), []);
  }
});
