import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { appendItem, appendListMember, removeEntries, setString } from "./json-edit.ts";
import type { NewValue } from "./json-edit.ts";
import {
  isJsonList,
  isJsonObject,
  isJsonString,
  findJsonMember,
  parseJson,
  tryParseJson,
} from "./json.ts";
import type { JsonList, JsonObject } from "./json.ts";
import { applyEdits } from "./text-edit.ts";

function listIn(text: string): JsonList {
  const list = findJsonMember(parseJson("a.json", text), "a");
  assert.ok(isJsonList(list));
  return list;
}

function objectIn(text: string): JsonObject {
  const object = parseJson("a.json", text);
  assert.ok(isJsonObject(object));
  return object;
}

const pair = { x: "1", y: '"' };
const appended: readonly (readonly [text: string, value: NewValue, expected: string])[] = [
  ['{"a":["b"]}', "c", '{"a":["b","c"]}'],
  ['{ "a": ["b", "c"] }', "d", '{ "a": ["b", "c", "d"] }'],
  ['{\n  "a": ["b"]\n}\n', "c", '{\n  "a": ["b", "c"]\n}\n'],
  ['{\n  "a": [\n    "b"\n  ]\n}\n', "c", '{\n  "a": [\n    "b",\n    "c"\n  ]\n}\n'],
  ['{\r\n\t"a": [\r\n\t]\r\n}', "b", '{\r\n\t"a": [\r\n\t\t"b"\r\n\t]\r\n}'],
  ['{\n  "a": []\n}', "b", '{\n  "a": ["b"]\n}'],
  ['{"a":[]}', pair, '{"a":[{"x":"1","y":"\\""}]}'],
  ['{"a":[{ "x": "0" }]}', pair, '{"a":[{ "x": "0" },{ "x": "1", "y": "\\"" }]}'],
  ['{\n "a": []\n}', pair, '{\n "a": [\n  {\n   "x": "1",\n   "y": "\\""\n  }\n ]\n}'],
  [
    '{\n "a": [\n  {\n   "x": "0"\n  }\n ]\n}',
    pair,
    '{\n "a": [\n  {\n   "x": "0"\n  },\n  {\n   "x": "1",\n   "y": "\\""\n  }\n ]\n}',
  ],
];

describe("an item at the end of a list", () => {
  for (const [text, value, expected] of appended) {
    it(JSON.stringify(text), () => {
      assert.equal(applyEdits(text, [appendItem(listIn(text), value)]), expected);
    });
  }
});

describe("a new member with a list", () => {
  const rows: readonly (readonly [text: string, expected: string])[] = [
    ["{}", '{"a":["b"]}'],
    ['{"c":1}', '{"c":1,"a":["b"]}'],
    ['{\n  "c": 1\n}\n', '{\n  "c": 1,\n  "a": [\n    "b"\n  ]\n}\n'],
    // The later of two equal keys counts, and the new member comes after both.
    ['{"c":1,"d":2,"c":3}', '{"c":1,"d":2,"c":3,"a":["b"]}'],
  ];
  for (const [text, expected] of rows) {
    it(JSON.stringify(text), () => {
      assert.equal(applyEdits(text, [appendListMember(objectIn(text), "a", "b")]), expected);
    });
  }
});

describe("entries that are removed", () => {
  const rows: readonly (readonly [text: string, expected: string])[] = [
    ['{"a":["-","b"]}', '{"a":["b"]}'],
    ['{"a":["b","-","-","c","-"]}', '{"a":["b","c"]}'],
    ['{"a":[ "-" ]}', '{"a":[]}'],
    ['{\n "a": [\n  "-",\n  "b"\n ]\n}', '{\n "a": [\n  "b"\n ]\n}'],
    ['{"a": {"b": "-", "c": 1}}', '{"a": {"c": 1}}'],
    ['{"a": {"b": 1, "c": 2, "b": "-"}}', '{"a": {"b": 1, "c": 2}}'],
  ];
  for (const [text, expected] of rows) {
    it(text, () => {
      const node = findJsonMember(parseJson("a.json", text), "a");
      assert.ok(isJsonList(node) || isJsonObject(node));
      const edits = removeEntries(node, ({ value }) => value === "-");
      assert.equal(applyEdits(text, edits), expected);
    });
  }
});

it("a string is replaced alone, and text that is not JSON has no places", () => {
  const text = '\uFEFF{ "a" :\t"b\\n" }';
  const value = findJsonMember(parseJson("a.json", text), "a");
  assert.ok(isJsonString(value));
  assert.equal(applyEdits(text, [setString(value, 'c"')]), '\uFEFF{ "a" :\t"c\\"" }');
  for (const none of ["", "{a:1}", '{"a":1,}', "[1] 2", "// a\n{}", "[".repeat(1_000)]) {
    assert.equal(tryParseJson("a.json", none), undefined);
  }
});
