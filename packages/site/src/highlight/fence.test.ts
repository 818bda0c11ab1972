import assert from "node:assert/strict";
import { test } from "node:test";
import type { MarkdownNode } from "../page/index.ts";
import { parseFence, type Fence } from "./code-block.ts";

const plain: Fence = {
  language: "",
  title: "",
  highlighted: [],
  focused: [],
  isWrapped: false,
  isExpandable: false,
  hasLineNumbers: false,
  isCopyable: true,
};

const table: readonly [lang: string | null, meta: string | null, expected: Partial<Fence>][] = [
  [null, null, {}],
  ["js", null, { language: "js" }],
  ["Python", "main.py", { language: "Python", title: "main.py" }],
  ["bash", "Install the tools", { title: "Install the tools" }],
  ["js", 'title="utils/hello.js"', { title: "utils/hello.js" }],
  ["js", "title='two words'", { title: "two words" }],
  ["js", 'title={"in braces"}', { title: "in braces" }],
  ["js", 'filename="a.js"', { title: "a.js" }],
  ["js", 'filename="a.js" Shown title', { title: "Shown title" }],
  ["js", '"Quoted title"', { title: "Quoted title" }],
  [
    "js",
    "{1,3-5}",
    {
      highlighted: [
        [1, 1],
        [3, 5],
      ],
    },
  ],
  ["js", "Some title {2}", { title: "Some title", highlighted: [[2, 2]] }],
  [
    "js",
    "highlight={1-2,5}",
    {
      highlighted: [
        [1, 2],
        [5, 5],
      ],
    },
  ],
  [
    "js",
    'highlight="1,2"',
    {
      highlighted: [
        [1, 1],
        [2, 2],
      ],
    },
  ],
  ["js", "highlight=7", { highlighted: [[7, 7]] }],
  [
    "js",
    "highlight={[1, 4]}",
    {
      highlighted: [
        [1, 1],
        [4, 4],
      ],
    },
  ],
  ["js", "{highlight={5}}", { highlighted: [[5, 5]] }],
  [
    "js{focus={2}}",
    'Title {wrap="true"}',
    { language: "js", title: "Title", focused: [[2, 2]], isWrapped: true },
  ],
  ["js", "highlight={x} {nonsense}", { title: "{nonsense}" }],
  ["js", "focus={2-3}", { focused: [[2, 3]] }],
  ["python{15}", null, { language: "python", highlighted: [[15, 15]] }],
  [
    "java",
    "HelloWorld.java example icon=java lines",
    { title: "HelloWorld.java example", icon: "java", hasLineNumbers: true },
  ],
  ["java", 'icon="square-js" iconType="brands"', { icon: "square-js", iconType: "brands" }],
  ["js", "wrap", { isWrapped: true }],
  ["js", "wrap={false} expandable={true}", { isExpandable: true }],
  ["js", "expandable Long one", { isExpandable: true, title: "Long one" }],
  ["text", "Plan nocopy", { title: "Plan", isCopyable: false }],
  ["text", 'nocopy="false"', {}],
  ["nocopy", null, { language: "", isCopyable: false }],
  ["ts", "twoslash Types on hover", { title: "Types on hover" }],
  ["python", 'Client test="skip"', { title: "Client" }],
  ["js", "theme={null} placement=top x=", {}],
  ["http", "GET /users/{id}", { title: "GET /users/{id}" }],
  ["js", '"unclosed {1', { title: '"unclosed {1' }],
];

function codeNode(lang: string | null, meta: string | null): MarkdownNode<"code"> {
  const position = { file: "a.mdx", line: 1, column: 1 };
  return {
    type: "code",
    lang: lang ?? undefined,
    meta: meta ?? undefined,
    value: "",
    position,
  };
}

test("an info string is parsed", () => {
  for (const [lang, meta, expected] of table) {
    const node = codeNode(lang, meta);
    const language = lang?.replace(/\{.*/, "") ?? "";
    assert.deepEqual(parseFence(node), { ...plain, language, ...expected }, `${lang} ${meta}`);
  }
});

test("a hostile info string is parsed fast", () => {
  const meta = '{ " = '.repeat(200_000);
  const node = codeNode("{".repeat(1_000_000), meta);
  assert.equal(parseFence(node).highlighted.length, 0);
});
