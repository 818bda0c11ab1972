import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Component } from "../components/index.ts";
import { limits } from "../core/index.ts";
import { joinHtml } from "../markup/index.ts";
import type { TreeNode } from "../page/index.ts";
import { renderSource, renderTestTree } from "../../../../test/support/rendered-source.ts";

async function html(source: string, format: "md" | "mdx" = "mdx"): Promise<string> {
  return (await renderSource(source, { format })).html;
}

suite("Markdown", () => {
  const table: readonly [name: string, source: string, expected: string][] = [
    ["paragraphs", "a\nb\n\nc", "<p>a\nb</p><p>c</p>"],
    ["escaping", 'a & b \\< "c"', "<p>a &amp; b &lt; &quot;c&quot;</p>"],
    [
      "emphasis",
      "*a* **b** ~~c~~ `d<`",
      "<p><em>a</em> <strong>b</strong> <del>c</del> <code>d&lt;</code></p>",
    ],
    ["breaks", "a\\\nb  \nc", "<p>a<br>b<br>c</p>"],
    ["rules", "a\n\n---\n\nb", "<p>a</p><hr><p>b</p>"],
    ["quotes", "> a\n>\n> b", "<blockquote><p>a</p><p>b</p></blockquote>"],
    ["tight lists", "- a\n- b\n  - c", "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>"],
    ["loose lists", "- a\n\n- b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>"],
    ["ordered lists", "3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'],
    ["lists from one", "1. a", "<ol><li>a</li></ol>"],
    [
      "tasks",
      "- [x] a\n- [ ] b\n  - c",
      '<ul><li class="task"><label><input type="checkbox" disabled checked> a</label></li><li class="task"><label><input type="checkbox" disabled> b</label><ul><li>c</li></ul></li></ul>',
    ],
    [
      "tables",
      "| a | b | c |\n|---|:-:|--:|\n| 1 | `x\\|y` | <br/> |",
      '<div class="table"><table><thead><tr><th>a</th><th style="text-align:center">b</th><th style="text-align:right">c</th></tr></thead><tbody><tr><td>1</td><td style="text-align:center"><code>x|y</code></td><td style="text-align:right"><br></td></tr></tbody></table></div>',
    ],
    ["links", '[a *b*](/guides/next "T")', '<p><a href="next.html" title="T">a <em>b</em></a></p>'],
    [
      "links elsewhere",
      "[a](https://x.dev)",
      '<p><a href="https://x.dev" target="_blank" rel="noreferrer">a</a></p>',
    ],
    [
      "links that show a picture alone say where they lead",
      "[![](/images/a.png)](/guides/next#set_up) [![b](/images/a.png)](#c) [ ](https://www.x.dev/a)",
      '<p><a href="next.html#set_up" aria-label="next"><img src="../images/a.png" alt=""></a> <a href="#c"><img src="../images/a.png" alt="b" loading="lazy"></a> <a href="https://www.x.dev/a" aria-label="x.dev" target="_blank" rel="noreferrer"> </a></p>',
    ],
    ["mail", "[a](mailto:a@x.dev)", '<p><a href="mailto:a@x.dev">a</a></p>'],
    [
      "definitions",
      "[a][Some  Name] [b]\n\n[some name]: /old",
      '<p><a href="start.html">a</a> [b]</p>',
    ],
    [
      "pictures",
      '![a "b"](/images/a.png "T")\n![](local.png)',
      '<p><img src="../images/a.png" alt="a &quot;b&quot;" title="T">\n<img src="local.png" alt="" loading="lazy"></p>',
    ],
    [
      "pictures by definition",
      "![a][p]\n\n[p]: /images/a.png",
      '<p><img src="../images/a.png" alt="a"></p>',
    ],
    [
      "code",
      "```\na <b>\n```",
      '<div class="code"><pre tabindex="0"><code>a &lt;b&gt;</code></pre></div>',
    ],
    [
      "pictures that are not there",
      "![A *map*](x.png)",
      '<p><span class="missing-media" role="note">Picture not available: A map</span></p>',
    ],
    [
      "diagrams that Mermaid refuses are shown as their source",
      "```mermaid\ngraf\n```",
      '<div class="code" data-lang="mermaid"><div class="code-title">Diagram source (Mermaid)</div><pre tabindex="0"><code>graf</code></pre></div>',
    ],
    ["HTML comments say nothing", "{/* x */}a", "<p>a</p>"],
  ];
  for (const [name, source, expected] of table) {
    test(name, async () => assert.equal(await html(source), expected));
  }

  const alerts: readonly [source: string, expected: RegExp][] = [
    ["> [!NOTE]\n> Hello *you*", /class="callout tone-note".*aria-label="Note".*<p>Hello <em>you/],
    ["> [!important]\n>\n> a\n>\n> b", /class="callout tone-info".*<p>a<\/p><p>b<\/p>/],
    ["> [!CAUTION]\n> a", /class="callout tone-danger"/],
    ["> [!NOTE] on the same line", /^<blockquote><p>\[!NOTE\] on the same line/],
    ["> [!OTHER]\n> a", /^<blockquote><p>\[!OTHER\]/],
  ];
  for (const [source, expected] of alerts) {
    test(`an alert: ${JSON.stringify(source)}`, async () => {
      assert.match(await html(source, "md"), expected);
      assert.match(await html(source, "mdx"), expected);
    });
  }

  test("HTML in plain Markdown is HTML, comments are removed", async () => {
    const source = "<b>a</b> & <br>c\n\n<!-- x -->\n\n<div onclick='x'>\n\n*b*\n\n</div>";
    assert.equal(
      await html(source, "md"),
      "<p><b>a</b> &amp; <br>c</p>\n<div><p><em>b</em></p></div>",
    );
  });

  test("footnotes are numbered in the order of their references, and link back", async () => {
    const page = await renderSource(
      "a[^z] b[^y] c[^z] d[^none]\n\n[^y]: Why[^x]\n[^z]: Zed\n[^x]: Ex\n[^unused]: no",
    );
    assert.equal(
      page.html,
      '<p>a<sup><a class="footnote" id="footnote-1-reference" href="#footnote-1">1</a></sup>' +
        ' b<sup><a class="footnote" id="footnote-2-reference" href="#footnote-2">2</a></sup>' +
        ' c<sup><a class="footnote" id="footnote-1-reference-2" href="#footnote-1">1</a></sup> d[^none]</p>' +
        '<section class="footnotes"><ol>' +
        '<li id="footnote-1"><p>Zed <a class="footnote-back" href="#footnote-1-reference" aria-label="Back to reference 1">↩︎</a> <a class="footnote-back" href="#footnote-1-reference-2" aria-label="Back to reference 1-2">↩︎</a></p></li>' +
        '<li id="footnote-2"><p>Why<sup><a class="footnote" id="footnote-3-reference" href="#footnote-3">3</a></sup> <a class="footnote-back" href="#footnote-2-reference" aria-label="Back to reference 2">↩︎</a></p></li>' +
        '<li id="footnote-3"><p>Ex <a class="footnote-back" href="#footnote-3-reference" aria-label="Back to reference 3">↩︎</a></p></li></ol></section>',
    );
  });
});

suite("headings", () => {
  test("have an id, aliases and a link to themselves; the outline shows depths 2 to 4", async () => {
    const page = await renderSource("# A\n\n## B: c\n\n### D `e` <Badge>New</Badge>\n\n##### F");
    assert.equal(
      page.html,
      '<h1 id="a">A<a class="anchor" href="#a" aria-hidden="true" tabindex="-1"></a></h1>' +
        '<h2 id="b-c"><span id="b:-c"></span>B: c<a class="anchor" href="#b-c" aria-hidden="true" tabindex="-1"></a></h2>' +
        '<h3 id="d-e"><span id="d-e-new"></span>D <code>e</code> <span class="badge badge-gray">New</span><a class="anchor" href="#d-e" aria-hidden="true" tabindex="-1"></a></h3>' +
        '<h5 id="f">F<a class="anchor" href="#f" aria-hidden="true" tabindex="-1"></a></h5>',
    );
    assert.deepEqual(page.outline, [
      { depth: 2, id: "b-c", text: "B: c" },
      { depth: 3, id: "d-e", text: "D e" },
    ]);
    assert.deepEqual(page.anchors, ["a", "b-c", "b:-c", "d-e", "d-e-new", "f"]);
  });

  const ids: readonly [name: string, source: string, anchors: string[], outline: string[]][] = [
    [
      "duplicates are counted over the page, tabs included",
      '## A\n\n<Tabs><Tab title="T">\n## A\n</Tab></Tabs>\n\n## A',
      ["a", "t", "a-2", "a-1", "a-3"],
      ["a", "a-2", "a-3"],
    ],
    [
      "with the text of a component, unless another heading has that id",
      "## A <Badge>x</Badge>\n\n## B <Badge>x</Badge>\n\n## B x",
      ["a", "a-x", "b", "b-x"],
      ["a", "b", "b-x"],
    ],
    [
      "a duplicate's number may be taken",
      "## A 2\n\n## A\n\n## A",
      ["a-2", "a", "a-3"],
      ["a-2", "a", "a-3"],
    ],
    [
      "an author's own id",
      "## A: b {#own.Id}\n\n## own.Id",
      ["own.Id", "own-id", "ownid"],
      ["own.Id", "own-id"],
    ],
    ["an own id used twice", "## A {#x}\n\n## B {#x}", ["x", "x-2"], ["x", "x-2"]],
    [
      "a wrapper's id is the one in the outline",
      '<div id="english">\n## 見出し\n</div>',
      ["english", "見出し"],
      ["english"],
    ],
    [
      "wrappers in wrappers",
      '<section id="outer"><div>\n### 見出し\n\n### Next\n</div></section>',
      ["outer", "見出し", "next"],
      ["outer", "next"],
    ],
    [
      "a wrapper with the heading's own id",
      '<div id="same">\n## Same\n</div>\n\n## Same',
      ["same", "same-2", "same-1"],
      ["same", "same-2"],
    ],
    [
      "wrappers of one id are counted as headings are",
      '<div id="x">\n## A\n</div>\n\n<div id="x">\n## B\n</div>\n\n## X',
      ["x", "a", "x-2", "b", "x-3"],
      ["x", "x-2", "x-3"],
    ],
    [
      "wrappers of one id with headings of that name",
      '<div id="x">\n## X\n</div>\n\n<div id="x">\n## X\n</div>\n\n<div id="x">\n## X\n</div>',
      ["x", "x-2", "x-1", "x-3"],
      ["x", "x-2", "x-3"],
    ],
    [
      "ids of the layout stay the layout's",
      '## Footer\n\n## Footer\n\n<div id="sidebar">\n## Leiste\n</div>\n\n## A {#navbar}\n\n<Accordion title="Search">x</Accordion>',
      [
        "footer-section",
        "footer-2",
        "footer-1",
        "sidebar-section",
        "leiste",
        "navbar-section",
        "search-section",
      ],
      ["footer-section", "footer-2", "sidebar-section", "navbar-section"],
    ],
    [
      "ids are composed as links to them are",
      '## A {#Cafe\u0301 1}\n\n<p id="re\u0301">x</p>',
      ["Caf\u00e9 1", "r\u00e9"],
      ["Caf\u00e9 1"],
    ],
    [
      "a mark before a heading has its id already",
      '<a id="install"></a>\n\n## Install',
      ["install", "install-2", "install-1"],
      ["install-2"],
    ],
    [
      "headings come before titles of components",
      '<Steps><Step title="Install">a</Step></Steps>\n\n## Install',
      ["install-2", "install"],
      ["install"],
    ],
    [
      "headings as elements",
      '<h2>A <code>b</code></h2>\n<h3 id="own" noAnchor>C</h3>',
      ["a-b", "own"],
      ["a-b", "own"],
    ],
    ["a heading of a component alone", '## <Icon icon="x"/>', ["section"], []],
    [
      "the id of an element that is the document's own",
      '<body id="word">\n\n### Word {#word}\n\n</body>',
      ["word"],
      ["word"],
    ],
  ];
  for (const [name, source, anchors, outline] of ids) {
    test(name, async () => {
      const page = await renderSource(source);
      assert.deepEqual(page.anchors, anchors);
      assert.deepEqual(
        page.outline.map((entry) => entry.id),
        outline,
      );
      const shown = [...page.html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
      assert.deepEqual(shown, anchors, "what is listed is in the HTML, once");
    });
  }
});

suite("elements", () => {
  const table: readonly [name: string, source: string, expected: string][] = [
    [
      "React's names",
      '<label className="a" htmlFor="b" tabIndex={0}>x</label>',
      '<label class="a" for="b" tabindex="0">x</label>',
    ],
    [
      "HTML's names",
      '<label class="a" for="b" tabindex="0">x</label>',
      '<label class="a" for="b" tabindex="0">x</label>',
    ],
    ["both", '<b class="a" className="b">x</b>', '<b class="a">x</b>'],
    ["switches", "<details open>\nx\n</details>", "<details open><p>x</p></details>"],
    [
      "switches by value",
      "<button disabled={true} hidden={false}>x</button>",
      "<button disabled>x</button>",
    ],
    [
      "words for yes and no",
      "<b aria-hidden={true} data-x={false} spellCheck={false}>x</b>",
      '<b aria-hidden="true" data-x="false" spellcheck="false">x</b>',
    ],
    [
      "style objects",
      "<div style={{maxWidth: 400, lineHeight: 1.5, WebkitMaskSize: 'a', '--x': 2, margin: 0}}/>",
      '<div style="max-width:400px;line-height:1.5;-webkit-mask-size:a;--x:2;margin:0"></div>',
    ],
    [
      "style text",
      '<div style="color: red; background: url(/images/a.png)"/>',
      '<div style="color: red; background: url(&quot;../images/a.png&quot;)"></div>',
    ],
    ["void elements", "<br/><hr/><wbr></wbr>", "<br>\n<hr>\n<wbr>"],
    [
      "SVG keeps its case",
      '<svg viewBox="0 0 1 1" strokeWidth={2} xmlns="x"><linearGradient id="g" gradientUnits="u"/><path fillRule="evenodd" clip-path="c" d="M0"/></svg>',
      '<svg viewBox="0 0 1 1" stroke-width="2" xmlns="x" width="1em"><linearGradient id="g" gradientUnits="u"></linearGradient>\n<path fill-rule="evenodd" clip-path="c" d="M0"></path></svg>',
    ],
    [
      "sprites",
      '<svg width="1"><use href="/images/a.png#i" xlinkHref="/images/a.png#j"/></svg>',
      '<svg width="1"><use href="../images/a.png#i" xlink:href="../images/a.png#j"></use></svg>',
    ],
    [
      "sprites that are not there, or elsewhere",
      '<svg width="1"><use href="/images/none.svg#i"/><use xlinkHref="https://x.dev/a.svg#i"/><use href="#i"/></svg>',
      '<svg width="1"><use href="#i"></use></svg>',
    ],
    [
      "drawings without a size: those of icons only are as large as a letter",
      '<svg viewBox="0 0 24 24"/><svg/><svg viewBox="0 0 640 480"/><svg viewBox="0 0 24 24" height="9"/>',
      '<svg viewBox="0 0 24 24" width="1em"></svg>\n<svg width="1em" height="1em"></svg>\n<svg viewBox="0 0 640 480"></svg>\n<svg viewBox="0 0 24 24" height="9"></svg>',
    ],
    [
      "links",
      '<a href="/guides/next" className="b" target="_self">x</a>',
      '<a href="next.html" target="_self" class="b">x</a>',
    ],
    [
      "links without words say where they lead",
      '<a href="/guides/next"><svg width="1"/></a> <a href="/guides/next" aria-label="a"><svg width="1"/></a> <a href="/guides/next"><img alt="b"/></a> <a id="c"></a>',
      '<a href="next.html" aria-label="next"><svg width="1"></svg></a>\n<a href="next.html" aria-label="a"><svg width="1"></svg></a>\n<a href="next.html"><img alt="b"></a>\n<a id="c"></a>',
    ],
    [
      "links elsewhere",
      '<a href="https://x.dev" rel="nofollow" target="_top">x</a>',
      '<a href="https://x.dev" target="_blank" rel="nofollow noreferrer">x</a>',
    ],
    [
      "links in links",
      '<a href="/old">x https://y.dev [z](/old)</a>',
      '<a href="start.html">x https://y.dev z</a>',
    ],
    [
      "pictures",
      '<img src="/images/a.png" width={10}/><img src="https://x.dev/a.png" alt="a" loading="eager"/><img src="local.png" srcSet="/images/a.png 1x, b.png 2x"/>',
      '<img src="../images/a.png" width="10" alt="">\n<img src="https://x.dev/a.png" alt="a" loading="eager">\n<img src="local.png" srcset="../images/a.png 1x" alt="" loading="lazy">',
    ],
    [
      "sets of pictures, with and without blanks, as far as the site has them",
      '<picture><source srcSet="/images/a.png 1x,local.png 2x,none.png 3x"/>\n<source srcset="data:image/png;base64,AA== 1x, https://x.dev/a,b.png 2x,"/>\n<img src="/images/a.png"/></picture>',
      '<picture><source srcset="../images/a.png 1x, local.png 2x">\n<source srcset="data:image/png;base64,AA== 1x, https://x.dev/a,b.png 2x">\n<img src="../images/a.png" alt=""></picture>',
    ],
    [
      "embedded files, and what stands for them where they cannot be shown",
      '<object data="/images/a.png" type="image/png" codebase="https://x.dev"><param name="a"/>**b**</object><embed src="/images/a.png" width="9"/><object data="/none.svg">c</object><embed src="/none.svg" title="d"/><object data="/none.svg"><embed src="local.png"/></object>',
      '<object data="../images/a.png" type="image/png"><param name="a"><strong>b</strong></object>\n<embed src="../images/a.png" width="9">\nc\n<span class="missing-media" role="note">Picture not available: d</span>\n<embed src="local.png">',
    ],
    [
      "embedded files from elsewhere ask first",
      '<object data="https://v.dev/a.svg" title="Map"/>',
      '<a class="frame-consent" href="https://v.dev/a.svg" target="_blank" rel="noreferrer" data-title="Map"><span>Map</span> <small>Load from v.dev</small></a>',
    ],
    [
      "addresses in drawings",
      '<svg width="1"><a xlinkHref="/guides/next"><image xlinkHref="/images/a.png" mask="url(/images/a.png#m)" filter="url(#f)"/></a></svg>',
      '<svg width="1"><a xlink:href="next.html"><image xlink:href="../images/a.png" mask="url(&quot;../images/a.png#m&quot;)" filter="url(#f)"></image></a></svg>',
    ],
    [
      "videos",
      '<video controls autoPlay="true" muted={true} loop="false" playsInline><source src="/images/a.png" type="video/mp4"/></video>\n<video src="a.mp4" title="Tour" className="wide"/>',
      '<video controls autoplay muted playsinline><source src="../images/a.png" type="video/mp4"></video>\n<span class="missing-media wide" role="note">Video not available: Tour</span>',
    ],
    [
      "frames of the site",
      '<iframe src="/spec.json" allowFullScreen/>',
      '<iframe src="../spec.json" loading="lazy" allowfullscreen></iframe>',
    ],
    [
      "frames from elsewhere ask first",
      '<iframe src="https://v.dev/e/1?a&b" title="Talk" width="560" height={315} allowfullscreen className="w-full"/>',
      '<a class="frame-consent w-full" href="https://v.dev/e/1?a&amp;b" target="_blank" rel="noreferrer" data-title="Talk" data-width="560" data-height="315"><span>Talk</span> <small>Load from v.dev</small></a>',
    ],
    [
      "frames without a title",
      '<iframe src="https://v.dev/e"/>',
      '<a class="frame-consent" href="https://v.dev/e" target="_blank" rel="noreferrer"><small>Load from v.dev</small></a>',
    ],
    ["fragments", "<><b>x</b></>", "<b>x</b>"],
    [
      "Markdown within elements",
      '<div className="a">\n**b**\n\n- c\n</div>',
      '<div class="a"><p><strong>b</strong></p><ul><li>c</li></ul></div>',
    ],
    ["no paragraph within words", "<span>\nx *y*\n</span>", "<span>x <em>y</em></span>"],
    ["no paragraph within a paragraph", "<p>\nx *y*\n</p>", "<p>x <em>y</em></p>"],
    ["no list within a paragraph", "<p>\nx\n\n- y\n</p>", "<div>x<ul><li>y</li></ul></div>"],
    [
      "tables",
      "<table><tbody>\n<tr><td>a</td> <td>*b*</td></tr>\n</tbody></table>",
      '<div class="table"><table><tbody><tr><td>a</td> <td><em>b</em></td></tr></tbody></table></div>',
    ],
    [
      "the style of a drawing, which is read as markup, without a tag",
      '<svg width="1"><style>{`<img src=x onerror=x>`}</style></svg>',
      '<svg width="1"><style>\\3c img src=x onerror=x></style></svg>',
    ],
    ["styles", "<style>{`a > b { color: red }`}</style>", "<style>a > b { color: red }</style>"],
    [
      "headings in links do not link",
      '<a href="/old">\n## A\n</a>',
      '<a href="start.html"><h2 id="a">A</h2></a>',
    ],
    [
      "frames and notes in links do not link",
      '<a href="/old"><iframe src="https://v.dev/"/> x[^n]</a>\n\n[^n]: Note',
      '<a href="start.html">v.dev x<sup id="footnote-1-reference">1</sup></a><section class="footnotes"><ol><li id="footnote-1"><p>Note <a class="footnote-back" href="#footnote-1-reference" aria-label="Back to reference 1">↩︎</a></p></li></ol></section>',
    ],
    [
      "unknown components show their content",
      "<Foo.Bar a={1}>\n**x**\n</Foo.Bar>",
      "<p><strong>x</strong></p>",
    ],
    [
      "fields of blocks",
      "a <Frame>b</Frame> c *d <Frame>e</Frame>*",
      '<p>a</p><figure class="frame"><div class="frame-content">b</div></figure><p>c</p><em>d <figure class="frame"><div class="frame-content">e</div></figure></em>',
    ],
  ];
  for (const [name, source, expected] of table) {
    test(name, async () => assert.equal(await html(source), expected));
  }

  test("every unknown component is reported, with its position", async () => {
    const { problems } = await renderSource("a\n\n<Foo/>\n\nb <Bar>c</Bar>");
    assert.deepEqual(
      problems.map(({ code, file, line, column }) => ({ code, file, line, column })),
      [
        { code: "unknown_component", file: "guides/start.mdx", line: 3, column: 1 },
        { code: "unknown_component", file: "guides/start.mdx", line: 5, column: 3 },
      ],
    );
  });
});

suite("what could harm readers is omitted and reported", () => {
  const table: readonly [source: string, expected: string, code: string][] = [
    ['<b onClick="x">a</b>', "<b>a</b>", "attribute_dropped"],
    ['<b onmouseover="x">a</b>', "<b>a</b>", "attribute_dropped"],
    ['<b ONCLICK="x">a</b>', "<b>a</b>", "attribute_dropped"],
    ["<b dangerouslySetInnerHTML={{__html: 'x'}}>a</b>", "<b>a</b>", "attribute_dropped"],
    [
      '<iframe srcDoc="<script>"/>',
      '<iframe src="start.html" loading="lazy"></iframe>',
      "attribute_dropped",
    ],
    ["<script>x</script>", "", "element_dropped"],
    ['<script src="https://x.dev/a.js"/>', "", "element_dropped"],
    ['<link rel="stylesheet" href="https://x.dev"/>', "", "element_dropped"],
    ['<base href="https://x.dev"/>', "", "element_dropped"],
    ['<meta httpEquiv="refresh" content="0"/>', "", "element_dropped"],
    ['<object data="data:text/html,x"/>', "", "element_dropped"],
    ['<object data="https://x.dev/a.html">b</object>', "b", "element_dropped"],
    ['<embed src="javascript:x"/>', "", "element_dropped"],
    [
      '<svg width="1"><set attributeName="href" to="javascript:x"/></svg>',
      '<svg width="1"></svg>',
      "element_dropped",
    ],
    [
      '<svg width="1"><animate ATTRIBUTENAME="href" values="javascript:x"/></svg>',
      '<svg width="1"></svg>',
      "element_dropped",
    ],
    [
      '<svg width="1"><image HREF="javascript:x"/></svg>',
      '<svg width="1"><image HREF="#"></image></svg>',
      "unsafe_address",
    ],
    ["<plaintext>x</plaintext>", "", "element_dropped"],
    ['<svg width="1"><script>x</script></svg>', '<svg width="1"></svg>', "element_dropped"],
    ['<a href="javascript:x">a</a>', '<a href="#">a</a>', "unsafe_address"],
    ['<a href=" java&#x0A;script:x">a</a>', '<a href="#">a</a>', "unsafe_address"],
    ["[a](javascript:x)", '<p><a href="#">a</a></p>', "unsafe_address"],
    ["![a](javascript:x)", '<p><img src="#" alt="a"></p>', "unsafe_address"],
    ['<img src="data:text/html,x"/>', '<img src="#" alt="">', "unsafe_address"],
    ['<iframe src="javascript:x"/>', '<iframe src="#" loading="lazy"></iframe>', "unsafe_address"],
    ['<form action="javascript:x"/>', '<form action="#"></form>', "unsafe_address"],
    ['<button formAction="javascript:x"/>', '<button formaction="#"></button>', "unsafe_address"],
    [
      '<svg width="1"><a xlinkHref="javascript:x"/></svg>',
      '<svg width="1"><a xlink:href="#"></a></svg>',
      "unsafe_address",
    ],
    [
      '<div style="background:url(javascript:x)"/>',
      '<div style="background:url(&quot;#&quot;)"></div>',
      "unsafe_address",
    ],
  ];
  for (const [source, expected, code] of table) {
    test(source, async () => {
      const page = await renderSource(source);
      assert.equal(page.html, expected);
      assert.deepEqual(
        page.problems.map((problem) => problem.code),
        [code],
      );
    });
  }

  test("no authored text ends an attribute or a tag", async () => {
    const sharp = `"'><script>x</script>`;
    const props = {
      title: sharp,
      id: sharp,
      "a b": sharp,
      'c"': sharp,
      href: `/${sharp}`,
      style: sharp,
      class: sharp,
    };
    const position = { file: "a.mdx", line: 1, column: 1 };
    const tree: TreeNode[] = ["a", "b", "img", "iframe", "h2", 'x" onload="y', "x><script>"].map(
      (name) => ({ type: "element", name, props, children: [], isFlow: true, position }),
    );
    tree.push({ type: "code", lang: sharp, meta: sharp, value: sharp, position });
    tree.push({ type: "footnoteReference", identifier: sharp, label: sharp, position });
    const page = await renderTestTree(tree);
    assert.doesNotMatch(page.html, /<script|onload|"'>/);
  });

  test("a page's own style is kept without imports", async () => {
    const position = { file: "a.mdx", line: 1, column: 1 };
    const css = "@import url(https://x.dev/a.css); a > b { color: red } </style><b>";
    const text: TreeNode = { type: "text", value: css, position };
    const page = await renderTestTree([
      { type: "element", name: "style", props: {}, children: [text], isFlow: true, position },
    ]);
    assert.equal(page.html, "<style> a > b { color: red } \\3c /style>\\3c b></style>");
    assert.deepEqual(
      page.problems.map((problem) => problem.code),
      ["element_dropped"],
    );
  });
});

suite("limits", () => {
  const position = { file: "a.mdx", line: 1, column: 1 };

  test("content that is nested too deeply is omitted and reported", async () => {
    let nodes: TreeNode[] = [{ type: "text", value: "deep", position }];
    for (let level = 0; level < 20_000; level++) {
      const parts = { children: nodes, spread: false, position };
      nodes = [
        level % 2 === 0
          ? { type: "listItem", ...parts }
          : { type: "list", ordered: false, ...parts },
      ];
    }
    const page = await renderTestTree(nodes);
    assert.doesNotMatch(page.html, /deep/);
    assert.deepEqual(
      page.problems.map((problem) => problem.code),
      ["too_deep"],
    );
  });

  test("nesting up to the limit is shown", async () => {
    const wraps: readonly ((children: readonly TreeNode[]) => TreeNode)[] = [
      (children) => ({
        type: "list",
        ordered: false,
        spread: false,
        position,
        children: [{ type: "listItem", spread: false, position, children }],
      }),
      (children) => ({ type: "emphasis", position, children }),
      (children) => ({
        type: "element",
        name: "Steps",
        props: {},
        isFlow: true,
        position,
        children: [{ type: "element", name: "Step", props: {}, isFlow: true, position, children }],
      }),
    ];
    for (const wrap of wraps) {
      let node: TreeNode = { type: "text", value: "deep", position };
      for (let level = 0; level < limits.nesting; level++) node = wrap([node]);
      assert.match((await renderTestTree([node])).html, /deep/);
    }
  });

  test("a page that becomes too large is refused with a reason", async () => {
    const text: TreeNode = { type: "text", value: "<".repeat(1_000_000), position };
    const tree = Array.from({ length: 12 }, () => text);
    await assert.rejects(renderTestTree(tree), {
      code: "too_large",
      message: /guides\/start .*32 MB/,
    });
  });

  test("components that show their children twice count twice", async () => {
    const twice: Component = {
      names: ["Twice"],
      render: ({ children }, context) =>
        joinHtml([context.renderNodes(children), context.renderNodes(children)]),
    };
    const source = `${"<Twice>".repeat(60)}x${"</Twice>".repeat(60)}`;
    await assert.rejects(renderSource(source, { components: [twice] }), { code: "too_large" });
  });
});

suite("content that cannot be shown as intended is reported once for each position", () => {
  const table: readonly [source: string, problems: readonly string[]][] = [
    ["```mermaid\ngraf\n```", ["diagram_not_rendered 1"]],
    ["a\n\n```mermaid\npie\n  oops\n```", ["diagram_not_rendered 5"]],
    ["<CodeGroup>\n```mermaid\ngraf\n```\n</CodeGroup>", ["diagram_not_rendered 2"]],
    ["```mermaid\npie\n```", []],
    ["a\n\n$$\na_b * c_d\n$$", []],
    ["a\n\n$$\n\\frac{1}\n$$", ["math_not_rendered 3"]],
    ["<Latex>x^</Latex>", ["math_not_rendered 1"]],
    ["<Latex>x^2</Latex>", []],
    ["It costs $$ and more.", []],
    ["`$$x$$`", []],
    ["![pic](img/pic one.png)", ["link_with_space 1"]],
    ["See [it](a b.md) now", ["link_with_space 1"]],
    ['[it](a.md "b c") and f[0](x)', []],
  ];
  for (const [source, problems] of table) {
    test(source, async () => {
      const found = (await renderSource(source)).problems;
      assert.deepEqual(
        found.map(({ code, line }) => `${code} ${line}`),
        problems,
      );
    });
  }
});

suite("the heading that is the page's title", () => {
  const table: readonly [name: string, source: string, titleLine: number, titleHtml: string][] = [
    [
      "with a number sign",
      "# The `title`\n\ntext",
      1,
      '<span id="the-title"></span>The <code>title</code>',
    ],
    ["underlined", "The title\n=========\n\ntext", 1, '<span id="the-title"></span>The title'],
    [
      "with an id",
      "---\na: b\n---\n\n# The title {#own}\n\ntext",
      5,
      '<span id="own"></span>The title',
    ],
    [
      "as HTML",
      '<h1 align="center">The title</h1>\n\ntext',
      1,
      '<span id="the-title"></span>The title',
    ],
  ];
  for (const [name, source, titleLine, titleHtml] of table) {
    test(`${name} is shown above the content, not in it`, async () => {
      const page = await renderSource(`${source}\n\n# Another`, { format: "md", titleLine });
      assert.equal(page.titleHtml, titleHtml);
      assert.match(page.html, /^\s*<p>text<\/p>\s*<h1 id="another">/);
      const id = /id="([^"]*)"/.exec(titleHtml)?.[1] ?? "";
      assert.ok(page.anchors.includes(id));
    });
  }

  test("stays in the content if the page shows no title, or another one", async () => {
    const source = "# The title\n\ntext";
    const custom = { format: "md", titleLine: 1, frontmatter: { mode: "custom" } } as const;
    for (const options of [custom, { format: "md" } as const]) {
      const page = await renderSource(source, options);
      assert.equal(page.titleHtml, undefined);
      assert.match(page.html, /^<h1 id="the-title">/);
    }
  });
});

test("headings that are initially hidden are marked in the table of contents", async () => {
  const [first, second] = ["A", "B"].map((name) => `<Tab title="${name}">\n## In ${name}\n</Tab>`);
  const folds =
    '<Accordion title="C">\n## In C\n</Accordion>\n<Accordion title="D" defaultOpen>\n## In D\n</Accordion>\n' +
    "<details>\n## In E\n</details>\n<details open>\n## In F\n</details>";
  for (const [start, hidden] of [
    ["", "In B"],
    [" defaultTabIndex={1}", "In A"],
  ] as const) {
    const source = `<Tabs${start}>\n${first}\n${second}\n</Tabs>\n\n${folds}\n\n## After`;
    const page = await renderSource(source);
    assert.deepEqual(
      page.outline.map(({ text }) => text),
      ["In A", "In B", "In C", "In D", "In E", "In F", "After"],
    );
    assert.deepEqual(
      page.outline.filter(({ isHidden }) => isHidden).map(({ text }) => text),
      [hidden, "In C", "In E"],
    );
    assert.ok(["in-a", "in-b"].every((id) => page.anchors.includes(id)));
  }
});

async function anchorOf(source: string, mode?: "custom"): Promise<string | undefined> {
  const options = { path: "Set up", frontmatter: mode ? { mode } : {} };
  return (await renderSource(source, options)).titleAnchor;
}

test("the page's title has an anchor unless the page has that id", async () => {
  assert.equal(await anchorOf("## Other"), "set-up");
  assert.equal(await anchorOf("## Set up"), undefined);
  assert.equal(await anchorOf('<Accordion title="Set up">x</Accordion>'), undefined);
  assert.equal(await anchorOf("text", "custom"), undefined);
});

test("headings of a changelog entry are below it in the table of contents", async () => {
  const page = await renderSource(
    '<Update label="1.0">\n## New\n\n### More\n\n#### Most\n</Update>\n\n## After',
  );
  assert.deepEqual(
    page.outline.map(({ depth, text }) => `${depth} ${text}`),
    ["2 1.0", "3 New", "4 More", "4 Most", "2 After"],
  );
});
