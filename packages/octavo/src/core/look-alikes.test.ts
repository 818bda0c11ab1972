import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toHostName } from "./hosts.ts";
import { isId, createId } from "./id.ts";

/** Texts that look or fold like `acme.example`, and the host name that DNS resolves; undefined for none. */
const hosts: readonly (readonly [text: string, name: string | undefined, why: string])[] = [
  ["ACME.Example", "acme.example", "letters of both cases"],
  ["acme\u3002example", "acme.example", "an ideographic full stop separates labels"],
  ["acme\uFF0Eexample", "acme.example", "a full-width full stop"],
  ["\uFF41cme.example", "acme.example", "a full-width letter: UTS 46 maps it"],
  ["ac\u00ADme.example", "acme.example", "a soft hyphen, which UTS 46 removes"],
  ["\u0430cme.example", "xn--cme-5cd.example", "a Cyrillic a is another host"],
  ["acm\u0435.example", "xn--acm-tdd.example", "a Cyrillic e is another host"],
  ["\u03B1cme.example", "xn--cme-nxc.example", "a Greek alpha is another host"],
  ["\u212Acme.example", "kcme.example", "the Kelvin sign is DNS's k"],
  ["fa\u00DFt.example", "xn--fat-6ka.example", "sharp s is not ss"],
  ["b\u00FCcher.example", "xn--bcher-kva.example", "an umlaut"],
  ["bu\u0308cher.example", "xn--bcher-kva.example", "the same letter from two characters"],
  ["XN--BCHER-KVA.example", "xn--bcher-kva.example", "its punycode in upper case"],
  ["acme.example.", undefined, "a trailing dot"],
  ["acme..example", undefined, "an empty label"],
  ["acme.example\u0000", undefined, "a control character"],
  ["acme.example@evil.example", undefined, "an at sign"],
  ["acme.example\\.evil", undefined, "a backslash"],
  ["acme_docs.example", undefined, "an underscore"],
  ["acme\u2024example", undefined, "a one-dot leader is no dot"],
  ["\u2460.example", "1.example", "a circled digit is the digit for UTS 46"],
];

describe("a host name", () => {
  for (const [text, name, why] of hosts) {
    it(`${JSON.stringify(text)}: ${why}`, () => assert.equal(toHostName(text), name));
  }
});

describe("an ID", () => {
  const id = createId("project");
  for (const [text, why] of [
    [id.toUpperCase(), "upper case"],
    [id.replace("pr_", "PR_"), "a prefix in upper case"],
    [`${id.slice(0, -1)}\u212A`, "the Kelvin sign"],
    [`${id.slice(0, -1)}\uFF10`, "a full-width digit"],
    [`${id.slice(0, -1)}o`, "a letter that looks like a digit"],
    [`${id}\n`, "a line break"],
  ] as const) {
    it(`is not ${why}`, () => assert.equal(isId("project", text), false));
  }
});
