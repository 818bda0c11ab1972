import assert from "node:assert/strict";
import { test } from "node:test";
import { renderSource } from "../../../../test/support/rendered-source.ts";
import { splitSearchSections } from "./search-sections.ts";

test("all text that readers see is split at headings", async () => {
  const { sections } = await renderSource(
    [
      "Before *the* first &amp; `a<b`\nheading.",
      "## One: two\n\nText[^n].\n\n- a\n- b\n\n| c | d |\n|---|---|\n| e | f |",
      '<Card title="Card **title**" icon="rocket">Card text</Card>',
      '<Tabs><Tab title="Tab title">\n### Three\n\n```js A title\nconst x = 1 < 2;\n```\n</Tab></Tabs>',
      '<div id="same">\n## Same\n</div>\n\nEnd<br/>line. <svg><text>drawn</text></svg>',
      "[^n]: Note",
    ].join("\n\n"),
  );
  assert.deepEqual(sections, [
    { id: "", heading: "", text: "Before the first & a<b heading." },
    {
      id: "one-two",
      heading: "One: two",
      text: "Text1. a b c d e f Card title Card text Tab title",
    },
    { id: "three", heading: "Three", text: "", hidden: "A title const x = 1 < 2;" },
    { id: "same", heading: "Same", text: "End line. Note" },
  ]);
});

test("sources of diagrams stand apart, those that cannot be drawn too", async () => {
  const { sections } = await renderSource(
    [
      "Top.\n\n```mermaid\ngraph LR\n  first --> second\n```\n\nBetween.",
      "## Only a diagram\n\n```mermaid\nunheardOf\n  third\n```",
      "## In a group\n\n<CodeGroup>\n\n```mermaid Drawn once\nunheardOf\n  fourth\n```\n\n```js Two\nlet two;\n```\n\n</CodeGroup>",
    ].join("\n\n"),
  );
  const texts = sections.map(({ id, text }) => [id, text]);
  assert.deepEqual(texts, [
    ["", "Top. Between."],
    ["only-a-diagram", ""],
    ["in-a-group", ""],
  ]);
  const hidden = sections.map((section) => section.hidden ?? "");
  for (const [at, words] of [/first --> second/, /unheardOf third/, /unheardOf fourth/].entries()) {
    assert.match(hidden[at] ?? "", words);
  }
});

test("labels of fields and examples of requests stand apart, a name stands before its description", async () => {
  const { sections } = await renderSource(
    [
      "Top.",
      '<ParamField path="max_tokens" type="integer" required default="16">At most *so many*.</ParamField>',
      '<ResponseField name="user" type="object"><Expandable title="properties">\n<ResponseField name="id" type="string">Its number.</ResponseField>\n<ResponseField name="mail" type="string" />\n</Expandable></ResponseField>',
      "Between.",
      "<RequestExample>\n```bash cURL\ncurl example\n```\n</RequestExample>",
      "End.",
    ].join("\n\n"),
  );
  assert.deepEqual(
    sections.map(({ text }) => text),
    ["Top. max_tokens: At most so many. id: Its number. Between. End."],
  );
  assert.equal(
    sections[0]?.hidden,
    "max_tokens integer path required default: 16 user object properties id string mail string cURL curl example",
  );
});

test("signatures that TypeDoc writes stand apart from their comments", async () => {
  const { sections } = await renderSource(
    [
      '<div class="tsd-signature"><span>interface</span> Lamp &#x7B;<br/>wick: string;<br/>&#x7D;</div>',
      '<div class="tsd-comment"><p>A lamp.</p></div>',
      '<div class="tsd-anchor-link"><span>wick: string</span></div> <div><p>What burns.</p></div>',
    ].join(" "),
  );
  assert.deepEqual(
    sections.map(({ text }) => text),
    ["A lamp. What burns."],
  );
  assert.match(sections[0]?.hidden ?? "", /interface Lamp \{ wick: string; \} wick: string/);
});

test("code and its labels stand apart, words of code in prose do not", async () => {
  const { sections } = await renderSource(
    [
      "Run `npm install` first.",
      "```json docs.json\n{}\n```",
      "<CodeGroup>\n\n```bash npm\nnpm ci\n```\n\n```bash yarn\nyarn ci\n```\n\n</CodeGroup>",
      '<Tabs><Tab title="Linux">\nThen open it.\n</Tab></Tabs>',
    ].join("\n\n"),
  );
  assert.deepEqual(sections, [
    {
      id: "",
      heading: "",
      text: "Run npm install first. Linux Then open it.",
      hidden: "docs.json {} npm npm ci yarn yarn ci",
    },
  ]);
});

test("long code is cut, headings without an id do not begin a section", () => {
  const long = `<pre><code>${"word ".repeat(10_000)}</code></pre><h3>Plain</h3>after`;
  const [section, ...others] = splitSearchSections(long);
  assert.equal(others.length, 0);
  assert.ok((section?.hidden?.length ?? 0) < 2_100);
  assert.equal(section?.text, "Plain after");
});

test("incomplete HTML is read to its end", () => {
  for (const html of [
    "<",
    "a<b",
    '<h2 id="a">x',
    "<pre>x",
    "<svg>",
    "</h2>",
    '<h2 id="a"',
    "<!-- x",
  ]) {
    assert.ok(splitSearchSections(html).length <= 1, html);
  }
  assert.equal(splitSearchSections("<h2>".repeat(100_000)).length, 0);
});
