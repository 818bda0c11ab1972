import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { sectionStep } from "./page-words.ts";
import { pageTerms, type PageTerms } from "./terms.ts";
import { camelCaseParts, cutText } from "./tokenize.ts";

/** Each term of the page with its `section:weight`s. */
function postingsOf({ words, postings }: PageTerms): Map<string, string[]> {
  const byTerm = new Map<string, string[]>();
  let at = 0;
  for (const term of Buffer.from(words).toString().split("\n").filter(Boolean)) {
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
  return [...postingsOf(pageTerms([{ id: "a", heading: "", text }])).keys()].toSorted();
}

const cut: [text: string, terms: string[]][] = [
  ["", []],
  ["... — ├──", []],
  ["The End, the end.", ["end", "the"]],
  ["“quoted” — it’s", ["it", "quoted", "s"]],
  [
    "see docs.json and MAX_TOKENS",
    ["and", "docs", "docs.json", "json", "max", "max_tokens", "see", "tokens"],
  ],
  ["a..b c_ _d e. f", ["a", "b", "c", "d", "e", "f"]],
  ["v1.2 V3", ["1.2", "2", "v1", "v1.2", "v3"]],
  ["ends in a.b", ["a", "a.b", "b", "ends", "in"]],
  ["one.two—three", ["one", "one.two", "three", "two"]],
  ["getUserName", ["get", "getusername", "name", "user", "username"]],
  ["HTTPServer JSON iOS x", ["http", "httpserver", "ios", "json", "server", "x"]],
  ["_getName is private", ["getname", "is", "private"]],
  ["getName GetNAME getname", ["get", "getname", "name"]],
  // The last of those that are one word in lower case says where it is cut.
  ["abCdef abcDef", ["abc", "abcdef", "def"]],
  ["abcDef abCdef ABCDEF", ["ab", "abcdef", "cdef"]],
  [`${"x".repeat(40)}. y`, ["x".repeat(32), "y"]],
  [`${"x".repeat(31)}.${"y".repeat(9)}`, [`${"x".repeat(31)}.`, "x".repeat(31), "y".repeat(9)]],
  ["naïve getName v1.0", ["0", "1.0", "get", "getname", "naive", "name", "v1", "v1.0"]],
  ["\ud800 a\udfff", ["a"]],
  ["日本", ["日本", "本"]],
];
for (const [text, terms] of cut) {
  test(`${JSON.stringify(text).slice(0, 60)} is found by ${terms.length} terms`, () => {
    assert.deepEqual(termsOf(text), terms.toSorted());
  });
}

test("words of a text without letters beyond ASCII are those that readers' browsers cut", () => {
  const piece = fc.constantFrom("a", "B", "ab", "CD", "Ef", "v", "1", ".", "_", " ", "-", "—", "→");
  const text = fc.oneof(
    fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join("")),
    fc.string({ maxLength: 200 }),
  );
  fc.assert(
    fc.property(text, (text) => {
      const { words, names } = cutText(text, true);
      const parts = [...camelCaseParts(text).values()].flatMap((own) => [
        ...own,
        ...own.slice(1, -1).map((_, at) => own.slice(at + 1).join("")),
      ]);
      assert.deepEqual(termsOf(text), [...new Set([...words, ...names, ...parts])].toSorted());
    }),
  );
});

const weights: [term: string, postings: string[]][] = [
  // 14 for a heading and 3 for the title, 9 that its words share.
  ["alpha", ["0:26", "1:2", "2:2"]],
  // In texts of few words 13u / (u + 0.84 + 0.003n) for u uses among n words.
  ["once", ["1:7"]],
  ["often", ["1:10"]],
  ["beta", ["1:19"]],
  ["gamma", ["1:19", "2:23"]],
];
test("weighs words of titles, of headings, of texts and of pages around them", () => {
  const terms = postingsOf(
    pageTerms([
      { id: "", heading: "Alpha", text: "" },
      { id: "b", heading: "Beta gamma", text: "once often often often" },
      { id: "c", heading: "gamma", text: "gamma" },
    ]),
  );
  assert.deepEqual(terms, new Map(weights));
});

test("names of a page weigh as its title, and a boost moves all weights up or down to what there are", () => {
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
    const terms = postingsOf(pageTerms(sections, { names: ["Omega"], boost }));
    assert.deepEqual(terms, new Map(postings.map(([term, own]) => [term, [...own]])));
  }
});

test("holds more words than there was room for at first", () => {
  const words = Array.from({ length: 5_000 }, (_, number) => `w${number}`);
  const sections = [0, 1].map((at) => ({
    id: `s${at}`,
    heading: "",
    text: words.slice(at * 2_500, at * 2_500 + 2_500).join(" "),
  }));
  assert.deepEqual([...postingsOf(pageTerms(sections)).keys()].toSorted(), words.toSorted());
});
