import assert from "node:assert/strict";
import {
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { writeSite } from "../../../../test/sites/temporary-site.ts";
import { sharedChildren } from "../../../../test/support/shared-children.ts";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import type { TemporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openExportCache } from "./cache/export-cache.ts";
import type { RenderResult } from "./export-settings.ts";
import { renderSite } from "./render-site.ts";

const children = sharedChildren();

/** After this time every change of a folder changes its stat. */
const settling = 2_100;

const site: Readonly<Record<string, string>> = {
  "index.md": "# Start\n",
  "guide/a.md": "# A\n",
  "guide/deep/b.md": "# B\n",
  "guide/deep/c.md": "# C\n",
  "other/only.md": "# Only\n",
  "images/x.svg": "<svg/>",
};

interface Places {
  readonly siteDir: string;
  readonly cacheDir: string;
  readonly outDir: string;
}

function render(places: Places): Promise<RenderResult> {
  return renderSite({ workers: 1, children, ...places });
}

async function contentOf(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = entries.toSorted((a, b) =>
    a.parentPath + a.name < b.parentPath + b.name ? -1 : 1,
  );
  const texts = found.map(async (entry): Promise<readonly [string, string]> => {
    const path = join(entry.parentPath, entry.name);
    return [
      path.slice(folder.length + 1),
      entry.isFile() ? await readFile(path, "utf8") : "folder",
    ];
  });
  return new Map(await Promise.all(texts));
}

function cleanFolders({ cacheDir, outDir }: Places): readonly string[] {
  using cache = openExportCache(cacheDir);
  return [...cache.manifests.read(outDir).folders.keys()].toSorted();
}

async function expectSame(t: TestContext, places: Places): Promise<void> {
  await render(places);
  const outDir = await writeSite(t, {});
  await renderSite({ siteDir: places.siteDir, outDir, workers: 1, children });
  assert.deepEqual(await contentOf(places.outDir), await contentOf(outDir));
}

type Change = readonly [what: string, change: (places: Places) => Promise<unknown>];

const changes: readonly Change[] = [
  ["a file was added", ({ outDir }) => writeFile(join(outDir, "guide/deep/x.html"), "stale")],
  [
    "a file was added and the folder's times were set back",
    async ({ outDir }) => {
      const folder = join(outDir, "guide/deep");
      const { atime, mtime } = await stat(folder);
      await writeFile(join(folder, "x.html"), "stale");
      await utimes(folder, atime, mtime);
    },
  ],
  [
    "a folder was added",
    ({ outDir }) => mkdir(join(outDir, "guide/deep/new/newer"), { recursive: true }),
  ],
  ["a file was removed", ({ outDir }) => rm(join(outDir, "guide/deep/b.html"))],
  ["a file was edited", ({ outDir }) => writeFile(join(outDir, "guide/deep/b.html"), "x")],
  ["a folder was removed", ({ outDir }) => rm(join(outDir, "guide/deep"), { recursive: true })],
  [
    "folders changed places",
    async ({ outDir }) => {
      await rename(join(outDir, "other"), join(outDir, "x"));
      await rename(join(outDir, "guide/deep"), join(outDir, "other"));
      await rename(join(outDir, "x"), join(outDir, "guide/deep"));
    },
  ],
  [
    "a link was put in the place of a folder",
    async ({ outDir }) => {
      await rename(join(outDir, "guide/deep"), join(outDir, "other/deep"));
      await symlink("../other/deep", join(outDir, "guide/deep"));
    },
  ],
  [
    "a file was put in the place of a folder",
    async ({ outDir }) => {
      await rm(join(outDir, "guide/deep"), { recursive: true });
      await writeFile(join(outDir, "guide/deep"), "x");
    },
  ],
  [
    "a folder was put in the place of a file",
    async ({ outDir }) => {
      await rm(join(outDir, "guide/a.html"));
      await mkdir(join(outDir, "guide/a.html/deep"), { recursive: true });
    },
  ],
  ["a page was removed", ({ siteDir }) => rm(join(siteDir, "guide/deep/b.md"))],
  ["the only page of a folder was removed", ({ siteDir }) => rm(join(siteDir, "other/only.md"))],
  ["a page was added", ({ siteDir }) => writeFile(join(siteDir, "guide/deep/d.md"), "# D\n")],
  [
    "a page was moved",
    ({ siteDir }) => rename(join(siteDir, "guide/a.md"), join(siteDir, "other/a.md")),
  ],
  ["a picture was removed", ({ siteDir }) => rm(join(siteDir, "images/x.svg"))],
  [
    "a page became a folder",
    async ({ siteDir }) => {
      await rm(join(siteDir, "guide/deep/b.md"));
      await writeFiles(siteDir, { "guide/deep/b/index.md": "# B\n" });
    },
  ],
  [
    "a folder became a page",
    async ({ siteDir }) => {
      await rm(join(siteDir, "guide/deep"), { recursive: true });
      await writeFile(join(siteDir, "guide/deep.md"), "# Deep\n");
    },
  ],
  [
    // Its copy has no fingerprint, so that the next export does not know about it.
    "a picture was added, and removed after an export",
    async (places) => {
      await writeFile(join(places.siteDir, "guide/deep/y.svg"), "<svg/>");
      await render(places);
      await setTimeout(settling);
      await rm(join(places.siteDir, "guide/deep/y.svg"));
    },
  ],
  [
    "a picture in a new folder was added, and removed after exports",
    async (places) => {
      await writeFiles(places.siteDir, { "guide/new/y.svg": "<svg/>" });
      await render(places);
      await setTimeout(settling);
      await render(places);
      await rm(join(places.siteDir, "guide/new"), { recursive: true });
    },
  ],
];

describe("folders of a bundle that nobody has touched are not read, and all is well after", async () => {
  const folders = new Map<string, TemporaryFolder>();
  const placesOf = (what: string): Places => {
    const folder = folders.get(what)?.path ?? "";
    return {
      siteDir: join(folder, "site"),
      cacheDir: join(folder, "cache"),
      outDir: join(folder, "out"),
    };
  };
  before(async () => {
    for (const [what] of changes) {
      folders.set(what, await temporaryFolder());
      await writeFiles(placesOf(what).siteDir, site);
    }
    await setTimeout(settling);
    for (const [what] of changes) await render(placesOf(what));
    await setTimeout(settling);
    for (const [what] of changes) await render(placesOf(what));
  });
  after(() => Promise.all([...folders.values()].map((folder) => folder[Symbol.asyncDispose]())));

  for (const [what, change] of changes) {
    test(what, async (t) => {
      const places = placesOf(what);
      const clean = cleanFolders(places);
      for (const folder of ["guide", "guide/deep", "other", "images"]) {
        assert.ok(clean.includes(folder), "otherwise this shows nothing");
      }
      await change(places);
      await expectSame(t, places);
      await expectSame(t, places);
    });
  }
});
