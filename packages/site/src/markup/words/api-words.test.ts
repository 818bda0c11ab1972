import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { apiWordsOf, fillIn, type ApiWords } from "./api-words.ts";

suite("words of an API's pages", () => {
  const english = apiWordsOf(undefined);

  for (const language of "de en es fr it ja ko nl pl pt ru tr uk zh zh-Hant".split(" ")) {
    test(`are all there in ${language}, with the same places for values`, () => {
      const words = apiWordsOf(language);
      for (const key of Object.keys(english) as (keyof ApiWords)[]) {
        assert.notEqual(words[key], "", key);
        assert.equal(words[key].split("{}").length, english[key].split("{}").length, key);
      }
    });
  }

  test("are English where a language is not there, and go by its codes", () => {
    assert.deepEqual(apiWordsOf("sw"), english);
    assert.deepEqual(apiWordsOf("fr-CA"), apiWordsOf("fr"));
    assert.deepEqual(apiWordsOf("cn"), apiWordsOf("zh"));
    assert.deepEqual(apiWordsOf("zh-TW"), apiWordsOf("zh-Hant"));
    assert.notDeepEqual(apiWordsOf("de"), english);
  });

  test("take values as they are", () => {
    assert.equal(fillIn("a {} b {}", "{}", "$&"), "a {} b $&");
    assert.equal(fillIn("a {}"), "a ");
  });
});
