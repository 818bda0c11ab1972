import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { renderCodeBlock } from "./code-block.ts";
import { createHighlighter } from "./highlighter.ts";
import { html } from "../markup/index.ts";
import type { Html } from "../markup/index.ts";
import { renderCodeStyles, loadPalettes, defaultPalettes } from "./code-styles.ts";

const highlighter = createHighlighter();
const position = { file: "a.mdx", line: 1, column: 1 };

function render(lang: string, value: string, meta?: string, title: Html = ""): string {
  return renderCodeBlock({ type: "code", lang, meta, value, position }, { highlighter, title });
}

function codeOf(html: string): string {
  return html.slice(html.indexOf("<code>") + 6, html.indexOf("</code>"));
}

suite("code blocks", () => {
  test("a block looks the same whatever other languages were needed before it", async () => {
    const source =
      '---\ntitle: "x"\n---\n\n```python\nprint(1)\n```\n\n<Card title="a" href={x} />';
    for (const language of ["markdown", "mdx", "html", "typescript"]) {
      const fresh = createHighlighter();
      await fresh.load([language]);
      const used = createHighlighter();
      await used.load(["python", "tsx", "yaml", "vue", "angular-html", "css"]);
      await used.load([language]);
      assert.deepEqual(used.highlight(source, language), fresh.highlight(source, language));
    }
    const own = createHighlighter();
    await own.load(["mdx"]);
    assert.match(own.highlight(source, "mdx").join("\n"), /class="a">title<\/span>: /);
  });

  test("unknown languages are plain text, escaped", () => {
    assert.equal(
      render("output", 'a <b> & "c"\n\nd'),
      '<div class="code" data-lang="output"><pre tabindex="0"><code>a &lt;b&gt; &amp; &quot;c&quot;\n\nd</code></pre></div>',
    );
  });

  test("the title is above the code", () => {
    assert.match(
      render("", "x", undefined, html`<b>T</b>`),
      /<div class="code"><div class="code-title"><b>T<\/b><\/div><pre/,
    );
  });

  test("lines become elements only if some are marked or numbered", () => {
    const cases: [meta: string, expected: string][] = [
      ["Title", "a\nb"],
      ["{2}", '<span class="line">a</span>\n<span class="line marked">b</span>'],
      ["focus={1}", '<span class="line focused">a</span>\n<span class="line">b</span>'],
      ["lines", '<span class="line">a</span>\n<span class="line">b</span>'],
    ];
    for (const [meta, expected] of cases)
      assert.equal(codeOf(render("text", "a\nb", meta)), expected, meta);
    assert.match(render("text", "a", "focus={1}"), /class="code focusing"/);
    assert.match(render("text", "a", "lines wrap"), /class="code wrap lines"/);
    assert.match(render("text", "a", "nocopy"), / data-no-copy>/);
    assert.match(render("text", "a\n".repeat(15), "expandable"), / data-expandable>/);
    assert.doesNotMatch(render("text", "a\n".repeat(14), "expandable"), /data-expandable/);
  });

  test("comments about lines are applied and removed", () => {
    const cases: [code: string, expected: string][] = [
      ["a // [!code ++]\nb", '<span class="line added">a</span>\n<span class="line">b</span>'],
      ["a # [!code --]", '<span class="line removed">a</span>'],
      ["a <!-- [!code highlight] -->", '<span class="line marked">a</span>'],
      ["a /* [!code focus] */", '<span class="line focused">a</span>'],
      [
        "# [!code ++:2]\na\nb",
        '<span class="line added">a</span>\n<span class="line added">b</span>',
      ],
      ["a // [!code unknown]", "a // [!code unknown]"],
      ["say [!code ++] aloud", "say [!code ++] aloud"],
    ];
    for (const [code, expected] of cases)
      assert.equal(codeOf(render("text", code)), expected, code);
    assert.equal(codeOf(render("mdx", "a // [!code ++]")), "a // [!code ++]");
  });

  test("code that shows how a fence is written shows its comments about lines", () => {
    const written = "```js\na // [!code ++]\n```";
    assert.equal(codeOf(render("text", written)), written);
    assert.equal(codeOf(render("", written)), written);
    assert.doesNotMatch(codeOf(render("js", `/*\n${written}\n*/`)), /!code/);
  });
});

suite("highlighting", () => {
  test("tokens get classes, plain text gets none, adjacent tokens of a class share one span", async () => {
    await highlighter.load(["TypeScript", "json", "nonsense"]);
    assert.deepEqual(highlighter.highlight('const a = "x<y"; // note', "TypeScript"), [
      '<span class="k">const</span> a = <span class="s">&quot;x&lt;y&quot;</span>; <span class="c">// note</span>',
    ]);
    assert.deepEqual(highlighter.highlight('{\n\n  "a": 1\n}', "json"), [
      "{",
      "",
      '  <span class="a">&quot;a&quot;</span>: <span class="n">1</span>',
      "}",
    ]);
  });

  test("nothing of the code is lost or added", async () => {
    const samples: [string, string][] = [
      ["python", 'def f(x: int) -> str:\n\t"""Doc <b>"""\n    return f"{x}  " # end  '],
      ["bash", "curl -X POST \\\n  -H 'A: b' \"$URL\" | jq .\n"],
      ["jsx", "<Card title={x}>\n  text &amp; more\n</Card>"],
      ["diff", "- a\n+ b\n c"],
      ["yaml", 'a:\n  - b: "c"\n  # d'],
    ];
    await highlighter.load(samples.map(([language]) => language));
    for (const [language, code] of samples) {
      const html = highlighter.highlight(code, language).join("\n");
      assert.match(html, /<span class="\w">/, language);
      assert.equal(textOf(html), code, language);
    }
  });

  test("a block that is too large, too long or too slow is shown plain", async () => {
    const narrow = createHighlighter({ maxBlockLength: 30, maxLineLength: 12 });
    const hasty = createHighlighter({ blockTimeMs: 0 });
    await Promise.all([narrow.load(["js"]), hasty.load(["js"])]);
    assert.match(narrow.highlight("const a = 1", "js").join(""), /<span/);
    assert.doesNotMatch(narrow.highlight("const a = 1;;", "js").join(""), /<span/);
    assert.doesNotMatch(narrow.highlight("let a\n".repeat(10), "js").join(""), /<span/);
    assert.deepEqual(hasty.highlight("const a = 1", "js"), ["const a = 1"]);
  });

  test("a block is not shown plain because the process stood still for a while", async (t) => {
    const highlighter = createHighlighter();
    await highlighter.load(["js"]);
    let standstills = 3;
    let skipped = 0;
    const now = Date.now.bind(Date);
    t.mock.method(Date, "now", () => {
      if (standstills-- > 0) skipped += 3_600_000;
      return now() + skipped;
    });
    assert.match(highlighter.highlight("const a = 1", "js").join(""), /<span/);
    assert.ok(skipped > 0);
  });

  test("without its grammar loaded, code is plain", () => {
    assert.deepEqual(createHighlighter().highlight("const a", "js"), ["const a"]);
  });
});

function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}

suite("colors", () => {
  test("every color has enough contrast on its background", () => {
    for (const { background, colors } of [defaultPalettes.light, defaultPalettes.dark]) {
      for (const color of colors.values()) {
        const contrast = contrastOf(color, background);
        assert.ok(contrast >= 4.5, `${color} on ${background} has ${contrast.toFixed(2)}`);
      }
    }
  });

  test("a site's own themes give their colors", async () => {
    const { light, dark } = await loadPalettes({ light: "github-light", dark: "dracula" });
    assert.equal(light.background, "#fff");
    assert.equal(light.colors.get("k"), "#D73A49");
    assert.equal(dark.background, "#282A36");
    assert.equal(dark.colors.get("s"), "#F1FA8C");
    assert.equal(dark.colors.get(""), "#F8F8F2");
    assert.match(renderCodeStyles({ light, dark }), /^\.code pre \.k\{color:#D73A49\}$/m);
    assert.deepEqual(
      await loadPalettes({ light: "none-such", dark: "__proto__" }),
      defaultPalettes,
    );
  });

  test("each class has a rule for light and one for dark", () => {
    const styles = renderCodeStyles();
    for (const name of ["c", "k", "s", "n", "f", "t", "a"]) {
      assert.ok(styles.includes(`\n.code pre .${name}{color:#`), name);
      assert.ok(styles.includes(`\n.dark .code pre .${name}{color:#`), name);
    }
  });
});

/** Contrast by WCAG 2.1. */
function contrastOf(first: string, second: string): number {
  const [light, dark] = [luminance(first), luminance(second)].toSorted((a, b) => b - a);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

function luminance(color: string): number {
  const parts = [1, 3, 5].map((start) => {
    const value = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (parts[0] ?? 0) + 0.7152 * (parts[1] ?? 0) + 0.0722 * (parts[2] ?? 0);
}
