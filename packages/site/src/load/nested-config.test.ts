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
      "docs/docs.json This folder has no configuration and is read as plain Markdown, but docs/ has a docs.json. To export that site, specify its folder.",
      "old/mint.json This folder has no configuration and is read as plain Markdown, but old/ has a mint.json. To export that site, specify its folder.",
    ],
  ],
  ["a site", { "docs.json": config, "a.md": "", "docs/docs.json": config }, []],
  ["deeper or ignored ones", { "a.md": "", "x/y/docs.json": "{}", "tmp/docs.json": "" }, []],
  [
    "many of them",
    Object.fromEntries(
      ["a.md", ..."bcdefgh".split("").map((x) => `${x}/docs.json`)].map((x) => [x, ""]),
    ),
    "bcdef"
      .split("")
      .map(
        (x) =>
          `${x}/docs.json This folder has no configuration and is read as plain Markdown, but ${x}/ has a docs.json. To export that site, specify its folder.`,
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
