import assert from "node:assert/strict";
import {
  appendFile,
  cp,
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { writeSite } from "../../../../test/sites/temporary-site.ts";
import { sharedChildren } from "../../../../test/support/shared-children.ts";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import type { TemporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { sha256 } from "../core/index.ts";
import { packFolder } from "../../../../test/support/pack-folder.ts";
import { renderSite } from "./render-site.ts";
import type { ExportSettings, RenderResult } from "./export-settings.ts";

const run = promisify(execFile);
const children = sharedChildren();

/** After this time every change of a file changes its stat. */
const settling = 2_100;

/** Enough pages for a source index to be written. */
const more = Object.fromEntries(
  Array.from({ length: 20 }, (_, at) => [`more/${at}.mdx`, `---\ntitle: More ${at}\n---\n\nText`]),
);
const site: Readonly<Record<string, string>> = {
  "docs.json": JSON.stringify({
    name: "Kept",
    colors: { primary: "#123456" },
    navigation: { pages: ["index", "guide/a", "guide/b"] },
  }),
  "index.mdx": "---\ntitle: Start\n---\n\nTo [the place](/guide/a#the%3Aplace).",
  "guide/a.mdx": "---\ntitle: A\n---\n\n## The place\n\nText\n\n![x](/images/x.svg)",
  "guide/b.mdx": "---\ntitle: B\n---\nimport Part from '/snippets/part.mdx';\n\n<Part />",
  "snippets/part.mdx": 'Part\n\n<iframe src="https://frames.example/part" title="Part" />',
  "images/x.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
  ...more,
};

/** Reads all files below a folder, with a letter for each byte. */
async function contentOf(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
  return new Map(
    await Promise.all(
      paths.map(
        async (path) => [path.slice(folder.length + 1), await readFile(path, "latin1")] as const,
      ),
    ),
  );
}

function failingCheck(): never {
  throw new Error("The check failed.");
}

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

async function exportedSite(folder: string): Promise<Places> {
  const places = placesIn(folder);
  await writeFiles(places.siteDir, site);
  await setTimeout(settling);
  await render(places);
  return places;
}

function render(places: Places, more: Partial<ExportSettings> = {}): Promise<RenderResult> {
  return renderSite({ workers: 1, children, ...places, ...more });
}

/** Returns the result of an export into an empty folder without a cache. */
async function anew(t: TestContext, { siteDir }: Places): Promise<Map<string, string>> {
  const outDir = await writeSite(t, {});
  await renderSite({ siteDir, outDir, workers: 1, children });
  return contentOf(outDir);
}

/** Changes a file but leaves its size and time unchanged, to the nanosecond. */
async function changeUnseen(file: string, text: string): Promise<void> {
  await using folder = await temporaryFolder();
  const times = join(folder.path, "times");
  await writeFile(times, "");
  await run("touch", ["-r", file, times]);
  const { size, mtimeMs } = await stat(file);
  await writeFile(file, text);
  await run("touch", ["-r", times, file]);
  const after = await stat(file);
  assert.deepEqual([after.size, after.mtimeMs], [size, mtimeMs]);
}

describe("into a folder that an earlier export wrote", async () => {
  let folder: TemporaryFolder;
  let places: Places;
  before(async () => {
    folder = await temporaryFolder();
    places = await exportedSite(folder.path);
  });
  after(() => folder[Symbol.asyncDispose]());

  test("nothing that is there is written again", async () => {
    const timesOf = async () => {
      const paths = [...(await contentOf(places.outDir)).keys()];
      const stats = await Promise.all(paths.map((path) => stat(join(places.outDir, path))));
      return new Map(paths.map((path, at) => [path, stats[at]?.ctimeMs]));
    };
    const earlier = await timesOf();
    assert.equal((await render(places)).rendered, 0);
    const later = await timesOf();
    const written = [...later].filter(([path, time]) => earlier.get(path) !== time);
    assert.deepEqual(
      written.map(([path]) => path),
      [],
    );
  });

  const changes: [what: string, change: (out: string) => Promise<unknown>][] = [
    ["a page's document was edited", (out) => appendFile(join(out, "guide/a.html"), "x")],
    ["a page's text was edited", (out) => writeFile(join(out, "guide/a.md"), "x")],
    ["llms-full.txt was cut", (out) => writeFile(join(out, "llms-full.txt"), "# Start")],
    ["a part of the search is gone", (out) => rm(join(out, "_octavo/search/all/index.js"))],
    ["a page is gone", (out) => rm(join(out, "index.html"))],
    ["a folder is gone", (out) => rm(join(out, "guide"), { recursive: true })],
    ["a picture was edited", (out) => writeFile(join(out, "images/x.svg"), "<svg/>")],
    ["a file was added", (out) => writeFile(join(out, "guide/c.html"), "stale")],
    [
      "a folder was added",
      async (out) => {
        await mkdir(join(out, "old/older"), { recursive: true });
        await writeFile(join(out, "old/older/x.html"), "stale");
      },
    ],
    [
      "a document was changed to one of its length, with its times set back",
      async (out) => {
        const file = join(out, "guide/b.html");
        const text = await readFile(file, "utf8");
        await changeUnseen(file, text.replace("<title>B", "<title>C"));
      },
    ],
    [
      "a document was put in the place of another",
      (out) => rename(join(out, "guide/a.html"), join(out, "guide/b.html")),
    ],
    [
      "a link was put in the place of a document",
      async (out) => {
        await rename(join(out, "index.html"), join(out, ".mine.html"));
        await symlink(".mine.html", join(out, "index.html"));
      },
    ],
    [
      "a folder was moved and a link put in its place",
      async (out) => {
        await rename(join(out, "guide"), join(out, "moved"));
        await symlink("moved", join(out, "guide"));
      },
    ],
    [
      "a file was put in the place of a folder, and a folder in that of a file",
      async (out) => {
        await rm(join(out, "guide"), { recursive: true });
        await writeFile(join(out, "guide"), "x");
        await rm(join(out, "index.html"));
        await mkdir(join(out, "index.html/deep"), { recursive: true });
        await writeFile(join(out, "index.html/deep/x"), "x");
      },
    ],
    [
      "the folder was copied from elsewhere",
      async (out) => {
        await cp(out, `${out}-copy`, { recursive: true });
        await rm(out, { recursive: true });
        await rename(`${out}-copy`, out);
      },
    ],
  ];
  for (const [what, change] of changes) {
    test(`everything is correct again after ${what}`, async (t) => {
      await change(places.outDir);
      const { rendered, bytes } = await render(places);
      assert.equal(rendered, 0);
      const files = await contentOf(places.outDir);
      files.delete(".mine.html");
      await rm(join(places.outDir, ".mine.html"), { force: true });
      assert.deepEqual(files, await anew(t, places));
      const sizes = [...files.values()].reduce((sum, text) => sum + text.length, 0);
      if (!what.startsWith("a link")) assert.equal(bytes, sizes);
    });
  }

  test("an export that was interrupted leaves the folder as it was", async (t) => {
    const earlier = await contentOf(places.outDir);
    await appendFile(join(places.siteDir, "guide/a.mdx"), "\n\nAnother text.");
    const abort = new AbortController();
    const interrupted = render(places, {
      signal: abort.signal,
      check: () => {
        // Pages are written by now; the files built from all of them are not.
        abort.abort();
        abort.signal.throwIfAborted();
        return [];
      },
    });
    await assert.rejects(interrupted);
    assert.deepEqual(await contentOf(places.outDir), earlier);
    await writeFile(join(places.siteDir, "guide/a.mdx"), site["guide/a.mdx"] ?? "");
    await render(places);
    assert.deepEqual(await contentOf(places.outDir), await anew(t, places));
  });

  test("an export that fails in an empty folder leaves it empty", async (t) => {
    const outDir = await writeSite(t, {});
    const check = failingCheck;
    await assert.rejects(render({ ...places, outDir }, { check }), /The check failed/);
    assert.deepEqual(await readdir(outDir), []);
  });

  test("the publisher's empty folders stay", async () => {
    const own = join(places.outDir, ".git/refs/tags");
    await mkdir(own, { recursive: true });
    await render(places);
    assert.ok((await stat(own)).isDirectory());
    await rm(join(places.outDir, ".git"), { recursive: true });
  });

  test("two exports at once into different folders share a cache", async (t) => {
    await appendFile(join(places.siteDir, "guide/a.mdx"), "\n\nOnce more.");
    const outDir = await writeSite(t, {});
    await Promise.all([render(places), render({ ...places, outDir })]);
    const expected = await anew(t, places);
    assert.deepEqual(await contentOf(places.outDir), expected);
    assert.deepEqual(await contentOf(outDir), expected);
  });
});

describe("an export of a site that was read before", async () => {
  const changes: [what: string, change: (dir: string) => Promise<unknown>][] = [
    ["nothing", async () => {}],
    [
      "a text of the same length, with its times set back",
      async (dir) => {
        const text = site["guide/a.mdx"] ?? "";
        await changeUnseen(join(dir, "guide/a.mdx"), text.replace("Text", "Test"));
      },
    ],
    [
      "another title",
      (dir) => writeFile(join(dir, "guide/a.mdx"), "---\ntitle: Z\n---\n\n## The place"),
    ],
    ["a snippet", (dir) => writeFile(join(dir, "snippets/part.mdx"), "Other")],
    ["no configuration", (dir) => rm(join(dir, "docs.json"))],
    ["a page less", (dir) => rm(join(dir, "guide/b.mdx"))],
    ["a page more", (dir) => writeFile(join(dir, "guide/c.mdx"), "Text")],
    [
      "a page that is a link to another now",
      async (dir) => {
        await rm(join(dir, "guide/b.mdx"));
        await symlink("a.mdx", join(dir, "guide/b.mdx"));
      },
    ],
    ["two pages that changed places", (dir) => swap(join(dir, "guide"), "a.mdx", "b.mdx")],
    [
      "an error in a page",
      (dir) => writeFile(join(dir, "guide/a.mdx"), "---\ntitle: [A\nhidden: 7\n---\n\nText"),
    ],
  ];
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
    test(`sees ${what}`, async (t) => {
      const places = placesIn(folders.get(what)?.path ?? "");
      await render(places);
      const indexes = await readdir(join(places.cacheDir, "sources"));
      assert.equal(indexes.length, 1, "without a source index this shows nothing");
      await change(places.siteDir);
      const { problems } = await render(places);
      assert.deepEqual(await contentOf(places.outDir), await anew(t, places));
      assert.deepEqual((await render(places)).problems, problems);
      if (what === "an error in a page") {
        assert.ok(problems.some(({ code }) => code === "frontmatter_invalid"));
      }
    });
  }
});

async function swap(folder: string, one: string, other: string): Promise<void> {
  await rename(join(folder, one), join(folder, "x"));
  await rename(join(folder, other), join(folder, one));
  await rename(join(folder, "x"), join(folder, other));
}

test("renders pages again that are damaged in the cache", async (t) => {
  await using folder = await temporaryFolder();
  const places = await exportedSite(folder.path);
  const pages = join(places.cacheDir, "pages");
  for (const name of await readdir(pages)) {
    const bytes = await readFile(join(pages, name));
    bytes.write("???", bytes.indexOf("<html"));
    await writeFile(join(pages, name), bytes);
  }
  const outDir = await writeSite(t, {});
  assert.equal((await render({ ...places, outDir })).rendered, 23);
  assert.deepEqual(await contentOf(outDir), await anew(t, places));
  assert.equal((await render(places)).rendered, 23, "the damaged file is gone");
  assert.equal((await render(places)).rendered, 0);
});

for (const format of ["tar.gz", "zip"] as const) {
  test(`a ${format} is the same with a cold or warm cache, without one, and packed from a folder`, async (t) => {
    await using folder = await temporaryFolder();
    const places = await exportedSite(folder.path);
    const long = Array.from({ length: 90_000 }, (_, at) => `word${at * 7919}`).join(" ");
    await writeFile(join(places.siteDir, "long.md"), `# Long\n\n${long}\n`);
    async function archived(cacheDir?: string): Promise<Buffer> {
      const outDir = await writeSite(t, {});
      const file = join(await writeSite(t, {}), `bundle.${format}`);
      const { siteDir } = places;
      const archive = { format, file };
      const settings = { siteDir, outDir, workers: 1, children, archive, cacheDir };
      const { packed } = await renderSite(settings);
      const bytes = await readFile(file);
      assert.deepEqual(packed, { bytes: bytes.length, sha256: sha256(bytes) });
      return bytes;
    }
    async function packed(): Promise<Buffer> {
      const file = join(folder.path, "packed");
      await render(places);
      await packFolder(places.outDir, format, file);
      return readFile(file);
    }
    const expected = await packed();
    // The second export uses the blocks that the first compressed.
    for (const cacheDir of [places.cacheDir, places.cacheDir, undefined]) {
      assert.ok((await archived(cacheDir)).equals(expected));
    }
    await appendFile(join(places.siteDir, "guide/a.mdx"), "\n\nOther");
    assert.ok((await archived(places.cacheDir)).equals(await packed()));
  });
}

test("a cache does not grow by the pictures of a site that is checked out again", async (t) => {
  await using folder = await temporaryFolder();
  const picture = randomBytes(100_000);
  const cacheDir = join(folder.path, "cache");
  const sizes: number[] = [];
  for (const name of ["first", "second"]) {
    const siteDir = join(folder.path, name);
    await writeFiles(siteDir, { "index.md": "# Start\n\n![Picture](picture.png)\n" });
    await writeFile(join(siteDir, "picture.png"), picture);
    await setTimeout(settling);
    const outDir = await writeSite(t, {});
    const archive = { format: "zip", file: join(folder.path, `${name}.zip`) } as const;
    const settings = { siteDir, outDir, workers: 1, children, archive, cacheDir };
    await renderSite({ ...settings, isNewFolder: true });
    const names = await readdir(join(cacheDir, "pages"));
    const stats = await Promise.all(names.map((file) => stat(join(cacheDir, "pages", file))));
    sizes.push(stats.reduce((sum, { size }) => sum + size, 0));
  }
  const [first = 0, second = 0] = sizes;
  assert.ok(first > picture.length, "the picture is cached once");
  assert.ok(second - first < picture.length, `the cache grew by ${second - first} bytes`);
});
