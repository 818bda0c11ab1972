import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { judgeAnchor } from "./anchor-evidence.ts";

/** The place that a broken anchor is taken for on a page with these headings; undefined where none is sure. */
function placeOf(anchor: string, headings: readonly string[]): string | undefined {
  const page = headings.map((heading) => `## ${heading}\n\nText.\n`).join("\n");
  const verdict = judgeAnchor({ anchor, linkText: "it", pageName: "Guide" }, page);
  return "found" in verdict ? verdict.found : undefined;
}

const rows: [anchor: string, headings: string[], place: string | undefined][] = [
  ["start-here", ["Start here"], "start-here"],
  ["input-validation-modes", ["Validation modes"], "validation-modes"],
  ["supported-response-types", ["Response types", "`response_type`"], "response-types"],
  ["supported-response-types", ["Response type", "`response_type`"], undefined],
  ["with-nested-groups", ["With groups"], undefined],
  ["disabling-tools", ["Tags"], undefined],
];

describe("a broken anchor", () => {
  for (const [anchor, headings, place] of rows) {
    it(`#${anchor} among ${headings.join(", ")} means ${place ?? "nothing sure"}`, () => {
      assert.equal(placeOf(anchor, headings), place);
    });
  }
});
