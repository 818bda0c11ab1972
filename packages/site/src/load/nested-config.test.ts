import assert from "node:assert/strict";
import { test } from "node:test";
import { writeSite } from "../../../../test/sites/temporary-site.ts";
import { loadSite } from "./load-site.ts";

const config = '{"name": "A", "navigation": {"pages": ["a"]}}';
const rows: readonly (readonly [
  name: string,
  files: Readonly<Record<string, string>>,
  expected: readonly string[],
])[] = [
  [
    "the root of a repository",
    { "README.md": "# A", "docs/docs.json": config, "docs/a.md": "", "old/mint.json": "{}" },
    [
      "docs/docs.json There is a docs.json in docs/: name that folder for the site that it describes. This one has none and is read as plain Markdown.",
      "old/mint.json There is a mint.json in old/: name that folder for the site that it describes. This one has none and is read as plain Markdown.",
    ],
  ],
  ["a site", { "docs.json": config, "a.md": "", "docs/docs.json": config }, []],
  [
    "what lies deeper or is ignored",
    { "a.md": "", "x/y/docs.json": "{}", "tmp/docs.json": "" },
    [],
  ],
  [
    "many of them",
    Object.fromEntries(
      ["a.md", ..."bcdefgh".split("").map((x) => `${x}/docs.json`)].map((x) => [x, ""]),
    ),
    "bcdef"
      .split("")
      .map(
        (x) =>
          `${x}/docs.json There is a docs.json in ${x}/: name that folder for the site that it describes. This one has none and is read as plain Markdown.`,
      ),
  ],
];
for (const [name, files, expected] of rows) {
  test(`configurations one folder below: ${name}`, async (t) => {
    const { problems } = await loadSite(await writeSite(t, files));
    assert.deepEqual(
      problems.map(({ file, message }) => `${file} ${message}`),
      expected,
    );
  });
}
