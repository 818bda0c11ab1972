import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { renderApiPage } from "../../../../test/support/api-page.ts";
import { endpointOf } from "../../../../test/support/sample-endpoint.ts";

/** HTML of an operation's description, without icons and line breaks. */
async function descriptionHtml(description: string): Promise<string> {
  const { html } = await renderApiPage(endpointOf({ method: "get", description }));
  const article = html.replaceAll(/<aside [^]*?<\/aside>/g, "");
  return article.replaceAll(/<div class="callout-icon">[^]*?<\/div>/g, "").replaceAll("\n", "");
}

const note = (content: string) =>
  `<div class="callout tone-note" role="note" aria-label="Note"><div class="callout-body">${content}</div></div>`;

suite("components in a description", () => {
  const table: readonly [name: string, text: string, html: string][] = [
    [
      "on lines of their own",
      "<Note>\nSome **words**.\n</Note>",
      note("<p>Some <strong>words</strong>.</p>"),
    ],
    ["on one line", "<Note>Some `code`.</Note>", note("Some <code>code</code>.")],
    [
      "between paragraphs",
      "One.\n\n<Note>\n\nTwo.\n\n</Note>\n\nThree.",
      `<p>One.</p>${note("<p>Two.</p>")}<p>Three.</p>`,
    ],
    [
      "with a text that is no MDX",
      "If a < b:\n\n<Note>\n\nSee {a}.\n\n</Note>",
      `<p>If a &lt; b:</p>${note("<p>See {a}.</p>")}`,
    ],
  ];
  test("but not names of types", async () => {
    const html = await descriptionHtml("A Promise<Error>, or <Info> and <Card title='a'>.");
    assert.equal(html, "<p>A Promise&lt;Error&gt;, or &lt;Info&gt; and &lt;Card&gt;.</p>");
  });

  for (const [name, text, expected] of table) {
    test(name, async () => assert.equal(await descriptionHtml(text), expected));
  }

  test("with literal values, and links as pages have them", async () => {
    const card = '<Card title="More" href="/catalog" horizontal={true}>\nAll plants.\n</Card>';
    const columns = await descriptionHtml(`<Columns cols={3}>\n${card}\n</Columns>`);
    assert.match(columns, /--cols:\s?3/);
    assert.match(columns, /<a [^>]*href="\.\.\/catalog\.html"/);
    assert.match(columns, /All plants\./);
  });

  test("of fields and responses", async () => {
    const description = "<Tip>Small.</Tip>";
    const { html } = await renderApiPage(
      endpointOf({
        method: "get",
        parameters: [
          {
            name: "size",
            location: "query",
            description,
            isRequired: false,
            isDeprecated: false,
            schema: {},
            examples: [],
          },
        ],
        responses: [{ status: "200", description, headers: [], contents: [] }],
      }),
    );
    assert.equal(html.match(/callout tone-tip/g)?.length, 2);
  });
});

suite("a hostile description", () => {
  const table: readonly [text: string, html: string | RegExp][] = [
    ["<Note>{process.exit()}</Note>", note("<p>{process.exit()}</p>")],
    ["<Note>\n{(() => {})()}\n</Note>", note("<p>{(() =&gt; {})()}</p>")],
    [
      "import x from 'y'\n\n<Note>\nText.\n</Note>",
      `<p>import x from 'y'</p>${note("<p>Text.</p>")}`,
    ],
    [
      '<Note id="content" className="a" style="position: fixed" onClick={run} {...all}>Text.</Note>',
      note("Text."),
    ],
    ["<Note><iframe src='https://example.com'/></Note>", note("&lt;iframe&gt;")],
    ["<Note><script>alert(1)</script></Note>", note("&lt;script&gt;alert(1)")],
    ["<Update label='1'>News.</Update>", /^<p>&lt;Update&gt;News\.<\/p>$/],
    ["<Card href='javascript:alert(1)' title='A'>Text.</Card>", /^(?!.*href="javascript)/],
    ["<Note __proto__='a' constructor='b'>Text.</Note>", note("Text.")],
    [`${"<Note>".repeat(5_000)}Text.${"</Note>".repeat(5_000)}`, /Text\./],
    ["<Note>".repeat(3), /callout|&lt;Note&gt;/],
  ];
  for (const [text, expected] of table) {
    test(text.slice(0, 60), async () => {
      const html = await descriptionHtml(text);
      if (typeof expected === "string") assert.equal(html, expected);
      else assert.match(html, expected);
    });
  }
});
