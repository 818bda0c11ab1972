import assert from "node:assert/strict";
import { cp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { TestContext } from "node:test";
import { writeSite } from "../../../../test/sites/temporary-site.ts";
import { sharedChildren } from "../../../../test/support/shared-children.ts";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import type { TemporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { packFolder } from "../../../../test/support/pack-folder.ts";
import { renderSite } from "./render-site.ts";
import type { ExportSettings } from "./export-settings.ts";

const children = sharedChildren();

async function contentOf(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const content = new Map<string, string>();
  for (const { parentPath, name } of files) {
    const file = join(parentPath, name);
    content.set(file.slice(folder.length + 1), await readFile(file, "utf8"));
  }
  return content;
}

/** Returns the files of a bundle, and the number of its pages that were rendered for it. */
async function exported(options: Omit<ExportSettings, "outDir">, outDir: string) {
  const { rendered } = await renderSite({ workers: 1, children, ...options, outDir });
  return { files: await contentOf(outDir), rendered };
}

async function emptyFolder(t: TestContext): Promise<string> {
  return writeSite(t, {});
}

test("the report lists once each class that no style sheet has", async (t) => {
  const siteDir = await writeSite(t, {
    "docs.json": JSON.stringify({ ...configuration, navigation: { pages: ["a", "b"] } }),
    "a.mdx":
      '<div className="lost styled mt-2 card"><b class="scripted">a</b></div>\n\n<Card title="x" className="lost-2">y</Card>',
    "b.mdx": '<div className="lost local">b</div>\n\n<style>{`.local{color:red}`}</style>',
    "site.css": ".styled{color:red}",
    "site.js": 'document.querySelector(".scripted")',
  });
  const cacheDir = await emptyFolder(t);
  for (const outDir of [await emptyFolder(t), await emptyFolder(t)]) {
    const { files } = await exported({ siteDir, cacheDir }, outDir);
    const report = JSON.parse(files.get("_octavo/report.json") ?? "{}") as Record<string, unknown>;
    assert.deepEqual(report["unstyledClasses"], [
      { name: "lost", file: "a.mdx", pages: 2 },
      { name: "lost-2", file: "a.mdx", pages: 1 },
    ]);
  }
});

const configuration = {
  name: "Cache",
  colors: { primary: "#123456" },
  navigation: {
    tabs: [
      {
        tab: "One",
        directory: "card",
        groups: [{ group: "G", root: "one/root", pages: ["one/a", "one/b"] }],
      },
      { tab: "Two", pages: ["two/a"] },
    ],
  },
};
const site = {
  "docs.json": JSON.stringify(configuration),
  "one/root.mdx": "---\ntitle: Root\n---\nText",
  "one/a.mdx": "---\ntitle: A\nicon: star\n---\nText",
  "one/b.mdx": "---\ntitle: B\n---\nText\n\n```mdx\n---\ntitle: x\n---\n```",
  "one/unlisted.mdx": "---\ntitle: Unlisted\n---\nText <Part />",
  "two/a.mdx": "---\ntitle: Other\n---\nimport Part from '/snippets/part.mdx';\n\n<Part />",
  "snippets/part.mdx": "Part",
};

const placesIn = (folder: string) =>
  [join(folder, "site"), join(folder, "cache"), join(folder, "out")] as const;

describe("a warm export gives the same bundle as a cold one, after", () => {
  const edits: [what: string, file: string, text: string][] = [
    ["no edit", "one/a.mdx", site["one/a.mdx"]],
    ["an edited text", "one/a.mdx", "---\ntitle: A\nicon: star\n---\nOther"],
    ["another title", "one/a.mdx", "---\ntitle: Z\nicon: star\n---\nText"],
    ["another title of a group's own page", "one/root.mdx", "---\ntitle: Origin\n---\nText"],
    [
      "another description in a listing",
      "one/a.mdx",
      "---\ntitle: A\nicon: star\ndescription: New\n---\nText",
    ],
    [
      "another kind of icon",
      "one/a.mdx",
      "---\ntitle: A\nicon: star\niconType: regular\n---\nText",
    ],
    ["an operation", "one/a.mdx", "---\ntitle: A\nicon: star\napi: GET /x\n---\nText"],
    ["an edited snippet", "snippets/part.mdx", "Other part"],
    ["a page that hides itself", "one/b.mdx", "---\ntitle: B\nhidden: true\n---\nText"],
    ["a page that is new", "one/c.mdx", "---\ntitle: C\n---\nText"],
  ];
  let earlier: TemporaryFolder;
  before(async () => {
    earlier = await temporaryFolder();
    const [siteDir, cacheDir, outDir] = placesIn(earlier.path);
    await writeFiles(siteDir, site);
    await exported({ siteDir, cacheDir }, outDir);
  });
  after(() => earlier[Symbol.asyncDispose]());

  for (const [what, file, text] of edits) {
    test(what, async (t) => {
      const [folder, cold] = [await emptyFolder(t), await emptyFolder(t)];
      // Each begins where the same export ended.
      await cp(earlier.path, folder, { recursive: true });
      const [siteDir, cacheDir, outDir] = placesIn(folder);
      await writeFile(join(siteDir, file), text);
      const warm = await exported({ siteDir, cacheDir }, outDir);
      assert.deepEqual(warm.files, (await exported({ siteDir }, cold)).files);
      if (what === "no edit") assert.equal(warm.rendered, 0);
      if (what === "an edited text" || what === "an edited snippet") assert.equal(warm.rendered, 1);
    });
  }
});

test("a changed description of a page only re-renders pages that show it", async (t) => {
  const files = Object.fromEntries(
    ["a", "b", "c", "d", "e"].map((name) => [`${name}.mdx`, `---\ntitle: ${name}\n---\nText`]),
  );
  const siteDir = await writeSite(t, files);
  const cacheDir = await emptyFolder(t);
  await exported({ siteDir, cacheDir }, await emptyFolder(t));
  await writeFile(join(siteDir, "c.mdx"), "---\ntitle: c\ndescription: New\n---\nText");
  const warm = await exported({ siteDir, cacheDir }, await emptyFolder(t));
  assert.deepEqual(warm.files, (await exported({ siteDir }, await emptyFolder(t))).files);
  assert.equal(warm.rendered, 3);
});

/** Records the input of a check, page by page. */
function watch(kept: Map<string, unknown>): Pick<ExportSettings, "check"> {
  return {
    check(_site, pages) {
      for (const { page, rendered } of pages) {
        const { anchors, references, dependencies } = rendered;
        kept.set(page.path, { anchors, references, dependencies });
      }
      return [];
    },
  };
}

test("a check without a bundle finds what an export finds, with one cache for both", async (t) => {
  const files = {
    ...site,
    "one/a.mdx":
      "---\ntitle: A\nicon: no-such-icon\n---\n<Unknown>\n\n## X\n\n{missing}\n</Unknown>",
    "one/b.mdx":
      "---\ntitle: B\n---\n<Icon icon='nor-this' /> [x](#nowhere)\n\n```python\nx = 1\n```",
    "images/a.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
  };
  const siteDir = await writeSite(t, files);
  const cacheDir = await emptyFolder(t);
  const [checked, bundled] = [new Map<string, unknown>(), new Map<string, unknown>()];
  const options = { siteDir, cacheDir, workers: 1, children };
  const check = await renderSite({ ...options, ...watch(checked) });
  const outDir = await emptyFolder(t);
  const bundle = await renderSite({ ...options, ...watch(bundled), outDir });
  assert.ok(check.problems.length >= 3, JSON.stringify(check.problems));
  assert.deepEqual(check.problems, bundle.problems);
  assert.deepEqual(checked, bundled);
  assert.equal(bundle.rendered, 5, "no page of the bundle is one that was rendered for a check");
  assert.match(await readFile(join(outDir, "one/b.html"), "utf8"), /<title>/);
  assert.deepEqual(await readdir(siteDir), ["docs.json", "images", "one", "snippets", "two"]);
});

test("a cache that cannot be written only costs time", async (t) => {
  const siteDir = await writeSite(t, { "index.md": "# Start", file: "no folder" });
  const cacheDir = join(siteDir, "file");
  const { rendered } = await exported({ siteDir, cacheDir }, await emptyFolder(t));
  assert.equal(rendered, 1);
});

test("no name that an author may choose fails an export", async (t) => {
  const label = "A version that is called by a whole sentence ".repeat(10);
  const siteDir = await writeSite(t, {
    "docs.json": JSON.stringify({
      ...configuration,
      navigation: { versions: [{ version: label, pages: ["index", "what#is/50% off?"] }] },
      redirects: ["/logo.svg/x", "/llms.txt/x", "/_redirects/x", "/index/x"].map((source) => ({
        source,
        destination: "/index",
      })),
    }),
    "logo.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
    "index.mdx": "[odd](</what%23is/50%25 off%3F>)",
    "what#is/50% off?.mdx": "Odd",
    "index.html/x.png": "",
  });
  const { files } = await exported({ siteDir }, await emptyFolder(t));
  assert.match(files.get("index.html") ?? "", /href="what%23is\/50%25%20off%3F\.html"/);
  assert.ok(files.has("what#is/50% off?.html"));
  assert.ok(files.has("index/x.html"));
  assert.ok(files.get("_redirects")?.includes("/index/x /index.html 301"));
});

test("the publisher's files in a bundle stay, leftovers of earlier exports go", async (t) => {
  const siteDir = await writeSite(t, { "index.md": "# Start", "old.md": "# Old" });
  const out = await emptyFolder(t);
  await exported({ siteDir }, out);
  await mkdir(join(out, ".git"));
  for (const file of [".git/config", ".nojekyll"]) await writeFile(join(out, file), "mine");
  const later = await writeSite(t, { "index.md": "# Start" });
  const { files } = await exported({ siteDir: later }, out);
  assert.deepEqual(
    [".git/config", ".nojekyll", "old.html"].map((path) => files.has(path)),
    [true, true, false],
  );
});

test("bundles in the site's folder are not part of the site", async (t) => {
  const siteDir = await writeSite(t, { "index.md": "# Start" });
  const archive = join(siteDir, "bundle.zip");
  const [inside, elsewhere] = [join(siteDir, "out"), await emptyFolder(t)];
  const { files } = await exported({ siteDir }, inside);
  await writeFile(archive, "an earlier export");
  const again = await exported({ siteDir }, inside);
  assert.notDeepEqual(again.files, files, "the archive of an earlier export is a file of the site");
  await rm(join(inside, "bundle.zip"));
  const expected = await packFolder(inside, "zip", join(await emptyFolder(t), "expected.zip"));
  const outDir = elsewhere;
  const { packed } = await renderSite({
    siteDir,
    outDir,
    archive: { format: "zip", file: archive },
  });
  assert.equal(packed?.sha256, expected.sha256);
});
