import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { listAnchors } from "../../text/links.ts";
import { matchAnchor } from "./anchor-evidence.ts";

/** Returns the anchor that matches a broken anchor on a page with these headings; undefined if none is certain. */
function placeOf(
  { anchor, linkText = "it" }: { readonly anchor: string; readonly linkText?: string },
  headings: readonly string[],
): string | undefined {
  const page = headings.map((heading) => `## ${heading}\n\nText.\n`).join("\n");
  const verdict = matchAnchor(
    { anchor, linkText, page: "page", rewordings: [] },
    listAnchors(page),
  );
  return "target" in verdict ? verdict.target : undefined;
}

const rows: [link: { anchor: string; linkText?: string }, headings: string[], place?: string][] = [
  [{ anchor: "start-here" }, ["Start here"], "start-here"],
  // Pages have headings with the same words in a different form.
  [{ anchor: "disabling-tool" }, ["Disable tools", "Tools"]],
  [{ anchor: "disabling-tools" }, ["Tags"]],
  [{ anchor: "validation-mods" }, ["Validation modes"], "validation-modes"],
  [{ anchor: "lint-tools", linkText: "lint the tools" }, ["List tools"]],
  // One word more or less makes a different section, whatever the link's text, which contains the anchor's words.
  [{ anchor: "input-validation-modes" }, ["Validation modes"]],
  [{ anchor: "data-layer-protocol", linkText: "Data layer protocol" }, ["Data layer"]],
  [{ anchor: "lifecycle", linkText: "lifecycle" }, ["Lifecycle of servers"]],
  [{ anchor: "lifecycle-of-guides", linkText: "x" }, ["Lifecycle"]],
  [{ anchor: "supported-response-types" }, ["Response type", "`response_type`"]],
  // The anchor's last words distinguish it from the heading that the text names.
  [
    { anchor: "tier-3-support-add-on", linkText: "Tier 3 support" },
    ["Tier 3 support", "Tier 3 further support (add-on)"],
  ],
  [{ anchor: "tier-3-support-add-on", linkText: "Tier 3 support" }, ["Tier 3 support", "Add-on"]],
  // Another heading contains all words of the anchor.
  [
    { anchor: "priority-tier-3-support", linkText: "Tier 3 support" },
    ["Tier 3 support", "Tier 3 support with priority"],
  ],
  [{ anchor: "with-nested-groups" }, ["With groups"]],
  [{ anchor: "testing-your-module" }, ["Testing your modules"], "testing-your-modules"],
];

/** Returns the likely anchor. */
function likelyPlace(
  anchor: string,
  headings: readonly string[],
  linkText = "it",
): string | undefined {
  const page = headings.map((heading) => `## ${heading}\n\nText.\n`).join("\n");
  const lost = { anchor, linkText, page: "page", rewordings: [] };
  return matchAnchor(lost, listAnchors(page)).likely?.id;
}

describe("a broken anchor", () => {
  for (const [link, headings, place] of rows) {
    const said = link.linkText === undefined ? "" : ` of “${link.linkText}”`;
    it(`#${link.anchor}${said} among ${headings.join(", ")} means ${place ?? "nothing sure"}`, () => {
      assert.equal(placeOf(link, headings), place);
    });
  }

  it("is likely the heading with its words, unless another differs as little from it", () => {
    const headings = ["Delete the lamp", "Lamps"];
    assert.equal(likelyPlace("delete-a-lamp", headings), "delete-the-lamp");
    assert.equal(likelyPlace("delete-a-lamp", [...headings, "Drop a lamp"]), undefined);
    assert.equal(likelyPlace("delete-a-lamp", [...headings, "Delete a"]), undefined);
  });

  it("is likely the heading that it contains, unless it contains a longer one with a typo", () => {
    const headings = ["Environment variables", "Flags"];
    const anchor = "web-backennd-environment-variables";
    assert.equal(likelyPlace(anchor, headings), "environment-variables");
    assert.equal(likelyPlace(anchor, [...headings, "Backend environment variables"]), undefined);
  });

  it("is likely the heading that the link's text names: its section may be elsewhere by now", () => {
    const text = "Tier 3 support";
    const place = likelyPlace("priority-tier-3-support", [text, "Priority"], text);
    assert.equal(place, "tier-3-support");
    const types = ["Response types", "`response_type`"];
    assert.equal(
      likelyPlace("supported-response-types", types, "Response types"),
      "response-types",
    );
  });

  it("is likely the heading whose words it has in a row, unless it only goes on after them", () => {
    const place = likelyPlace("old-client-field-access-works", ["Client field access"]);
    assert.equal(place, "client-field-access");
    assert.equal(likelyPlace("tier-2-slack-support-add-on", ["Tier 2: Slack support"]), undefined);
  });
});
