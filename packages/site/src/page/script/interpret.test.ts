import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createContext, runInContext } from "node:vm";
import * as fc from "fast-check";
import { planPropertyRuns } from "../../../../../test/support/property-runs.ts";
import { isOctavoError } from "../../core/index.ts";
import { ExpansionBudget } from "../budget.ts";
import type { SourceFile } from "../source-file.ts";
import { findEvaluationErrorReason, type EvaluationContext } from "./evaluation-context.ts";
import { evaluate } from "./interpret.ts";
import { parseExpression } from "./script.ts";
import {
  BytesValue,
  DateValue,
  isCallable,
  isList,
  isRecord,
  LexicalScope,
  MapValue,
  SearchParamsValue,
  SetValue,
  TextPattern,
  UrlValue,
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
  blankedRanges: [],
};

function createTestContext(): EvaluationContext {
  return {
    scope: new LexicalScope(),
    file,
    position: { file: file.path, line: 1, column: 1 },
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
  if (!isRecord(value)) return describeObject(value);
  const entries = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}:${describe(item)}`,
  );
  return `{${entries.join()}}`;
}

function describeObject(value: Value): string {
  if (value instanceof DateValue) return `Date ${value.time}`;
  if (value instanceof SetValue) return `Set ${describe([...value.items])}`;
  if (value instanceof MapValue) return `Map ${describe([...value.entries])}`;
  if (value instanceof UrlValue) return `URL ${value.url.href}`;
  if (value instanceof SearchParamsValue) return `URLSearchParams ${value.params.toString()}`;
  if (value instanceof BytesValue) return `Uint8Array ${value.bytes.join()}`;
  if (value instanceof TextPattern) return `RegExp ${String(value.expression)}`;
  return typeof value === "object" && value ? "special" : String(value);
}

/** Objects of the platform belong to a context of their own, so that their tags tell them apart. */
const describeSource = `function describe(value) {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value === "function") return "function";
  if (Array.isArray(value)) return "[" + Array.from(value, describe).join() + "]";
  if (typeof value !== "object" || !value) return String(value);
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  if (tag === "Date") return "Date " + value.getTime();
  if (tag === "Set") return "Set " + describe([...value]);
  if (tag === "Map") return "Map " + describe([...value]);
  if (tag === "URL") return "URL " + value.href;
  if (tag === "URLSearchParams") return "URLSearchParams " + value;
  if (tag === "Uint8Array") return "Uint8Array " + value;
  if (tag === "RegExp") return "RegExp " + value;
  if (tag !== "Object") return "special";
  return "{" + Object.entries(value).map(([key, item]) => JSON.stringify(key) + ":" + describe(item)).join() + "}";
}`;

const engine = createContext({
  btoa,
  atob,
  structuredClone,
  URL,
  URLSearchParams,
  TextEncoder,
  TextDecoder,
  Uint8Array,
});
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
  "toExponential reduceRight toSpliced copyWithin matchAll trimLeft trimRight substr isWellFormed toWellFormed toLocaleUpperCase exec next " +
  "hasOwnProperty propertyIsEnumerable clear getAll append select compare formatToParts of decode encode has get add set delete getTime toISOString getUTCFullYear getUTCMonth toLocaleDateString test valueOf toJSON format"
).split(" ");

const globals = (
  "String Number Boolean parseInt parseFloat isNaN isFinite encodeURIComponent encodeURI decodeURIComponent decodeURI btoa atob " +
  "Number.isInteger Number.isNaN Number.isFinite Number.isSafeInteger Number.parseInt Number.parseFloat JSON.stringify JSON.parse " +
  "Array.from Array.of Array.isArray Object.keys Object.values Object.entries Object.fromEntries Object.assign Object.hasOwn Object.is " +
  "Object.freeze String.fromCharCode String.fromCodePoint Math.max Math.min Math.round Math.floor Math.ceil Math.abs Math.pow Math.sqrt " +
  "Math.sign Math.trunc Math.hypot Math.sin Math.log2 Math.imul Date.UTC Date.parse Array structuredClone escape unescape RegExp " +
  "URL.canParse Object.groupBy Map.groupBy Uint8Array.of Uint8Array.from Intl.getCanonicalLocales"
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
        fc.constantFrom(
          ..."Set Map Date Array RegExp URL URLSearchParams Uint8Array TextEncoder TextDecoder".split(
            " ",
          ),
          ..."NumberFormat Collator PluralRules ListFormat RelativeTimeFormat DisplayNames"
            .split(" ")
            .map((name) => `Intl.${name}`),
        ),
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
      'new URL("/b?x=1&y=%20#z", "https://a.example:8080/c")',
      'new URLSearchParams("a=1&b=2&a=3")',
      'new TextEncoder().encode("é")',
      'new Intl.Collator("de").compare',
      'new Intl.PluralRules("en")',
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
    fc.assert(property, planPropertyRuns(5_000));
    assert.ok(evaluated > 500, `${evaluated} were evaluated`);
  });

  test("functions that are the same for all readers are evaluated", () => {
    for (const source of [...known, ...more]) {
      const found = interpret(source);
      assert.ok(found !== undefined, `${source} is evaluated`);
      assert.equal(found, runInEngine(source), source);
    }
  });

  test("what differs between readers or visits, or leads to the engine, is not evaluated", () => {
    for (const source of unknown) assert.equal(interpret(source), undefined, source);
  });

  test("what would take too long is not evaluated", () => {
    for (const source of endless) assert.equal(interpret(source), undefined, source);
  });
});

const endless = [
  "((params) => Array(3000).fill(0).map((_, at) => params.append('a', at)))(new URLSearchParams())",
  "((params) => Array(5000).fill(0).map(() => params.toString()))(new URLSearchParams({ a: 'x'.repeat(9000) }))",
  "new Intl.ListFormat('en').format(Array(90000).fill('x'.repeat(1000)))",
  "Array(9000).fill('x'.repeat(3000)).sort(new Intl.Collator('en').compare)",
  "JSON.stringify(1, Array)",
  "JSON.stringify([1], (key, value) => [value, value])",
  "Array(30000).fill(0).map((_, at) => new RegExp(`a${at}`).test('a'))",
  "new Uint8Array(1e12)",
  "structuredClone(Array(1000).fill(Array(1000).fill([])).map((list) => [...list]))",
  "'x'.repeat(1e6).matchAll('')",
];

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

/** Functions that were added for the platform's sake, each in the forms in which pages use it. */
const more = [
  // Addresses.
  "new URL('https://a.example/b/c?x=1#y').href",
  "new URL('../d', 'https://a.example/b/c/').pathname",
  "new URL('?q=1', new URL('https://a.example/b')).search",
  "`${new URL('/a b', 'https://a.example')}`",
  "new URL('https://u:p@a.example:8443/').host + new URL('https://a.example:443').port",
  "['origin', 'protocol', 'hostname', 'username', 'password', 'hash'].map((part) => new URL('http://u:p@a.example:1/#h')[part])",
  "new URL('https://bücher.example').hostname",
  "new URL('https://a.example/?a=1&a=2').searchParams.getAll('a')",
  "((url) => [url.searchParams.set('q', 'x y'), url.href])(new URL('https://a.example'))",
  "((url) => url.searchParams === url.searchParams)(new URL('https://a.example'))",
  "new URL('https://a.example').toString() + new URL('https://a.example').toJSON()",
  "encodeURIComponent(new URL('https://a.example/?q=1'))",
  "['/a', 'https://a.example'].map((text) => URL.canParse(text))",
  "['https://a.example', 'b'].map((text) => URL.canParse(text))",
  "URL.canParse('/a', 'https://a.example')",
  "new URL('https://a.example/%F0%9F%98%80').pathname",
  "new URL('HTTPS://EXAMPLE.COM/../a/./b').href",
  "new URLSearchParams('?a=1&b=%20').toString()",
  "new URLSearchParams({ a: 1, b: 'x y' }).toString()",
  "new URLSearchParams([['a', '1'], ['a', '2']]).getAll('a')",
  "new URLSearchParams(new Map([['a', 'b']])).get('a')",
  "new URLSearchParams(new URLSearchParams('a=1')).toString()",
  "new URLSearchParams().size",
  "new URLSearchParams('a=1&b=2').size",
  "[new URLSearchParams('a=1').get('b'), new URLSearchParams('a').get('a')]",
  "[new URLSearchParams('a=1').has('a'), new URLSearchParams('a=1').has('a', '2')]",
  "[...new URLSearchParams('a=1&b=2')]",
  "[...new URLSearchParams('a=1&b=2').keys()]",
  "[...new URLSearchParams('a=1&b=2').values()].join()",
  "Array.from(new URLSearchParams('a=1').entries())",
  "Object.fromEntries(new URLSearchParams('a=1&b=2'))",
  "`?${new URLSearchParams({ q: 'ä' })}`",
  "'?' + new URLSearchParams({ q: '+' })",
  "((params) => [params.append('a', 2), params.delete('b'), params.sort(), params.toString()])(new URLSearchParams('c=1&b=1&a=1'))",
  "((params) => [params.delete('a', '1'), params.toString()])(new URLSearchParams('a=1&a=2'))",
  // Groups.
  "Object.groupBy([1, 2, 3], (x) => (x % 2 ? 'odd' : 'even'))",
  "Object.entries(Object.groupBy(['a', 'bb', 'c'], (x) => x.length))",
  "Object.groupBy('aab', (x, at) => at > 1)",
  "Object.keys(Object.groupBy([{ t: 'b' }, { t: 'a' }], ({ t }) => t))",
  "Map.groupBy([1, 2, 3], (x) => x > 1)",
  "Map.groupBy([1.5, -0], (x) => Math.round(x)).get(0)",
  "[...Map.groupBy(['a', 'A', 'b'], (x) => x.toLowerCase()).keys()]",
  "Object.groupBy([], (x) => x)",
  // Copies and JSON.
  "structuredClone({ a: [1, { b: null }], c: new Date(0) })",
  "structuredClone(new Map([['a', new Set([1])]]))",
  "((a) => structuredClone(a) === a)([1])",
  "((a) => structuredClone([a, a]))({ x: 1 })",
  "((copy) => copy[0] === copy[1])(((a) => structuredClone([a, a]))({ x: 1 }))",
  "structuredClone('text') + structuredClone(1)",
  "structuredClone(undefined)",
  "JSON.stringify({ a: 1, b: { a: 2, c: 3 } }, ['a', 'b'])",
  "JSON.stringify([1, { 1: 'x', a: 'y' }], [1])",
  "JSON.stringify({ a: 1, b: 'x' }, (key, value) => (typeof value === 'number' ? value + 1 : value))",
  "JSON.stringify({ a: 1, b: undefined }, (key, value) => (key === 'a' ? undefined : value))",
  "JSON.stringify([1, undefined, null], (key, value) => value ?? 'none', 1)",
  "JSON.stringify({ a: [1] }, (key, value) => (Array.isArray(value) ? [...value, 2] : value))",
  "JSON.stringify({ a: 1 }, null, '--')",
  "JSON.parse('{\"a\":[1,2]}', (key, value) => (typeof value === 'number' ? value * 2 : value))",
  "JSON.parse('{\"a\":1,\"b\":2}', (key, value) => (key === 'a' ? undefined : value))",
  "JSON.parse('[1,2]', (key, value) => (key === '0' ? undefined : value)).length",
  "Object.keys(JSON.parse('[1,2]', (key, value) => (key === '0' ? undefined : value)))",
  // Bytes and encodings.
  "new TextEncoder().encode('aé😀').length",
  "new TextEncoder().encode('é')",
  "[...new TextEncoder().encode('é')].map((byte) => byte.toString(16).padStart(2, '0')).join('')",
  "btoa(String.fromCharCode(...new TextEncoder().encode('é')))",
  "new TextDecoder().decode(Uint8Array.from(atob('w6k='), (char) => char.charCodeAt(0)))",
  "new TextDecoder('utf-8').decode(new Uint8Array([0xf0, 0x9f, 0x98, 0x80]))",
  "new TextDecoder().decode(new Uint8Array([255]))",
  "new Uint8Array([1, 256, -1, 1.9])",
  "new Uint8Array(2)",
  "Uint8Array.of(1, 2)[1]",
  "Array.from(new Uint8Array([1, 2]), (x) => x + 1)",
  "new Uint8Array([1, 2]).join('-') + new Uint8Array([1]).byteLength",
  "[new Uint8Array([1, 2]).at(-1), new Uint8Array([1, 2]).includes(2), new Uint8Array([3]).indexOf(3)]",
  "escape('ä b') + unescape('%E4%20')",
  "unescape(encodeURIComponent('é'))",
  // Lists.
  "[1, [2, [3, [4]]]].flat(Infinity)",
  "[1, [2, [3]]].flat(2)",
  "[1, [2]].flat(0)",
  "[[1], [[2]]].flat()",
  "[1, 2, 3].reduceRight((sum, x) => sum + x)",
  "['a', 'b'].reduceRight((sum, x, at) => sum + x + at, '')",
  "[1, 2, 3].toSpliced(1, 1, 'x', 'y')",
  "[1, 2, 3].toSpliced(-1)",
  "[1, 2].toSpliced()",
  "[1, 2, 3, 4].copyWithin(0, 2)",
  "[1, 2, 3].toString()",
  "[1, 2].entries().next()",
  "new Map([['a', 1]]).keys().next().value",
  "new Set().values().next()",
  "((it) => [it.next().value, [...it]])([1, 2, 3].values())",
  // Texts and patterns.
  "[...'a1b22'.matchAll(/\\d+/g)].map((found) => found[0])",
  "[...'a1b2'.matchAll(/([a-z])(\\d)/g)].map(([, letter, digit]) => digit + letter)",
  "[...'aXbX'.matchAll('X')].length",
  "Array.from('a-b'.matchAll(/(-)?b/g))",
  "'abc'.match('b')",
  "'abc'.search('c') + 'abc'.search('d')",
  "new RegExp('a|b', 'gi')",
  "'aXb'.replace(new RegExp('x', 'i'), '-')",
  "'a.b'.split(new RegExp('\\\\.'))",
  "new RegExp(/a/g).flags + new RegExp(/a/g, 'i').flags",
  "new RegExp('').source + new RegExp('a/b').source",
  "RegExp('^a').test('ab')",
  "/(\\d+)-(\\d+)/.exec('10-20').slice(1)",
  "/x/.exec('a')",
  "String(/a/.exec('a') === null) + /a\\/b/i.toString()",
  "[/a/gi.global, /a/gi.ignoreCase, /a/.multiline, /a/.sticky]",
  "' a '.trimLeft() + ' b '.trimRight()",
  "'abcdef'.substr(-3, 2) + 'abc'.substr(1)",
  "'abc'.isWellFormed()",
  "'abc'.toWellFormed()",
  "'i'.toLocaleUpperCase('tr') + 'I'.toLocaleLowerCase('tr')",
  "true.toString() + (1 > 2).valueOf()",
  "['a', 'b'].map((x) => x.toLocaleUpperCase('en'))",
  // Objects.
  "({ a: 1 }).hasOwnProperty('a') && !({ a: 1 }).hasOwnProperty('b')",
  "({ hasOwnProperty: () => 'own' }).hasOwnProperty('a')",
  "({ a: 1 }).propertyIsEnumerable('a')",
  "((set) => [set.add(1).size, set.clear(), set.size])(new Set([2]))",
  "((map) => [map.clear(), map.size])(new Map([[1, 2]]))",
  // Locales.
  "['ä', 'z', 'a'].sort(new Intl.Collator('de').compare)",
  "['a10', 'a9'].sort(new Intl.Collator('en', { numeric: true }).compare)",
  "new Intl.Collator('en', { sensitivity: 'base' }).compare('a', 'A')",
  "Intl.Collator('sv').compare('ä', 'z')",
  "[1, 2, 0].map((count) => new Intl.PluralRules('en').select(count))",
  "new Intl.PluralRules('en', { type: 'ordinal' }).select(2)",
  "[1, 3, 5].map((count) => new Intl.PluralRules('ru').select(count))",
  "new Intl.ListFormat('en', { type: 'conjunction' }).format(['a', 'b', 'c'])",
  "new Intl.ListFormat('de', { type: 'disjunction' }).format(new Set(['a', 'b']))",
  "new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(-1, 'day')",
  "new Intl.RelativeTimeFormat('fr').format(3, 'month')",
  "new Intl.DisplayNames('en', { type: 'region' }).of('DE')",
  "new Intl.DisplayNames(['de'], { type: 'language' }).of('fr')",
  "new Intl.NumberFormat('en-US').formatToParts(1234.5).map(({ type }) => type)",
  "[1, 2.5].map(new Intl.NumberFormat('de-DE', { minimumFractionDigits: 1 }).format)",
  "((format) => format.format === format.format)(new Intl.NumberFormat('en'))",
  "new Intl.DateTimeFormat('en', { timeZone: 'UTC', month: 'short' }).formatToParts(0)",
  "[0, 1e12].map(new Intl.DateTimeFormat('en', { timeZone: 'UTC' }).format)",
  "Intl.getCanonicalLocales('EN-us')",
  "Intl.getCanonicalLocales(['de-de', 'fr'])",
];

const unknown = [
  "JSON.parse('0', Array)",
  "['1'].map(Uint8Array.of)",
  "'a', 'b'",
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
  "structuredClone(() => 1)",
  "structuredClone([1], { transfer: [] })",
  "new URL('/a')",
  "new URL(location.href)",
  "URL.createObjectURL({})",
  "new TextDecoder('utf-16').decode(new Uint8Array([1, 2]))",
  "new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([65]))",
  "new Intl.Collator().compare('a', 'b')",
  "new Intl.PluralRules('en').resolvedOptions()",
  "new Intl.DateTimeFormat('en', { timeZone: 'UTC' }).format()",
  "['b', 'a'].sort(new Intl.Collator().compare)",
  "'a'.toLocaleUpperCase()",
  "JSON.parse('[1]', (key, value, context) => context)",
  "JSON.parse('[1]', (...args) => args.length)",
  "JSON.stringify({ a: new URL('https://a.example') })",
  "new RegExp('(a+)+b').test('aaaa')",
  "RegExp('a', 'v')",
  "/a/g.exec('aa')",
  "'a'.match(/a/).index",
  "[...'a1'.matchAll(/(?<x>a)/g)][0].groups",
  "[1, 2].pop()",
  "[1, 2].splice(0, 1)",
  "({ a: 1 }).hasOwnProperty('__proto__')",
  "Object.groupBy(['constructor'], (x) => x)",
  "new TextEncoder().encode",
  "new URL('https://a.example').toString",
  "crypto.randomUUID()",
  "performance.now()",
  "Symbol('a')",
  "10n ** 2n",
  "'x'.trim",
  "[1].map",
];
