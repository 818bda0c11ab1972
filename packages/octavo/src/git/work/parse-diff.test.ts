import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseDiff } from "./parse-diff.ts";

describe("a unified diff", () => {
  it("is parsed with its line numbers", () => {
    const files = parseDiff(
      [
        "diff --git a/a.mdx b/a.mdx",
        "index 1..2 100644",
        "--- a/a.mdx",
        "+++ b/a.mdx",
        "@@ -3,3 +3,3 @@ ## Title",
        " same",
        "-- old",
        "+diff --git a/x b/x",
        String.raw`\ No newline at end of file`,
        "@@ -10 +11 @@",
        "+new",
        "diff --git a/b.png b/b.png",
        "Binary files a/b.png and b/b.png differ",
        "",
      ].join("\n"),
    );
    const [first, second] = files;
    assert.equal(files.length, 2);
    assert.deepEqual([first?.added, first?.removed, first?.isBinary], [2, 1, false]);
    assert.deepEqual(first?.hunks, [
      {
        heading: "## Title",
        lines: [
          { kind: "context", text: "same", before: 3, after: 3 },
          { kind: "removed", text: "- old", before: 4 },
          { kind: "added", text: "diff --git a/x b/x", after: 4 },
          { kind: "note", text: "No newline at end of file" },
        ],
      },
      { heading: "", lines: [{ kind: "added", text: "new", after: 11 }] },
    ]);
    assert.deepEqual([second?.isBinary, second?.hunks], [true, []]);
  });

  it("names files unquoted even if git quotes them", () => {
    const files = parseDiff(
      [
        String.raw`diff --git "a/\303\244 \"q\".md" "b/\303\244 \"q\".md"`,
        "@@ -1 +1 @@",
        "+a",
        String.raw`diff --git a/old name.md "b/a\tb.md"`,
        "rename from old name.md",
        String.raw`rename to "a\tb.md"`,
      ].join("\n"),
    );
    assert.deepEqual(
      files.map(({ path, from }) => [path, from]),
      [
        ['\u00E4 "q".md', undefined],
        ["a\tb.md", "old name.md"],
      ],
    );
  });

  for (const text of ["", "no diff", "@@ -1 +1 @@\n+a", "+a\n-b"]) {
    it(`has no files in ${JSON.stringify(text)}`, () => assert.deepEqual(parseDiff(text), []));
  }
});
