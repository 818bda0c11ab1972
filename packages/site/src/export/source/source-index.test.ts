import assert from "node:assert/strict";
import { lstatSync } from "node:fs";
import { appendFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder, writeFiles } from "../../../../../test/support/temporary-folder.ts";
import { toFileStat } from "../../core/index.ts";
import { readSite } from "../../load/index.ts";
import { findUnchanged, updateSourceIndex, emptyUnchangedSources } from "./source-index.ts";
import type { SourceIndex } from "./source-index.ts";

/** Pages are sorted by path, which puts `page-1` before `page-1-more`; their files sort in the opposite order. */
const names = Array.from({ length: 30 }, (_, number) => [`page-${number}`, `page-${number}-more`]);
const files = names.flat().map((name) => `${name}.md`);

async function readIndex(folder: string): Promise<SourceIndex> {
  const { site, sources } = await readSite({ siteDir: folder });
  const texts = site.pages.map(({ file }) => {
    const stat = toFileStat(lstatSync(join(folder, file)));
    return [file, { stat, textHash: `hash of ${file}` }] as const;
  });
  const index = updateSourceIndex(site, {
    sources,
    unchanged: emptyUnchangedSources,
    texts: new Map(texts),
    // By then every file is old enough for its stat to change with it.
    startedMs: Date.now() + 60_000,
    confirmed: new Set(),
    keys: new Map(),
    siteKey: "",
    knownSiteKey: undefined,
    known: undefined,
    isKnown: false,
    pageKeys: { settings: "", shared: "", site: "", sidebars: [] },
  });
  return index ?? assert.fail();
}

test("unchanged files are found in any order", async () => {
  await using folder = await temporaryFolder();
  await writeFiles(folder.path, Object.fromEntries(files.map((file) => [file, `# ${file}\n`])));
  const index = await readIndex(folder.path);
  const changed = new Set(["page-7.md", "page-8-more.md"]);
  await appendFile(join(folder.path, "page-7.md"), "More\n");
  await rm(join(folder.path, "page-8-more.md"));
  const { entries, numberOf } = findUnchanged(folder.path, index);
  const found = files.toReversed().map((file) => entries.textHashes[numberOf(file) ?? -1]);
  const expected = files.map((file) => (changed.has(file) ? undefined : `hash of ${file}`));
  assert.deepEqual(found.toReversed(), expected);
  assert.equal(numberOf("other.md"), undefined);
});
