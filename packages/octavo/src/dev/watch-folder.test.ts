import assert from "node:assert/strict";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setImmediate as immediate, setTimeout as wait } from "node:timers/promises";
import { patience } from "../../../../test/support/patience.ts";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import { watchFolder } from "./watch-folder.ts";

/** Each does something to a folder, and the watch must name these paths. */
const changes: readonly (readonly [
  what: string,
  make: (root: string) => Promise<unknown>,
  paths: readonly string[],
])[] = [
  ["a file that is written", (root) => writeFile(join(root, "a.mdx"), "1"), ["a.mdx"]],
  [
    "a file below",
    (root) => writeFile(join(root, "guides/deep/c.mdx"), "1"),
    ["guides/deep/c.mdx"],
  ],
  [
    "a file that is saved by renaming another over it, twice",
    async (root) => {
      for (const text of ["2", "3"]) {
        await writeFile(join(root, "a.mdx.tmp"), text);
        await rename(join(root, "a.mdx.tmp"), join(root, "a.mdx"));
      }
    },
    ["a.mdx"],
  ],
  ["the same file written after that", (root) => writeFile(join(root, "a.mdx"), "4"), ["a.mdx"]],
  [
    "a new folder with a file in a folder in it",
    (root) => writeFiles(root, { "new/inner/d.mdx": "1" }),
    ["new", "new/inner/d.mdx"],
  ],
  ["a file in that", (root) => writeFile(join(root, "new/inner/e.mdx"), "1"), ["new/inner/e.mdx"]],
  ["a file that is removed", (root) => rm(join(root, "new/inner/e.mdx")), ["new/inner/e.mdx"]],
  [
    "a folder that is moved",
    (root) => rename(join(root, "new"), join(root, "moved")),
    ["new", "moved", "moved/inner/d.mdx"],
  ],
  [
    "a file in that",
    (root) => writeFile(join(root, "moved/inner/f.mdx"), "1"),
    ["moved/inner/f.mdx"],
  ],
  [
    "a folder that is removed and made again",
    async (root) => {
      await rm(join(root, "moved"), { recursive: true });
      await writeFiles(root, { "moved/inner/g.mdx": "1" });
    },
    ["moved", "moved/inner/g.mdx"],
  ],
  [
    "a file in that",
    (root) => writeFile(join(root, "moved/inner/h.mdx"), "1"),
    ["moved/inner/h.mdx"],
  ],
  [
    "what is left out of sites",
    (root) => writeFile(join(root, ".mintignore"), "x"),
    [".mintignore"],
  ],
];

describe("a watched folder reports", () => {
  test(changes.map(([what]) => what).join(", "), async () => {
    await using folder = await temporaryFolder();
    const root = folder.path;
    await writeFiles(root, {
      "a.mdx": "",
      "guides/deep/c.mdx": "",
      ".git/x": "",
      "node_modules/x": "",
    });
    const told: string[] = [];
    let underWay = 0;
    using _watch = await watchFolder(root, async (paths) => {
      underWay += 1;
      assert.equal(underWay, 1, "one batch after the other");
      told.push(...paths);
      await wait(5);
      underWay -= 1;
    });
    for (const [what, make, paths] of changes) {
      told.length = 0;
      await make(root);
      const signal = patience();
      while (!paths.every((path) => told.includes(path))) {
        await wait(10, undefined, { signal }).catch(() =>
          assert.fail(`${what}: ${told.join(" ")}`),
        );
      }
    }
    const before = told.length;
    await writeFile(join(root, ".git/x"), "1");
    await mkdir(join(root, ".git/deep"));
    await writeFile(join(root, "node_modules/x"), "1");
    await writeFile(join(root, "last.mdx"), "1");
    while (!told.includes("last.mdx")) await wait(10);
    const passedOver = told.slice(before).filter((path) => /\.git|node_modules/.test(path));
    assert.deepEqual(passedOver, []);
  });
});

test("a watch that ends while a folder appears leaves nothing open", async () => {
  await using folder = await temporaryFolder();
  for (let count = 0; count < 40; count += 1) {
    const watched = await watchFolder(folder.path, async () => undefined);
    await mkdir(join(folder.path, `new${count}`));
    for (let turn = 0; turn < count % 4; turn += 1) await immediate();
    watched[Symbol.dispose]();
  }
  await wait(50);
  assert.ok(!process.getActiveResourcesInfo().some((name) => name.startsWith("FSEvent")));
});
