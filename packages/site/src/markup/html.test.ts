import assert from "node:assert/strict";
import { test } from "node:test";
import {
  joinAttributes,
  escapeHtml,
  html,
  joinHtml,
  replaceHtml,
  wrapInElement,
  type Html,
} from "./html.ts";

const raw: string = `<b title="a">`;
const escaped = escapeHtml(raw);

test("what is not markup does not compile where markup belongs", () => {
  const made: Html[] = [
    // @ts-expect-error
    html`<p>${raw}</p>`,
    // @ts-expect-error
    joinHtml([html`<p>`, raw]),
    // @ts-expect-error
    html`<p>` + escaped,
  ];
  assert.equal(made.at(-1), "<p>&lt;b title=&quot;a&quot;&gt;");
});

test("markup does not compile where it would be escaped again", () => {
  // @ts-expect-error
  assert.equal(escapeHtml(escaped), "&amp;lt;b title=&amp;quot;a&amp;quot;&amp;gt;");
  // @ts-expect-error
  joinAttributes({ title: escaped });
});

test("values stand in their places and are not looked into", () => {
  const line = html`<p>${escaped} ${1}</p>`;
  assert.equal(line, "<p>&lt;b title=&quot;a&quot;&gt; 1</p>");
  assert.equal(html`<p>${html`$& ${2}`}</p>`, "<p>$& 2</p>");
});

test("attributes are escaped, and left out where they say nothing", () => {
  const values = { id: raw, open: true, hidden: false, class: "", title: undefined };
  assert.equal(joinAttributes(values), ' id="&lt;b title=&quot;a&quot;&gt;" open');
  assert.equal(wrapInElement("p", "note", ""), "");
});

test("a NUL is dropped, which HTML cannot hold", () => {
  assert.equal(escapeHtml("a\0b"), "ab");
  assert.equal(escapeHtml("<\0"), "&lt;");
});

test("a replacement is put in as it is", () => {
  const text = escapeHtml("a/b/c & d");
  assert.equal(replaceHtml(text, html`/`, html`<wbr>$&`), "a<wbr>$&b<wbr>$&c &amp; d");
  assert.equal(replaceHtml(text, /\b[bc]\b/g, ""), "a// &amp; d");
});
