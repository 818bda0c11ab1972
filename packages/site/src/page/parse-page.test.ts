import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { sha256 } from "../core/index.ts";
import { getChildren, isElement, isJsxProp, type PropValue, type TreeNode } from "./tree.ts";
import { parsePage, type ParsedPage, type ParseInput } from "./parse-page.ts";

const files: Readonly<Record<string, string>> = {
  "snippets/greeting.mdx":
    "---\ntitle: Left out\n---\n\nHello **{name}** and {props.name}.\n\n```sh\nrun {name} {other}\n```\n",
  "snippets/line.mdx": "One `line` of {v}\n",
  "snippets/list.mdx": "import Line from './line.mdx'\n\n- a <Line v='x' />\n- b\n",
  "snippets/box.mdx": "<Card>\n\n{children}\n\n</Card>\n",
  "snippets/cycle.mdx": "before\n\nimport Cycle from '/snippets/cycle.mdx'\n\n<Cycle />\n",
  "snippets/note.mdx": "seen[^s]\n\n[^s]: From a snippet.\n",
  "snippets/values.mdx":
    "export const count = 3, word = 'str', deep = { a: { b: 'found' } }, list = [1, 2];\n" +
    "export const Mark = ({ children, tone = 'red', ...rest }) => (\n  <Badge tone={tone} {...rest}>New in <b>{children}</b></Badge>\n);\n",
  "snippets/parts.jsx":
    "import React, { useState } from 'react';\n" +
    "export const Counter = () => { const [n] = useState(0); return <b>{n}</b>; };\n" +
    "export const Titled = ({ title, items = [1, 2] }) => {\n  const loud = title.toUpperCase();\n" +
    '  if (!title) return null;\n  return (\n    <div className="x">\n      {loud} &amp; more\n' +
    "      <ul>{items.map((i) => <li key={i}>n{i}</li>)}</ul>\n    </div>\n  );\n};\n" +
    "export default function Main() { return <i>main</i>; }\n",
  "_snippets/old.mdx": "Old {x}\n",
};

function parse(source: string, options: Partial<ParseInput> = {}): Promise<ParsedPage> {
  return parsePage({
    file: "page.mdx",
    format: "mdx",
    source,
    variables: { product: "Acme", v: "1.2" },
    readFile: async (path) => files[path],
    isKnownComponent: (name) => ["Card", "Note", "Badge"].includes(name),
    ...options,
  });
}

function showValue(value: PropValue): unknown {
  return isJsxProp(value) ? show(value.nodes) : value;
}

/** Formats a tree concisely, with elements as tags and other nodes as `type(children)`. */
function show(nodes: readonly TreeNode[]): string {
  return nodes.map(showNode).join("");
}

function showNode(node: TreeNode): string {
  const children = show(getChildren(node));
  if (node.type === "element") {
    const props = Object.entries(node.props)
      .map(([key, value]) => ` ${key}=${JSON.stringify(showValue(value))}`)
      .join("");
    return `<${node.name}${props}>${children}</>`;
  }
  if (node.type === "text") return node.value;
  if ("value" in node) return `${node.type}(${node.value})`;
  const id = node.type === "heading" && node.id !== undefined ? `#${node.id}` : "";
  return `${node.type}${id}(${children})`;
}

function brief(page: ParsedPage): readonly string[] {
  return page.problems.map((problem) => {
    const place = `${problem.file === "page.mdx" ? "" : problem.file}:${problem.line}:${problem.column}`;
    return `${problem.severity} ${problem.code} ${place}`;
  });
}

interface Row {
  readonly name: string;
  readonly source: string;
  readonly tree: string;
  readonly problems?: readonly string[];
}

function table(rows: readonly Row[], options: Partial<ParseInput> = {}): void {
  for (const { name, source, tree, problems = [] } of rows) {
    test(name, async () => {
      const page = await parse(source, options);
      assert.equal(show(page.tree), tree);
      assert.deepEqual(brief(page), problems);
    });
  }
}

suite("text that is not quite MDX", () => {
  table([
    {
      name: "ids of headings, with spaces and CJK, and none in code",
      source: "# A {#custom id 日本}\n\n## B {#b-c}\n\n```md\n# C {#keep}\n```\n\n`# D {#keep}`\n",
      tree: "heading#custom id 日本(A)heading#b-c(B)code(# C {#keep})paragraph(inlineCode(# D {#keep}))",
    },
    {
      name: "supported methods and functions",
      source:
        "a {[1, 2, 3].find((n) => n > 1)} {[1, 2].reduce((sum, n) => sum + n, 0)} {[[1], 2].flat().concat([3]).reverse().join('')} " +
        "{'a-b-c'.replaceAll('-', '+')} {'ab'.replace('a', '$&')} {'7'.padStart(3, '0')} {'x'.repeat(3)} {(1.5).toFixed(2)} " +
        "{Object.entries({ a: 1 }).flatMap(([k, v]) => [k, v]).join('=')} {Math.max(1, 2)} {String(3)} {Number('4') + 1}\n",
      tree: "paragraph(a 2 3 321 a+b+c ab 007 xxx 1.50 a=1 2 3 5)",
    },
    {
      name: "an id that looks like a formula",
      source: "# A {#$x_1$}\n",
      tree: "heading#$x_1$(A)",
    },
    {
      name: "escapes in a script for lone surrogates and NUL",
      source: "{'a\\0b'}{`\\ud800`}\n",
      tree: "a\uFFFDb\uFFFD",
    },
    {
      name: "HTML comments are removed outside code",
      source:
        "a <!-- {x --> b\n\n<!-- two\nlines -->\n\n`<!-- keep -->`\n\n```html\n<!-- keep -->\n```\n",
      tree: "paragraph(a             b)paragraph(inlineCode(<!-- keep -->))code(<!-- keep -->)",
      problems: ["warning html_comment :1:3", "warning html_comment :3:1"],
    },
    {
      name: "HTML comments stay in code of several lines, and of many backticks",
      source: `a \`b\n<!-- c --> d\` <!-- e -->\n\n\`a ${"`` ".repeat(60)}<!-- f -->\`\n`,
      tree: `paragraph(a inlineCode(b\n<!-- c --> d))paragraph(inlineCode(a ${"`` ".repeat(60)}<!-- f -->))`,
      problems: ["warning html_comment :2:15"],
    },
    {
      name: "a stray brace is text",
      source: "a { b\n\n**c**\n",
      tree: "paragraph(a { b)paragraph(strong(c))",
      problems: ["error invalid_mdx :1:3"],
    },
    {
      name: "an invalid expression is text",
      source: "x\n\ny {a b} z\n",
      tree: "paragraph(x)paragraph(y {a b} z)",
      problems: ["error invalid_mdx :3:3"],
    },
    {
      name: "a lone closing brace and a comparison are text without a problem",
      source: "a } b < c\n",
      tree: "paragraph(a } b < c)",
    },
    {
      name: "an unclosed tag is text",
      source: "<b>\n\nx </i>\n",
      tree: "paragraph(<b>)paragraph(x </i>)",
      problems: ["error invalid_mdx :3:3", "error unclosed_tag :1:1"],
    },
    {
      name: "elements without content need no slash",
      source: "a <br> b <img src='x'>\n\n`<br>`\n",
      tree: 'paragraph(a <br></> b <img src="x"></>)paragraph(inlineCode(<br>))',
      problems: ["warning unclosed_tag :1:3"],
    },
    {
      name: "elements without content may have a closing tag, with white space and comments before it",
      source:
        'a <br></br> b <br> </br>\n\n<img src="x">\n</img>\n\n<hr>\n\n{/* c */}\n\n</hr>\n\n<img> <!-- c --> </img>\n',
      tree: 'paragraph(a <br></> b <br> </>)<img src="x"></><hr></><img></>',
      problems: ["warning html_comment :12:7"],
    },
    {
      name: "a tag whose end begins a line",
      source: "<Card\n  title=\"x\"\n>text</Card>\n\na <b\n  title='y'\n  >c</b>\n\n<Icon>\n",
      tree: '<Card title="x">text</>paragraph(a <b title="y">c</>)paragraph(<Icon>)',
      problems: ["error unclosed_tag :9:1"],
    },
    {
      name: "only elements whose closing tag is missing get a slash",
      source: "<div>\n  a <br> b <br> </br> <b>c<hr></b>\n</div>\n",
      tree: "<div>paragraph(a <br></> b <br> </> <b>c<hr></></>)</>",
      problems: ["warning unclosed_tag :2:5"],
    },
    {
      name: "a fence at the end of a line of code that hides the next block is named",
      source: "```js\na()```\n\n## B\n\n```js\nb()\n```\n",
      tree: "code(a()```\n\n## B\n\n```js\nb())",
      problems: ["warning fence_not_closed :2:4"],
    },
    {
      name: "a fence at the end of a line of code that hides the rest of the page is named",
      source: "```\na ```\n\nb\n\n```\nc\n```\n\nd\n",
      tree: "code(a ```\n\nb\n)paragraph(c)code(\nd)",
      problems: ["warning fence_not_closed :2:3"],
    },
    {
      name: "a fence at the end of a line of code in a list item or quote",
      source: "1. a\n   ```js\n   b()```\n\n## C\n\n> ```js\n> d()```\n\ne\n",
      tree: "list(listItem(paragraph(a)code(b()```)))heading(C)blockquote(code(d()```))paragraph(e)",
      problems: ["warning fence_not_closed :3:7", "warning fence_not_closed :8:6"],
    },
    {
      name: "a fence at the end of a line of code may be code",
      source: "```md\na ```\n```\n\n```js\nb(`` ``` ``)\n```\n",
      tree: "code(a ```)code(b(`` ``` ``))",
      problems: [],
    },
    {
      name: "elements in code keep their tags",
      source: "a <br> ``b`<br>`c``\n\n`d\n<br> e`\n",
      tree: "paragraph(a <br></> inlineCode(b`<br>`c))paragraph(inlineCode(d\n<br> e))",
      problems: ["warning unclosed_tag :1:3"],
    },
    {
      name: "an element that ends in the last line of a paragraph",
      source:
        '<Card title="a">\ntext</Card>\n\n<Note>\n<Card>\n\n  one\n\n  - two</Card></Note>\n\n> <Note>\n> quoted</Note>\n\n# After {#after}\n\n{x y}\n',
      tree:
        '<Card title="a">paragraph(text)</><Note><Card>paragraph(one)list(listItem(paragraph(two)))</></>' +
        "blockquote(<Note>paragraph(quoted)</>)heading#after(After)paragraph({x y})",
      problems: [
        "warning unclosed_tag :2:5",
        "warning unclosed_tag :9:8",
        "warning unclosed_tag :12:9",
        "error invalid_mdx :16:1",
      ],
    },
    {
      name: "an element that begins in the first line of a paragraph",
      source: "<Note title='a > b' wide={1}>one\n\ntwo</Note>\n\n# After {#after}\n",
      tree: '<Note title="a > b" wide=1>paragraph(one)paragraph(two)</>heading#after(After)',
      problems: ["warning unclosed_tag :1:1", "warning unclosed_tag :3:4"],
    },
    {
      name: "addresses in angle brackets",
      source: "see <https://a.b/c> now\n",
      tree: "paragraph(see  link(https://a.b/c)  now)",
      problems: ["warning autolink :1:5"],
    },
    {
      name: "prose that begins like ESM",
      source: "export the file *now*.\n\nimport taxes\n",
      tree: "paragraph(export the file emphasis(now).)paragraph(import taxes)",
      problems: ["error invalid_esm :1:1", "error invalid_esm :3:1"],
    },
    {
      name: "an element directly below an import",
      source: "import Line from '/snippets/line.mdx'\n<Line v=\"1\" />\n",
      tree: "paragraph(One inlineCode(line) of 1)",
    },
    {
      name: "NUL, bytes that are not UTF-8, carriage returns and a byte order mark",
      source: "\uFEFFa \0 b\uFFFD\r\nc {1}\r\n",
      tree: "paragraph(a \uFFFD b\uFFFD\nc 1)",
      problems: ["warning invalid_character :1:3"],
    },
  ]);
});

test("a page with too much invalid MDX is read as Markdown", async () => {
  const page = await parse(`${"a {b c} **d**\n\n".repeat(60)}<div>\n\nend\n\n</div>\n`);
  assert.equal(page.tree.length, 61);
  assert.equal(show(page.tree.slice(-2)), "paragraph(a {b c} strong(d))<div>paragraph(end)</>");
  assert.ok(page.problems.some(({ code, line }) => code === "invalid_mdx" && line === 1));
});

suite("Markdown files", () => {
  table(
    [
      {
        name: "HTML becomes elements around Markdown, comments are removed",
        source: "<div id=a class='b'>\n\n**x** <b>y</b><br>\n\n</div>\n\n<!-- c -->\n",
        tree: '<div id="a" class="b">paragraph(strong(x) <b>y</><br></>)</>',
      },
      {
        name: "braces and ESM are text",
        source: "{not} it\n\nimport x\n",
        tree: "paragraph({not} it)paragraph(import x)",
      },
      {
        name: "indented code is code",
        source: "a\n\n    b {x} <c>\n",
        tree: "paragraph(a)code(b {x} <c>)",
      },
      {
        name: "text in HTML is decoded",
        source: "<p>\na &amp; &copy;\n</p>\n",
        tree: "<p>\na & ©\n</>",
      },
      {
        name: "an unclosed element ends with its parent",
        source: "a <i>b\n\nc</i>\n",
        tree: "paragraph(a <i>b</>)paragraph(c)",
      },
      {
        name: "the content of a script is not Markdown",
        source: "<script>\nif (a < b) { }\n</script>\n",
        tree: "<script>\nif (a < b) { }\n</>",
      },
      { name: "ids of headings", source: "## A {#b c}\n", tree: "heading#b c(A)" },
      {
        name: "a file with components is MDX",
        source: "<Card title={'x'}>\n  **text**\n</Card>\n",
        tree: '<Card title="x">paragraph(strong(text))</>',
      },
      {
        name: "a file with components that is not valid MDX stays Markdown",
        source: "<Card title='x'>\n\n**text** { a\n\n</Card>\n",
        tree: '<Card title="x">paragraph(strong(text) { a)</>',
      },
    ],
    { format: "md" },
  );
});

suite("expressions", () => {
  table([
    {
      name: "literals and operators",
      source: "{'a'} {1 + 2} {`t${1 + 1}`} {!0 && 'y'} {1 > 2 ? 'b' : 'c'}\n",
      tree: "a\n3\nt2\ny\nc",
    },
    {
      name: "null, undefined, booleans and comments show nothing",
      source: "a{null}{undefined}{true}{/* comment */}b\n",
      tree: "paragraph(ab)",
    },
    {
      name: "exports of the page",
      source: "export const o = { a: ['x', { b: 2 }] }\n\nsee {o.a[0]}{o.a[1].b}{o.a.length}\n",
      tree: "paragraph(see x22)",
    },
    {
      name: "an undefined name is shown as written",
      source: "Set {ID} and {{ query }}.\n",
      tree: "paragraph(Set {ID} and {{ query }}.)",
      problems: ["warning undefined_name :1:5", "warning undefined_name :1:14"],
    },
    {
      name: "no object of the program can be reached",
      source:
        "a {''.constructor} {'x'.big()} {({}).__proto__} {({ toString: 1 }).valueOf} {globalThis}\n",
      tree: "paragraph(a {''.constructor} {'x'.big()} {({}).__proto__} {({ toString: 1 }).valueOf} {globalThis})",
      problems: [
        "warning expression_not_static :1:3",
        "warning expression_not_static :1:20",
        "warning expression_not_static :1:32",
        "warning expression_not_static :1:49",
        "warning undefined_name :1:77",
      ],
    },
    {
      name: "elements within expressions",
      source: '{true && <b id="q">x {1}</b>} {[1, 2].map((i) => <i>{i}</i>)} {<>f</>}\n',
      tree: '<b id="q">x 1</>\n<i>1</><i>2</>\nf',
    },
    {
      name: "adjacent expressions keep the space between them",
      source: "{1}{2} {x}\n\n{null} {3}\n\n<Badge /> {4}\n",
      tree: "12\n{x}\n3<Badge></>\n4",
      problems: ["warning undefined_name :1:8"],
    },
    {
      name: "methods of lists and strings",
      source: "a {['x', 'y'].join('-')} {'Q'.toLowerCase()} {[3, 4].filter((n) => n > 3)}\n",
      tree: "paragraph(a x-y q 4)",
    },
    {
      name: "a function that calls itself ends",
      source: "export const f = (n) => f(n)\n\na {f(1)}\n",
      tree: "paragraph(a {f(1)})",
      problems: ["warning expression_not_static :3:3"],
    },
  ]);
});

function define(body: string): string {
  return `export const A = ({ v }) => { ${body} }\n\n<A v="5.4" />\n`;
}

suite("components with values that only a browser knows", () => {
  const unknown = "Date.now()";
  table([
    {
      name: "a value that is known makes the component static",
      source: define("const [a, b] = v.split('.').map(Number); return <p>{`${a}.${b - 1}`}</p>"),
      tree: "<p>5.3</>",
    },
    {
      name: "an address with an unknown part is left out as a whole",
      source: define(
        `const part = (x) => { return ${unknown} + x }; const to = part(1); return <a href={\`/\${to}-to-\${v}\`}>{v}</a>`,
      ),
      tree: "component(<a>5.4</>)",
      problems: ["warning component_not_static :3:1"],
    },
    {
      name: "what an arrow function returns is not undefined",
      source: define(`const part = () => ${unknown}; return <a href={\`/\${part()}\`}>{v}</a>`),
      tree: "component(<a>5.4</>)",
      problems: ["warning component_not_static :3:1"],
    },
    {
      name: "a list is shown whole or not at all",
      source: define(`return <p>{[1, 2].map((x) => x === 1 ? x : ${unknown})}{v}</p>`),
      tree: "component(<p>5.4</>)",
      problems: ["warning component_not_static :3:1"],
    },
    {
      name: "no branch of an unknown condition is taken",
      source: define(`let a = "x"; if (${unknown} > 5) a = "y"; return <p>{a}{v}</p>`),
      tree: "component(<p>5.4</>)",
      problems: ["warning component_not_static :3:1"],
    },
    {
      name: "nothing is shown after an unknown condition to return",
      source: define(`if (${unknown} > 5) return <b>x</b>; return <p>{v}</p>`),
      tree: "component()",
      problems: ["warning component_not_static :3:1"],
    },
  ]);
});

suite("attributes", () => {
  table([
    {
      name: "every kind of value",
      source:
        "export const o = { k: 1 }\n\n<Card a=\"s &amp; t\" b={2} c={-3} d={'e'} flag off={false} none={null} list={[1, 'x', ...[2]]} style={{ color: 'red' }} {...o} icon={<svg w=\"1\" />} />\n",
      tree: '<Card a="s & t" b=2 c=-3 d="e" flag=true off=false none=null list=[1,"x",2] style={"color":"red"} k=1 icon="<svg w=\\"1\\"></>"></>',
    },
    {
      name: "event handlers are omitted silently",
      source: "<Card onClick={() => 1} onBlur={save} />\n",
      tree: "<Card></>",
    },
    {
      name: "functions and undefined names are omitted with a warning",
      source: "<Card f={() => 1} u={nope} />\n",
      tree: "<Card></>",
      problems: ["warning attribute_not_static :1:1", "warning attribute_not_static :1:1"],
    },
    {
      name: "elements with unknown and compound names are kept",
      source: '<Tree.Folder className="x"><Nope /></Tree.Folder>\n',
      tree: '<Tree.Folder className="x"><Nope></></>',
    },
  ]);
});

suite("variables", () => {
  table([
    {
      name: "declared ones only, in text, code and attributes",
      source:
        '{{product}} {{ v }} `{{v}}`\n\n<Card title="{{product}}" />\n\n```\n{{v}} {{w}}\n```\n',
      tree: 'paragraph(Acme 1.2 inlineCode(1.2))<Card title="Acme"></>code(1.2 {{w}})',
    },
  ]);
});

suite("snippets", () => {
  table([
    {
      name: "props are replaced in text, and in fences where they were passed",
      source: "import Greeting from '/snippets/greeting.mdx'\n\n<Greeting name=\"Bob\" />\n",
      tree: "paragraph(Hello strong(Bob) and Bob.)code(run Bob {other})",
    },
    {
      name: "inlined among the children of their parent, nested ones too",
      source: "import List from './snippets/list'\n\n<Card>\n  <List />\n</Card>\n",
      tree: "<Card>list(listItem(paragraph(a One inlineCode(line) of x))listItem(paragraph(b)))</>",
    },
    {
      name: "one paragraph becomes part of the line that uses it",
      source: "import line from '/snippets/line.mdx'\n\nx <line v={1} /> y\n",
      tree: "paragraph(x One inlineCode(line) of 1 y)",
    },
    {
      name: "several blocks split the line that uses them",
      source: "import Greeting from '/snippets/greeting.mdx'\n\nx <Greeting name=\"B\" /> y\n",
      tree: "paragraph(x )paragraph(Hello strong(B) and B.)code(run B {other})paragraph( y)",
    },
    {
      name: "children",
      source: "import Box from '/snippets/box.mdx'\n\n<Box>\n  **in**\n</Box>\n",
      tree: "<Card>paragraph(strong(in))</>",
    },
    {
      name: "the older form, in both folders",
      source: '<Snippet file="old.mdx" x="1" />\n\n<Snippet file="/line.mdx" v="2" />\n',
      tree: "paragraph(Old 1)paragraph(One inlineCode(line) of 2)",
    },
    {
      name: "elements of missing files show their children",
      source:
        "import X from '/no.mdx'\nimport { Card } from 'pkg'\n\n<X>kept</X>\n\n<Card>k</Card>\n\n<Snippet file=\"no.mdx\">s</Snippet>\n",
      tree: "paragraph(kept)<Card>k</>paragraph(s)",
      problems: ["warning missing_import :4:1", "warning missing_import :8:1"],
    },
    {
      name: "a cycle ends and is reported",
      source: "import Cycle from '/snippets/cycle.mdx'\n\n<Cycle />\n",
      tree: "paragraph(before)",
      problems: ["error snippet_cycle snippets/cycle.mdx:5:1"],
    },
    {
      name: "exported values and components",
      source:
        "import { count, word as w, deep, list, Mark } from '/snippets/values.mdx'\n\nsee {count} {w} {deep.a.b} {list} <Mark id=\"q\">2.0</Mark>\n",
      tree: 'paragraph(see 3 str found 12 <Badge tone="red" id="q">New in <b>2.0</></>)',
    },
    {
      name: "components of a script file",
      source:
        "import Main, { Titled } from '/snippets/parts.jsx'\n\n<Titled title=\"hey\" />\n\n<Main />\n",
      tree: '<div className="x">HEY & more<ul><li>n1</><li>n2</></></><i>main</>',
    },
    {
      name: "a component with state shows its first render; what it was given stays at hand",
      source: "import { Counter } from '/snippets/parts.jsx'\n\n<Counter>kept</Counter>\n",
      tree: "component(<b>0</>componentSlot(kept))",
    },
    {
      name: "loops, choices and changes of names in a component with state",
      source:
        "export const A = ({ kind, items }) => {\n  const [n, setN] = useState(() => 2);\n  let sum = 0;\n  for (const item of items) {\n    if (item === 3) continue;\n    sum += item;\n  }\n  for (let i = 0; i < 3; i++) sum++;\n  const seen = {};\n  seen.last = items.at(-1);\n  switch (kind) {\n    case 'x':\n      sum *= n;\n      break;\n    default:\n      return null;\n  }\n  return <b onClick={() => setN(1)}>{sum} {seen.last} {window.innerWidth}</b>;\n};\n\n<A kind=\"x\" items={[1, 3, 4]} />\n",
      tree: "component(<b>16 4 </>)",
      problems: ["warning component_not_static :21:1"],
    },
    {
      name: "components of the page",
      source:
        "export const Two = ({ children }) => <b>{children}{children}</b>\n\na <Two>x</Two>\n",
      tree: "paragraph(a <b>xx</>)",
    },
  ]);

  const between: readonly [name: string, source: string, tree: string][] = [
    [
      "directly below a tag",
      "<Card>\nimport L from '/snippets/line.mdx'\n\n<L v='1' />\n</Card>\n",
      "<Card>LINE</>",
    ],
    [
      "indented",
      "<Card>\n  import L from './snippets/line.mdx';\n  <L v='1' />\n</Card>\n",
      "<Card>LINE</>",
    ],
    [
      "with names in braces",
      "<Card>\n  import { Mark as M } from '/snippets/values.mdx'\n\n  <M>x</M>\n</Card>\n",
      '<Card><Badge tone="red">New in <b>x</></></>',
    ],
    [
      "over several lines, with another repair above it",
      "a<br>\n\n<Card>\nimport {\n  Mark,\n} from '/snippets/values.mdx'\n<Mark>x</Mark>\n</Card>\n",
      'paragraph(a<br></>)<Card><Badge tone="red">New in <b>x</></></>',
    ],
    [
      "between elements, with Markdown below it",
      "<Card />\nimport L from '/snippets/line.mdx'\n<Note>\n*x*\n</Note>\n\n<L v='1' />\n",
      "<Card></><Note>paragraph(emphasis(x))</>LINE",
    ],
    [
      "in a list",
      "- a\n\n  import L from '/snippets/line.mdx'\n\n  <L v='1' />\n",
      "list(listItem(paragraph(a)LINE))",
    ],
    [
      "below text",
      "Text\nimport L from '/snippets/line.mdx'\n\n<L v='1' />\n",
      "paragraph(Text)LINE",
    ],
    [
      "in code and in strings it is code",
      "```js\nimport L from './snippets/line.mdx'\n```\n\n<Card code={`\nimport { L } from './snippets/line.mdx'\n`} />\n",
      "code(import L from './snippets/line.mdx')<Card code=\"\\nimport { L } from './snippets/line.mdx'\\n\"></>",
    ],
  ];
  for (const [name, source, tree] of between) {
    test(`an import anywhere: ${name}`, async () => {
      const page = await parse(source);
      assert.equal(
        show(page.tree).trimEnd(),
        tree.replace("LINE", "paragraph(One inlineCode(line) of 1)"),
      );
      assert.ok(tree.startsWith("code") || !page.markdown.includes("import"), page.markdown);
      assert.deepEqual(
        page.problems.filter(({ code }) => code !== "unclosed_tag"),
        [],
      );
    });
  }

  test("a component of the page may use one that is defined below it", async () => {
    const page = await parse(
      "export const A = ({ n }) => <B n={n + 1} />\n\nexport const B = ({ n }) => <i>{n}</i>\n\n<A n={1} />\n",
    );
    assert.equal(show(page.tree), "<i>2</>");
  });
});

test("places refer to the file that the text came from", async () => {
  const page = await parse(
    "---\ntitle: x\n---\n\nimport Line from '/snippets/line.mdx'\n\n> 日本 <Line v={1} /> end\n",
  );
  const [paragraph] = page.tree.flatMap(getChildren);
  assert(paragraph);
  const places = getChildren(paragraph).map(({ position }) => Object.values(position).join(":"));
  assert.deepEqual(places, [
    "page.mdx:7:3",
    "snippets/line.mdx:1:1",
    "snippets/line.mdx:1:5",
    "snippets/line.mdx:1:11",
    "snippets/line.mdx:1:15",
    "page.mdx:7:20",
  ]);
});

test("flow elements are distinguished from inline ones", async () => {
  const page = await parse("<Card>text</Card>\n\na <b>c</b>\n");
  const nodes = [...page.tree, ...page.tree.flatMap(getChildren)];
  assert.deepEqual(
    nodes.filter(isElement).map(({ name, isFlow }) => [name, isFlow]),
    [
      ["Card", true],
      ["b", false],
    ],
  );
});

test("footnotes are collected, those of snippets too", async () => {
  const page = await parse(
    "import Note from '/snippets/note.mdx'\n\na[^1]\n\n<Note />\n\n[^1]: Own.\n",
  );
  const notes = page.footnotes.map((note) => `${note.identifier}: ${show(note.children)}`);
  assert.deepEqual(notes, ["s: paragraph(From a snippet.)", "1: paragraph(Own.)"]);
  assert.equal(
    show(page.tree),
    "paragraph(afootnoteReference())paragraph(seenfootnoteReference())",
  );
});

test("dependencies include every file that was looked for", async () => {
  const page = await parse(
    "import List from './snippets/list'\nimport No from '/no.mdx'\nimport Up from '../../etc/passwd'\n\n<List />\n",
    { file: "guide.mdx" },
  );
  assert.deepEqual(page.dependencies, {
    "snippets/list": "",
    "snippets/list.mdx": sha256(files["snippets/list.mdx"] ?? ""),
    "snippets/line.mdx": sha256(files["snippets/line.mdx"] ?? ""),
    "no.mdx": "",
  });
});

suite("the Markdown twin", () => {
  const rows: readonly (readonly [string, string, string])[] = [
    [
      "frontmatter, ESM and comments are removed",
      "---\na: 1\n---\n\nimport Line from '/snippets/line.mdx'\n\n# A {#id}\n\n{/* c */}\n\nb {/* d */}c\n\n<!-- e\nf -->\n\ng\n",
      "# A\n\nb c\n\ng\n",
    ],
    [
      "snippets are inlined with the indentation of their element",
      "import List from './snippets/list'\n\n1. x\n\n   <List />\n\n2. y\n",
      "1. x\n\n   - a One `line` of x\n   - b\n\n2. y\n",
    ],
    [
      "props and variables are replaced",
      "import Greeting from '/snippets/greeting.mdx'\n\n<Greeting name=\"Bob\" />\n\n{{product}}\n",
      "Hello **Bob** and Bob.\n\n```sh\nrun Bob {other}\n```\n\nAcme\n",
    ],
    [
      "children of a snippet are kept",
      "import Box from '/snippets/box.mdx'\n\n<Box>\n  **in** {/* c */}\n</Box>\n",
      "<Card>\n\n**in**\n\n</Card>\n",
    ],
    [
      "code and elements are unchanged",
      "```mdx\nimport X from 'y'\n\n\n{/* keep */}\n```\n\n<Card title=\"x\">text</Card>\n",
      "```mdx\nimport X from 'y'\n\n\n{/* keep */}\n```\n\n<Card title=\"x\">text</Card>\n",
    ],
    ["invalid MDX is kept as written", "a { b\n", "a { b\n"],
    [
      "content for people is omitted, content for agents is unwrapped",
      'one\n\n<Visibility for="humans">\n  seen {/* c */}\n</Visibility>\n\n<Visibility for={"agents"}>\n  > read\n  >\n  > this\n\n  - a\n    - b\n</Visibility>\n\ntwo <Visibility for="Humans">x</Visibility>\n',
      "one\n\n> read\n>\n> this\n\n- a\n  - b\n\ntwo\n",
    ],
  ];
  for (const [name, source, markdown] of rows) {
    test(name, async () => {
      assert.equal((await parse(source)).markdown, markdown);
    });
  }
});
