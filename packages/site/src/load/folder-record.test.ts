import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import { createFolderRecorder, hasSameEntries, settleFolders } from "./folder-record.ts";
import type { FolderRecord, FolderRecorder } from "./folder-record.ts";

/** The milliseconds after which every change of a folder changes its stat. */
const settling = 2_100;

function readFolders(
  recorder: FolderRecorder,
  root: string,
  folders: readonly string[],
): FolderRecord {
  for (const folder of folders) {
    recorder.begin(folder);
    recorder.add(folder, readdirSync(join(root, folder), { withFileTypes: true }));
  }
  return recorder.finish() ?? assert.fail();
}

/** Returns the folders whose stats are known. Wrong entries are not noticed in these, because they are not read. */
function settledFolders(root: string, record: FolderRecord): string[] {
  return record.folders.filter((folder, at) => {
    const other = { folders: [folder], entries: ["other"], stats: record.stats.slice(4 * at) };
    return hasSameEntries(root, other);
  });
}

test("folders of a new checkout get their stats once they are old enough and have the same entries", async () => {
  await using root = await temporaryFolder();
  const at = (path: string) => join(root.path, path);
  const names = ["same", "more", "gone", "young"];
  // Everything that is created from now on is too recent for the record, no matter how long the creation takes.
  const recorder = createFolderRecorder(root.path);
  await writeFiles(
    root.path,
    Object.fromEntries(names.map((name) => [`${name}/page.md`, "# Page\n"])),
  );
  const record = readFolders(recorder, root.path, ["", ...names]);
  assert.deepEqual(settledFolders(root.path, record), []);
  await writeFile(at("more/another.md"), "# Another\n");
  await rm(at("gone"), { recursive: true });
  const nextMinute = new Date(Date.now() + 60_000);
  await utimes(at("young"), nextMinute, nextMinute);
  await setTimeout(settling);
  const settled = settleFolders(root.path, record);
  assert.deepEqual(settledFolders(root.path, settled), ["same"]);
  assert.equal(hasSameEntries(root.path, settled), false);
});

test("a stat that is known stays, so that a folder which changed since is read", async () => {
  await using root = await temporaryFolder();
  await writeFiles(root.path, { "page.md": "# Page\n" });
  await setTimeout(settling);
  const record = readFolders(createFolderRecorder(root.path), root.path, [""]);
  assert.deepEqual(settledFolders(root.path, record), [""]);
  await writeFile(join(root.path, "another.md"), "# Another\n");
  await setTimeout(settling);
  const settled = settleFolders(root.path, record);
  assert.deepEqual(settled, record);
  assert.equal(hasSameEntries(root.path, settled), false);
});
