import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { normalizeEmailAddress } from "./email-address.ts";

const addresses: readonly (readonly [text: string, address: string | undefined, why: string])[] = [
  [" Ada@Acme.example ", "ada@acme.example", "letters of both cases"],
  ["ada+docs@acme.example", "ada+docs@acme.example", "a tag"],
  ["mar\u212A@acme.example", "mar\u212A@acme.example", "the Kelvin sign is not a k"],
  ["\u0130da@acme.example", "\u0130da@acme.example", "a dotted I is not an i"],
  ["\uFF41da@acme.example", "\uFF41da@acme.example", "a full-width a is not an a"],
  ["\u0430da@acme.example", "\u0430da@acme.example", "a Cyrillic a is not an a"],
  ["a\u0301da@acme.example", "a\u0301da@acme.example", "combining characters stay apart"],
  ["ada@b\u00FCcher.example", "ada@xn--bcher-kva.example", "a domain in Unicode"],
  ["ada@XN--BCHER-KVA.example", "ada@xn--bcher-kva.example", "the same domain in punycode"],
  ["ada@acme\u3002example", "ada@acme.example", "an ideographic full stop separates labels"],
  ["ada@\u0430cme.example", "ada@xn--cme-5cd.example", "a Cyrillic domain is another domain"],
  ["ada@evil.example@acme.example", undefined, "two at signs"],
  ["ada@acme", undefined, "a domain of one label"],
  ["ada@", undefined, "no domain"],
  ["@acme.example", undefined, "no local part"],
  ["a da@acme.example", undefined, "a blank"],
  ['"ada"@acme.example', undefined, "quotation marks"],
  ["ada\u0000@acme.example", undefined, "a control character"],
  ["ada@acme.example/x", undefined, "a path"],
  [`${"a".repeat(65)}@acme.example`, undefined, "a long local part"],
];

describe("an email address", () => {
  for (const [text, address, why] of addresses) {
    it(`${JSON.stringify(text)}: ${why}`, () => {
      assert.equal(normalizeEmailAddress(text), address);
    });
  }
});
