import assert from "node:assert/strict";
import { lstatSync } from "node:fs";
import { appendFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { temporaryFolder, writeFiles } from "../../../../../test/support/temporary-folder.ts";
import { toFileStat, sha256 } from "../../core/index.ts";
import { readSite } from "../../load/index.ts";
import { recheckRecentFiles } from "./read-source.ts";

/** After this time every change of a file changes its stat. */
const settling = 2_100;

test("young files are confirmed where they are old by now, and read the same again", async () => {
  await using folder = await temporaryFolder();
  const at = (file: string) => join(folder.path, file);
  const names = ["same", "other-head", "other-text", "rewritten", "gone", "young-again"];
  const files = names.map((name) => [`${name}.md`, `---\ntitle: ${name}\n---\n\nText\n`] as const);
  const startedMs = Date.now();
  await writeFiles(folder.path, Object.fromEntries(files));
  const { site, sources } = await readSite({ siteDir: folder.path });
  const texts = files.map(([file, text]) => {
    const textHash = sha256(file === "other-text.md" ? "Earlier\n" : text);
    return [file, { stat: toFileStat(lstatSync(at(file))), textHash }] as const;
  });
  const read = { texts: new Map(texts), sources: new Map(sources), startedMs };
  const head = read.sources.get("other-head.md") ?? assert.fail();
  read.sources.set("other-head.md", { ...head, title: "Earlier" });
  await setTimeout(settling);
  await rm(at("gone.md"));
  await writeFile(at("rewritten.md"), await readFile(at("rewritten.md")));
  await appendFile(at("young-again.md"), "More\n");
  assert.deepEqual(await recheckRecentFiles(site, read, undefined), new Set(["same.md"]));
  const later = { ...read, startedMs: Date.now() + settling };
  assert.deepEqual(await recheckRecentFiles(site, later, undefined), new Set());
});
