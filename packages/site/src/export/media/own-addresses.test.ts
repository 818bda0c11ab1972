import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { division, sampleSite } from "../../../../../test/support/sample-site.ts";
import { createSiteLinks } from "../../site/index.ts";
import { hasOwnAddresses, rewriteOwnText } from "../copy-assets.ts";

const assets = ["images/a.png", "css/b.png", "images/x y.svg", "c.png", "css/d.css"];
const links = createSiteLinks({
  ...sampleSite({ navigation: division("root", "", {}), unlisted: ["index", "guides/a"] }),
  assets,
});
const rewrite = (file: string, text: string) =>
  rewriteOwnText(file, text, () => links, {
    root: import.meta.dirname,
    configFile: "docs.json",
    problems: [],
  });

const cases: readonly (readonly [file: string, text: string, expected: string])[] = [
  ["css/a.css", "p{background:url(/images/a.png)}", 'p{background:url("../images/a.png")}'],
  ["a.css", "p{background:url('/images/a.png?v=1#x')}", 'p{background:url("images/a.png?v=1#x")}'],
  ["a.css", "p{background:url(/images/x%20y.svg)}", 'p{background:url("images/x%20y.svg")}'],
  ["css/a.css", "@import '/css/d.css';", '@import "d.css";'],
  ["css/a.css", "p{background:url(b.png) url(./b.png) url(../images/a.png)}", ""],
  ["css/a.css", "p{background:url(c.png)}", 'p{background:url("../c.png")}'],
  ["css/a.css", "p{background:url(data:image/png;base64,A) url(#a) url(https://x.dev/a.png)}", ""],
  ["css/a.css", "p{background:url(//x.dev/a.png)}", 'p{background:url("https://x.dev/a.png")}'],
  ["images/a.svg", '<image href="/c.png"/>', '<image href="../c.png"/>'],
  ["images/a.svg", "<image xlink:href = '/c.png' x='1'>", "<image xlink:href = '../c.png' x='1'>"],
  [
    "images/a.svg",
    '<a href="/guides/a#b"><path d="M0 0"/></a>',
    '<a href="../guides/a.html#b"><path d="M0 0"/></a>',
  ],
  ["a.svg", '<!-- <image href="/c.png"/> --><use href="#a"/><image href="c.png"/>', ""],
  [
    "a.svg",
    "<g style=\"fill:url(#a);mask:url(/c.png),url('/c.png')\"/>",
    '<g style="fill:url(#a);mask:url(&quot;c.png&quot;),url(&quot;c.png&quot;)"/>',
  ],
  [
    "a.svg",
    "<style><![CDATA[@import '/css/d.css';]]></style><i>url(/c.png)</i>",
    '<style><![CDATA[@import "css/d.css";]]></style><i>url(/c.png)</i>',
  ],
  [
    "images/a.svg",
    '<?xml-stylesheet href="/css/d.css" type="text/css"?><svg/>',
    '<?xml-stylesheet href="../css/d.css" type="text/css"?><svg/>',
  ],
  [
    "site.webmanifest",
    '{"scope":"/","start_url":"/","icons":[{"src":"/c.png"}]}',
    '{"scope":"./","start_url":"index.html","icons":[{"src":"c.png"}]}',
  ],
  [
    "images/manifest.json",
    '{"icons": [{"src": "/images/a.png"}], "id": "/"}',
    '{"icons": [{"src": "a.png"}], "id": "/"}',
  ],
  ["manifest.json", "{ not JSON", ""],
  ["browserconfig.xml", '<tile><logo src="/c.png"/></tile>', '<tile><logo src="c.png"/></tile>'],
];

describe("rewriteOwnText", () => {
  for (const [file, text, expected] of cases) {
    it(`${file}: ${text}`, () => {
      assert.ok(hasOwnAddresses(file));
      const own = rewrite(file, text);
      assert.equal(own.text, expected === "" ? text : expected);
      assert.deepEqual(own.problems, []);
      assert.equal(rewrite(file, own.text).text, own.text, "what is rewritten is right");
    });
  }

  it("reports what the site does not have, at its place", () => {
    const css = "@font-face{src:url(/gone.woff)}\np{background:url(/gone.png)}";
    assert.deepEqual(
      rewrite("a.css", css).problems.map(({ severity, code, line, column }) =>
        [severity, code, line, column].join(" "),
      ),
      ["warning media_missing 1 16", "error media_missing 2 14"],
    );
    const [problem] = rewrite("a.svg", '<a href="/gone"/>').problems;
    assert.equal(problem?.code, "link_broken");
  });

  it("takes linear time", () => {
    for (const part of ["<a ", "<", '"', "'", "x=", "<!--", "<style>", "a".repeat(64), " "]) {
      rewrite("a.svg", `<image href="/c.png" ${part.repeat(50_000)}`);
    }
  });
});
