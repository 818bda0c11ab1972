import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findCssAddresses, replaceCssAddresses } from "./css.ts";

const found: readonly (readonly [css: string, ...targets: string[]])[] = [
  ["a{background:url(/a.png)}", "/a.png"],
  ["a{background:URL( '/a b.png' )}", "/a b.png"],
  [String.raw`a{background:u\72l(/a.png)}`, "/a.png"],
  [String.raw`a{background:url(/a\ b.png)}`, "/a b.png"],
  [
    String.raw`a{background:url("/a\2f b\
.png")}`,
    "/a/b.png",
  ],
  ["a{background:url()}", ""],
  ["a{background:url(/a b.png) url(/c.png)}", "/c.png"],
  ["a{background:url('/a.png\n) url(/c.png)}", "/c.png"],
  ["/* url(/a.png) */ a{}"],
  ["a{content:'url(/a.png)'}"],
  [
    "a{background:image-set('/a.png' 1x, url(/b.png) 2x, '/c' type('image/avif'))}",
    "/a.png",
    "/b.png",
    "/c",
  ],
  ["a{background:-webkit-image-set(url(/a.png) 1x)}", "/a.png"],
  ["a{background:cross-fade(url(/a.png), src('/b.png'))}", "/a.png", "/b.png"],
  ["a{--hero:url(/a.png);background:var(--hero)}", "/a.png"],
  ["a{font:local('/a')} @font-face{src:local('/b'),url(/c.woff2) format('woff2')}", "/c.woff2"],
  [
    "@import '/a.css'; @import url(/b.css) layer(x) supports(background:url('/n.png')) screen;",
    "/a.css",
    "/b.css",
  ],
  ["@namespace svg url(http://www.w3.org/2000/svg); @namespace 'http://x.example';"],
  ["@charset 'utf-8'; @media print{a{background:url(/a.png)}} b{mask:url(#m)}", "/a.png", "#m"],
  ["a{background:url(/a.png", "/a.png"],
  ["a{background:url('/a.png"],
  ["background:url(/a.png);color:red", "/a.png"],
];

describe("findCssAddresses", () => {
  for (const [css, ...targets] of found) {
    it(css, () => {
      assert.deepEqual(
        findCssAddresses(css).map(({ target }) => target),
        targets,
      );
    });
  }

  it("knows imports, fonts and pictures", () => {
    const css = "@import 'a.css' print;\n@font-face{src:url(f.woff)} p{background:url(p.png)}";
    const addresses = findCssAddresses(css);
    assert.deepEqual(
      addresses.map(({ kind }) => kind),
      ["import", "font", "picture"],
    );
    const { start, end } = addresses[0]?.rule ?? { start: 0, end: 0 };
    assert.equal(css.slice(start, end), "@import 'a.css' print;");
  });

  it("takes linear time", () => {
    for (const part of ["url(", "/*", "\\", "'", "image-set(", "@import ", "url(a ", "{"]) {
      const css = `url(${part.repeat(100_000)}`;
      assert.ok(findCssAddresses(css).length <= 100_001);
    }
  });
});

describe("replaceCssAddresses", () => {
  it("leaves all other text unchanged", () => {
    const css =
      "@import '/a.css';\na { b: url(/c d) url( /e.png ) image-set('/f\"' 1x) } /* url(/g) */";
    assert.equal(
      replaceCssAddresses(css, ({ target }) => `..${target}`),
      `@import "../a.css";\na { b: url(/c d) url("../e.png") image-set("../f%22" 1x) } /* url(/g) */`,
    );
    assert.equal(
      replaceCssAddresses(css, () => undefined),
      css,
    );
  });
});
