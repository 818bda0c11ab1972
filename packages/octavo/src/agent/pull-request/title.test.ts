import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detectConvention, sanitizeTitle, formatTitle } from "./title.ts";

describe("titleOf", () => {
  for (const [instruction, title] of [
    ["Fix the links\nand more", "Fix the links"],
    ["\n\n  Fix it ", "Fix it"],
    ["@#<>", "Edit the documentation"],
    ["", "Edit the documentation"],
    ["Fix it [skip ci] now", "Fix it now"],
    ["Fix [ski<p ci] it", "Fix it"],
    ["Fix [skip [skip ci] ci] it", "Fix it"],
    ["Fix [ci[[no ci]no-ci]skip] it", "Fix it"],
    ["Remove ghp_0123456789abcdefABCD from the page", "Remove [redacted] from the page"],
  ] as const) {
    it(`of ${JSON.stringify(instruction)} is ${JSON.stringify(title)}`, () => {
      assert.equal(formatTitle(instruction, "plain"), title);
    });
  }

  for (const [instruction, title] of [
    ["Fix the links", "docs: fix the links"],
    ["API keys are rotated", "docs: API keys are rotated"],
    ["OpenAPI is described", "docs: OpenAPI is described"],
    ["feat(docs): say more", "feat(docs): say more"],
    ["", "docs: edit the documentation"],
  ] as const) {
    it(`of ${JSON.stringify(instruction)} is conventionally ${JSON.stringify(title)}`, () => {
      assert.equal(formatTitle(instruction, "conventional"), title);
    });
  }

  it("is cut at a word", () => {
    const title = formatTitle("word ".repeat(40), "conventional");
    assert.ok(title.length <= 72 && title.endsWith(" word…"), title);
    assert.equal(
      sanitizeTitle("@team fixes #1 of https://github.com/a/b"),
      "team fixes 1 of github.com/a/b",
    );
  });
});

describe("detectConvention", () => {
  const conventional = ["docs: a", "fix(nav): b", "feat!: c", "chore: d", "docs(api): e"];
  it("goes by most of the commits, merges aside", () => {
    assert.equal(detectConvention(conventional), "conventional");
    assert.equal(
      detectConvention(["Merge pull request #1", "Merge x", ...conventional]),
      "conventional",
    );
    assert.equal(detectConvention(conventional.slice(1)), "plain", "too few to tell");
    assert.equal(detectConvention([...conventional, "A", "B", "C", "D"]), "plain");
    assert.equal(detectConvention(["Note: a", "Guide: b", "x: c", "y: d", "z: e"]), "plain");
    assert.equal(detectConvention([]), "plain");
  });
});
