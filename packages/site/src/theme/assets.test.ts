import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runInNewContext } from "node:vm";
import { allWords } from "../markup/testing.ts";
import { division, group, sampleSite } from "../../../../test/support/sample-site.ts";
import { tokenClasses } from "../highlight/testing.ts";
import { themeNames } from "../site/index.ts";
import { createThemeFiles } from "./assets.ts";

const none = { iconCss: "", codeCss: "", classNames: new Set<string>(), words: allWords };
const small = division("root", "", { entries: [group("Start", ["index"])] });
const large = division("root", "", {
  divisions: [
    division("tab", "Small", { entries: [group("Start", ["index"])] }),
    division("tab", "Large", {
      entries: [
        group("Many", [
          group(
            "Inner",
            Array.from({ length: 200 }, (_, index) => `many/${index}`),
          ),
        ]),
      ],
    }),
  ],
});

function textOf(content: string | Uint8Array | undefined): string {
  assert(typeof content === "string");
  return content;
}

describe("themeFiles", () => {
  it("is a style sheet and a script, and asks no other host for anything", async () => {
    const files = await createThemeFiles(sampleSite({ navigation: small }), none);
    assert.deepEqual(
      files.map(({ path }) => path),
      [
        "_octavo/octavo.css",
        "_octavo/octavo.js",
        "_octavo/fonts/geist.woff2",
        "_octavo/fonts/geist-license.txt",
      ],
    );
    const css = textOf(files[0]?.content).replaceAll("http://www.w3.org/2000/svg", "");
    assert.doesNotMatch(css, /https?:|@import/);
  });

  it("brings what makes Markdown of a page where a page can be copied", async () => {
    const contextual = { options: ["copy" as const], display: "header" as const };
    const site = sampleSite({ navigation: small, config: { contextual } });
    const paths = (await createThemeFiles(site, none)).map(({ path }) => path);
    assert(paths.includes("_octavo/page-markdown.js"));
  });

  it("brings the fonts that the formulas of a site use, and names no other", async () => {
    for (const name of ["mathsf", "mathcal", "mathbb", "mathtt", "mathfrak", "mathscr"]) {
      const classNames = new Set(["katex", name]);
      const site = sampleSite({ navigation: small });
      const files = await createThemeFiles(site, { ...none, classNames });
      const styles = textOf(files.find(({ path }) => path.endsWith("formulas.css"))?.content);
      const fonts = files
        .filter(({ path }) => path.startsWith("_octavo/formulas/") && path.endsWith(".woff2"))
        .map(({ path }) => path);
      const named = Array.from(styles.matchAll(/url\(([^)]*)\)/g), ([, url = ""]) => url);
      assert.deepEqual(
        named.map((url) => `_octavo/formulas/${url}`),
        fonts,
        name,
      );
      const families = new Set(
        Array.from(styles.matchAll(/@font-face\{[^}]*family:"?(\w+)/g), ([, family]) => family),
      );
      const own = new RegExp(String.raw`\.${name}\b[^{}]*\{[^}]*?(KaTeX_\w+)`).exec(styles)?.[1];
      assert.ok(own !== undefined && families.has(own), name);
    }
  });

  it("gives the same bytes again", async () => {
    const site = sampleSite({ navigation: large });
    assert.deepEqual(await createThemeFiles(site, none), await createThemeFiles(site, none));
  });

  it("puts what it is handed into layers that a site's own styles win over", async () => {
    const files = await createThemeFiles(sampleSite({ navigation: small }), {
      ...none,
      iconCss: ".icon-x{color:red}",
      codeCss: ".code .k{color:blue}",
      classNames: new Set(["mt-4", "card"]),
    });
    const css = textOf(files[0]?.content);
    assert.match(css, /@layer octavo\.code \{\n\.code \.k\{color:blue\}/);
    assert.match(css, /@layer octavo\.site-icons \{\n\.icon-x\{color:red\}/);
    assert.match(css, /@layer octavo\.utilities \{\n\.mt-4\{margin-top:1rem\}\n\}/);
    const outside = css.replaceAll(/@layer [\w.-]+ \{\n[\s\S]*?\n\}\n(?=\n@layer|$)/g, "");
    assert.equal(outside.trim(), "");
  });

  it("uses none of the classes of tokens of code for the interface", async () => {
    const sheets = await Promise.all(
      themeNames.map((theme) =>
        createThemeFiles(sampleSite({ navigation: small, config: { theme } }), none),
      ),
    );
    const interfaceClasses = new Set(
      sheets.flatMap(([sheet]) =>
        Array.from(textOf(sheet?.content).matchAll(/\.([a-z][\w-]*)/gi), ([, name]) => name),
      ),
    );
    assert(interfaceClasses.has("i"));
    assert.deepEqual(
      tokenClasses.filter(({ name }) => interfaceClasses.has(name)),
      [],
    );
  });

  it("brings the marks of the networks that the site links to, and no others", async () => {
    const site = sampleSite({
      navigation: small,
      config: { footer: { socials: { x: "https://x.com/a" }, columns: [] } },
    });
    const css = textOf((await createThemeFiles(site, none))[0]?.content);
    assert.match(css, /\.i-x \{/);
    assert.doesNotMatch(css, /\.i-github \{/);
  });

  it("writes the navigation of a large division once, for all depths", async () => {
    const files = await createThemeFiles(sampleSite({ navigation: large }), none);
    const navigation = files.filter(({ path }) => path.startsWith("_octavo/nav/"));
    assert.deepEqual(
      navigation.map(({ path }) => path),
      ["_octavo/nav/1.js"],
    );
    const calls: unknown[][] = [];
    runInNewContext(textOf(navigation[0]?.content), {
      octavoNav: (...values: unknown[]) => calls.push(values),
    });
    const [id, list] = calls[0] ?? [];
    assert.equal(id, "1");
    assert.equal(String(list).match(/<a href="\0many\/\d+\.html"/g)?.length, 200);
  });
});
