import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test, type TestContext } from "node:test";
import { sharedChildren } from "../../../../test/support/shared-children.ts";
import { writeSite } from "../../../../test/sites/temporary-site.ts";
import { limits } from "../core/index.ts";
import { renderSite } from "../export/index.ts";

/** Sites beyond limits: content that a limit takes from readers is reported with its place, or shown in another form as a whole. */

const children = sharedChildren();

async function exportSite(t: TestContext, files: Readonly<Record<string, string>>) {
  const outDir = await writeSite(t, {});
  const siteDir = await writeSite(t, files);
  const { problems } = await renderSite({ siteDir, outDir, workers: 1, children });
  return {
    problems: problems.map(({ code, file, line, message }) => `${code} ${file}:${line} ${message}`),
    read: (file: string) => readFile(join(outDir, file), "utf8"),
  };
}

function configuration(settings: object): string {
  const start = { name: "Plants", theme: "mint", colors: { primary: "#112233" } };
  return JSON.stringify({ ...start, navigation: { pages: ["index"] }, ...settings }, null, 1);
}

function listNumbered<Item>(count: number, create: (number: number) => Item): Item[] {
  return Array.from({ length: count }, (_, at) => create(at));
}

/** Exports a site with a start page. */
function exportPage(t: TestContext, page: string, settings: object = {}) {
  const source = `---\ntitle: Start\n---\n\n${page}\n`;
  return exportSite(t, { "docs.json": configuration(settings), "index.mdx": source });
}

suite("a limit that takes something from readers", () => {
  test("of a list of problems ends the list with a problem", async (t) => {
    const { problems } = await exportPage(t, "<Oops />\n\n".repeat(502));
    assert.equal(problems.length, 501);
    assert.equal(
      problems.at(-1),
      "more_problems index.mdx:1005 The page has more warnings; only the first 500 are listed.",
    );
  });

  test("of unknown icons of the navigation ends their list with a problem", async (t) => {
    const pages = listNumbered(502, (at) => ({
      group: `${at}`,
      icon: `no${at}`,
      pages: ["index"],
    }));
    const { problems } = await exportPage(t, "", { navigation: { groups: pages } });
    const icons = problems.filter((problem) => problem.startsWith("unknown_icon"));
    assert.equal(icons.length, 501);
    assert.ok(icons.some((icon) => icon.endsWith("2 more icon names do not exist.")));
  });

  test("of the text after a fence is reported", async (t) => {
    const lines = listNumbered(400, (at) => `${at * 2 + 1}`).join(",");
    const { problems } = await exportPage(t, `\`\`\`js {${lines}}\na\n\`\`\``);
    assert.deepEqual(problems, [
      "code_settings_too_long index.mdx:5 The text after the opening fence of this code is longer than 1000 characters; the rest has no effect.",
    ]);
  });

  test("of the tags of a changelog is reported", async (t) => {
    const tags = JSON.stringify(listNumbered(limits.changelogTags + 1, (at) => `t${at}`));
    const { problems } = await exportPage(t, `<Update label="May" tags={${tags}}>New.</Update>`);
    assert.deepEqual(problems, [
      "too_many_tags index.mdx:undefined The page has 101 tags; readers can filter its updates by only the first 100.",
    ]);
  });

  test("of names in the navigation is reported", async (t) => {
    const groups = [{ group: "x".repeat(501), pages: ["index"] }];
    const { problems } = await exportPage(t, "", { navigation: { groups } });
    assert.deepEqual(problems, [
      "navigation_invalid docs.json:9 The name of this group is longer than 500 characters; the rest is omitted.",
    ]);
  });

  test("of groups beside tabs is reported, and hidden groups do not count", async (t) => {
    const shown = limits.outerEntries;
    const names = listNumbered(shown + 2, (at) => `p${at}`);
    const hidden = { group: "Hidden", hidden: true, pages: ["hidden"] };
    const groups = [hidden, ...names.map((name) => ({ group: name, pages: [name] }))];
    const { problems, read } = await exportSite(t, {
      "docs.json": configuration({
        navigation: { tabs: [{ tab: "T", pages: ["index"] }], groups },
      }),
      ...Object.fromEntries(["index", "hidden", ...names].map((name) => [`${name}.mdx`, "Text"])),
    });
    assert.deepEqual(
      problems.map((problem) => problem.slice(0, 90)),
      [
        `navigation_mixed docs.json:7 This level of the navigation lists ${shown + 2} groups and pages beside`,
        'navigation_mixed docs.json:16 "groups" and "tabs" are at the same level of the navigation,',
      ],
    );
    const page = await read("index.html");
    assert.ok(
      page.includes(`href="p${shown - 1}.html"`) && !page.includes(`href="p${shown}.html"`),
    );
  });

  test("of keys that fields of an API show is reported", async (t) => {
    const post = listNumbered(51, (at) => `x-${at}`);
    const { problems } = await exportPage(t, "", { api: { params: { post } } });
    assert.deepEqual(problems, [
      'setting_invalid docs.json:14 The setting "api.params.post" has 51 keys; only the first 50 are shown.',
    ]);
  });

  test("of versions in mint.json is reported", async (t) => {
    const settings = {
      versions: listNumbered(101, (at) => `v${at}`),
      navigation: [{ group: "G", version: "v0", pages: ["index"] }],
    };
    const { problems } = await exportSite(t, {
      "mint.json": configuration(settings),
      "index.mdx": "Text",
    });
    assert.ok(
      problems.includes(
        "too_many_versions mint.json:16 The site has 101 versions; only the first 100 are shown.",
      ),
      problems.join("\n"),
    );
  });

  test("of Markdown in the banner shows a longer text as written", async (t) => {
    const content = `${"*word* ".repeat(300)}END`;
    const { problems, read } = await exportPage(t, "", { banner: { content } });
    assert.deepEqual(problems, []);
    assert.ok((await read("index.html")).includes("*word* END"));
  });
});
