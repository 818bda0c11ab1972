import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openRenderChildren, packFiles, renderSite } from "../../../site/src/index.ts";
import { temporaryFolder, writeFiles, type TemporaryFolder } from "../../../../test/support/temporary-folder.ts"; // prettier-ignore
import { openBundle, type OpenBundle } from "../bundles/index.ts";
import { buildDifference, type SiteDifference } from "./index.ts";
import { madeChanges } from "./made-changes.test-support.ts";
import { listMarks } from "./list-marks.test-support.ts";

const picture = (color: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="60"><rect width="120" height="60" fill="${color}"/></svg>`;

describe("difference", () => {
  let folder: TemporaryFolder;
  let difference: SiteDifference;
  let marked: OpenBundle;

  before(async () => {
    folder = await temporaryFolder();
    await using children = openRenderChildren();
    const archive = async (version: "before" | "after") => {
      const siteDir = join(folder.path, version);
      const pages = madeChanges.flatMap((change) => {
        const text = change[version];
        return text === undefined ? [] : [[`${change.name}.mdx`, text] as const];
      });
      await writeFiles(siteDir, {
        "docs.json": JSON.stringify(createConfig(pages.map(([path]) => path))),
        "snippets/shared.mdx": `A snippet that two pages share ${version} a change.\n`,
        "images/replaced.svg": picture(version === "before" ? "red" : "blue"),
        [`images/${version === "before" ? "old" : "new"}-name.svg`]: picture("green"),
        ...Object.fromEntries(pages),
      });
      const file = join(folder.path, `${version}.zip`);
      const outDir = join(folder.path, `${version}-site`);
      await renderSite({ siteDir, outDir, addresses: "clean", archive: { format: "zip", file }, children, workers: 1 }); // prettier-ignore
      return file;
    };
    const bundles = { before: await archive("before"), after: await archive("after") };
    const outFile = join(folder.path, "difference.zip");
    difference = await buildDifference({ ...bundles, outFile });
    marked = await openBundle(outFile);
  });
  after(async () => {
    marked.close();
    await folder[Symbol.asyncDispose]();
  });

  for (const { name, marks } of madeChanges) {
    it(`marks ${name}`, async () => {
      const entry = marked.entries.get(`${name}.html`);
      const html = entry && (await marked.readWhole(entry)).toString();
      assert.deepEqual(html === undefined ? [] : listMarks(html), marks);
    });
  }

  it("lists the pages that readers see differently", () => {
    const expected = madeChanges.flatMap(({ name, before: old, after: own, marks }) => {
      const changes = new Set(marks.map((mark) => mark.split(" ", 1)[0])).size;
      if (changes === 0) return [];
      const only = own === undefined ? "removed" : "added";
      return [{ file: `${name}.html`, kind: old === undefined || own === undefined ? only : "changed", changes }]; // prettier-ignore
    });
    const listed = difference.pages.map(({ file, kind, changes }) => ({ file, kind, changes }));
    assert.deepEqual(
      listed,
      expected.toSorted((one, other) => (one.file < other.file ? -1 : 1)),
    );
    assert.equal(difference.pages.find(({ file }) => file === "title.html")?.title, "New title");
  });
});

describe("difference of bundles", () => {
  it("reads only pages whose bytes differ", async () => {
    await using folder = await temporaryFolder();
    const pages = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, at) => [
        `page-${at}.html`,
        createPage(`<p>Page ${at}.</p>`),
      ]),
    );
    const before = await packPages(folder.path, pages);
    const after = await packPages(folder.path, {
      ...pages,
      "page-7.html": createPage("<p>Page seven.</p>"),
    });
    // A page that cannot be read shows that nobody reads it.
    for (const file of [before, after]) await damageEntry(file, "page-8.html");
    const outFile = join(folder.path, "difference.zip");
    const { pages: different } = await buildDifference({ before, after, outFile });
    assert.deepEqual(different, [
      { file: "page-7.html", title: "A page", kind: "changed", changes: 1 },
    ]);
  });

  it("does not mind how links write the address of a page", async () => {
    await using folder = await temporaryFolder();
    const link = (address: string) => createPage(`<p><a href="${address}">There</a></p>`);
    const others = {
      "guide/index.html": createPage("<p>A.</p>"),
      "b.html": createPage("<p>B.</p>"),
    };
    const cases = [
      ["guide/", "guide/index.html", "guide/index", "guide", "/guide/"],
      ["b", "b.html", "./b#part", "/b"],
      ["./", "index.html", "/", "#top"],
    ];
    for (const [file, addresses] of cases.entries()) {
      for (const address of addresses) {
        const name = file === 2 ? "index.html" : "page.html";
        const [before, after] = await Promise.all(
          [addresses[0] ?? "", address].map((one) =>
            packPages(folder.path, { ...others, [name]: link(one) }),
          ),
        );
        assert.ok(before !== undefined && after !== undefined);
        const outFile = join(folder.path, `${randomUUID()}.zip`);
        const { pages } = await buildDifference({ before, after, outFile });
        assert.deepEqual(pages, [], address);
      }
    }
  });

  it("lists pages that are too large or nested too deeply, without a number", async () => {
    await using folder = await temporaryFolder();
    const before = await packPages(folder.path, createExtremePages("before"));
    const after = await packPages(folder.path, createExtremePages("after"));
    const outFile = join(folder.path, "difference.zip");
    const { pages } = await buildDifference({ before, after, outFile });
    assert.deepEqual(
      pages.map(({ file, changes }) => [file, changes]),
      [
        ["deep.html", null],
        ["large.html", null],
        ["plain.html", 1],
      ],
    );
  });

  it("finds a page at its new address by its Markdown, and skips pages that only lead elsewhere", async () => {
    await using folder = await temporaryFolder();
    const old = createPage('<p>See <a href="other">the other page</a>.</p><img src="a.svg">');
    const own = createPage('<p>See <a href="../other">the other page</a>.</p><img src="../a.svg">');
    const shared = { "other.html": createPage("<p>Other.</p>"), "a.svg": "<svg></svg>" };
    const before = await packPages(folder.path, {
      ...shared,
      "old.html": old,
      "old.md": "# A page",
    });
    const after = await packPages(folder.path, {
      ...shared,
      "guide/own.html": own.replace("See", "Read"),
      "guide/own.md": "# A page",
      "old.html": '<meta http-equiv="refresh" content="0; url=guide/own">',
    });
    const outFile = join(folder.path, "difference.zip");
    const { pages } = await buildDifference({ before, after, outFile });
    assert.deepEqual(pages, [
      {
        file: "guide/own.html",
        formerFile: "old.html",
        title: "A page",
        kind: "changed",
        changes: 1,
      },
    ]);
  });

  it("aligns thousands of blocks that all differ", async () => {
    await using folder = await temporaryFolder();
    const before = await packPages(folder.path, createLongPage("old"));
    const after = await packPages(folder.path, createLongPage("new"));
    const outFile = join(folder.path, "difference.zip");
    const { pages } = await buildDifference({ before, after, outFile });
    assert.equal(pages.length, 1);
    assert.ok((pages[0]?.changes ?? 0) > 0);
  });
});

function createExtremePages(text: string): Readonly<Record<string, string>> {
  return {
    "large.html": createPage(`<p>${text}</p>${"<p>The same text.</p>".repeat(150_000)}`),
    "deep.html": createPage(`${"<div>".repeat(100_000)}${text}`),
    "plain.html": createPage(`<p>${text}</p>`),
  };
}

/** A page of blocks that are all different with another word. */
function createLongPage(word: string): Readonly<Record<string, string>> {
  const numbers = Array.from({ length: 3_000 }, (_, at) => at);
  const rows = numbers.map((at) => `<tr><td>${word}${at}</td><td>${word} of ${at * 7}</td></tr>`);
  const texts = numbers.map((at) => `<p>${word}${at} ${word}${at + 1}</p>`);
  const code = `<pre>${texts.join("\n")}</pre>`;
  return { "page.html": createPage(`<table>${rows.join("")}</table>${texts.join("")}${code}`) };
}

function createPage(content: string): string {
  return `<!doctype html><html lang="en"><head><title>A page</title></head><body><main>${content}</main></body></html>`;
}

async function packPages(folder: string, pages: Readonly<Record<string, string>>): Promise<string> {
  const files = Object.entries(pages).map(([path, text]) => ({
    path,
    source: () => Buffer.from(text),
  }));
  const file = join(folder, `${randomUUID()}.zip`);
  await packFiles(files, "zip", file);
  return file;
}

async function damageEntry(archive: string, path: string): Promise<void> {
  const content = await readFile(archive);
  const header = content.indexOf(path);
  content.fill(0xff, header + path.length, header + path.length + 8);
  await writeFile(archive, content);
}

function createConfig(files: readonly string[]): object {
  const pages = files.map((file) => file.replace(/\.mdx$/, ""));
  const inLanguage = (language: string) => pages.filter((page) => page.startsWith(`${language}/`));
  const languages = ["ja", "th", "ar"];
  const isEnglish = (page: string) =>
    !languages.some((language) => page.startsWith(`${language}/`));
  return {
    name: "Differences",
    theme: "mint",
    colors: { primary: "#0a62c9" },
    navigation: {
      languages: [
        { language: "en", default: true, pages: pages.filter(isEnglish) },
        ...languages.map((language) => ({ language, pages: inLanguage(language) })),
      ],
    },
  };
}
