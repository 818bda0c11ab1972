import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import type { TemporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openPreview } from "./index.ts";
import type { SitePreview } from "./index.ts";

const configuration = {
  name: "Harbour",
  navigation: { pages: ["index", "guides/start", "guides/moor"] },
};
const site = {
  "docs.json": JSON.stringify(configuration),
  "index.mdx": "---\ntitle: Home\n---\n\nWords of home, and [a guide](/guides/start).",
  "guides/start.mdx":
    "---\ntitle: Start\n---\nimport Part from '/snippets/part.mdx';\n\n<Part />\n\n<Icon icon='anchor' />",
  "guides/moor.mdx": "---\ntitle: Moor\n---\n\nText.",
  "snippets/part.mdx": "Words of the part.",
  "images/boat.png": "not really",
  "data.json": "{}",
};

let folder: TemporaryFolder;
let preview: SitePreview;
before(async () => {
  folder = await temporaryFolder();
  await writeFiles(folder.path, site);
  preview = await openPreview({ siteDir: folder.path });
});
after(async () => {
  await preview[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function textAt(path: string): Promise<string> {
  const found = await preview.find(path);
  if (found?.type === "page") return new TextDecoder().decode(found.rendered.html);
  return found?.type === "text"
    ? Buffer.from(found.content).toString()
    : JSON.stringify(found ?? null);
}

/** Writes files and refreshes the preview; undefined removes a file. Returns the pages that are affected. */
async function save(files: Readonly<Record<string, string | undefined>>): Promise<string[]> {
  for (const [path, text] of Object.entries(files)) {
    if (text === undefined) await rm(join(folder.path, path));
    else await writeFiles(folder.path, { [path]: text });
  }
  const change = await preview.refresh(Object.keys(files));
  return ["index", "guides/start", "guides/moor", ""].filter((path) => change.affects(path));
}

function problemPlaces(): string[] | undefined {
  return preview.site?.problems.map(({ file, line }) => `${file}:${line}`);
}

/** Requests all pages, as readers would. */
async function lookAtAll(): Promise<void> {
  for (const page of ["index", "guides/start", "guides/moor"]) await preview.find(`${page}.html`);
}

describe("a preview", () => {
  test("has what a bundle has at each path", async () => {
    assert.match(await textAt("index.html"), /Words of home/);
    assert.match(await textAt("guides/start.html"), /Words of the part/);
    assert.match(await textAt("guides/start.md"), /Words of the part/);
    assert.match(await textAt("_octavo/octavo.css"), /anchor/);
    assert.match(await textAt("_octavo/octavo.js"), /document\.documentElement/);
    const notFound = await textAt("404.html");
    assert.match(notFound, /<!doctype html>/);
    // It is shown at addresses of any depth, beside which there is no style sheet.
    assert.match(notFound, /href="\/_octavo\/octavo\.css"/);
    assert.doesNotMatch(notFound, /href="_octavo\//);
    assert.match(await textAt("llms.txt"), /Moor/);
    assert.match(await textAt("_octavo/search/search.js"), /octavoSearch/);
    assert.deepEqual(await preview.find("images/boat.png"), {
      type: "asset",
      file: join(folder.path, "images/boat.png"),
    });
    const moved = { type: "moved", path: "guides/start.html" };
    assert.deepEqual(await preview.find("guides/start"), moved);
    for (const path of ["docs.json", "guides/start.mdx", "snippets/part.mdx", "nowhere.html"]) {
      assert.equal(await preview.find(path), undefined, path);
    }
  });

  test("makes what all pages make of what they say now", async () => {
    const first = await textAt("llms-full.txt");
    await save({ "guides/moor.mdx": "---\ntitle: Moor\n---\n\nA hawser." });
    const second = await textAt("llms-full.txt");
    assert.ok(!first.includes("hawser") && second.includes("hawser"), second);
    assert.match(await textAt("guides/moor.html"), /hawser/);
  });

  const changes: readonly (readonly [
    what: string,
    files: Readonly<Record<string, string | undefined>>,
    affected: readonly string[],
  ])[] = [
    ["an edited text", { "index.mdx": "---\ntitle: Home\n---\n\nOther words." }, ["index"]],
    ["the same text again", { "index.mdx": "---\ntitle: Home\n---\n\nOther words." }, []],
    ["a snippet", { "snippets/part.mdx": "Other words of the part." }, ["guides/start"]],
    ["a picture", { "images/boat.png": "other" }, ["index", "guides/start", "guides/moor", ""]],
    [
      "a title, which the sidebar shows",
      { "guides/moor.mdx": "---\ntitle: Tie up\n---\n\nText." },
      ["index", "guides/start", "guides/moor", ""],
    ],
    [
      "a description, which its own page shows and the pages beside it",
      { "guides/moor.mdx": "---\ntitle: Tie up\ndescription: How\n---\n\nText." },
      ["guides/start", "guides/moor", ""],
    ],
    [
      "a new page, which a link leads to and the list of pages has",
      { "guides/new.mdx": "---\ntitle: New\n---\n\nText." },
      ["index", "guides/start", "guides/moor", ""],
    ],
    [
      "a page that is gone",
      { "guides/new.mdx": undefined },
      ["index", "guides/start", "guides/moor", ""],
    ],
    [
      "the configuration",
      { "docs.json": JSON.stringify({ ...configuration, name: "Pier" }) },
      ["index", "guides/start", "guides/moor", ""],
    ],
    ["a file that an editor made and removed", { "index.mdx~": undefined }, []],
    ["a file that is no part of the site", { ".git/index": "x" }, []],
    ["a file that nothing shows, and whose name is new", { "notes.xyz": "x" }, []],
  ];
  for (const [what, files, affected] of changes) {
    test(`tells what is affected by ${what}`, async () => {
      if (what.includes("removed")) await writeFile(join(folder.path, "index.mdx~"), "");
      await lookAtAll();
      assert.deepEqual(await save(files), affected);
      assert.match(await textAt("guides/start.html"), /of the part/);
    });
  }

  test("stays as it was while the configuration cannot be read, and says why", async () => {
    await lookAtAll();
    assert.deepEqual(await save({ "docs.json": "{ nonsense" }), []);
    assert.match(preview.failure?.message ?? "", /^docs\.json:1:3: /);
    const text = "---\ntitle: Home\n---\n\nWords meanwhile.";
    assert.deepEqual(await save({ "index.mdx": text }), ["index"]);
    assert.match(await textAt("index.html"), /Words meanwhile/);
    assert.ok(preview.failure);
    assert.deepEqual(
      await save({ "docs.json": JSON.stringify({ ...configuration, name: "Pier" }) }),
      [],
    );
    assert.equal(preview.failure, undefined);
  });

  test("knows at last what changed while it could not be read", async () => {
    await save({ "docs.json": "{ nonsense" });
    const text = "---\ntitle: Belay\n---\n\nText.";
    await save({ "guides/moor.mdx": text, "guides/late.mdx": text });
    assert.ok(preview.failure);
    await save({ "docs.json": JSON.stringify(configuration) });
    const titles = preview.site?.pages.map(({ title }) => title);
    assert.deepEqual(titles, ["Belay", "Belay", "Start", "Home"]);
    await save({ "guides/late.mdx": undefined });
  });

  test("has problems of a head, and has them no more when it is mended", async () => {
    await save({ "index.mdx": "---\ntitle: [\n---\n\nText." });
    assert.deepEqual(problemPlaces(), ["index.mdx:2"]);
    await save({ "index.mdx": "---\ntitle: Home\n---\n\nText." });
    assert.deepEqual(problemPlaces(), []);
  });
});

test("a preview begins with the site that comes to be", async () => {
  await using empty = await temporaryFolder();
  await using late = await openPreview({ siteDir: empty.path });
  assert.equal(late.failure?.code, "site_invalid");
  assert.equal(await late.find("index.html"), undefined);
  await writeFiles(empty.path, { "index.md": "# First words" });
  const change = await late.refresh(["index.md"]);
  assert.equal(late.failure, undefined);
  assert.ok(change.affects(""));
  const found = await late.find("index.html");
  assert.ok(found?.type === "page");
  assert.match(new TextDecoder().decode(found.rendered.html), /First words/);
});
