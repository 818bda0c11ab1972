import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatTitledMarkdown } from "./page-title.ts";

describe("a page's Markdown", () => {
  const rows: readonly (readonly [name: string, text: string, expected: string])[] = [
    ["has title and description on top", "Text.\n", "# Set up\n\nIn an hour.\n\nText.\n"],
    ["has them alone where there is no text", "", "# Set up\n\nIn an hour.\n"],
    ["has its own title once", "# Set up\n\nText.", "# Set up\n\nIn an hour.\n\nText.\n"],
    [
      "keeps markup in the title",
      "# Set `up` {#a}\r\nText.",
      "# Set `up` {#a}\n\nIn an hour.\n\nText.\n",
    ],
    ["knows an underlined title", "Set up\n======\nText.", "# Set up\n\nIn an hour.\n\nText.\n"],
    ["raises a title that is lower", "## Set up\nText.", "# Set up\n\nIn an hour.\n\nText.\n"],
    [
      "has its description once",
      "# Set up\n\nIn an hour.\n\nText.",
      "# Set up\n\nIn an hour.\n\nText.\n",
    ],
    ["keeps another heading", "# Install\nText.", "# Set up\n\nIn an hour.\n\n# Install\nText.\n"],
    [
      "keeps a title further down",
      "Text.\n\n# Set up",
      "# Set up\n\nIn an hour.\n\nText.\n\n# Set up\n",
    ],
    [
      "keeps a title in code",
      "```md\n# Set up\n```",
      "# Set up\n\nIn an hour.\n\n```md\n# Set up\n```\n",
    ],
  ];
  for (const [name, text, expected] of rows) {
    test(name, () => {
      const frontmatter = { description: " In an hour. ", extra: {} };
      assert.equal(formatTitledMarkdown({ title: "Set\nup", frontmatter }, text), expected);
    });
  }

  test("has no line for a missing description", () => {
    assert.equal(
      formatTitledMarkdown({ title: "Set up", frontmatter: { extra: {} } }, "Text."),
      "# Set up\n\nText.\n",
    );
  });
});
