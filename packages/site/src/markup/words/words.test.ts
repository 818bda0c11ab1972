import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { suite, test } from "node:test";
import { loadWords, supportedLanguages, getLanguageWords } from "./load-words.ts";
import { fillPlaceholders, type Template } from "./template.ts";
import { wordsSchema } from "./words.ts";

suite("words", async () => {
  const loaded = await loadWords([undefined, ...supportedLanguages, "sw", "fr-CA", "cn", "zh-TW"]);
  const english = getLanguageWords(loaded, "en");

  for (const language of supportedLanguages) {
    test(`are complete in ${language}, with the same names in their sentences`, () => {
      const words = getLanguageWords(loaded, language);
      assert.deepEqual(wordsSchema.parse(words), words);
      if (language !== "en") assert.notEqual(words.notFound.text, english.notFound.text);
    });
  }

  test("are in one file for each language", () => {
    const files = readdirSync(new URL("languages", import.meta.url)).toSorted();
    assert.deepEqual(files, supportedLanguages.map((language) => `${language}.json`).toSorted());
  });

  test("are refused without a text, with one more, and with another name in a sentence", () => {
    const { title, ...rest } = english.notFound;
    for (const notFound of [rest, { ...rest, title, more: "More" }, { ...rest, title: " A" }]) {
      assert.ok(!wordsSchema.safeParse({ ...english, notFound }).success);
    }
    for (const openIn of ["Open", "Open in {host}", "Open in {assistant} {host}", "{assistant"]) {
      const frame = { ...english.frame, openIn };
      assert.ok(!wordsSchema.safeParse({ ...english, frame }).success, openIn);
    }
  });

  test("are English for an unknown language, and found by all codes of a language", () => {
    assert.equal(getLanguageWords(loaded, undefined), english);
    assert.equal(getLanguageWords(loaded, "sw"), english);
    assert.equal(getLanguageWords(loaded, "fr-CA"), getLanguageWords(loaded, "fr"));
    assert.equal(getLanguageWords(loaded, "cn"), getLanguageWords(loaded, "zh"));
    assert.equal(getLanguageWords(loaded, "zh-TW"), getLanguageWords(loaded, "zh-hant"));
  });

  test("are loaded only for the given languages", async () => {
    const german = await loadWords(["de"]);
    assert.deepEqual([...german.keys()], ["de"]);
    assert.throws(() => getLanguageWords(german, "fr"), /not loaded/);
  });

  test("do not replace names inside values", () => {
    const sentence: Template<"name", "count"> = "{name} of {count}";
    assert.equal(fillPlaceholders(sentence, { count: "{name}", name: "$&" }), "$& of {name}");
  });
});
