import { parseCssColor } from "../markup/index.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PropValue } from "../page/index.ts";
import {
  readFlagProp,
  readListProp,
  readNumberProp,
  readStyleProp,
  readTextProp,
} from "./props.ts";

test("colors that are safe in a style attribute", () => {
  const table: readonly (readonly [PropValue, string | undefined])[] = [
    ["#FFC107", "#FFC107"],
    ["FF713C", "#FF713C"],
    ["abc", "#abc"],
    ["#12345678", "#12345678"],
    [" red ", "red"],
    ["rgb(51, 255, 87)", "rgb(51, 255, 87)"],
    ["hsl(180 70% 55% / 0.5)", "hsl(180 70% 55% / 0.5)"],
    ["oklch(70% 0.2 145)", "oklch(70% 0.2 145)"],
    ["var(--brand)", "var(--brand)"],
    ["#12", undefined],
    ["red;position:fixed", undefined],
    ["url(x)", undefined],
    ["rgb(url(x))", undefined],
    ['red"onclick="', undefined],
    ["", undefined],
    [12, undefined],
    [{ light: "red" }, undefined],
  ];
  for (const [value, expected] of table)
    assert.equal(parseCssColor(value), expected, JSON.stringify(value));
});

test("styles as objects and as text", () => {
  const table: readonly (readonly [PropValue, string | undefined])[] = [
    [
      { textAlign: "center", marginTop: 4, opacity: 0.5 },
      "text-align:center;margin-top:4px;opacity:0.5",
    ],
    ["width: 14px; height: 14px;", "width:14px;height:14px"],
    [{ "--tree-highlight": "rgb(59 130 246)" }, "--tree-highlight:rgb(59 130 246)"],
    ["background: url(//host/x); color: red", "color:red"],
    [{ background: "image-set('a' 1x)" }, undefined],
    [{ color: "red;width:1px" }, undefined],
    [{ 'x"y': "red", "a:b": "c" }, undefined],
    [["color:red"], undefined],
    ["no colon", undefined],
    [true, undefined],
  ];
  for (const [style, expected] of table)
    assert.equal(readStyleProp({ style }), expected, JSON.stringify(style));
});

test("flags in every spelling", () => {
  const table: readonly (readonly [PropValue, boolean | undefined])[] = [
    [true, true],
    ["true", true],
    ["True", true],
    ["", true],
    ["open", true],
    [1, true],
    [false, false],
    ["false", false],
    [0, false],
    ["perhaps", undefined],
    [null, undefined],
    [[], undefined],
  ];
  for (const [open, expected] of table)
    assert.equal(readFlagProp({ open }, "open"), expected, JSON.stringify(open));
  assert.equal(readFlagProp({}, "open"), undefined);
});

test("numbers within their range", () => {
  const range = { min: 1, max: 6 };
  const table: readonly (readonly [PropValue, number | undefined])[] = [
    [3, 3],
    ["3", 3],
    ["{3}", undefined],
    [99, 6],
    [-2, 1],
    [2.9, 2],
    ["", undefined],
    [true, undefined],
  ];
  for (const [cols, expected] of table)
    assert.equal(readNumberProp({ cols }, "cols", range), expected);
});

test("texts and lists", () => {
  assert.equal(readTextProp({ title: " a " }, "title"), "a");
  assert.equal(readTextProp({ title: 4 }, "title"), "4");
  assert.equal(readTextProp({ title: "  " }, "title"), undefined);
  assert.deepEqual(readListProp({ tags: ["a", 1, null, " ", ["b"]] }, "tags"), ["a", "1"]);
  assert.deepEqual(readListProp({ tags: "a" }, "tags"), ["a"]);
  assert.deepEqual(readListProp({}, "tags"), []);
});
