import assert from "node:assert/strict";
import { test } from "node:test";
import { writeSite } from "../../../../test/sites/temporary-site.ts";
import { ProblemLog } from "../core/index.ts";
import { listFolder } from "./folder.ts";
import { readIgnoreRules } from "./ignore-rules.ts";

const files = { "a.md": "", "b.mdx": "", "c.png": "", "d.md": "" };

const table: readonly [
  max: { files: number; pages: number },
  listed: string,
  problems: string[],
][] = [
  [{ files: 4, pages: 3 }, "a.md b.mdx d.md, c.png", []],
  [
    { files: 3, pages: 3 },
    "a.md b.mdx, c.png",
    ["site_too_large d.md The site has more than 3 files; the rest are ignored."],
  ],
  [
    { files: 4, pages: 2 },
    "a.md b.mdx, c.png",
    ["site_too_large d.md The site has 3 pages; only the first 2 are exported."],
  ],
];

for (const [max, listed, expected] of table) {
  test(`a folder of 4 files is listed up to ${max.files} files and ${max.pages} pages`, async (t) => {
    const folder = await writeSite(t, files);
    const problems = new ProblemLog();
    const rules = await readIgnoreRules(async () => "", { config: undefined, problems });
    const { pages, others } = await listFolder(folder, {}, { rules, problems, max });
    assert.equal([pages.join(" "), others.join(" ")].join(", "), listed);
    const found = problems
      .listSorted()
      .map(({ code, file, message }) => `${code} ${file} ${message}`);
    assert.deepEqual(found, expected);
  });
}
