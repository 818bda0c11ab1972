import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createContext, runInContext } from "node:vm";
import * as fc from "fast-check";
import { isOctavoError } from "../../core/index.ts";
import { ExpansionBudget } from "../budget.ts";
import type { SourceFile } from "../source-file.ts";
import { findEvaluationErrorReason, type EvaluationContext } from "./evaluation-context.ts";
import { evaluate } from "./interpret.ts";
import { parseExpression } from "./script.ts";
import {
  DateValue,
  isCallable,
  isList,
  isRecord,
  LexicalScope,
  MapValue,
  SetValue,
  type Value,
} from "./value.ts";

const file: SourceFile = {
  path: "index.mdx",
  text: "",
  nodes: [],
  modules: [],
  imports: [],
  script: "",
  headingIds: new Map(),
  blanks: [],
};

function createTestContext(): EvaluationContext {
  return {
    scope: new LexicalScope(),
    file,
    place: { file: file.path, line: 1, column: 1 },
    isFlow: false,
    budget: new ExpansionBudget(),
    renderElement: () => [],
  };
}

/** Describes a value and its type in the same way as `describeSource`, which runs in its own context. */
function describe(value: Value): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (isCallable(value)) return "function";
  if (isList(value)) return `[${Array.from(value, describe).join()}]`;
  if (value instanceof DateValue) return `Date ${value.time}`;
  if (value instanceof SetValue) return `Set ${describe([...value.items])}`;
  if (value instanceof MapValue) return `Map ${describe([...value.entries])}`;
  if (!isRecord(value)) return typeof value === "object" && value ? "special" : String(value);
  const entries = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}:${describe(item)}`,
  );
  return `{${entries.join()}}`;
}

const describeSource = `function describe(value) {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value === "function") return "function";
  if (Array.isArray(value)) return "[" + Array.from(value, describe).join() + "]";
  if (value instanceof Date) return "Date " + value.getTime();
  if (value instanceof Set) return "Set " + describe([...value]);
  if (value instanceof Map) return "Map " + describe([...value]);
  if (typeof value !== "object" || !value) return String(value);
  if (Object.getPrototypeOf(value) !== Object.prototype) return "special";
  return "{" + Object.entries(value).map(([key, item]) => JSON.stringify(key) + ":" + describe(item)).join() + "}";
}`;

const engine = createContext({ btoa, atob });
runInContext(describeSource, engine);

/**
 * Returns the description of the engine's result, or `throws`. Only for sources that the interpreter has evaluated, so
 * that their work is bounded: a limit of time would start a thread for each of thousands, and throw on a busy machine.
 */
function runInEngine(source: string): string {
  try {
    return String(runInContext(`describe((${source}))`, engine));
  } catch {
    return "throws";
  }
}

/** Returns the description of the interpreter's result; undefined if the interpreter rejects the source. */
function interpret(source: string): string | undefined {
  const expression = parseExpression(source);
  assert.ok(expression, `${source} is an expression`);
  try {
    return describe(evaluate(expression, createTestContext()));
  } catch (error) {
    const isRefused = isOctavoError(error, "too_large") || findEvaluationErrorReason(error);
    assert.ok(isRefused, `${source}: ${String(error)}`);
    return undefined;
  }
}

const texts = [
  "",
  "a",
  "b-c",
  "1",
  "2.5",
  " x ",
  "a,b",
  "$&",
  "0x1f",
  "é😀",
  "2026-05-01",
  "%41",
  "YQ==",
];
const numbers = ["0", "1", "-1", "2.5", "7", "-0", "NaN", "1e21", "100"];
const patterns = ["/a/", "/[a-c]/g", "/-/", "/(\\d)/", "/\\s+/g"];
const keys = ["a", "b", "length", "0", "1", "size", "toString", "constructor", "__proto__", "x"];

const methods = (
  "map filter find findLast findIndex some every flatMap flat concat reduce forEach reverse sort join slice includes indexOf lastIndexOf " +
  "at fill keys entries values with toSorted toReversed toUpperCase trim charAt replace replaceAll padStart padEnd repeat startsWith " +
  "endsWith substring split match search charCodeAt codePointAt normalize localeCompare toFixed toString toPrecision toLocaleString " +
  "toExponential has get add set delete getTime toISOString getUTCFullYear getUTCMonth toLocaleDateString test valueOf toJSON format"
).split(" ");

const globals = (
  "String Number Boolean parseInt parseFloat isNaN isFinite encodeURIComponent encodeURI decodeURIComponent decodeURI btoa atob " +
  "Number.isInteger Number.isNaN Number.isFinite Number.isSafeInteger Number.parseInt Number.parseFloat JSON.stringify JSON.parse " +
  "Array.from Array.of Array.isArray Object.keys Object.values Object.entries Object.fromEntries Object.assign Object.hasOwn Object.is " +
  "Object.freeze String.fromCharCode String.fromCodePoint Math.max Math.min Math.round Math.floor Math.ceil Math.abs Math.pow Math.sqrt " +
  "Math.sign Math.trunc Math.hypot Math.sin Math.log2 Math.imul Date.UTC Date.parse Array"
).split(" ");

const operators =
  "+ - * / % ** == != === !== < > <= >= && || ?? & | ^ << >> >>> in instanceof".split(" ");

const { expression } = fc.letrec<{
  expression: string;
  list: string;
  callback: string;
  argument: string;
}>((tie) => ({
  list: fc.array(tie("argument"), { maxLength: 4 }).map((items) => `[${items.join(", ")}]`),
  argument: fc.oneof(
    { weight: 5, arbitrary: tie("expression") },
    { weight: 1, arbitrary: tie("list").map((list) => `...${list}`) },
  ),
  callback: fc.oneof(
    fc.constantFrom(...globals, "parseInt", "Number", "String", "Boolean"),
    fc
      .tuple(
        fc.constantFrom(
          "(x)",
          "(x, y)",
          "(x, y, z)",
          "([x, y = 1, ...z])",
          "({ a: x, ...z })",
          "(...z)",
          "(x = 2)",
        ),
        fc.oneof(
          fc.constantFrom(
            "x",
            "y",
            "z",
            "x + y",
            "x?.a",
            "[x, y]",
            "`${x}!`",
            "z.length",
            "x > y",
            "x === y",
          ),
          tie("expression"),
        ),
      )
      .map(([params, body]) => `(${params} => (${body}))`),
  ),
  expression: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(...numbers),
    fc.constantFrom(...texts).map((text) => JSON.stringify(text)),
    fc
      .constantFrom(
        "true",
        "false",
        "null",
        "undefined",
        "{}",
        "[]",
        "Math.PI",
        "Number.MAX_SAFE_INTEGER",
      )
      .map((text) => (text === "{}" ? "({})" : text)),
    fc.constantFrom(...patterns),
    tie("list"),
    fc
      .array(fc.tuple(fc.constantFrom("a", "b", "x", '"1"', "[`k`]", "..."), tie("expression")), {
        maxLength: 3,
      })
      .map(
        (pairs) =>
          `({ ${pairs.map(([key, value]) => (key === "..." ? `...${value}` : `${key}: ${value}`)).join(", ")} })`,
      ),
    fc
      .tuple(tie("expression"), fc.constantFrom(...operators), tie("expression"))
      .map(([a, operator, b]) => `((${a}) ${operator} (${b}))`),
    fc
      .tuple(fc.constantFrom("!", "-", "+", "typeof ", "void ", "~"), tie("expression"))
      .map(([operator, value]) => `(${operator}(${value}))`),
    fc
      .tuple(tie("expression"), tie("expression"), tie("expression"))
      .map(([a, b, c]) => `((${a}) ? (${b}) : (${c}))`),
    fc
      .tuple(fc.constantFrom("", "String.raw"), tie("expression"))
      .map(([tag, value]) => `${tag}\`v\${${value}}\\\\n\``),
    fc
      .tuple(tie("expression"), fc.constantFrom(".", "?."), fc.constantFrom(...keys))
      .map(([value, dot, key]) =>
        /^\d/.test(key)
          ? `((${value})${dot === "." ? "" : dot}[${key}])`
          : `((${value})${dot}${key})`,
      ),
    fc
      .tuple(
        tie("expression"),
        fc.constantFrom(".", "?."),
        fc.constantFrom(...methods),
        fc.array(fc.oneof(tie("callback"), tie("argument")), { maxLength: 3 }),
      )
      .map(([value, dot, method, args]) => `((${value})${dot}${method}(${args.join(", ")}))`),
    fc
      .tuple(
        fc.constantFrom(...globals),
        fc.array(fc.oneof(tie("argument"), tie("callback")), { maxLength: 3 }),
      )
      .map(([name, args]) => `${name}(${args.join(", ")})`),
    fc
      .tuple(tie("callback"), fc.array(tie("argument"), { maxLength: 3 }))
      .map(([callback, args]) => `(${callback})(${args.join(", ")})`),
    fc
      .tuple(
        fc.constantFrom("Set", "Map", "Date", "Array", "Intl.NumberFormat"),
        fc.array(tie("argument"), { maxLength: 2 }),
      )
      .map(([name, args]) => `new ${name}(${args.join(", ")})`),
    fc.constantFrom(
      "new Date(0)",
      'new Date("2026-05-01T10:00:00Z")',
      "new Set([1, 1, 'a'])",
      "new Map([['a', 1], ['b', [2]]])",
      'new Intl.NumberFormat("de-DE").format(1234.5)',
      '(1234.5).toLocaleString("en-US")',
      'new Date(0).toLocaleDateString("en-GB", { timeZone: "UTC" })',
      "Date.now()",
      "new Date()",
      "Math.random()",
      "(5).toLocaleString()",
      "new Date(2020, 1, 1)",
      "['1', '2', '3'].map(parseInt)",
      "[1, 0, 2].filter(Boolean)",
      "Array(3)",
      "[...Array(2).keys()]",
    ),
  ),
}));

suite("expressions evaluated as an engine does", () => {
  test("a generated expression has the engine's value, or is not evaluated", () => {
    let evaluated = 0;
    const property = fc.property(expression, (source) => {
      const found = interpret(source);
      if (found === undefined) return;
      evaluated += 1;
      assert.equal(found, runInEngine(source), source);
    });
    fc.assert(property, {
      numRuns: Number(process.env["OCTAVO_TEST_ROUNDS"] ?? 5_000),
      seed: Number(process.env["OCTAVO_TEST_SEED"] ?? 7),
    });
    assert.ok(evaluated > 500, `${evaluated} were evaluated`);
  });

  test("functions that are the same for all readers are evaluated", () => {
    for (const source of known) {
      const found = interpret(source);
      assert.ok(found !== undefined, `${source} is evaluated`);
      assert.equal(found, runInEngine(source), source);
    }
  });

  test("what differs between readers or visits, or leads to the engine, is not evaluated", () => {
    for (const source of unknown) assert.equal(interpret(source), undefined, source);
  });
});

const known = [
  "'5.4'.split('.').map(Number)",
  "[1, 2].map(String).join('+')",
  "[1, 0, '', null, 'a'].filter(Boolean)",
  "['1', '2', '10'].map(parseInt)",
  "['1', '2'].map(parseFloat)",
  "[1.5, 2.5].map(Math.round)",
  "Object.keys({ a: 1 }).map(encodeURIComponent)",
  "btoa('a:b') + atob('YTpi')",
  "[encodeURI('/a b'), decodeURIComponent('%20'), decodeURI('%20')]",
  "Object.entries({ a: [1], b: [2] }).map(([key, [value]]) => key + value)",
  "Object.fromEntries(new Map([['a', 1]]))",
  "Object.assign({}, { a: 1 }, { b: 2 })",
  "Array.from({ length: 3 }, (_, i) => i * 2)",
  "Array.from(new Set('aab'))",
  "[...Array(3).keys()]",
  "Array(3).fill(0)",
  "JSON.parse(JSON.stringify({ a: [1, 'x', null] }))",
  "JSON.stringify({ a: 1 }, null, 2)",
  "[Math.PI, Math.hypot(3, 4), Math.max(...[1, 5, 2]), Math.trunc(-1.5)]",
  "new Set([1, 1, 2]).size",
  "[...new Map([['a', 1], ['b', 2]]).values()]",
  "new Map(Object.entries({ a: 1 })).get('a')",
  "new Date(0).getUTCFullYear()",
  "new Date('2026-05-01').toISOString().slice(0, 10)",
  "new Date('2026-05-02') - new Date('2026-05-01')",
  "new Date(0).toLocaleDateString('en-GB', { timeZone: 'UTC', month: 'long', year: 'numeric' })",
  "new Intl.NumberFormat('de-DE', { minimumFractionDigits: 2 }).format(1234.5)",
  "Intl.NumberFormat('en-US').format(1e6)",
  "new Intl.DateTimeFormat('en-US', { timeZone: 'Asia/Tokyo' }).format(new Date(0))",
  "(1234.5).toLocaleString('en-US')",
  "['b', 'a'].sort((a, b) => a.localeCompare(b, 'en'))",
  "String.raw`a\\n${1}`",
  "`${1 + 1}-${`${'x'.toUpperCase()}`}`",
  "((a, b = 2, ...c) => [a, b, c])(1, undefined, 3, 4)",
  "(({ a, ...rest }) => [a, rest])({ a: 1, b: 2 })",
  "null?.a.b.c ?? 'none'",
  "({ a: undefined }).a?.(1)",
  "({ f: (x) => x + 1 }).f?.(1)",
  "'a1b22'.replace(/\\d+/g, (found, at) => `[${found}${at}]`)",
  "'a-b'.replace('-', '$&$&')",
  "[3, 1, 2].sort().reverse()",
  "'2' > '10'",
  "1 + null + true",
  "Number.isInteger(3) && !Number.isNaN(3)",
  "typeof Number + typeof missing + typeof null",
];

const unknown = [
  "Date.now()",
  "new Date()",
  "new Date(2020, 1)",
  "new Date('2026-05-01T10:00')",
  "new Date(0).getFullYear()",
  "new Date(0).toLocaleDateString('en-US')",
  "`a${new Date(0)}`",
  "Math.random()",
  "[1].map(Math.random)",
  "(5).toLocaleString()",
  "'a'.localeCompare('b')",
  "new Intl.NumberFormat().format(1)",
  "`to-${missing}`",
  "((tag) => tag`a`)((parts) => parts)",
  "''.constructor",
  "[]['constructor']",
  "Object.getPrototypeOf({})",
  "({}).__proto__",
  "Number.prototype",
  "Number.constructor",
  "Object['assign']({}, {})",
  "(() => 1).constructor('return 1')()",
  "Math['random']()",
  "JSON.parse('{\"__proto__\": 1}')",
  "Object.fromEntries([['constructor', 1]])",
  "({ ['__proto__']: 1 })",
  "new Function('return 1')",
  "globalThis",
  "this",
  "import.meta",
  "import('a')",
  "eval('1')",
  "Reflect.get({}, 'a')",
  "new Proxy({}, {})",
  "/(a+)+b/.test('aaaa')",
  "'a'.matchAll(/a/g)",
  "'x'.trim",
  "[1].map",
];
