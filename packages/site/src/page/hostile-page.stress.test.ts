import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { limits } from "../core/index.ts";
import { getChildren, type TreeNode } from "./tree.ts";
import { parsePage, type ParsedPage } from "./parse-page.ts";

/**
 * Each of these inputs crashes the process or takes minutes or gigabytes if it reaches the native parser, or once did
 * so in this package. The tests check mainly that the call returns.
 */
const files = new Map<string, string>([["twice30.mdx", "x *y*\n"]]);
for (let level = 0; level < 30; level++) {
  files.set(`twice${level}.mdx`, `import N from '/twice${level + 1}.mdx'\n\n<N />\n\n<N />\n`);
}

function parse(source: string, format: "mdx" | "md" = "mdx"): Promise<ParsedPage> {
  return parsePage({
    file: "page",
    format,
    source,
    variables: {},
    readFile: async (path) => files.get(path),
    isKnownComponent: () => false,
  });
}

function depthOf(nodes: readonly TreeNode[]): number {
  let depth = 0;
  for (let level = nodes; level.length > 0; depth++) {
    level = level.flatMap((node) => getChildren(node));
  }
  return depth;
}

function nest(open: string, close: string, depth: number, middle = "1"): string {
  return open.repeat(depth) + middle + close.repeat(depth);
}

/** Repeats `text` up to a length of `characters`. */
function fill(text: string, characters: number): string {
  return text.repeat(Math.ceil(characters / text.length)).slice(0, characters);
}

suite("deep nesting is refused with its place", () => {
  const places: Readonly<Record<string, (script: string) => string>> = {
    text: (script) => `# Title\n\nbody {${script}}\n`,
    attribute: (script) => `# Title\n\n<A b={${script}} />\n`,
    export: (script) => `# Title\n\nexport const a = ${script}\n`,
    "export after an empty line": (script) => `# Title\n\nexport const a = 1 +\n\n${script}\n`,
    "after an invalid fence": (script) => `# Title\n\n\`\`\`x\`y\n\n{${script}}\n`,
    "after an unclosed quote": (script) => `# Title\n\n# <a b='\n\n{${script}}\n\n'/>\n`,
  };
  const scripts: Readonly<Record<string, (depth: number) => string>> = {
    brackets: (depth) => nest("[", "]", depth),
    parentheses: (depth) => nest("(", ")", depth),
    records: (depth) => nest("{a:", "}", depth),
    templates: (depth) => nest("`${", "}`", depth),
    elements: (depth) => nest("<a>", "</a>", depth, "x"),
    "brackets with closers in strings": (depth) => '["]",'.repeat(depth),
    "brackets with closers in comments": (depth) => "[/*]*/".repeat(depth),
  };
  for (const [place, wrap] of Object.entries(places)) {
    for (const [script, make] of Object.entries(scripts)) {
      test(`${script} in ${place}`, async () => {
        for (const depth of [10_000, 100_000]) {
          const page = await parse(wrap(make(depth)));
          assert.ok(depthOf(page.tree) <= limits.nesting);
          const error = page.problems.find(({ severity }) => severity === "error");
          assert.ok((error?.line ?? 0) >= 3 && error?.column !== undefined, JSON.stringify(error));
        }
      });
    }
  }

  const pages: Readonly<Record<string, string>> = {
    "tags on lines": nest("<a>\n", "</a>\n", 50_000, ""),
    "tags in a line": `x ${nest("<a>", "</a>", 50_000)}`,
    "unclosed tags": "<a>\n\n".repeat(50_000),
    quotes: `${">".repeat(50_000)} a`,
    lists: `${"- ".repeat(50_000)}a`,
    both: `${"> 1. ".repeat(50_000)}a`,
    "lists by indentation": Array.from({ length: 1_500 }, (_, i) => `${"  ".repeat(i)}- a`).join(
      "\n",
    ),
    emphasis: nest("*a _a ", "_*", 300, "b"),
  };
  for (const [name, source] of Object.entries(pages)) {
    test(name, async () => {
      const page = await parse(source);
      assert.deepEqual(page.tree, []);
      assert.equal(page.markdown, "");
      const [problem, ...rest] = page.problems;
      assert.match(problem?.code ?? "", /^page_too_(?:deep|slow)$/);
      assert.ok(problem?.severity === "error" && problem.line !== undefined);
      assert.deepEqual(rest, []);
    });
  }
});

test("nested operators are refused like brackets", async () => {
  for (const sign of ["!", "a=>", "a?b:", "a**", "typeof ", "a="]) {
    const page = await parse(`{${sign.repeat(200_000)}1}\n`);
    assert.ok(
      page.problems.some(({ severity }) => severity === "error"),
      sign,
    );
  }
});

test("nesting up to the limit is rendered", async () => {
  const tags = await parse(nest("<a>\n", "</a>\n", limits.nesting - 10, "x\n"));
  assert.deepEqual(tags.problems, []);
  assert.equal(depthOf(tags.tree), limits.nesting - 10 + 2);
  const brackets = await parse(`export const a = ${nest("[", "]", limits.nesting - 10)}\n\n{a}\n`);
  assert.deepEqual(brackets.problems, []);
  assert.equal(brackets.tree.length, 1);
});

test("brackets in code and strings do not count as nesting", async () => {
  const deep = nest("[", "]", 8_000);
  const page = await parse(
    `---\ntitle: "[{("\n---\n\n\`\`\`json\n${deep}\n\`\`\`\n\n\`${nest("{", "}", 8_000)}\`\n\n<A b="${deep}" c={"${deep}"} />\n`,
  );
  assert.deepEqual(page.problems, []);
  assert.equal(page.tree[0]?.type === "code" && (page.tree[0] as { value?: string }).value, deep);
  const element = page.tree[2];
  assert.ok(element?.type === "element");
  assert.deepEqual(element.props, { b: deep, c: deep });
  assert.ok(page.markdown.startsWith("```json\n[[["));
});

suite("megabytes of any text are parsed or refused", () => {
  // `npm run test:parser` fills a page of the maximum size, which takes four times as long.
  const size = process.env["OCTAVO_TEST_ALL"] === "1" ? limits.pageBytes : limits.pageBytes / 4;
  const texts = [
    ...Array.from("{}[]()<>*_`~|!#-+=>$\\&\"':\n \t\0aé😀日"),
    ..."<a |{ |{a} |{\n\n|[a](b) |![|**a*|*a **b |`a``b|<b>x</b> |<b>x</b>\n\n|a <br> b\n\n|a </b> c\n\n".split(
      "|",
    ),
    ..."{a b}\n\n;export const a = [\n\n;import a from 'b'\n\n;# {#a;<!-- ;<!---->;- a\n;|a|b|\n;日*本*;x {a}\n;<script>".split(
      ";",
    ),
    ..."[^a]: b\n\n;```\n;~~~\n```\n;> ```\n;- - - ;<a b=';<a b='x\" ;http://a ;&a;a@".split(";"),
  ].filter((text) => text !== "");
  for (const text of texts) {
    test(JSON.stringify(text), async () => {
      for (const format of ["mdx", "md"] as const) {
        const page = await parse(fill(text, size), format);
        const isShown = page.tree.length + page.footnotes.length > 0;
        const isEmpty = page.markdown.trim() === "";
        assert.ok(isShown || page.problems.length > 0 || isEmpty, format);
      }
    });
  }
});

test("a page above the limit is refused", async () => {
  const page = await parse("a".repeat(limits.pageBytes + 1));
  assert.deepEqual(page.tree, []);
  assert.deepEqual(
    page.problems.map(({ code, line, column }) => [code, line, column]),
    [["page_too_large", 1, 1]],
  );
});

/** Returns a page in which each value contains the previous value twice. */
function chain(first: string, next: (before: string) => string, use: string): string {
  const lines = Array.from({ length: 40 }, (_, i) => `export const a${i + 1} = ${next(`a${i}`)}`);
  return `export const a0 = ${first}\n${lines.join("\n")}\n\n${use}\n`;
}

suite("exponential growth is stopped", () => {
  const pages: Readonly<Record<string, string>> = {
    snippets: "import N from '/twice0.mdx'\n\n<N />\n",
    "lists shown": chain("[1, 1]", (a) => `[${a}, ${a}]`, "x {a40}"),
    "lists in an attribute": chain("[1, 1]", (a) => `[${a}, ${a}]`, "<A b={a40} />"),
    records: chain("{ x: 1 }", (a) => `{ x: ${a}, y: ${a} }`, "<A {...a40} />"),
    elements: chain("<b />", (a) => `<i>{${a}}{${a}}</i>`, "{a40}"),
    "lists joined": chain("[1, 1]", (a) => `${a}.concat(${a})`, "x {a40.length}"),
    "texts repeated": chain("'xy'", (a) => `${a}.repeat(${a}.length)`, "{a40}"),
    "texts padded": chain("'xy'", (a) => `${a}.padStart(${a}.length * 2)`, "{a40}"),
    "texts inserted into texts": chain("'xx'", (a) => `${a}.replaceAll('x', ${a})`, "{a40}"),
    texts: chain("'xy'", (a) => `${a} + ${a}`, "{a40}"),
    templates: chain("'xy'", (a) => `\`\${${a}}\${${a}}\``, "{a40}"),
    components: chain("() => <b />", (a) => `() => <i>{${a}()}{${a}()}</i>`, "{a40()}"),
  };
  for (const [name, source] of Object.entries(pages)) {
    test(name, async () => {
      const page = await parse(source);
      assert.deepEqual(page.tree, []);
      assert.deepEqual(
        page.problems.map(({ code, severity }) => [code, severity]),
        [["page_too_large", "error"]],
      );
    });
  }

  test("values that nest through their names", async () => {
    const lines = Array.from({ length: 5_000 }, (_, i) => `export const a${i + 1} = [a${i}]\n`);
    const page = await parse(`export const a0 = [1]\n\n${lines.join("\n")}\n<A b={a5000} />\n`);
    assert.deepEqual(
      page.problems.map(({ code }) => code),
      ["attribute_not_static"],
    );
  });

  test("a component that uses itself", async () => {
    // Again and again, because a full stack of the engine would end each run at another line.
    for (let run = 0; run < 500; run++) {
      const page = await parse("export const F = () => <F />\n\n<F>kept</F>\n\nafter\n");
      assert.deepEqual(
        page.problems.map(({ code, line }) => `${code} ${line}`),
        ["component_not_static 3"],
      );
    }
  });
});

suite("components with state run nothing here, and cost their own page at most", () => {
  const mark = "octavoRan";
  const attempts: readonly string[] = [
    `process.exit(1)`,
    `globalThis.${mark} = 1`,
    `require("node:fs").writeFileSync("/tmp/${mark}", "")`,
    `import("node:fs")`,
    `Function("globalThis.${mark} = 1")()`,
    `new Function("globalThis.${mark} = 1")()`,
    `eval("globalThis.${mark} = 1")`,
    `(() => 0).constructor("globalThis.${mark} = 1")()`,
    `[].constructor.constructor("globalThis.${mark} = 1")()`,
    `[]["con" + "structor"]["con" + "structor"]("globalThis.${mark} = 1")()`,
    `useState.constructor("globalThis.${mark} = 1")()`,
    `({}).__proto__.${mark} = 1`,
    `({})["__pro" + "to__"].${mark} = 1`,
    `Object.assign(Object.getPrototypeOf({}), { ${mark}: 1 })`,
    `Object.fromEntries([["__proto__", { ${mark}: 1 }]])`,
    `JSON.stringify({ toJSON: () => (globalThis.${mark} = 1) })`,
    `"a".replace(/a/, (found) => found.constructor.constructor("globalThis.${mark} = 1")())`,
    `createContext(0).Provider.constructor("globalThis.${mark} = 1")()`,
    `while (true) {}`,
    `for (;;) { [1].map(() => 1); }`,
    `const f = () => f(); f()`,
    `let a = [1]; while (true) a = a.concat(a)`,
    `let a = "a"; while (true) a += a`,
    `const a = []; while (true) a.push(a)`,
    `"${"a".repeat(200)}!".replace(/(a+)+$/, "")`,
    `"${"a".repeat(200)}!".replace(/a*a*a*a*a*b/, "")`,
    `Array.from({ length: 1e15 })`,
    `const a = {}; a.a = a; JSON.stringify(a)`,
  ];
  for (const attempt of attempts) {
    test(attempt.slice(0, 60), async () => {
      const statement = /^(?:const|let|while|for)/.test(attempt) ? attempt : `const x = ${attempt}`;
      const page = await parse(
        `export const A = () => {\n  const [n] = useState(3);\n  ${statement};\n  return <b>first {n}</b>;\n};\n\n<A />\n\nafter\n`,
      );
      assert.equal((globalThis as Record<string, unknown>)[mark], undefined);
      assert.equal(({} as Record<string, unknown>)[mark], undefined);
      const known = JSON.stringify(page.tree);
      const isTooLarge = page.problems.some(({ code }) => code === "page_too_large");
      assert.ok(isTooLarge || /first.*3.*after/s.test(known), known);
      assert.equal(page.scripts.length, isTooLarge ? 0 : 1);
    });
  }

  test("a script that the compiler cannot read is reported, and its first render stays", async () => {
    const page = await parse(
      "export const A = () => {\n  const [n] = useState(1);\n  return <b>{n}</b>;\n};\n\nexport const B = 1;\n\nexport const B = 2;\n\n<A />\n",
    );
    assert.ok(page.problems.some(({ code }) => code === "component_not_compiled"));
    assert.deepEqual(page.scripts, []);
  });
});
