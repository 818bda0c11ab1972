import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { packFolder } from "../../../../test/support/pack-folder.ts";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import { createBundleCopies } from "../bundles/index.ts";
import { createDifferences } from "../difference/index.ts";
import { openIsolation } from "../isolation/index.ts";
import { createFileStorage } from "../storage/index.ts";
import type { IsolatedOperations } from "./isolated.ts";

it("builds the difference of two stored bundles in a separate process", async () => {
  await using folder = await temporaryFolder();
  await using isolation = openIsolation<IsolatedOperations>({
    program: new URL("isolated.ts", import.meta.url),
  });
  const storage = createFileStorage(join(folder.path, "stored"));
  const store = async (name: string, content: string) => {
    const site = join(folder.path, name);
    await writeFiles(site, { "index.html": `<title>Home</title><main><p>${content}</p></main>` });
    const { sha256, bytes } = await packFolder(site, "zip", `${site}.zip`);
    const key = `bundles/${sha256}.zip`;
    await storage.put(key, `${site}.zip`);
    return { key, format: "zip", bytes } as const;
  };
  const before = await store("before", "One word was here.");
  const after = await store("after", "One word is here.");
  using copies = createBundleCopies(storage, {
    folder: join(folder.path, "copies"),
    maxBytes: 1e9,
  });
  const options = { copies, isolation, folder: join(folder.path, "differences"), maxBytes: 1e9 };
  using differences = createDifferences(options);
  const { list, bundle } = await differences.open(before, after);
  assert.deepEqual(list.pages, [
    { file: "index.html", title: "Home", kind: "changed", changes: 1 },
  ]);
  const entry = bundle.entries.get("index.html");
  assert.ok(entry);
  const page = (await bundle.readWhole(entry)).toString();
  assert.match(page, /word <del [^>]*>was<\/del><ins [^>]*>is<\/ins> here/);
  // Another process of the node finds what this one built.
  const neverRun = { run: () => Promise.reject(new Error("This is not built again.")) };
  using others = createDifferences({ ...options, isolation: neverRun });
  assert.deepEqual((await others.open(before, after)).list, list);
});
