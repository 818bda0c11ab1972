import assert from "node:assert/strict";
import { test } from "node:test";
import { trustHtml } from "../../markup/index.ts";
import { extractSummary } from "./summary.ts";

const long = "A lamp that is lit at dusk and put out at dawn is seen from far away ";

test("the first paragraph that says something describes a page", () => {
  const cases: readonly (readonly [html: string, summary: string | undefined])[] = [
    ["", undefined],
    ["<h2>Only a heading</h2>", undefined],
    ["<p>Too short.</p>", undefined],
    [
      "<p>Note</p><p>Lamps are lit at <em>dusk</em> &amp; put out at <code>dawn</code>, always.</p>",
      "Lamps are lit at dusk & put out at dawn, always.",
    ],
    [`<p>${long.repeat(3)}</p>`, `${long.repeat(2)}A lamp that is lit at…`],
    [`<p>${"灯塔".repeat(200)}</p>`, `${"灯塔".repeat(79)}灯…`],
    [`<p>${long} without an end`, `${long} without an end`.replace("  ", " ")],
    ["<p>".repeat(100_000), undefined],
  ];
  for (const [html, summary] of cases) assert.equal(extractSummary(trustHtml(html)), summary);
});
