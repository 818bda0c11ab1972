import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { suite, test } from "node:test";
import * as fc from "fast-check";
import { planPropertyRuns } from "../../../../test/support/property-runs.ts";
import remarkGfm from "remark-gfm";
import remarkMdx from "remark-mdx";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { realSites } from "../../../../test/support/real-sites.ts";
import { sha256 } from "../core/index.ts";
import { restoreMarks } from "./marks.ts";
import { parseSource, prepareSource } from "./parse-source.ts";
import { ProblemList } from "./problem-list.ts";
import { walkNodes, getSpan, type RawNode } from "./raw-node.ts";
import { findBodyStart } from "../text/index.ts";

/**
 * Compares our parser's tree with that of remark-mdx, which defines the language. Strict MDX must become the same nodes
 * at the same positions, without a problem. All intended differences are in `differences`. Formulas are disabled here
 * and tested in `formulas.test.ts`.
 *
 * Only one in `sampled` pages of real sites is compared. `npm run test:parser` compares all of them.
 */
const sampled = process.env["OCTAVO_TEST_ALL"] === "1" ? 1 : 8;

const remark = unified().use(remarkParse).use(remarkGfm).use(remarkMdx);

/** Parses `text` with remark-mdx; undefined if it is not strict MDX. */
function parseStrictly(text: string): RawNode | undefined {
  const end = findBodyStart(text);
  const withoutFrontmatter = text.slice(0, end).replaceAll(/[^\n]/g, "") + text.slice(end);
  try {
    return remark.parse(withoutFrontmatter);
  } catch {
    return undefined;
  }
}

interface Parsed {
  readonly nodes: readonly RawNode[];
  readonly problems: readonly string[];
}

const settings = { file: "page.mdx", format: "mdx", variables: {}, hasFormulas: false } as const;

function parseOurs(source: string): Parsed {
  const problems = new ProblemList();
  const page = parseSource({ path: settings.file, source, ...settings }, problems);
  return { nodes: page?.nodes ?? [], problems: problems.toArray().map(({ code }) => code) };
}

/** Each intended difference of the trees, with a page that shows it. */
const differences: readonly {
  readonly what: string;
  readonly why: string;
  readonly source: string;
}[] = [
  {
    what: "frontmatter is a node",
    why: "remark reads it only with a plugin of its own; `parseStrictly` makes it blank.",
    source: "---\ntitle: A\n---\n\ntext\n",
  },
  {
    what: "a block of imports and exports ends after its line",
    why: "satteri includes the end of the line; there is only white space between. `outline` omits the end.",
    source: "export const a = 1;\n\ntext\n",
  },
  {
    what: "a quote within a quote ends with its content",
    why: "micromark extends it to the marker of the next line. `outline` omits the end.",
    source: "> > a\n> - b\n",
  },
  {
    what: "an address within brackets has a place, and the text after it may be two nodes",
    why: "remark finds such a link only in the finished tree; `isSameLine` and `joinTexts` handle it.",
    source: 'a(["https://example.com/b"]) c\n',
  },
  {
    what: "a paragraph of nothing but elements and expressions is removed",
    why: "MDX unwraps it when it compiles, satteri when it parses. `unravel` does it for remark.",
    source: "<Card>text</Card> {1}\n",
  },
];

/** Unwraps the paragraphs of `nodes` that contain only elements and expressions. */
function unravel(nodes: readonly RawNode[]): readonly RawNode[] {
  return nodes.flatMap((node) => {
    const children = node.children && unravel(node.children);
    if (node.type === "paragraph" && node.children && isOnlyMdx(node.children)) {
      return (children ?? []).filter(({ type }) => type !== "text").map(toFlow);
    }
    return [children ? { ...node, children } : node];
  });
}

function isOnlyMdx(nodes: readonly RawNode[]): boolean {
  const rest = nodes.filter(({ type, value = "" }) => type !== "text" || /\S/.test(value));
  return rest.length > 0 && rest.every(({ type }) => flowTypes.has(type));
}

const flowTypes = new Map([
  ["mdxJsxTextElement", "mdxJsxFlowElement"],
  ["mdxTextExpression", "mdxFlowExpression"],
]);

function toFlow(node: RawNode): RawNode {
  return { ...node, type: flowTypes.get(node.type) ?? node.type };
}

/** Joins adjacent text nodes. */
function joinTexts(nodes: readonly RawNode[]): readonly RawNode[] {
  const joined: RawNode[] = [];
  for (const node of nodes) {
    const before = joined.at(-1);
    if (node.type === "text" && before?.type === "text" && before.position && node.position) {
      const position = { start: before.position.start, end: node.position.end };
      joined[joined.length - 1] = { ...before, value: `${before.value}${node.value}`, position };
    } else joined.push(node.children ? { ...node, children: joinTexts(node.children) } : node);
  }
  return joined;
}

interface Line {
  /** The depth, the type and all fields of the node. */
  readonly text: string;
  /** The position; undefined for nodes that remark adds to the finished tree. */
  readonly place: string | undefined;
}

function outline(nodes: readonly RawNode[], depth = 0): readonly Line[] {
  return nodes.flatMap((node) => {
    if (node.type === "yaml") return [];
    const { type, children = [], position, data: _, ...said }: RawNode & { data?: unknown } = node;
    const text = `${"  ".repeat(depth)}${type} ${JSON.stringify(sorted(said))}`;
    const place = position && placeText(type, position);
    return [{ text, place }, ...outline(children, depth + 1)];
  });
}

function placeText(type: string, { start, end }: NonNullable<RawNode["position"]>): string {
  const from = `${start.line}:${start.column}`;
  const isOpenEnded = type === "mdxjsEsm" || type === "blockquote";
  return isOpenEnded ? from : `${from}-${end.line}:${end.column}`;
}

/** Lists the type, the start and the end of every node. */
function places(nodes: readonly RawNode[]): readonly unknown[] {
  return Array.from(walkNodes(nodes), (node) => [node.type, getSpan(node)]);
}

/** Returns a value with sorted keys, without empty keys and without the syntax trees that remark attaches. */
function sorted(value: unknown): unknown {
  if (typeof value === "string") return restoreMarks(value);
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, item]) => !["data", "position"].includes(key) && item !== null && item !== undefined,
  );
  return Object.fromEntries(
    kept
      .map(([key, item]) => [key, sorted(item)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Asserts that two trees are equal. Shows only the first lines that differ, because a whole tree is too long. */
function assertSame(ours: readonly RawNode[], theirs: readonly RawNode[], file: string): void {
  const actual = outline(joinTexts(ours));
  const expected = outline(unravel(theirs));
  const length = Math.max(actual.length, expected.length);
  for (let at = 0; at < length; at++) {
    if (isSameLine(actual[at], expected[at])) continue;
    assert.deepEqual(actual.slice(at, at + 3), expected.slice(at, at + 3), file);
  }
}

function isSameLine(ours: Line | undefined, theirs: Line | undefined): boolean {
  if (ours?.text !== theirs?.text) return false;
  return theirs?.place === undefined || theirs.place === ours?.place;
}

/** The result for a page. `repaired` means that strict MDX cannot read the page, and we reported a problem. */
type Verdict = "same" | "same once prepared" | "repaired";

function comparePage(source: string, file: string): Verdict {
  const text = source.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n");
  const { nodes, problems } = parseOurs(source);
  const strict = parseStrictly(text);
  if (strict) {
    assertSame(nodes, strict.children ?? [], file);
    assert.deepEqual(problems, [], file);
    return "same";
  }
  const prepared = prepareSource(text, settings, new ProblemList());
  const strictPrepared = parseStrictly(prepared.text);
  if (strictPrepared) {
    assertSame(nodes, strictPrepared.children ?? [], file);
    return "same once prepared";
  }
  assert.notDeepEqual(problems, [], `${file}: strict MDX rejects it, and no problem was reported`);
  return "repaired";
}

/** The constructs of MDX, in combinations that are rare in one page. */
const constructs: readonly string[] = [
  "# A *b* `c`\n\nSetext\n===\n\n###### Six ######\n",
  "a **b _c_** ~~d~~ `e` \\* &amp; &copy; &#35;\n\nhard  \nbreak\\\nend\n",
  "- a\n- b\n\n  c\n\n  - d\n    1. e\n    2. f\n\n3) g\n\n- [x] done\n- [ ] open\n",
  "> a\nb\n>\n> > c\n> - d\n",
  '| a | b |\n| :- | -: |\n| `x \\| y` | <Badge>c</Badge> |\n| {1} | [l](/m "t") |\n',
  "[a](/b \"t\") ![c](/d) [e][f] [g] ![h][f] https://x.y/z www.a.b me@a.b\n\n[f]: /f 'T'\n[g]: <g h>\n",
  "text[^1] and[^long name]\n\n[^1]: one\n\n    two\n\n[^long name]: <Card>three</Card>\n",
  '```js {1,3} title="a"\nif (a < b) { return }\n```\n\n~~~\n```\n~~~\n\n````md\n```\n````\n',
  "    not code\n\n***\n\n* * *\n",
  "import A from './a.mdx'\nimport { B } from \"b\"\n\nexport const c = {\n  d: `}`,\n};\n\nexport function E() {\n\n  return <b>{'}'}</b>;\n}\n\ntext\n",
  '<Card title="a" b=\'c\' d={1} e={{ f: [1, \'}\'] }} g {...h} i:j="k" l={<M n="o" />} />\n',
  "<Card>\n  text\n\n  - a\n  - b\n\n  ```js\n  code {\n  ```\n</Card>\n",
  '<Steps>\n  <Step title="a">\n    One *two*\n  </Step>\n\n  <Step>three</Step>\n</Steps>\n',
  '<Tree.Folder name="a"><a.b.c /></Tree.Folder> and <></> text <Icon icon="x"/>.\n',
  '<div class="x" style={{ color: \'red\' }}>a <b>c</b></div>\n<br />\n<img src="a" alt=\'b "c"\' />\n',
  "{/* note */}\n\na {/* in */} b {'c'} {1 + 1} {a ? <B /> : `d${e}`}\n\n{\n  [1, 2].map((n) => <i key={n}>{n}</i>)\n}\n",
  "- <Card>\n    a\n  </Card>\n- {b}\n\n> <Note>c</Note>\n> {d}\n",
  'a\n<Card>b</Card>\nc\n\n<Card>\nd\n</Card>\n\ne <Card\n  f="g"\n  h>i</Card>\n',
  '<Card\n  title="two\n  lines"\n  b={`c\n  d`}\n/>\n',
  "日本語 **太字** 🎉 <Badge>新</Badge> {'値'}\n\n## 見出し 😀 [リンク](/路)\n",
  "a\u00a0b\u2028c\td\n\n\tindented\n\n-\ttab\n\n\t<A />\n",
];

const voidNames = ["br", "img", "hr", "wbr", "input", "source"];
const voidElement = fc
  .record({
    name: fc.constantFrom(...voidNames),
    attributes: fc.constantFrom("", ' src="a.png"', " alt={'b'}", "\n  src='c'"),
    inside: fc.constantFrom(
      "",
      " ",
      "\n",
      "\n\n",
      "\t\n  ",
      "{/* c */}",
      " {/* d */}\n",
      "text",
      "*e* ",
    ),
    end: fc.constantFrom("</", " />", "/>", ">"),
  })
  .map(({ name, attributes, inside, end }) =>
    end === "</" ? `<${name}${attributes}>${inside}</${name}>` : `<${name}${attributes}${end}`,
  );
const inlinePiece = fc.oneof(
  { weight: 4, arbitrary: voidElement },
  fc.constantFrom("text", "**b**", "`<br>`", "`a</br>`", "{1}", "{/* c */}", "<b>x</b>", "<b>", "</b>", "[l](/m)", "\\<br>", "&lt;hr>"), // prettier-ignore
);
const blockPiece = fc.oneof(
  fc.array(inlinePiece, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(" ")),
  fc.constantFrom("# A <br></br>", "- a\n- <img> </img>", "> <hr>\n> </hr>", "```js\n<br>\n```", "| a |\n| - |\n| <br></br> |"), // prettier-ignore
);
const generatedPage = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: blockPiece },
      fc
        .array(blockPiece, { minLength: 1, maxLength: 3 })
        .map((blocks) => `<Tabs>\n  <Tab title="a">\n${indent(blocks)}\n  </Tab>\n</Tabs>`),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((blocks) => `${blocks.join("\n\n")}\n`);

function indent(blocks: readonly string[]): string {
  return blocks.join("\n\n").replaceAll(/^(?=.)/gm, "    ");
}

suite("the tree equals that of remark-mdx", () => {
  for (const { what, source } of differences) {
    test(`except that ${what}`, () => {
      const theirs = (remark.parse(source) as unknown as RawNode).children ?? [];
      const { nodes } = parseOurs(source);
      const isSame = JSON.stringify(places(nodes)) === JSON.stringify(places(theirs));
      assert.ok(!isSame, "the trees no longer differ: remove this difference");
      assert.equal(comparePage(source, what), "same");
    });
  }

  for (const source of constructs) {
    test(`for ${JSON.stringify(source.slice(0, 50))}`, () => {
      assert.equal(comparePage(source, source), "same");
    });
  }

  test("for generated pages that strict MDX reads", (t) => {
    let same = 0;
    fc.assert(
      fc.property(generatedPage, (source) => {
        if (parseStrictly(source) === undefined) return;
        assert.equal(comparePage(source, source), "same");
        same++;
      }),
      planPropertyRuns(1_000),
    );
    t.diagnostic(`${same} of 1000 pages`);
    assert.ok(same > 200);
  });

  test("for text that is prepared for MDX first", () => {
    for (const source of ["## A {#b c}\n", "a <!-- b --> c\n", "<!--\n{\n-->\n\n*a*\n"]) {
      assert.equal(comparePage(source, source), "same once prepared");
    }
  });

  test("for the pages of golden sites, as far as strict MDX reads them", () => {
    const counts = comparePages(resolve(import.meta.dirname, "../../../../test/sites"), 1);
    assert.ok(counts.same > 0);
  });

  for (const { name, dir } of realSites()) {
    test(`for the pages of ${name}`, (t) => {
      const counts = comparePages(dir, name === "manual" ? 1 : sampled);
      t.diagnostic(JSON.stringify(counts));
      assert.ok(counts.same > 0);
    });
  }
});

function comparePages(dir: string, oneIn: number): Record<Verdict, number> {
  const counts = { same: 0, "same once prepared": 0, repaired: 0 };
  const paths = readdirSync(dir, { recursive: true, encoding: "utf8" });
  for (const path of paths.filter((name) => name.endsWith(".mdx")).toSorted()) {
    if (Number.parseInt(sha256(path).slice(0, 8), 16) % oneIn !== 0) continue;
    counts[comparePage(readFileSync(join(dir, path), "utf8"), path)]++;
  }
  return counts;
}
