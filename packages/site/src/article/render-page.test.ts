import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { assertWhole, openPages } from "./open-pages.test-support.ts";

suite("a page", () => {
  const files: Readonly<Record<string, string>> = {
    "guides/start.mdx": [
      "---\ntitle: Start\n---",
      'import Shared from "/snippets/shared.mdx";',
      "# {{product}}",
      "See [next](./next#part) and ![a](/images/a.png).",
      '<Shared name="Ann"/>',
      '<Card title="Next" icon="rocket" href="/guides/next">Text[^n]</Card>',
      "<Nobody>shown</Nobody>",
      "```js\nconst a = 1;\n```",
      "[^n]: A note",
    ].join("\n\n"),
    "guides/next.mdx": "## Part",
    "snippets/shared.mdx": "## From a snippet\n\nHello {name}, [there](/nowhere).",
    "images/a.png": "",
  };

  test("has content, outline, anchors, references, text and dependencies", async () => {
    const { pages, render } = openPages(Object.keys(files), (path) => Promise.resolve(files[path]));
    const [page] = pages;
    assert.ok(page !== undefined);
    const content = await render(page);
    assertWhole(content, page.file);
    assert.match(content.html, /<h1 id="octavo">Octavo</);
    assert.match(content.html, /<a href="next.html#part">next<\/a>/);
    assert.match(content.html, /<p>Hello Ann, <a href="\.\.\/nowhere.html">there<\/a>\.<\/p>/);
    assert.match(content.html, /<span class="k">const<\/span>/);
    assert.match(content.html, /<li id="footnote-1"><p>A note /);
    assert.deepEqual(content.outline, [{ depth: 2, id: "from-a-snippet", text: "From a snippet" }]);
    assert.deepEqual(
      content.references.map(({ kind, target, file }) => `${kind} ${target} ${file}`),
      [
        "link ./next#part guides/start.mdx",
        "media /images/a.png guides/start.mdx",
        "link /nowhere snippets/shared.mdx",
        "link /guides/next guides/start.mdx",
      ],
    );
    assert.deepEqual(content.icons, ["fa-solid:rocket"]);
    assert.deepEqual(
      content.sections.map((section) => section.heading),
      ["Octavo", "From a snippet"],
    );
    assert.deepEqual(
      content.problems.map((problem) => problem.code),
      ["unknown_component"],
    );
    assert.deepEqual(Object.keys(content.dependencies), ["snippets/shared.mdx"]);
    assert.match(content.markdown, /^# guides\/start\.mdx\n\n# Octavo\n[^]*Hello Ann/);
  });

  const folds: readonly (readonly [title: string, shown: string, links: string])[] = [
    ["a [link](/b) and `code`", "a link and <code>code</code>", '<a href="b.html">link</a>'],
    [
      '<a href="/b" title="x > y">1 <b>2</b></a> 3',
      "1 <b>2</b> 3",
      '<a href="b.html" title="x &gt; y">1 <b>2</b></a>',
    ],
    // Two links with the same words, one of which is contained in the text of the other.
    ["[b](/b) [b](/b) bb", "b b bb", '<a href="b.html">b</a> <a href="b.html">b</a>'],
    ["[![p](/p.png)](/b)", '<img src="p.png" alt="p"', '<a href="b.html"><img src="p.png" alt="p"'],
    [
      "a note[^n]",
      "a note<sup>1</sup>",
      '<a class="footnote" id="footnote-1-reference" href="#footnote-1">1</a>',
    ],
    ['<a id="here"></a>an anchor', '<a id="here"></a>an anchor', ""],
    [
      'an icon <a href="#here"><svg></svg></a>',
      'an icon <a tabindex="-1" aria-hidden="true" href="#here"',
      "",
    ],
    [
      '<Tile title="A box" href="/b" />',
      '<span class="box-link">A box</span>',
      '<a href="b.html">A box</a>',
    ],
    ['<Card href="/b">words</Card>', "", '<a href="b.html">words</a>'],
    ['<Tooltip tip="t" cta="More" href="/b">term</Tooltip>', "", '<a href="b.html">More</a>'],
    [
      '<iframe title="Film" src="https://www.youtube.com/embed/1"></iframe>',
      "Film (www.youtube.com)",
      '<a class="frame-consent" href="https://www.youtube.com/embed/1"',
    ],
  ];
  for (const [title, shown, links] of folds) {
    test(`has no links in a title that opens: ${title}`, async () => {
      const source = `<details>\n<summary>${title}</summary>\n\nText.\n</details>\n\n[^n]: A note`;
      const { pages, render } = openPages(["a.mdx", "b.mdx", "p.png"], () =>
        Promise.resolve(source),
      );
      const { html } = await render(pages[0] ?? assert.fail());
      const [, summary = "", rest = ""] =
        /<summary>([^]*?)<\/summary>([^]*?)<p>Text/.exec(html) ?? [];
      assert.ok(summary.includes(shown), summary);
      assert.doesNotMatch(summary, /<a (?![^>]*(?:tabindex="-1"|id="here"))/);
      if (links === "") assert.equal(rest.trim(), "");
      else assert.ok(rest.includes(`<p class="fold-links">${links}`), rest);
    });
  }

  test("is the same whatever was rendered before it", async () => {
    const site = openPages(Object.keys(files), (path) => Promise.resolve(files[path]));
    const [first, second] = site.pages;
    assert.ok(first !== undefined && second !== undefined);
    const once = await site.render(first);
    await site.render(second);
    assert.deepEqual(await site.render(first), once);
  });
});
