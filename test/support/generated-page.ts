import * as fc from "fast-check";

/** Texts that an attacker or a broken tool might put anywhere in a page. */
const oddTexts: readonly string[] = [
  "javascript:alert(1)",
  " java\tscript:alert(1)",
  "&#106;avascript:alert(1)",
  "vbscript:x",
  "data:text/html,<script>alert(1)</script>",
  '"><script>alert(1)</script>',
  "</script><script>alert(1)</script>",
  "</style><script>alert(1)</script>",
  "</textarea></title><img src=x onerror=alert(1)>",
  "' onmouseover='alert(1)",
  '" onclick="alert(1)" x="',
  "expression(alert(1))",
  "red;background:url(javascript:alert(1))",
  "]]>",
  "<!--",
  "-->",
  "<![CDATA[",
  "<?php",
  "{",
  "}",
  "{{product}}",
  "{/*",
  "*/}",
  "${1}",
  "$x_1$",
  "`",
  "```",
  "|",
  "<",
  "</",
  "</div>",
  "</p>",
  "__proto__",
  "constructor",
  "toString",
  "//host.example/x",
  "/../../etc/passwd",
  "%zz%00",
  "#",
  "\0",
  "\u202Eabc\u202C",
  "\uFEFF",
  "\uFDD0\uFDEF",
  "\uD800",
  "\u2028",
  "é日本語🎉",
  "a".repeat(5_000),
  "*".repeat(300),
  "[".repeat(300),
  "1e999",
  "-1",
  "true",
  "",
];

const plainTexts: readonly string[] = [
  "word",
  "Two words",
  "1 < 2 & 3",
  "a `code` b",
  "**bold** and *not*",
  "https://example.com/a?b=c&d",
  "[link](/guides/start#part)",
  "![picture](/images/a.png)",
  "text[^1]",
  "{/* note */}",
  "{name}",
  "{list.map((item) => <b key={item}>{item}</b>)}",
  "{`a ${count + 1}`}",
  "{unknown.member}",
  "<br>",
  "<Icon icon='rocket' />",
  "<Tooltip tip='t'>w</Tooltip>",
  "<Own tone='red'>own</Own>",
  "costs $5 or $6",
];

const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 60, arbitrary: fc.constantFrom(...plainTexts) },
  { weight: 2, arbitrary: fc.constantFrom(...oddTexts) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 20 }) },
);

/** A value that an attribute can hold whole, however odd it is. */
const value: fc.Arbitrary<string> = fc.constantFrom(...plainTexts, ...oddTexts);

const line = fc.array(text, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(" "));

/** Attributes of all components, of HTML in both spellings, and some that would run code. */
const attributeNames: readonly string[] = (
  "title href icon iconType color cols cta arrow horizontal img type className class style id name " +
  "defaultOpen open required default body path query header deprecated pre post label description tags date " +
  "rss caption hint tip headline for noAnchor stepNumber titleSize sync borderBottom defaultTabIndex value " +
  "variant actions repo dropdown size shape stroke disabled placeholder file children key ref src srcSet " +
  "alt width height onClick onclick onError onload srcdoc dangerouslySetInnerHTML action formaction xlinkHref " +
  "target rel data poster background ping viewBox attributeName ATTRIBUTENAME HREF to values"
).split(" ");

const attributeValue: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: value.map((words) => `="${words.replaceAll('"', "&quot;")}"`) },
  { weight: 3, arbitrary: value.map((words) => `={${JSON.stringify(words)}}`) },
  { weight: 1, arbitrary: fc.constant("") },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "={2}",
      "={-1e9}",
      "={true}",
      "={null}",
      "={['copy', 'cursor', 1, {}]}",
      "={{ light: '#fff', dark: 'javascript:alert(1)' }}",
      "={{ color: 'red', backgroundImage: 'url(javascript:alert(1))', WebkitX: 1 }}",
      "={{ __html: '<script>alert(1)</script>' }}",
      "={<svg onload='alert(1)' viewBox='0 0 9 9'><path d='M0 0' /><script>alert(1)</script></svg>}",
      "={<a href='javascript:alert(1)'>x</a>}",
      "={() => alert(1)}",
      "={unknown}",
      "={list}",
      "={deep.a.b}",
    ),
  },
);

const attribute = fc
  .tuple(fc.constantFrom(...attributeNames), attributeValue)
  .map(([name, given]) => ` ${name}${given}`);

const attributes = fc
  .array(fc.oneof({ weight: 9, arbitrary: attribute }, fc.constant(" {...deep}")), { maxLength: 4 })
  .map((list) => list.join(""));

/** HTML that may stand anywhere and hold anything, and what a page is shown without. */
export const tameHtml: readonly string[] = (
  "div section span b i kbd sup sub img br hr video details label iframe x-own style script " +
  "object embed base link meta template noscript applet frame frameset plaintext xmp noembed noframes html head body"
).split(" ");

/** HTML that ends what it stands in, or is moved out of it, where it stands in the wrong place. */
export const wildHtml: readonly string[] = (
  "svg path p a code pre table thead tr td caption ul ol li dl dt dd h2 h3 summary source use animate set foreignObject " +
  "math mtext annotation-xml desc button form input select option optgroup textarea title picture " +
  "listing image isindex marquee rb rt ruby nobr center font xml:b"
).split(" ");

const info = fc.constantFrom(
  "js",
  "python Title {1,3}",
  "mermaid",
  'json title="a" lines',
  "",
  "html wrap",
  "math",
  "diff",
);

const codeText = fc.constantFrom(
  "const a = 1; // [!code ++]",
  "graph TD; A-->B",
  "</code></pre><script>alert(1)</script>",
  "{name}",
);

const fence = fc
  .tuple(info, codeText, fc.constantFrom("```", "~~~", "````", "  ```"))
  .map(([words, code, mark]) => `${mark}${words}\n${code}\n${mark}`);

const table = fc
  .array(fc.tuple(line, line), { minLength: 1, maxLength: 3 })
  .map((rows) =>
    ["| a | b |", "| - | :-: |", ...rows.map(([a, b]) => `| ${a} | ${b} |`)].join("\n"),
  );

const leaf: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: line },
  { weight: 2, arbitrary: fence },
  { weight: 1, arbitrary: table },
  { weight: 1, arbitrary: line.map((words) => `## ${words}`) },
  { weight: 1, arbitrary: line.map((words) => `### ${words} {#${words.slice(0, 12)}}`) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "import Note from '/snippets/note.mdx'",
      "import { Titled } from '/snippets/parts.jsx'",
      "import Gone from './gone.mdx'",
      "export const name = 'Ann', count = 3, list = [1, 'b'], deep = { a: { b: 'javascript:x' } };",
      "export const Own = ({ children, ...rest }) => <Card {...rest}>{children}</Card>;",
      "export const Loop = () => <Loop />;\n\n<Loop />",
      "<Note name='a'>slot</Note>",
      "<Titled title='x' />",
      "<Snippet file='note.mdx' />",
      "[^1]: a note",
      "[a]: javascript:alert(1) 'x'",
      "$$\n\\frac{1}{2\n$$",
      "***",
      "> [!NOTE]\n> quoted",
    ),
  },
);

function indent(block: string, by: string): string {
  return block.replaceAll("\n", `\n${by}`);
}

/** A page of components, nesting, attributes, fences, tables, HTML and expressions; most of it is MDX. */
export function generatedPage(
  componentNames: readonly string[],
  htmlNames: readonly string[],
): fc.Arbitrary<string> {
  const elementName = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...componentNames, "Own", "Unknown", "Tree.Nothing") },
    { weight: 2, arbitrary: fc.constantFrom(...htmlNames) },
  );
  const { block } = fc.letrec<{ block: string; element: string }>((tie) => ({
    block: fc.oneof(
      { maxDepth: 5, depthSize: "small" },
      { weight: 3, arbitrary: leaf },
      { weight: 4, arbitrary: tie("element") },
      { weight: 1, arbitrary: tie("block").map((inner) => `- ${indent(inner, "  ")}`) },
      { weight: 1, arbitrary: tie("block").map((inner) => `> ${indent(inner, "> ")}`) },
    ),
    element: fc
      .tuple(
        elementName,
        attributes,
        fc.array(tie("block"), { maxLength: 3 }),
        fc.oneof({ weight: 12, arbitrary: fc.constant("\n\n") }, fc.constantFrom("\n", "")),
      )
      .map(([name, given, children, gap]) => {
        if (children.length === 0) return `<${name}${given} />`;
        return `<${name}${given}>${gap}${children.join("\n\n")}${gap}</${name}>`;
      }),
  }));
  const frontmatter = fc.constantFrom("", "---\ntitle: A\n---\n\n", "---\ntitle: [\n");
  return fc
    .tuple(frontmatter, fc.array(block, { minLength: 1, maxLength: 6 }))
    .map(([head, blocks]) => `${head}${blocks.join("\n\n")}\n`.toWellFormed());
}

/** A real page that was cut off, doubled in part, overwritten, or whose bytes changed places. */
export function damagedPage(pages: readonly string[]): fc.Arbitrary<string> {
  const damage = fc.tuple(
    fc.constantFrom<Damage>("cut", "double", "take out", "put in", "swap bytes"),
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.constantFrom(...oddTexts),
  );
  return fc
    .tuple(fc.constantFrom(...pages), fc.array(damage, { minLength: 1, maxLength: 4 }))
    .map(([page, damages]) => {
      let damaged = page;
      for (const [kind, from, to, odd] of damages) {
        const [start, end] = [from, to].toSorted((a, b) => a - b);
        damaged = harm(damaged, kind, { start: start ?? 0, end: end ?? 1, odd });
      }
      return damaged.slice(0, longest).toWellFormed();
    });
}

type Damage = "cut" | "double" | "take out" | "put in" | "swap bytes";

/** Doubling four times must not make the test slow. */
const longest = 40_000;

interface Harm {
  /** Parts of the page's length, in order. */
  readonly start: number;
  readonly end: number;
  readonly odd: string;
}

function harm(page: string, kind: Damage, { start, end, odd }: Harm): string {
  const from = Math.floor(start * page.length);
  const to = Math.floor(end * page.length);
  switch (kind) {
    case "cut":
      return page.slice(0, to);
    case "double":
      return page.slice(0, to) + page.slice(from);
    case "take out":
      return page.slice(0, from) + page.slice(to);
    case "put in":
      return page.slice(0, from) + odd + page.slice(from);
    default:
      return swapBytes(page, start, end);
  }
}

/** Eight bytes of one place for those of the other, through the middle of characters too. */
function swapBytes(page: string, start: number, end: number): string {
  const bytes = Buffer.from(page);
  const [a, b] = [Math.floor(start * bytes.length), Math.floor(end * bytes.length)];
  for (let at = 0; at < 8 && b + at < bytes.length; at++) {
    [bytes[a + at], bytes[b + at]] = [bytes[b + at] ?? 0, bytes[a + at] ?? 0];
  }
  return bytes.toString("utf8");
}
