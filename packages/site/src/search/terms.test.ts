import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { planPropertyRuns } from "../../../../test/support/property-runs.ts";
import { sectionStep, indexPageTerms } from "./terms.ts";
import type { PageTerms } from "./terms.ts";
import { splitCamelCaseNames, tokenize } from "./tokenize.ts";

/** Returns each term of the page with its `section:weight` pairs. */
function postingsOf({ texts, postings }: PageTerms): Map<string, string[]> {
  const byTerm = new Map<string, string[]>();
  let at = 0;
  for (const term of Buffer.from(texts).toString().split("\n").filter(Boolean)) {
    const count = postings[at] ?? 0;
    const own = [...postings.subarray(at + 1, at + 1 + count)];
    byTerm.set(
      term,
      own.map((posting) => `${Math.floor(posting / sectionStep)}:${posting % sectionStep}`),
    );
    at += 1 + count;
  }
  assert.equal(at, postings.length);
  return byTerm;
}

function termsOf(text: string): string[] {
  return [...postingsOf(indexPageTerms([{ id: "a", heading: "", text }])).keys()].toSorted();
}

const tokenized: [text: string, terms: string[]][] = [
  ["", []],
  ["... — ├──", []],
  ["The End, the end.", ["end", "the"]],
  ["“quoted” — it’s", ["it", "quoted", "s"]],
  [
    "see docs.json and MAX_TOKENS",
    ["and", "docs", "docs.json", "json", "max", "max_tokens", "see", "tokens"],
  ],
  ["a..b c_ _d e. f", ["_d", "a", "b", "c", "d", "e", "f"]],
  ["v1.2 V3", ["1.2", "2", "v1", "v1.2", "v3"]],
  ["ends in a.b", ["a", "a.b", "b", "ends", "in"]],
  ["one.two—three", ["one", "one.two", "three", "two"]],
  ["getUserName", ["get", "getusername", "name", "user", "username"]],
  ["HTTPServer JSON iOS x", ["http", "httpserver", "ios", "json", "server", "x"]],
  ["_getName is private", ["_getname", "getname", "is", "private"]],
  ["getName GetNAME getname", ["get", "getname", "name"]],
  // Among names that differ only in case the last one counts.
  ["abCdef abcDef", ["abc", "abcdef", "def"]],
  ["abcDef abCdef ABCDEF", ["ab", "abcdef", "cdef"]],
  [`${"x".repeat(40)}. y`, ["x".repeat(32), "y"]],
  [`${"x".repeat(31)}.${"y".repeat(9)}`, [`${"x".repeat(31)}.`, "x".repeat(31), "y".repeat(9)]],
  ["naïve getName v1.0", ["0", "1.0", "get", "getname", "naive", "name", "v1", "v1.0"]],
  ["C++, C#; C++17 (g++)", ["17", "c", "c#", "c++", "g", "g++"]],
  ["naïve C++ und C＃", ["c", "c#", "c++", "naive", "und"]],
  ["1# a#b c+++ d + e", ["1", "a", "b", "c", "d", "e"]],
  [
    ".NET, '.env.local' ASP.NET",
    [".env.local", ".net", "asp", "asp.net", "env", "env.local", "local", "net"],
  ],
  ["f().then 'x'.length a..b ...rest", ["a", "b", "f", "length", "rest", "then", "x"]],
  ["使用.NET和C#开发", [".net", "c", "c#", "net", "使用", "使用.net和c", "和", "开发", "用", "发"]],
  ['{"$ref": 1} US$5 a$b', ["$ref", "1", "5", "a", "b", "ref", "us"]],
  ["--dry-run -p a-b a--b ---c", ["--dry-run", "-p", "a", "b", "c", "dry", "p", "run"]],
  [
    "@Scope/name@1 b@c.de @a/b/c",
    ["1", "@a/b/c", "@scope/name", "a", "b", "c", "c.de", "de", "name", "scope"],
  ],
  ["_meta __init__ a_b_", ["__init", "_meta", "a", "a_b", "b", "init", "meta"]],
  [
    `@${"x".repeat(20)}/${"y".repeat(40)}`,
    [`@${"x".repeat(20)}/${"y".repeat(10)}`, "x".repeat(20), "y".repeat(32)],
  ],
  ["\ud800 a\udfff", ["a"]],
  ["日本", ["日本", "本"]],
];
for (const [text, terms] of tokenized) {
  test(`${JSON.stringify(text).slice(0, 60)} has ${terms.length} terms`, () => {
    assert.deepEqual(termsOf(text), terms.toSorted());
  });
}

/** Returns the weight of each word in a heading of this many words. */
function headingWeightOf(wordCount: number): number {
  return Math.round(14 + 9 / wordCount);
}

/** Returns the weight of a word that occurs this often in a text of this many words. */
function textWeightOf(uses: number, wordCount: number): number {
  return Math.round((13 * uses) / (uses + 1.2 * (0.7 + (0.3 * wordCount) / 120)));
}

test("an ASCII text has the same terms as in the reader's browser, with their weights", () => {
  const pieces = [".", "_", " ", "-", "—", "→", "+", "#", "@", "$", "/", "(", ")", '"', "'"];
  const piece = fc.constantFrom("a", "B", "ab", "CD", "Ef", "v", "1", ...pieces);
  const text = fc.oneof(
    fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join("")),
    fc.string({ maxLength: 200 }),
  );
  fc.assert(
    fc.property(text, (text) => {
      const { words, names } = tokenize(text, true);
      const parts = [...splitCamelCaseNames(text).values()].flatMap((own) => [
        ...own,
        ...own.slice(1, -1).map((_, at) => own.slice(at + 1).join("")),
      ]);
      const uses = Map.groupBy([...words, ...names, ...parts], (term) => term);
      const expected = Array.from(uses, ([term, { length }]): [string, string[]] => [
        term,
        [`0:${headingWeightOf(words.length)}`, `1:${textWeightOf(length, words.length)}`],
      ]);
      const sections = [
        { id: "a", heading: text, text: "" },
        { id: "b", heading: "", text },
      ];
      assert.deepEqual(postingsOf(indexPageTerms(sections)), new Map(expected));
    }),
    planPropertyRuns(100),
  );
});

const weights: [term: string, postings: string[]][] = [
  // 14 for a heading and 3 for the title, plus 9 shared by its words.
  ["alpha", ["0:26", "1:2", "2:2"]],
  // In texts of few words: 13u / (u + 0.84 + 0.003n) for u uses among n words.
  ["once", ["1:7"]],
  ["often", ["1:10"]],
  ["beta", ["1:19"]],
  ["gamma", ["1:19", "2:23"]],
];
test("a term weighs most in a title, less in a heading, in the text, and in other sections of the page", () => {
  const terms = postingsOf(
    indexPageTerms([
      { id: "", heading: "Alpha", text: "" },
      { id: "b", heading: "Beta gamma", text: "once often often often" },
      { id: "c", heading: "gamma", text: "gamma" },
    ]),
  );
  assert.deepEqual(terms, new Map(weights));
});

test("occurrences of a word are counted in each section by themselves", () => {
  const sections = ["alpha alpha", "alpha", "beta", "alpha"].map((text, at) => ({
    id: `s${at}`,
    heading: "",
    text,
  }));
  assert.deepEqual(postingsOf(indexPageTerms(sections)).get("alpha"), ["0:9", "1:7", "3:7"]);
});

test("a word of the title keeps its own weight in a section that contains it", () => {
  const terms = postingsOf(
    indexPageTerms([
      { id: "", heading: "Alpha", text: "" },
      { id: "b", heading: "Beta", text: "alpha" },
      { id: "c", heading: "Alpha gamma", text: "" },
      { id: "d", heading: "Delta", text: "" },
    ]),
  );
  assert.deepEqual(terms.get("alpha"), ["0:26", "1:7", "2:19", "3:2"]);
});

/** Each of this many words weighs 7; with one more word, each weighs 6. */
const maxWords = 53;
for (const first of ["see", "naïve"]) {
  test(`a name after "${first}" does not count as a word, so the others keep their weight`, () => {
    const text = `${first} docs.json${" word".repeat(maxWords - 3)}`;
    const terms = postingsOf(
      indexPageTerms([
        { id: "a", heading: `${first} docs.json`, text: "" },
        { id: "b", heading: "", text },
      ]),
    );
    for (const term of ["docs", "json", "docs.json"]) {
      assert.deepEqual(terms.get(term), ["0:17", "1:7"], term);
    }
  });
}

test("names of a page weigh as much as its title, and a boost moves all weights within their range", () => {
  const sections = [{ id: "", heading: "Alpha", text: "beta" }];
  for (const [boost, postings] of [
    [
      1,
      [
        ["alpha", ["0:26"]],
        ["beta", ["0:7"]],
        ["omega", ["0:26"]],
      ],
    ],
    [
      2,
      [
        ["alpha", ["0:26"]],
        ["beta", ["0:11"]],
        ["omega", ["0:26"]],
      ],
    ],
    [
      0.001,
      [
        ["alpha", ["0:1"]],
        ["beta", ["0:1"]],
        ["omega", ["0:1"]],
      ],
    ],
  ] as const) {
    const terms = postingsOf(indexPageTerms(sections, { names: ["Omega"], boost }));
    assert.deepEqual(terms, new Map(postings.map(([term, own]) => [term, [...own]])));
  }
});

test("a page may have more terms than the initial capacity", () => {
  const perSection = 1_200;
  const words = Array.from({ length: 4 * perSection }, (_, number) => `w${number}`);
  const sections = [0, 1, 2, 3].map((at) => ({
    id: `s${at}`,
    heading: "",
    text: words.slice(at * perSection, (at + 1) * perSection).join(" "),
  }));
  // More than 1, which a word without any computed weight would get.
  const expected = words.map((word, number): [string, string[]] => [
    word,
    [`${Math.floor(number / perSection)}:2`],
  ]);
  assert.deepEqual(postingsOf(indexPageTerms(sections)), new Map(expected));
});
