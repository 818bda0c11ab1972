import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  getFieldText,
  findFrontmatter,
  findBodyStart,
  readFrontmatterFields,
  setFrontmatterField,
} from "./frontmatter.ts";
import { applyEdits } from "./text-edit.ts";

describe("frontmatter", () => {
  const rows: readonly (readonly [page: string, block: string | undefined, body?: string])[] = [
    ["---\na: 1\n---\nb", "a: 1\n", "b"],
    ["\uFEFF--- \r\na: 1\r\n---\t\r\nb", "a: 1\r\n", "b"],
    ["---\n---", "", ""],
    ["+++\na = 1\n---\n+++\nb", "a = 1\n---\n", "b"],
    ["---\na: |\n  ---\n+++\n----\n---\n", "a: |\n  ---\n+++\n----\n", ""],
    ["---\na: 1", "unclosed"],
    ["+++\na\n---\n", "unclosed"],
    ["\n---\na: 1\n---\n", undefined],
    ["---- \na\n---\n", undefined],
    ["", undefined],
  ];
  for (const [page, expected, body = page] of rows) {
    it(JSON.stringify(page), () => {
      const block = findFrontmatter(page);
      assert.equal(typeof block === "object" ? block.text : block, expected);
      assert.equal(page.slice(findBodyStart(page)), body);
      if (typeof block !== "object") return;
      assert.ok(page.startsWith(block.text, block.textStart));
    });
  }
});

describe("a field of the frontmatter", () => {
  it("is found with all its lines, and its value read as text", () => {
    const page = '---\n\'a b\': "c \\" d" # e\nf: >\n  g\n  h\ni:\n- j\nk: l # m\n---\nn: o\n';
    const fields = readFrontmatterFields(page).map((field) => [
      field.key,
      getFieldText(page, field),
    ]);
    assert.deepEqual(fields, [
      ["a b", 'c " d'],
      ["f", "g h"],
      ["i", ""],
      ["k", "l"],
    ]);
  });

  const rows: readonly (readonly [page: string, expected: string | undefined])[] = [
    ["b\n", '---\na: "x: y"\n---\n\nb\n'],
    ["\uFEFFb\r\n", '\uFEFF---\r\na: "x: y"\r\n---\r\n\r\nb\r\n'],
    ["---\ntitle: 'T'\nb: c\n---\n", "---\ntitle: 'T'\na: 'x: y'\nb: c\n---\n"],
    ["---\nb: c\na: >\n  d\n  e\nf: g\n---\n", '---\nb: c\na: "x: y"\nf: g\n---\n'],
    ["---\n---\n", '---\na: "x: y"\n---\n'],
    ["---\n'a': 'b'\n---\n", "---\n'a': 'x: y'\n---\n"],
    ['+++\na = "b"\n+++\n', undefined],
  ];
  for (const [page, expected] of rows) {
    it(`is set in ${JSON.stringify(page)}`, () => {
      const edit = setFrontmatterField(page, "a", "x: y");
      assert.equal(edit && applyEdits(page, [edit]), expected);
    });
  }
});
