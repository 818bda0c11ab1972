import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import type { Stats } from "node:fs";
import {
  appendFile,
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { writeSite } from "../../../../test/sites/temporary-site.ts";
import { sharedChildren } from "../../../../test/support/shared-children.ts";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import type { TemporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { checkSite } from "./index.ts";
import { openExportCache } from "../export/testing.ts";
import type { ExportSettings, RenderResult } from "../export/index.ts";
import { renderSite } from "../export/index.ts";
import type { KnownSite } from "../export/testing.ts";

const run = promisify(execFile);
const children = sharedChildren();

/** After this time every change of a file or folder changes its stat. */
const settling = 2_100;

const navigation = { pages: ["index", "guide/a", "guide/b", "guide/deep/c"] };
const configured: Readonly<Record<string, string>> = {
  "docs.json": JSON.stringify({
    name: "Known",
    colors: { primary: "#123456" },
    navigation: { $ref: "./navigation.json" },
  }),
  "navigation.json": JSON.stringify(navigation),
  ".mintignore": "/drafts\n",
  "index.mdx": "---\ntitle: Start\n---\n\nTo [the place](/guide/a#the-place).\n",
  "guide/a.mdx": "---\ntitle: A\n---\n\n## The place\n\nText\n\n![x](/images/x.svg)\n",
  "guide/b.mdx": "---\ntitle: B\n---\nimport Part from '/snippets/part.mdx';\n\n<Part />\n",
  "guide/deep/c.mdx": "---\ntitle: C\nicon: rocket\n---\n\nText\n",
  "guide/faulty.mdx": "---\ntitle: Faulty\nhidden: 7\n---\n\nText\n",
  "drafts/d.mdx": "---\ntitle: Draft\n---\n\nText\n",
  "snippets/part.mdx": "Part\n",
  "images/x.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
  "style.css": "p { color: red }",
};
const plain: Readonly<Record<string, string>> = {
  "index.md": "# Start\n\n[A](guide/a.md)\n",
  "guide/a.md": "# A\n\nText\n",
  "guide/b.md": "# B\n\nText\n",
  "other/c.md": "# C\n\nText\n",
};

interface Places {
  readonly siteDir: string;
  readonly cacheDir: string;
  readonly outDir: string;
}

function placesIn(folder: string): Places {
  return {
    siteDir: join(folder, "site"),
    cacheDir: join(folder, "cache"),
    outDir: join(folder, "out"),
  };
}

const checkLinks: ExportSettings["check"] = (site, pages) => checkSite(site, pages);

function render(settings: ExportSettings): Promise<RenderResult> {
  return renderSite({ workers: 1, children, check: checkLinks, checkName: "links", ...settings });
}

async function contentOf(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
  const texts = await Promise.all(paths.map((path) => readFile(path, "utf8")));
  return new Map(paths.map((path, at) => [path.slice(folder.length + 1), texts[at] ?? ""]));
}

/** Exports again, and compares the bundle and the problems with those of an export without a cache. */
async function expectSame(t: TestContext, settings: ExportSettings & Places): Promise<void> {
  const { problems } = await render(settings);
  const outDir = await writeSite(t, {});
  const { cacheDir: _, ...others } = settings;
  const anew = await render({ ...others, outDir });
  assert.deepEqual(await contentOf(settings.outDir), await contentOf(outDir));
  assert.deepEqual(problems, anew.problems);
}

function isKnown(places: Places): boolean {
  return knownSite(places) !== undefined;
}

function knownSite({ siteDir, cacheDir }: Places): KnownSite | undefined {
  using cache = openExportCache(cacheDir);
  return cache.sources.read(siteDir)?.known;
}

/** Returns the files whose pages the next export need not read if they have not changed since. */
function unchangedPages({ siteDir, cacheDir }: Places): readonly string[] {
  using cache = openExportCache(cacheDir);
  return cache.sources.read(siteDir)?.entries.pages.map(({ file }) => file) ?? [];
}

function changeSync(file: string, from: string, to: string): void {
  const text = readFileSync(file, "utf8");
  assert.ok(text.includes(from));
  writeFileSync(file, text.replace(from, to));
}

/** Changes a file but leaves its size and time unchanged, to the nanosecond. */
async function changeUnseen(file: string, from: string, to: string): Promise<void> {
  await using folder = await temporaryFolder();
  const times = join(folder.path, "times");
  await writeFile(times, "");
  await run("touch", ["-r", file, times]);
  const text = await readFile(file, "utf8");
  assert.ok(text.includes(from));
  assert.equal(from.length, to.length);
  await writeFile(file, text.replace(from, to));
  await run("touch", ["-r", times, file]);
}

type Change = readonly [what: string, change: (dir: string) => Promise<unknown>];

const ofConfigured: readonly Change[] = [
  ["nothing", async () => {}],
  ["a sentence more", (dir) => appendFile(join(dir, "guide/a.mdx"), "\nMore.\n")],
  [
    "a text of the same size and time",
    (dir) => changeUnseen(join(dir, "guide/a.mdx"), "Text", "Test"),
  ],
  [
    "a title of the same size and time",
    (dir) => changeUnseen(join(dir, "guide/a.mdx"), "title: A", "title: Z"),
  ],
  [
    "another icon of a page",
    (dir) => changeUnseen(join(dir, "guide/deep/c.mdx"), "rocket", "anchor"),
  ],
  [
    "links that agree on a folder of the site's host",
    (dir) =>
      appendFile(join(dir, "guide/b.mdx"), "[](/docs/guide/a) [](/docs/guide/b) [](/docs/index)\n"),
  ],
  ["a heading less", (dir) => changeUnseen(join(dir, "guide/a.mdx"), "The place", "The plage")],
  ["another snippet", (dir) => changeUnseen(join(dir, "snippets/part.mdx"), "Part", "Trap")],
  [
    "another color in the configuration",
    (dir) => changeUnseen(join(dir, "docs.json"), "#123456", "#654321"),
  ],
  [
    "another order in a file that the configuration names",
    (dir) => writeFile(join(dir, "navigation.json"), JSON.stringify({ pages: ["guide/b"] })),
  ],
  ["a file of the configuration that is gone", (dir) => rm(join(dir, "navigation.json"))],
  ["no configuration", (dir) => rm(join(dir, "docs.json"))],
  ["other ignore rules", (dir) => changeUnseen(join(dir, ".mintignore"), "/drafts", "/snippe")],
  ["no ignore rules", (dir) => rm(join(dir, ".mintignore"))],
  ["another picture", (dir) => changeUnseen(join(dir, "images/x.svg"), "svg'", 'svg"')],
  ["a picture less", (dir) => rm(join(dir, "images/x.svg"))],
  ["a picture more", (dir) => writeFile(join(dir, "images/y.svg"), "<svg/>")],
  ["another style sheet", (dir) => changeUnseen(join(dir, "style.css"), "red", "tan")],
  ["a script more", (dir) => writeFile(join(dir, "script.js"), "1;")],
  ["a page less", (dir) => rm(join(dir, "guide/deep/c.mdx"))],
  ["a page more", (dir) => writeFile(join(dir, "guide/deep/d.mdx"), "Text")],
  ["a page in a new folder", (dir) => writeFiles(dir, { "new/newer/e.mdx": "Text" })],
  [
    "a page that has become a folder",
    async (dir) => {
      await rm(join(dir, "guide/a.mdx"));
      await mkdir(join(dir, "guide/a"));
      await writeFile(join(dir, "guide/a/index.mdx"), "Text");
    },
  ],
  [
    "a page that is a link to another now",
    async (dir) => {
      await rm(join(dir, "guide/b.mdx"));
      await symlink("a.mdx", join(dir, "guide/b.mdx"));
    },
  ],
  [
    "two folders that changed places",
    async (dir) => {
      await rename(join(dir, "guide/deep"), join(dir, "x"));
      await rename(join(dir, "snippets"), join(dir, "guide/deep"));
      await rename(join(dir, "x"), join(dir, "snippets"));
    },
  ],
  [
    "an entry more in a folder whose times were set back",
    async (dir) => {
      const folder = join(dir, "guide/deep");
      const { atime, mtime } = await stat(folder);
      await writeFile(join(folder, "d.mdx"), "Text");
      await utimes(folder, atime, mtime);
    },
  ],
  [
    "a page that was written to a new file, as editors do",
    async (dir) => {
      await writeFile(join(dir, "guide/new"), "---\ntitle: A\n---\n\nOther text\n");
      await rename(join(dir, "guide/new"), join(dir, "guide/a.mdx"));
    },
  ],
  [
    "a page whose head is broken",
    (dir) => appendFileStart(join(dir, "guide/a.mdx"), "---\nx: [\n"),
  ],
  [
    "a page that is correct now",
    (dir) => writeFile(join(dir, "guide/faulty.mdx"), "---\ntitle: Faulty\n---\n\nText\n"),
  ],
  [
    "a page that shows an API",
    (dir) => writeFile(join(dir, "guide/a.mdx"), "---\napi: GET /x\n---\n"),
  ],
];

const ofPlain: readonly Change[] = [
  ["a sentence more", (dir) => appendFile(join(dir, "guide/a.md"), "\nMore.\n")],
  ["another heading", (dir) => changeUnseen(join(dir, "guide/a.md"), "# A", "# Z")],
  [
    "a configuration",
    (dir) => writeFile(join(dir, "docs.json"), '{"name":"N","navigation":{"pages":["other/c"]}}'),
  ],
  ["a README", (dir) => writeFile(join(dir, "guide/README.md"), "# Read me\n")],
  ["ignore rules", (dir) => writeFile(join(dir, ".mintignore"), "other\n")],
];

/** A site without folders. */
const flat: Readonly<Record<string, string>> = {
  "a.md": "# A\n\n[B](b.md#part)\n",
  "b.md": "# B\n\n## Part\n\nText\n",
};

const ofFlat: readonly Change[] = [
  ["nothing", async () => {}],
  ["a sentence more", (dir) => appendFile(join(dir, "b.md"), "\nMore.\n")],
  ["a page more", (dir) => writeFile(join(dir, "index.md"), "# Start\n")],
  ["a page less", (dir) => rm(join(dir, "a.md"))],
  ["an emptied cache", (dir) => changeCache(dir, async (file) => writeFile(file, ""))],
  [
    "a truncated cache",
    (dir) => changeCache(dir, async (file, { size }) => truncate(file, size - 1)),
  ],
  ["a damaged cache", (dir) => changeCache(dir, damage)],
];

/** Changes the cached data of the site and of the bundle. */
async function changeCache(
  siteDir: string,
  change: (file: string, stats: Stats) => Promise<void>,
): Promise<void> {
  for (const part of ["sources", "bundles"]) {
    const folder = join(siteDir, "../cache", part);
    for (const name of await readdir(folder)) {
      const file = join(folder, name);
      await change(file, await stat(file));
    }
  }
}

async function damage(file: string): Promise<void> {
  const bytes = await readFile(file);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  await writeFile(file, bytes);
}

async function appendFileStart(file: string, start: string): Promise<void> {
  await writeFile(file, start + (await readFile(file, "utf8")));
}

for (const [kind, site, changes] of [
  ["configured", configured, ofConfigured],
  ["plain", plain, ofPlain],
  ["flat", flat, ofFlat],
] as const) {
  describe(`a ${kind} site that need not be read again`, async () => {
    const folders = new Map<string, TemporaryFolder>();
    before(async () => {
      for (const [what] of changes) {
        const folder = await temporaryFolder();
        folders.set(what, folder);
        await writeFiles(placesIn(folder.path).siteDir, site);
      }
      await setTimeout(settling);
    });
    after(() => Promise.all([...folders.values()].map((folder) => folder[Symbol.asyncDispose]())));

    for (const [what, change] of changes) {
      test(`is as it should be after ${what}`, async (t) => {
        const places = placesIn(folders.get(what)?.path ?? "");
        await render(places);
        assert.ok(isKnown(places), "otherwise this shows nothing");
        await change(places.siteDir);
        await expectSame(t, places);
        await expectSame(t, places);
      });
    }
  });
}

describe("other settings for a site that need not be read again", async () => {
  let folder: TemporaryFolder;
  let places: Places;
  before(async () => {
    folder = await temporaryFolder();
    places = placesIn(folder.path);
    await writeFiles(places.siteDir, configured);
    await setTimeout(settling);
    await render(places);
  });
  after(() => folder[Symbol.asyncDispose]());

  const others: readonly (readonly [
    what: string,
    settings: Omit<Partial<ExportSettings>, keyof Places>,
  ])[] = [
    ["none", {}],
    ["an address", { baseUrl: "https://docs.example/v1" }],
    ["another address", { baseUrl: "https://docs.example/v2" }],
    ["addresses of folders", { addresses: "folder" }],
    ["an address for editing", { editUrl: "https://git.example/edit/{path}" }],
    ["some of the pages", { paths: ["index", "guide/b"] }],
    ["links to media", { remoteMedia: "link" }],
    ["hosts of scripts", { remoteScripts: ["cdn.example.com"] }],
    ["none again", {}],
    [
      "days of changes",
      {
        baseUrl: "https://docs.example",
        origin: {
          lastChanges: async (files) => new Map([...files].map((file) => [file, "2026-11-20"])),
          links: async () => undefined,
        },
      },
    ],
    ["none at last", {}],
  ];
  for (const [what, settings] of others) {
    test(`are followed: ${what}`, async (t) => {
      await expectSame(t, { ...places, ...settings });
      assert.ok(isKnown(places));
    });
  }

  test("are followed: a bundle in the site's own folder", async (t) => {
    await expectSame(t, { ...places, outDir: join(places.siteDir, "public") });
    await expectSame(t, { ...places, outDir: join(places.siteDir, "public") });
    await expectSame(t, places);
  });
});

test("days of changes are shown on a site that need not be read again", async (t) => {
  await using folder = await temporaryFolder();
  const places = placesIn(folder.path);
  const config = { name: "Known", metadata: { timestamp: true }, navigation };
  await writeFiles(places.siteDir, { ...configured, "docs.json": JSON.stringify(config) });
  await setTimeout(settling);
  const dayed = (day: string) => ({
    ...places,
    baseUrl: "https://docs.example",
    origin: {
      lastChanges: async (files: ReadonlySet<string>) =>
        new Map([...files].map((file) => [file, day])),
      links: async () => undefined,
    },
  });
  await render({ ...places, baseUrl: "https://docs.example" });
  assert.ok(isKnown(places));
  await expectSame(t, dayed("2026-11-20"));
  await expectSame(t, dayed("2026-11-21"));
  await expectSame(t, { ...places, baseUrl: "https://docs.example" });
});

test("a file that changed while it was read is read again", async (t) => {
  await using folder = await temporaryFolder();
  const places = placesIn(folder.path);
  // Nothing is settled: all files and folders are as new as the export.
  await writeFiles(places.siteDir, configured);
  await render(places);
  for (const [file, from, to] of [
    ["guide/a.mdx", "title: A", "title: Z"],
    ["docs.json", "#123456", "#654321"],
    ["guide/faulty.mdx", "hidden: 7", "hidden: 8"],
  ] as const) {
    await changeUnseen(join(places.siteDir, file), from, to);
    await expectSame(t, places);
  }
});

/** Waits without yielding, as a large site keeps an export busy. */
function waitOnce(): () => void {
  let isFirst = true;
  return () => {
    if (isFirst) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, settling);
    isFirst = false;
  };
}

describe("a site that was written just before is known after an export of some seconds", () => {
  const { "guide/faulty.mdx": _, ...sound } = configured;
  for (const [what, files] of [
    ["without a configuration", plain],
    ["with a configuration", sound],
  ] as const) {
    test(what, async (t) => {
      await using folder = await temporaryFolder();
      const places = placesIn(folder.path);
      await writeFiles(places.siteDir, files);
      await render({ ...places, onProgress: waitOnce() });
      const stats = knownSite(places)?.folders.stats ?? assert.fail();
      assert.ok(!stats.some(Number.isNaN), "the next export reads none of the folders");
      const known = unchangedPages(places);
      const pages = Object.keys(files).filter((file) =>
        /^(?:index|guide|other).*\.mdx?$/.test(file),
      );
      assert.deepEqual(known.toSorted(), pages.toSorted());
      const page = pages.find((file) => file.startsWith("guide/a.")) ?? assert.fail();
      await appendFile(join(places.siteDir, page), "\nMore.\n");
      await expectSame(t, places);
    });
  }

  for (const [file, from, to] of [
    ["guide/a.mdx", "title: A", "title: Z"],
    ["docs.json", "#123456", "#654321"],
    ["navigation.json", "guide/b", "guide/x"],
    [".mintignore", "/drafts", "/snippe"],
  ] as const) {
    test(`but not what changed meanwhile: ${file}`, async (t) => {
      await using folder = await temporaryFolder();
      const places = placesIn(folder.path);
      await writeFiles(places.siteDir, sound);
      const wait = waitOnce();
      let isFirst = true;
      const onProgress = () => {
        if (isFirst) changeSync(join(places.siteDir, file), from, to);
        isFirst = false;
        wait();
      };
      await render({ ...places, onProgress });
      await expectSame(t, places);
    });
  }
});
