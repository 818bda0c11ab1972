import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { loadWords, supportedLanguages, wordsInLanguage } from "./load-words.ts";
import { fill, type Template } from "./words.ts";

/** Every text of a language by its way, with the names that stand in it. */
function textsOf(words: object, way = ""): [way: string, text: string, names: string[]][] {
  return Object.entries(words).flatMap(([key, value]: [string, object | string]) =>
    typeof value === "string"
      ? [
          [
            `${way}${key}`,
            value,
            [...value.matchAll(/\{(\w+)\}/g)].map(([name]) => name).toSorted(),
          ],
        ]
      : textsOf(value, `${way}${key}.`),
  );
}

function namesByWay(words: object): Readonly<Record<string, string[]>> {
  return Object.fromEntries(textsOf(words).map(([way, , names]) => [way, names]));
}

suite("words", async () => {
  const loaded = await loadWords([undefined, ...supportedLanguages, "sw", "fr-CA", "cn", "zh-TW"]);
  const english = wordsInLanguage(loaded, "en");

  for (const language of supportedLanguages) {
    test(`are complete in ${language}, with the same names in their sentences`, () => {
      const words = wordsInLanguage(loaded, language);
      assert.deepEqual(namesByWay(words), namesByWay(english));
      for (const [way, text] of textsOf(words)) assert.match(text, /^\S(.*\S)?$/, way);
      if (language !== "en") assert.notEqual(words.notFound.text, english.notFound.text);
    });
  }

  test("are English for an unknown language, and found by all codes of a language", () => {
    assert.equal(wordsInLanguage(loaded, undefined), english);
    assert.equal(wordsInLanguage(loaded, "sw"), english);
    assert.equal(wordsInLanguage(loaded, "fr-CA"), wordsInLanguage(loaded, "fr"));
    assert.equal(wordsInLanguage(loaded, "cn"), wordsInLanguage(loaded, "zh"));
    assert.equal(wordsInLanguage(loaded, "zh-TW"), wordsInLanguage(loaded, "zh-hant"));
  });

  test("are loaded only for the given languages", async () => {
    const german = await loadWords(["de"]);
    assert.deepEqual([...german.keys()], ["de"]);
    assert.throws(() => wordsInLanguage(german, "fr"), /not loaded/);
  });

  test("do not replace names inside values", () => {
    const sentence: Template<"name", "count"> = "{name} of {count}";
    assert.equal(fill(sentence, { count: "{name}", name: "$&" }), "$& of {name}");
  });
});
